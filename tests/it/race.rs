//! The race: every contestant has the same verdict on every variant, and all output formats agree.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::command::{call, call_with, samples};
use crate::common::extent::HANG;
use myriad::compiler::variants::Variants;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::host::measure::energy::{EnergySource, Meter, Watts};
use myriad::paper::race::forms::{csv, document::document, text};
use myriad::paper::race::replay::FRAMES;
use myriad::paper::race::{
    self, Contestant, End, Fate, Field, Race, RaceEvent, RaceSettings, Refused, Resource, Score,
};
use myriad::report::mutants::Counts;
use myriad::testing::equivalence::{Prover, prove};
use myriad::workbench::demo::race::{film, frames};

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

fn run(field: &Field, contestants: &[Contestant], repetitions: u32) -> Race {
    let settings = RaceSettings {
        contestants: contestants.to_vec(),
        repetitions,
        limit: Duration::from_secs(600),
        ..RaceSettings::default()
    };
    race::run(field, &settings, &Meter::estimating(Watts::default()), &AtomicBool::new(false), &mut |_| {})
}

/// Returns the number of variants with this fate.
fn count(score: &Score, fate: Fate) -> usize {
    score.fates.iter().filter(|one| **one == Some(fate)).count()
}

#[test]
fn compiled_and_exported_contestants_agree_on_verdicts() {
    let contestants = [Contestant::External, Contestant::Conventional, Contestant::Cpu];
    // First-order mutants, and as many second-order ones.
    let all = run(&field(240), &contestants, 1);
    for score in all.scores.iter() {
        assert_eq!(score.end, End::Finished, "{score:?}");
        assert_eq!(score.done, all.k);
        assert_eq!(score.unanswered(), 0);
    }
    let cpu = all.score(Contestant::Cpu).expect("it raced");
    for fate in [Fate::Killed, Fate::Timeout, Fate::Survived, Fate::Invalid] {
        assert!(count(cpu, fate) > 0, "no variant is {}", fate.name());
    }
    assert_eq!(all.engines_differ(), 0);
    // C counts turns, so a timeout here may not be one there; nothing else may differ.
    for one in all.disagreements() {
        assert_eq!(one.engine, Some(Fate::Timeout), "{one:?}");
        assert!(one.answers.contains(&(Contestant::Cpu, Fate::Timeout)), "{one:?}");
    }
    let again = run(&field(240), &contestants[1..], 1);
    assert_eq!(again.score(Contestant::Cpu).map(|score| &score.fates), Some(&cpu.fates));
}

#[test]
fn neural_contestant_abstains_or_agrees() {
    let race = run(&field(30), &[Contestant::Cpu, Contestant::Neural], 1);
    let neural = race.score(Contestant::Neural).expect("it raced");
    if let End::LeftOut(why) = &neural.end {
        return assert!(why.contains("weights"), "{why}");
    }
    assert_eq!(neural.end, End::Finished);
    let agreement = race.agreement(neural);
    assert!(agreement.agree >= 10, "{agreement:?}, {} without answer", neural.unanswered());
    // Programs that differ were taken for equal on 256 inputs, so they are rare.
    assert!(agreement.differ <= 1, "{agreement:?}");
    assert_eq!(race.seed, 1);
}

#[test]
fn race_ends_when_stopped_or_out_of_time() {
    let field = field(400);
    let (stop, meter) = (AtomicBool::new(false), Meter::estimating(Watts::default()));
    let settings =
        RaceSettings { contestants: vec![Contestant::External, Contestant::Cpu], ..RaceSettings::default() };
    let race = race::run(&field, &settings, &meter, &stop, &mut |event| {
        if let RaceEvent::Progress { done, .. } = event {
            assert!(done <= field.k);
            stop.store(true, Ordering::Relaxed);
        }
    });
    let [stopped] = &race.scores[..] else { panic!("{race:?}") };
    assert_eq!(stopped.end, End::Stopped);
    assert!(stopped.done < field.k && stopped.runs.len() == 1);
    let short = RaceSettings { limit: Duration::from_millis(30), ..settings };
    let race = race::run(&field, &short, &meter, &AtomicBool::new(false), &mut |_| {});
    let external = race.score(Contestant::External).expect("it raced");
    assert_eq!(external.end, End::OutOfTime);
    let page = text::page("power.myr", &race);
    assert!(page.contains(&format!("out of time after {} of 400", external.done)), "{page}");
}

#[test]
fn contestants_take_turns() {
    let field = field(30);
    let mut turns = vec![];
    let settings = RaceSettings {
        contestants: vec![Contestant::Cpu, Contestant::Conventional],
        repetitions: 3,
        ..RaceSettings::default()
    };
    let meter = Meter::estimating(Watts::default());
    let race = race::run(&field, &settings, &meter, &AtomicBool::new(false), &mut |event| match event {
        RaceEvent::Between(score) => turns.push((score.contestant, score.runs.len())),
        RaceEvent::Ended(score) => turns.push((score.contestant, 10 + score.runs.len())),
        _ => {}
    });
    let (b, c) = (Contestant::Conventional, Contestant::Cpu);
    assert_eq!(turns, [(b, 1), (c, 1), (b, 2), (c, 2), (b, 13), (c, 13)]);
    for score in race.scores.iter() {
        assert_eq!((&score.end, score.done, score.varies), (&End::Finished, 30, 0), "{score:?}");
        let mut times: Vec<Duration> = score.runs.iter().map(|run| run.time).collect();
        times.sort_unstable();
        let middle = score.middle().map(|run| run.time);
        assert_eq!(middle, Some(times[1]));
        assert_eq!(score.per_second(), middle.map(|time| 30.0 / time.as_secs_f64()));
        assert!(score.spread().is_some());
    }
}

#[test]
fn repetitions_stop_at_the_time_limit() {
    let field = field(60);
    let limit = Duration::from_millis(1_500);
    let settings = RaceSettings {
        contestants: vec![Contestant::Conventional],
        repetitions: 1_000_000,
        limit,
        ..RaceSettings::default()
    };
    let (started, meter) = (std::time::Instant::now(), Meter::estimating(Watts::default()));
    let race = race::run(&field, &settings, &meter, &AtomicBool::new(false), &mut |_| {});
    assert!(started.elapsed() < HANG);
    let score = race.score(Contestant::Conventional).expect("it raced");
    assert_eq!((&score.end, score.done), (&End::Finished, 60));
    assert!((1..1_000_000).contains(&score.runs.len()), "{}", score.runs.len());
}

#[test]
fn one_thread_is_charged_for_one_core() {
    let race = run(&field(30), &[Contestant::Conventional, Contestant::Cpu], 1);
    let of = |contestant| {
        let score = race.score(contestant).expect("it raced");
        let energy = score.middle().and_then(|run| run.energy).expect("it is estimated");
        let EnergySource::Estimate { watts } = energy.source else { panic!("{energy}") };
        let seconds = score.middle().map_or(0.0, |run| run.time.as_secs_f64());
        assert!((energy.joules - watts * seconds).abs() <= 0.1 * energy.joules, "{energy} in {seconds} s");
        (watts, score.works)
    };
    let all = Watts::default().cpu;
    assert_eq!(of(Contestant::Cpu), (all, Some(Resource::AllCores)));
    assert_eq!(of(Contestant::Conventional), (all / f64::from(race.cores), Some(Resource::OneCore)));
    let page = text::page("power.myr", &race);
    assert!(page.contains(&format!("one of {} cores", race.cores)), "{page}");
}

/// The race uses the same population as `mutate`: the engine's own verdicts on the same ids, and the proofs.
#[test]
fn race_variants_equal_those_of_mutate() {
    let mut raced = 0;
    for path in samples() {
        let text: Arc<str> = std::fs::read_to_string(&path).expect("a sample").into();
        let Ok(field) = Field::new(&text, 120) else { continue };
        raced += 1;
        let race = run(&field, &[Contestant::Cpu], 1);
        let singles = race.population.singles();
        assert_eq!(singles.len(), field.k.min(field.first_order()));
        let mut engine = CpuEngine::new();
        let base = engine.base(&text, &|| false).expect("it compiles");
        let mut verdicts = Vec::new();
        let mut sink = |part: myriad::engine::MutantResult| verdicts.extend(part.verdicts);
        engine.mutants(singles, &|| false, &mut sink).expect("it judges");
        prove(&mut Prover::default(), &Variants::new(base.compiled), &mut verdicts, &|| false).expect("proofs");
        let mut counts = Counts::default();
        verdicts.iter().for_each(|one| counts.add(one.status));
        let tally = race.population.tally(singles);
        assert_eq!(
            (tally.counts, tally.variants, tally.no_answer),
            (counts, singles.len(), 0),
            "{}",
            path.display()
        );
        // Racing yields the same counts.
        let cpu = race.score(Contestant::Cpu).expect("it raced");
        assert_eq!(race.tally(cpu, singles), tally, "{}", path.display());
        assert_eq!(race.tally(cpu, race.population.pairs()), race.population.tally(race.population.pairs()));
        assert_eq!(race.agreement(cpu).agree as u32, field.k, "{}", path.display());
    }
    assert!(raced >= 12, "{raced} samples");
}

/// The test does not notice most changes, and some of these are duplicates.
const COPIES: &str = "\
fn twice(n: int) -> int {
    let spare = n + 1;
    return n + n;
}

test twice(0) == 0;
";

#[test]
fn duplicates_do_not_count_as_survivors() {
    // First-order and second-order mutants, with a contestant that runs duplicates.
    let field = Field::new(&Arc::from(COPIES), 100).expect("it can be raced");
    let race = run(&field, &[Contestant::Conventional], 1);
    let score = race.score(Contestant::Conventional).expect("it raced");
    let (singles, pairs) = (race.population.singles(), race.population.pairs());
    assert!(singles.len() > 5 && pairs.len() > 5, "{singles:?} {pairs:?}");
    let mut survived = 0;
    for ids in [singles, pairs] {
        let tally = race.tally(score, ids);
        assert_eq!(tally, race.population.tally(ids));
        survived += tally.counts.survived;
    }
    let ran = count(score, Fate::Survived);
    assert!(survived > 0 && (survived as usize) < ran, "{survived} survivors of {ran} that nothing noticed");
    // The command has the same counts of first-order mutants for any contestant, and so does `mutate`.
    let mutate = call_with("mutate - --format json", COPIES).file();
    let words = "race - -k 100 --repetitions 1 --contestants conventional --format json";
    let race = call_with(words, COPIES).file();
    let counts = &race["population"]["singles"]["counts"];
    for status in ["killed", "timeout", "survived", "equivalent", "duplicate", "invalid"] {
        assert!(counts[status].is_u64() && counts[status] == mutate["counts"][status], "{status}: {counts}");
        assert_eq!(race["contestants"][0]["counts"][status], counts[status]);
    }
    assert!(race["population"]["score"].is_f64() && race["population"]["score"] == mutate["score"]);
    assert!(counts["duplicate"].as_u64() > Some(0), "{counts}");
}

#[test]
fn program_without_judges_or_variants_is_refused() {
    let refused = |text: &str| Field::new(&Arc::from(text), 10).err();
    assert_eq!(refused("fn f() -> int { return true; }"), Some(Refused::Errors));
    assert_eq!(refused("fn f() -> int { return 1; }"), Some(Refused::NoJudge));
    assert_eq!(refused("fn f() -> int { return 1; } test f() == 2;"), Some(Refused::NoJudge));
    assert_eq!(refused("test 1 == 1;"), Some(Refused::NoVariants));
}

#[test]
fn output_formats_show_equal_numbers() {
    let race = run(&field(60), &[Contestant::Conventional, Contestant::Cpu], 3);
    let document = serde_json::to_value(document(&race)).expect("JSON");
    let rows = document["contestants"].as_array().expect("rows");
    let table = csv::table(&race);
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let records: Vec<HashMap<String, String>> = reader.deserialize().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(&records) {
        assert_eq!(row["contestant"], record["contestant"].as_str());
        for status in ["killed", "survived", "equivalent", "duplicate", "no_answer"] {
            assert_eq!(row["counts"][status].to_string(), record[status]);
            assert_eq!(row["pair_counts"][status].to_string(), record[&format!("pairs_{status}")]);
        }
        assert_eq!(row["variants"].to_string(), record["variants"]);
        assert_eq!(row["speed"]["origin"], "measured");
        assert_eq!((&row["speed"]["repetitions"], record["repetitions"].as_str()), (&3.into(), "3"));
        let close = |field: &str| {
            let (one, other) = (row["speed"][field].as_f64(), record[field].parse::<f64>().ok());
            one.zip(other).is_some_and(|(one, other)| (one - other).abs() <= 1e-3 * other.max(0.1))
        };
        assert!(close("seconds") && close("spread") && close("per_second"), "{row} {record:?}");
        assert_eq!(row["speed"]["energy"]["origin"], "modelled");
        assert_eq!(record["joules_origin"], "modelled");
        assert_eq!(row["differ"], 0);
    }
    let cores = |row: usize| rows[row]["speed"]["energy"]["cores"].as_u64();
    assert_eq!((cores(0), cores(1)), (Some(1), document["cores"].as_u64()));
    assert_eq!(rows[0]["speed"]["to_conventional"], 1.0);
    assert_eq!(
        (&document["repetitions"], &document["population"]["singles"]["variants"]),
        (&3.into(), &60.into())
    );
    let page = text::page("power.myr", &race);
    assert!(page.contains("measured") && page.contains("quoted"), "{page}");
    assert!(page.contains("3× ±") && page.contains("the median repetition"), "{page}");
    assert!(page.contains("All verdicts agree."), "{page}");
    let singles = &document["population"]["singles"]["counts"];
    let said = format!(
        "60 first-order mutants: {} killed, {} timeout, {} survived;",
        singles["killed"], singles["timeout"], singles["survived"]
    );
    assert!(page.contains(&said), "{said}: {page}");
    let picture = film("a <b> & c", &race);
    assert!(picture.contains("a &lt;b&gt; &amp; c") && picture.contains("@keyframes"), "{picture}");
    let frames: Vec<String> = frames("power.myr", &race).map(|(_, picture)| picture.text()).collect();
    let (first, last) = (&frames[0], &frames[frames.len() - 1]);
    assert_eq!(frames.len() as u32, FRAMES + 1);
    for said in ["All verdicts agree.", "paper, to b", "3× ±", &said, &race.date] {
        assert!(last.contains(said), "{said}: {last}");
    }
    // The fastest begins and arrives with the others, and has judged all of them.
    let arrived = |frame: &String| frame.lines().filter(|line| line.ends_with(" 60")).count();
    assert_eq!((arrived(first), arrived(last), first.contains("verdicts")), (0, 1, false), "{first}{last}");
}

#[test]
fn race_command_writes_csv_and_svg() {
    let folder = tempfile::tempdir().expect("a folder");
    let (csv, svg) = (folder.path().join("race.csv"), folder.path().join("race.svg"));
    let words = format!(
        "race - -k 40 --repetitions 2 --contestants conventional,cpu --format json --csv {} --svg {}",
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
    assert_eq!(call("race samples/gcd.myr --repetitions 0").code, 2);
}
