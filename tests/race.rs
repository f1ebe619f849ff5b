//! The race: every contestant judges every variant alike, and the forms of the result say the same.

mod common;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::command::{call, call_with};
use myriad::energy::{Meter, Watts};
use myriad::race::forms::{csv, document::Document, svg, text};
use myriad::race::{self, Contestant, End, Event, Fate, Field, Race, Refused, Settings};

/// A program whose variants are killed, time out, survive and do not compile.
const PROGRAM: &str = "\
fn power(base: int, exponent: int) -> int {
    let result = 1;
    while exponent > 0 {
        if exponent % 2 == 1 { result *= base; }
        base *= base;
        exponent /= 2;
    }
    return result;
}

fn label(n: int) -> [int] {
    if n < 0 { return \"minus\"; }
    return \"plus\";
}

test power(3, 5) == 243;
prop \"sum of exponents\": a in 0..6, b in 0..6 => power(2, a + b) == power(2, a) * power(2, b);
test label(-1) == \"minus\";
";

fn field(k: u32) -> Field {
    Field::new(&Arc::from(PROGRAM), k).expect("it can be raced")
}

fn run(field: &Field, contestants: &[Contestant], seconds: u64) -> Race {
    let settings = Settings {
        contestants: contestants.to_vec(),
        limit: Duration::from_secs(seconds),
        ..Settings::default()
    };
    race::run(field, &settings, &Meter::stated(Watts::default()), &AtomicBool::new(false), &mut |_| {})
}

#[test]
fn the_compiled_and_the_exported_judge_alike() {
    let contestants = [Contestant::External, Contestant::Conventional, Contestant::Cpu];
    // Single changes, and as many pairs.
    let all = run(&field(240), &contestants, 600);
    for score in all.scores.iter() {
        assert_eq!(score.end, End::Finished, "{score:?}");
        assert_eq!(score.done, all.k);
        assert_eq!(score.count(Fate::NoAnswer), 0);
    }
    let cpu = all.score(Contestant::Cpu).expect("it raced");
    for fate in [Fate::Killed, Fate::Timeout, Fate::Survived, Fate::Invalid] {
        assert!(cpu.count(fate) > 0, "no variant is {}", fate.name());
    }
    assert_eq!(all.engines_differ(), 0);
    // C counts turns, so what is a timeout here may be none there; nothing else may differ.
    for (id, answers) in all.disagreements() {
        let answers: HashMap<_, _> = answers.into_iter().collect();
        assert_eq!(answers[&Contestant::Cpu], Fate::Timeout, "variant {id}: {answers:?}");
    }
    let again = run(&field(240), &contestants[1..], 600);
    assert_eq!(again.score(Contestant::Cpu).map(|score| &score.fates), Some(&cpu.fates));
}

#[test]
fn the_network_says_nothing_or_what_is_so() {
    let race = run(&field(30), &[Contestant::Cpu, Contestant::Neural], 600);
    let neural = race.score(Contestant::Neural).expect("it raced");
    if let End::LeftOut(why) = &neural.end {
        return assert!(why.contains("weights"), "{why}");
    }
    assert_eq!(neural.end, End::Finished);
    let agreement = race.agreement(neural);
    assert!(agreement.agree >= 10, "{agreement:?}, {} without answer", neural.count(Fate::NoAnswer));
    // What differs has been taken for equal on 256 inputs: rare at most.
    assert!(agreement.differ <= 1, "{agreement:?}");
    assert_eq!(race.seed, 1);
}

#[test]
fn a_race_can_be_stopped_and_cut_off() {
    let field = field(400);
    let (stop, meter) = (AtomicBool::new(false), Meter::stated(Watts::default()));
    let settings = Settings { contestants: vec![Contestant::External, Contestant::Cpu], ..Settings::default() };
    let race = race::run(&field, &settings, &meter, &stop, &mut |event| {
        if let Event::Progress { done, .. } = event {
            assert!(done <= field.k);
            stop.store(true, Ordering::Relaxed);
        }
    });
    let [stopped] = &race.scores[..] else { panic!("{race:?}") };
    assert_eq!(stopped.end, End::Stopped);
    assert!(stopped.done < field.k);
    let short = Settings { limit: Duration::from_millis(30), ..settings };
    let race = race::run(&field, &short, &meter, &AtomicBool::new(false), &mut |_| {});
    let external = race.score(Contestant::External).expect("it raced");
    assert_eq!(external.end, End::OutOfTime);
    let page = text::page("power.myr", &race);
    assert!(page.contains(&format!("out of time after {} of 400", external.done)), "{page}");
}

#[test]
fn there_is_no_race_without_judges() {
    let refused = |text: &str| Field::new(&Arc::from(text), 10).err();
    assert_eq!(refused("fn f() -> int { return true; }"), Some(Refused::Errors));
    assert_eq!(refused("fn f() -> int { return 1; }"), Some(Refused::NoJudge));
    assert_eq!(refused("fn f() -> int { return 1; } test f() == 2;"), Some(Refused::NoJudge));
    assert_eq!(refused("test 1 == 1;"), Some(Refused::NoVariants));
}

#[test]
fn all_forms_say_the_same() {
    let race = run(&field(60), &[Contestant::Conventional, Contestant::Cpu], 600);
    let document = serde_json::to_value(Document::new(&race)).expect("JSON");
    let rows = document["contestants"].as_array().expect("rows");
    let table = csv::table(&race).expect("a table");
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let records: Vec<HashMap<String, String>> = reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        assert_eq!(row["contestant"], record["contestant"].as_str());
        assert_eq!(row["counts"]["killed"].to_string(), record["killed"]);
        assert_eq!(row["variants"].to_string(), record["variants"]);
        assert_eq!(row["speed"]["origin"], "measured");
        assert_eq!(row["speed"]["energy"]["origin"], "modelled");
        assert_eq!(record["joules_origin"], "modelled");
        assert_eq!(row["differ"], 0);
    }
    assert_eq!(rows[0]["speed"]["to_conventional"], 1.0);
    let page = text::page("power.myr", &race);
    let cpu = race.score(Contestant::Cpu).expect("it raced");
    assert!(page.contains("measured") && page.contains("quoted"), "{page}");
    assert!(page.contains("All who judged a variant judged it alike."), "{page}");
    assert!(page.contains(&format!("{} killed", cpu.count(Fate::Killed))), "{page}");
    let picture = svg::picture("a <b> & c", &race);
    assert!(picture.contains("a &lt;b&gt; &amp; c") && picture.contains("all verdicts agree"), "{picture}");
    assert_eq!(picture.matches("<rect x=").count(), 2);
}

#[test]
fn the_call_races_and_writes_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (csv, svg) = (folder.path().join("race.csv"), folder.path().join("race.svg"));
    let words = format!(
        "race - -k 40 --contestants conventional,cpu --format json --csv {} --svg {}",
        csv.display(),
        svg.display()
    );
    let called = call_with(&words, PROGRAM);
    assert_eq!(called.code, 0, "{called:?}");
    let file = called.file();
    assert_eq!(file["k"], 40);
    assert_eq!(file["contestants"].as_array().map(Vec::len), Some(2));
    assert!(std::fs::read_to_string(csv).is_ok_and(|table| table.lines().count() == 3));
    assert!(std::fs::read_to_string(svg).is_ok_and(|picture| picture.starts_with("<svg")));
    let broken = call_with("race - --format json", "fn f() -> int { return true; }");
    assert_eq!(broken.code, 1);
    assert!(broken.file().get("contestants").is_none());
    assert_eq!(call_with("race -", "test 1 == 1;").code, 1);
    assert_eq!(call("race samples/gcd.myr --contestants tortoise").code, 2);
    assert_eq!(call("race samples/gcd.myr --seconds 0").code, 2);
}
