//! Properties with conditions: discarded inputs, their effect on mutants, and more inputs than a keystroke
//! allows.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::command::{call, call_with};
use crate::common::typed;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{self, Domain, Machine, Record};
use myriad::engine::choose::Preference;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::explain::{Value, explain, first_met};
use myriad::engine::extra_inputs::ExtraInputs;
use myriad::engine::{Abilities, BaseResult, Engine, EntryResult, TestTotals, Tested, TestedCandidate};
use myriad::host::measure::energy::{Meter, Watts};
use myriad::lang::index::{Address, EntryId, Index, Indices, InputId, MutantId, RoutineId};
use myriad::lang::level::LevelChoice;
use myriad::lang::limits::{IDLE_SAMPLES, SAMPLES, STEPS};
use myriad::lang::role::Role;
use myriad::lang::verdict::{MutantStatus, Outcome};
use myriad::session::job::RUN;
use myriad::session::{
    self, CompareExtent, Edit, Finding, Inputs, Recorded, Request, RunRequest, Session, Update, VisibleJobs,
};
use myriad::testing::trace::{self, Subject};

fn base(text: &str) -> BaseResult {
    let base = CpuEngine::with_threads(1).base(&text.into(), &|| false);
    let base = base.expect("the CPU engine does not fail");
    assert!(!base.entries.is_empty(), "it does not compile: {text}");
    base
}

/// Runs an entry on the stack machine on all inputs, up to the first that does not hold.
fn runs(compiled: &Compiled, entry: EntryId, samples: u32) -> Vec<Record> {
    let routine = compiled.facts.entry(entry);
    let domain = Domain::new(&compiled.executable.routines, &compiled.binders, routine, samples);
    let mut machine = Machine::default();
    machine.load(&compiled.executable);
    let mut records = Vec::new();
    for input in domain.inputs() {
        records.push(domain.run(&mut machine, &compiled.executable, input, STEPS));
        if !records.last().is_some_and(execute::holds) {
            break;
        }
    }
    records
}

/// Returns the expected result of an entry from these runs.
fn result(records: &[Record], samples: u32, address: Option<Address>) -> EntryResult {
    let last = *records.last().expect("a run");
    let discarded = records.iter().filter(|record| execute::discards(record)).count() as u32;
    let holds = execute::holds(&last);
    let outcome = match holds {
        true if discarded as usize == records.len() => Outcome::Discarded,
        true => Outcome::Pass,
        false => execute::outcome(&last),
    };
    EntryResult {
        outcome,
        steps: records.iter().map(|record| u64::from(record.steps)).sum(),
        costliest: records.iter().map(|record| record.steps).max().unwrap_or(0),
        inputs: records.len() as u32,
        discarded,
        unfinished: 0,
        samples,
        failing_input: (!holds).then(|| InputId::at(records.len() - 1)),
        trap_address: address,
    }
}

#[test]
fn discarded_inputs_are_counted() {
    let text = "fn half(n: int) -> int { return n / 2; }
        prop a in 0..10, b in 0..10 if a < b => half(a) <= half(b);
        prop a in 0..10 if a % 2 == 0 && a > 3 => half(a) * 2 == a;
        prop a in 0..10 if a > 20 => half(a) == 7;
        prop a in 0..10 if a > 3 => half(a) < 3;
        prop a in 0..10 => half(a) >= 0;";
    let of = |e: &EntryResult| (e.outcome, e.inputs, e.discarded, e.discards_many());
    let expected = [
        (Outcome::Pass, 100, 55, false),
        (Outcome::Pass, 10, 7, false),
        (Outcome::Discarded, 10, 10, true),
        (Outcome::Fail, 7, 4, false),
        (Outcome::Pass, 10, 0, false),
    ];
    assert_eq!(base(text).entries.iter().map(of).collect::<Vec<_>>(), expected);
}

#[test]
fn many_discards_are_over_ten_per_kept_input() {
    let many = |text: &str| {
        let entry = base(text).entries[0];
        assert_eq!(entry.outcome, Outcome::Pass);
        entry.discards_many()
    };
    assert!(!many("prop a in 0..11 if a == 3 => a < 4;"));
    assert!(many("prop a in 0..12 if a == 3 => a < 4;"));
}

#[test]
fn results_equal_those_of_single_input_runs() {
    let (mut discarded, mut vacuous) = (0, 0);
    for seed in 0..300 {
        let text: Arc<str> = typed::program(seed).into();
        let base = CpuEngine::with_threads(1).base(&text, &|| false).expect("the CPU engine does not fail");
        for (entry, found) in EntryId::all().zip(&base.entries).filter(|(_, found)| found.inputs > 0) {
            let expected = result(&runs(&base.compiled, entry, SAMPLES), SAMPLES, found.trap_address);
            assert_eq!(*found, expected, "entry {entry} of\n{text}");
            discarded += found.discarded;
            vacuous += u32::from(found.outcome == Outcome::Discarded);
        }
    }
    assert!(discarded > 1_000 && vacuous > 5, "{discarded} and {vacuous}");
}

#[test]
fn a_counterexample_meets_the_condition() {
    let least = |text: &str| {
        let base = base(text);
        let explained = explain(&base.compiled, EntryId::FIRST, &base.entries[0]);
        let values = explained.counterexample.iter().map(|(name, value)| format!("{name} = {value}"));
        values.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(least("prop a in 0..100, b in 0..100 if a > b + 3 => a < 50;"), "a = 50, b = 0");
    assert_eq!(least("prop a in 0..500 if a % 7 == 3 => a < 100;"), "a = 101");
    assert_eq!(least("prop a in 0..90, b in 0..90 if a + b == 60 => a < 20;"), "a = 60, b = 0");
    assert_eq!(least("prop xs in [0..9; 5] if len(xs) >= 2 => xs[0] != 5;"), "xs = [5, 0]");
    assert_eq!(least("prop a in 0..90, b in 0..90 if b != 5 => 100 / (a - b) >= -100;"), "a = 0, b = 0");
    // Also in random programs: the counterexample meets the condition.
    let mut failing = 0;
    for seed in 0..400 {
        let text = typed::program(seed);
        let base = base(&text);
        for (id, found) in EntryId::all().zip(&base.entries) {
            let head = base.compiled.entry(id).expect("an entry").head();
            let has_condition =
                base.compiled.view().is(head, Role::Prop) && base.compiled.view().child(head, 2).is_some();
            if !has_condition || found.outcome != Outcome::Fail {
                continue;
            }
            let subject = Subject::Entry { label: trace::entry_label(&base.compiled, id), id };
            let Ok(target) = subject.find(&base.compiled, &base.entries) else { continue };
            let trace = trace::record(&base.compiled, target.routine, &target.frame, STEPS);
            assert!(!trace.is_discarded() && trace.record.value == 0, "{}\n{text}", target.title);
            failing += 1;
        }
    }
    assert!(failing > 10, "{failing}");
}

#[test]
fn input_discarded_by_a_mutant_does_not_kill_it() {
    // The condition calls the changed function: a mutant that accepts less is tested on fewer inputs.
    let text = "fn small(n: int) -> bool { return n < 5; }
        fn same(n: int) -> int { return n + 0; }
        prop n in 0..10 if small(n) => same(n) < 5;";
    let mut engine = CpuEngine::with_threads(1);
    engine.base(&text.into(), &|| false).expect("the CPU engine does not fail");
    let singles = engine.variants().first_order;
    let base = base(text);
    let variants = myriad::compiler::variants::Variants::new(base.compiled);
    let mut verdicts = Vec::new();
    engine
        .mutants(Indices::first(singles), &|| false, &mut |part| verdicts.extend(part.verdicts))
        .expect("verdicts");
    let mut seen = [false; 2];
    for (id, verdict) in MutantId::all().zip(&verdicts) {
        let source = variants.source(id).unwrap_or_default();
        let accepts_less =
            ["n < 4", "n < 0", "n < 1", "n == 5", "return false"].iter().any(|t| source.contains(t));
        let accepts_more = ["n <= 5", "n < 6", "n != 5", "n >= 5", "n > 5"].iter().any(|t| source.contains(t));
        if accepts_less && !source.contains("n == 5") {
            assert_eq!(verdict.status, MutantStatus::Survived, "{source}");
            seen[0] = true;
        }
        if accepts_more {
            assert_eq!(verdict.status, MutantStatus::Killed, "{source}");
            seen[1] = true;
        }
    }
    assert_eq!(seen, [true; 2], "{verdicts:?}");
}

#[test]
fn candidates_tested_from_a_base_match_full_tests() {
    let text = "fn ok(n: int) -> bool {\n    return n % 3 == 0;\n}\nfn third(n: int) -> int {\n    return n / 3;\n}\n\
        prop n in 0..90 if ok(n) => third(n) * 3 == n;\nprop n in 0..5000 if n > 4 && ok(n) => third(n) > 0;\n\
        prop n in 0..50, m in 0..50 if ok(n + m) || ok(m) => third(n) <= n;\n";
    let writings = ["n % 3 == 0", "false", "n > 90000", "true", "n == 3", "n / 0 == 1", "n % 6 == 0"];
    let others = ["n / 3", "n / 3 + 0", "0", "n - n / 3 * 2"];
    let mut engine = CpuEngine::with_threads(2);
    engine.base(&text.into(), &|| false).expect("a base");
    let mut outcomes = Vec::new();
    for writing in writings {
        for other in others {
            let functions = [
                format!("fn ok(n: int) -> bool {{\n    return {writing};\n}}"),
                format!("fn third(n: int) -> int {{\n    return {other};\n}}"),
            ];
            let whole = text
                .replace("fn ok(n: int) -> bool {\n    return n % 3 == 0;\n}", &functions[0])
                .replace("fn third(n: int) -> int {\n    return n / 3;\n}", &functions[1]);
            let changes = (0..)
                .map(RoutineId::new)
                .zip(&functions)
                .map(|(function, text)| myriad::engine::CandidateChange { function, text });
            let candidate = TestedCandidate { text: &whole, changes: Some(changes.collect()) };
            let found =
                engine.test_all(&[candidate], &|| false).expect("tests")[0].expect("it was not stopped");
            let expected = Tested::Ended(TestTotals::of(&base(&whole).entries));
            assert_eq!(found, expected, "{whole}");
            if let Tested::Ended(sum) = found {
                outcomes.push(sum.outcome);
            }
        }
    }
    for outcome in [Outcome::Pass, Outcome::Fail, Outcome::Discarded] {
        assert!(outcomes.contains(&outcome), "{outcome:?}");
    }
}

#[test]
fn extra_inputs_equal_those_of_the_larger_domain() {
    let mut more = 0;
    for seed in 0..160 {
        let text: Arc<str> = typed::program(seed).into();
        let base = CpuEngine::with_threads(1).base(&text, &|| false).expect("the CPU engine does not fail");
        let mut extra = ExtraInputs::new(&base.compiled, &base.entries, 3_000);
        while !extra.is_done() {
            extra.step(Duration::from_micros(300), &|| false).expect("it is not stopped");
        }
        for (entry, (found, first)) in EntryId::all().zip(extra.results().iter().zip(&base.entries)) {
            if found.samples == SAMPLES {
                assert_eq!(found, first);
                continue;
            }
            let expected =
                result(&runs(&base.compiled, entry, found.samples), found.samples, found.trap_address);
            assert_eq!(*found, expected, "entry {entry} of\n{text}");
            more += 1;
        }
    }
    assert!(more > 20, "{more}");
}

#[test]
fn late_failing_input_is_found_and_explained() {
    let failing_on = |domain: &str, value: i32| {
        base(&format!("fn same(a: int) -> int {{ return a; }}\nprop {domain} if a > 0 => same(a) != {value};"))
    };
    // The value of a late drawn input; and one that is not drawn, where all values are tried later.
    let drawn = |input: InputId| {
        let compiled = failing_on("a in 0..90000", 0).compiled;
        let mut frame = [0; 8];
        Domain::new(&compiled.executable.routines, &compiled.binders, RoutineId::new(1), SAMPLES)
            .write(input, &mut frame);
        frame[0] as i32
    };
    let passes = |domain: &str, value: &i32| failing_on(domain, *value).entries[0].outcome == Outcome::Pass;
    let late = Indices::numbered(5_000..6_000)
        .iter()
        .map(drawn)
        .find(|value| passes("a in 0..90000", value))
        .expect("a late one");
    let left_out = (4_000..5_000).find(|value| passes("a in 0..5000", value)).expect("one that is not drawn");
    for (domain, value) in [("a in 0..90000", late), ("a in 0..5000", left_out)] {
        let base = failing_on(domain, value);
        let mut extra = ExtraInputs::new(&base.compiled, &base.entries, IDLE_SAMPLES);
        extra.step(Duration::from_secs(600), &|| false).expect("it is not stopped");
        let found = extra.results()[0];
        assert_eq!((found.outcome, extra.changed()), (Outcome::Fail, 1), "{domain}");
        assert!(
            found.failing_input >= Some(InputId::new(SAMPLES)) && found.samples >= IDLE_SAMPLES,
            "{found:?}"
        );
        let explained = explain(&base.compiled, EntryId::FIRST, &found);
        assert_eq!(explained.counterexample, [("a".to_string(), Value::Int(value))], "{domain}");
    }
}

#[test]
fn property_run_starts_with_an_input_that_meets_the_condition() {
    let text = "fn same(a: int) -> int { return a; }
        prop a in 0..9, b in 0..9 if a + b > 9 => same(a) >= 0;
        prop a in 0..9 if a > 9 => same(a) >= 0;
        prop a in 0..9 => same(a) >= 0;";
    let base = base(text);
    let first: Vec<InputId> = EntryId::all().take(3).map(|entry| first_met(&base.compiled, entry)).collect();
    assert_eq!(first, [2 * 9 + 8, 0, 0].map(InputId::new));
    let traced = call_with("test - --engine cpu --trace 1", text);
    assert!(
        traced.stdout.contains("the input does not meet the condition: it is discarded after"),
        "{}",
        traced.stdout
    );
}

const PROGRAM: &str = "fn half(n: int) -> int { return n / 2; }
prop \"all\": n in 0..20 => half(n) <= n;
prop \"even\": n in 0..20 if n % 2 == 0 => half(n) * 2 == n;
prop \"few\": n in 0..40 if n == 7 => half(n) == 3;
prop \"none\": n in 0..20 if n > 20 => half(n) == 3;
prop \"fails\": n in 0..20 if n > 4 => half(n) < 4;
";

#[test]
fn test_command_reports_discarded_inputs() {
    let called = call_with("test - --engine cpu --format json", PROGRAM);
    assert_eq!(called.code, 1);
    let tests = called.file()["tests"].clone();
    let of = |test: &serde_json::Value| {
        json!([
            test["status"],
            test["inputs"],
            test["discarded"],
            test["discards_many"],
            test["counterexample"]
        ])
    };
    let found: Vec<serde_json::Value> = tests.as_array().expect("tests").iter().map(of).collect();
    let none = serde_json::Value::Null;
    assert_eq!(
        found,
        [
            json!(["pass", 20, none, none, none]),
            json!(["pass", 20, 10, none, none]),
            json!(["pass", 40, 39, true, none]),
            json!(["discarded", 20, 20, true, none]),
            json!(["fail", 9, 5, none, {"n": 8}]),
        ]
    );
    let page = call_with("test - --engine cpu", PROGRAM).stdout;
    for said in [
        "3 of 5 pass",
        "20 inputs, 10 discarded, ",
        "line 4: only 1 input of 40 met its condition",
        "line 5: no input meets its condition",
        "line 6: this is false",
    ] {
        assert!(page.contains(said), "{said}\n{page}");
    }
    // A property that discards all inputs judges nothing.
    let mutants = call_with("mutate - --engine cpu", PROGRAM);
    assert!(mutants.stdout.contains("2 of 5 tests do not pass and judge nothing"), "{}", mutants.stdout);
    // Such a property needs no repair.
    let repaired = call_with("repair - --engine cpu", &PROGRAM.replace("half(n) < 4", "half(n) < 40"));
    assert_eq!(repaired.code, 0, "{repaired:?}");
}

/// Returns a property that fails on one value.
fn with_gap(value: i32) -> String {
    format!("fn same(a: int) -> int {{ return a; }}\nprop a in 0..5000 if a > 9 => same(a) != {value};")
}

#[test]
fn inputs_option_tests_more_inputs() {
    let passes = |value: &i32| base(&with_gap(*value)).entries[0].outcome == Outcome::Pass;
    let gap = (4_000..5_000).find(passes).expect("a value that is not drawn");
    let text = &with_gap(gap);
    let one = |words: &str| call_with(words, text).file()["tests"][0].clone();
    for words in ["test - --engine cpu --format json", "test - --engine cpu --inputs 9000 --format json"] {
        let found = one(words);
        assert_eq!((&found["status"], &found["inputs"]), (&json!("fail"), &json!(gap + 1)), "{words}");
        assert_eq!(
            (&found["counterexample"], &found["discarded"]),
            (&json!({ "a": gap }), &json!(10)),
            "{words}"
        );
    }
    // Too many values to try them all.
    let text = "fn same(a: int) -> int { return a; }\nprop a in 0..90000 => same(a) == a;";
    for (words, inputs) in [("test -", SAMPLES), ("test - --inputs 9000", 9_000)] {
        let found = call_with(&format!("{words} --engine cpu --format json"), text).file()["tests"][0].clone();
        assert_eq!((&found["inputs"], found.get("all")), (&json!(inputs), None), "{words}");
    }
    for wrong in ["0", "1023", "65537", "-1", "x"] {
        assert_eq!(call(&format!("test samples/gcd.myr --inputs {wrong}")).code, 2, "{wrong}");
    }
}

#[test]
fn idle_session_tests_more_inputs_and_runs_a_failing_one() {
    let (tell, updates) = channel();
    let options = session::Options {
        cpu: Box::new(CpuEngine::with_threads(1)),
        devices: None,
        wanted: Preference::Cpu,
        level: LevelChoice::default(),
        budget: 20,
        shaders: false,
        idle: Duration::from_secs(3_600),
        extent: CompareExtent::Sample,
        inputs: IDLE_SAMPLES,
        filling: Duration::MAX,
        weights: Arc::new(|| Err("none here".into())),
        meter: Meter::estimating(Watts::default()),
        history: None,
        learned: None,
    };
    let session = Session::start(options, move |update| drop(tell.send(update))).expect("threads");
    let passes = |value: &i32| base(&with_gap(*value)).entries[0].outcome == Outcome::Pass;
    let gap = (4_000..5_000).find(passes).expect("a value that is not drawn");
    let text: Arc<str> = with_gap(gap).into();
    session.send(Request::Edit(Edit { revision: 1, text, at: Instant::now(), fires_in: None }));
    let next = |wanted: &dyn Fn(&Finding) -> bool| loop {
        let update = updates.recv_timeout(Duration::from_secs(60)).expect("it is told in time");
        if let Update::Found(finding) = update
            && wanted(&finding)
        {
            return finding;
        }
    };
    let found = next(&|finding| finding.what::<Inputs>().is_some_and(|inputs| inputs.done));
    let found = found.what::<Inputs>().expect("inputs");
    let ended = found.ended[0];
    assert_eq!((ended.outcome, ended.inputs, ended.discarded), (Outcome::Fail, gap as u32 + 1, 10));
    let (entry, explained, _) = &found.explained[0];
    assert_eq!(
        (*entry, &explained.counterexample),
        (EntryId::FIRST, &vec![("a".to_string(), Value::Int(gap))])
    );
    // The recorded run uses that input.
    let subject = Subject::Entry { label: format!("same(a) != {gap}"), id: EntryId::FIRST };
    let wish = RunRequest { number: 1, subject, breakpoints: vec![], against: None };
    session.send(Request::Look(VisibleJobs { jobs: vec![&RUN], function: None, ..VisibleJobs::default() }));
    session.send(Request::Run(Arc::new(wish)));
    let recorded = next(&|finding| finding.what::<Recorded>().is_some());
    let (title, trace) = recorded.what::<Recorded>().expect("a run").run.clone().expect("it runs");
    assert_eq!((title, trace.record.value), (format!("same(a) != {gap} with a = {gap}"), 0));
    session.finish(Duration::from_secs(10));
}
