//! Noise: both machines have the same faults, faulty runs stay safe, and counts match the runs.

mod vote;

use crate::common::extent::scaled;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::command::{call, call_with};
use crate::common::gpu::{Lent, lend};
use crate::common::{cases, typed};
use myriad::compiler::stage::execute::{Noise, NoisyEnd, NoisyRun};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::multi::MultiEngine;
use myriad::engine::news::Reporter;
use myriad::engine::{Abilities, Engine};
use myriad::lang::fault::LangFault;
use myriad::lang::index::{EntryId, Index, Indices};
use myriad::lang::opcode::Op;
use myriad::lang::verdict::Outcome;
use myriad::testing::noise::{self, NoiseSettings};

fn gpu() -> Lent {
    lend()
}

/// Runs all repetitions of all tests of a program.
fn runs(engine: &mut dyn Engine, text: &str, noise: Noise) -> Vec<NoisyRun> {
    let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let jobs = Indices::first(base.entries.len() as u32 * noise.repetitions);
    engine.repeat(noise, jobs, &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Lists, loops, calls, slices and strings, in tests that pass.
const EVERYTHING: &str = "
    const LIMIT = 7;
    fn sum(xs: [int]) -> int { let total = 0; for x in xs { total += x; } return total; }
    fn up(n: int) -> [int] { let xs = [0; 5]; for i in 0..5 { xs[i] = i * n; } return xs; }
    fn fact(n: int) -> int { if n <= 1 { return 1; } return n * fact(n - 1); }
    fn both(a: bool, b: bool) -> bool { return a && !b || b && !a; }
    fn mid(xs: [int]) -> [int] { let ys = xs; return ys[1..4] + xs[0..1]; }
    fn count(n: int) -> int { let c = 0; let i = 0; while i < n { if i % 3 == 0 { c += 1; } i += 1; } return c; }
    fn sum_up(n: int) -> int { let s = 0; for i in 1..=n { s += i; } return s; }
    fn bits(a: int, b: int) -> int { return (a & b) | (a ^ b) + (a << 2) - (b >> 1) + ~a + -b + abs(a - b); }
    test sum([1, 2, 3]) == 6;
    test sum(up(2)) == 20;
    test fact(LIMIT) == 5040;
    test both(true, false) && !both(true, true);
    test mid([1, 2, 3, 4, 5]) == [2, 3, 4, 1];
    test len(up(3) + [9]) == 6 && up(1) != [1];
    test count(20) == LIMIT;
    test sum_up(10) == 55;
    test up(3)[2] == 6 && \"ab\"[1] == 'b';
    test min(bits(12, 10), max(3, 4)) <= 4;
    prop a in 0..9, b in 0..9 => bits(a, b) == bits(a, b);
    prop xs in [0..5; 4] => len(xs + xs) == 2 * len(xs);
";

#[test]
fn noisy_runs_are_equal_on_cpu_and_gpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    let mut compare = |text: &str, rate: f64, repetitions: u32| {
        let noise = Noise::new(rate, repetitions, 3);
        let (expected, found) = (runs(&mut cpu, text, noise), runs(&mut *gpu, text, noise));
        assert_eq!(expected.len(), found.len());
        for (job, (cpu, gpu)) in expected.iter().zip(&found).enumerate() {
            assert_eq!(cpu, gpu, "repetition {job} at rate {rate} of this program:\n{text}");
        }
        expected.iter().map(|run| u64::from(run.faults)).sum::<u64>()
    };
    let mut faults = 0;
    for rate in [0.001, 0.02, 0.3] {
        faults += compare(EVERYTHING, rate, 64);
    }
    for name in ["gcd", "crc", "sorting"] {
        let text = std::fs::read_to_string(format!("samples/{name}.myr")).expect("the sample");
        faults += compare(&text, 0.002, 16);
    }
    for seed in 0..scaled(60) {
        faults += compare(&typed::program(seed), 0.05, 8);
    }
    assert!(faults > 5_000, "only {faults} faults");
}

#[test]
fn each_fault_kind_hits_every_exposed_instruction() {
    let mut engine = CpuEngine::new();
    let base = engine.base(&EVERYTHING.into(), &|| false).expect("the CPU engine does not fail");
    assert!(base.entries.iter().all(|entry| entry.outcome == Outcome::Pass), "{:?}", base.entries);
    let mut struck = BTreeSet::new();
    for rate in [0.02, 0.2] {
        for run in runs(&mut engine, EVERYTHING, Noise::new(rate, 3000, 5)) {
            assert!(run.faults > 0 || run.end == NoisyEnd::Held, "{run:?}");
            assert!(run.faults <= run.steps, "{run:?}");
            struck.extend(
                run.kept().map(|(fault, at)| (base.compiled.executable.code.word[at.position()] & 0xff, fault)),
            );
        }
    }
    let present: BTreeSet<u32> = cases_of(&base.compiled.executable.code.word);
    for op in present.into_iter().filter_map(Op::from_u32) {
        let exposed = op.exposure();
        let can = |fault: LangFault| match fault {
            LangFault::Flipped => exposed.operands > 0 || exposed.variable || exposed.elements,
            LangFault::Lost => exposed.lost.is_some(),
            LangFault::Perturbed => exposed.perturbed,
        };
        for fault in LangFault::ALL {
            assert_eq!(struck.contains(&(op as u32, fault)), can(fault), "{} {fault:?}", op.name());
        }
    }
}

/// Returns the opcodes of a program.
fn cases_of(words: &[u32]) -> BTreeSet<u32> {
    let (mut at, mut ops) = (0, BTreeSet::new());
    while let Some(op) = words.get(at).and_then(|word| Op::from_u32(word & 0xff)) {
        ops.insert(op as u32);
        at += op.shape().words() as usize;
    }
    ops
}

/// Whatever the fault, a run ends and stays within its memory; a debug build would panic on an invalid index.
#[test]
fn faulty_runs_end_within_their_memory() {
    let mut engine = CpuEngine::new();
    let random = (0..200).map(|seed| (typed::program(seed), 12));
    let mut traps = BTreeSet::new();
    for (text, repetitions) in random.chain([(EVERYTHING.to_string(), 600)]) {
        for rate in [0.005, 0.05, 0.5, 1.0] {
            for run in runs(&mut engine, &text, Noise::new(rate, repetitions, 9)) {
                if let NoisyEnd::Trapped(trap) = run.end {
                    traps.insert(trap.ident());
                }
            }
        }
    }
    assert!(traps.len() >= 4, "{traps:?}");
}

#[test]
fn faults_depend_only_on_seed_test_repetition_and_step() {
    let mut engine = CpuEngine::with_threads(2);
    let noise = Noise::new(0.01, 100, 1);
    let all = runs(&mut engine, EVERYTHING, noise);
    let part =
        engine.repeat(noise, Indices::numbered(250..330), &|| false).expect("the CPU engine does not fail");
    assert_eq!(part, all[250..330]);
    let other = runs(&mut engine, EVERYTHING, Noise { seed: 2, ..noise });
    assert_ne!(all, other);
    let none = runs(&mut engine, EVERYTHING, Noise::new(0.0, 10, 1));
    assert!(none.iter().all(|run| run.end == NoisyEnd::Held && run.faults == 0));
    let mut shared = MultiEngine::new(
        vec![Box::new(CpuEngine::with_threads(1)), Box::new(CpuEngine::with_threads(1))],
        &Reporter::none(),
    );
    assert_eq!(runs(&mut shared, EVERYTHING, noise), all);
    assert!(engine.repeat(noise, Indices::first(100), &|| true).is_err() || all.len() < 200);
}

#[test]
fn tests_that_do_not_pass_are_not_run() {
    let text = "fn f(a: int) -> int { return a; } test f(1) == 2; test f(1) == 1; prop a in 3..3 => f(a) == 1;";
    for engine in [&mut CpuEngine::new() as &mut dyn Engine, &mut *gpu()] {
        let all = runs(engine, text, Noise::new(0.1, 5, 1));
        let not_run = |runs: &[NoisyRun]| runs.iter().all(|run| *run == NoisyRun::NOT_RUN);
        assert!(not_run(&all[..5]) && not_run(&all[10..]) && !not_run(&all[5..10]), "{all:?}");
    }
}

#[test]
fn noise_report_counts_match_the_runs() {
    let mut engine = CpuEngine::new();
    let text: Arc<str> = EVERYTHING.into();
    let base = engine.base(&text, &|| false).expect("the CPU engine does not fail");
    let settings = NoiseSettings { rate: 0.01, repetitions: 2000, bound: 0.01, ..NoiseSettings::default() };
    let mut measure = |only| {
        noise::measure(&mut engine, &base, only, &settings, &|| false, &mut |_, _| {})
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let report = measure(None);
    assert_eq!(report.tests.len(), base.entries.len());
    for test in &report.tests {
        assert_eq!(test.held + test.wrong + test.trapped + test.timeout, 2000, "{test:?}");
        let rate = f64::from(test.held) / 2000.0;
        assert!(test.rate.low <= rate && rate <= test.rate.high, "{test:?}");
        if let Some(vote) = test.vote {
            assert!(vote.size % 2 == 1 && vote.error <= 0.01, "{vote:?}");
            // The vote's size is conservative, so the measured error is below the bound, up to chance.
            assert!(f64::from(vote.lost) <= 0.01 * f64::from(vote.groups) + 3.0, "{vote:?}");
        }
    }
    assert!(report.tests.iter().any(|test| test.vote.is_some_and(|vote| vote.size > 1)));
    let fragility = &report.fragility;
    assert!(fragility.instructions.iter().all(|i| i.runs.lost <= i.runs.struck && i.runs.struck > 0));
    let names: BTreeSet<&str> =
        fragility.variables.iter().map(|v| base.compiled.view().text(v.token)).collect();
    for name in ["total", "xs", "n", "a", "b", "c", "i", "s", "x"] {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
    // A test measured alone has the same result as among all.
    assert_eq!(measure(Some(EntryId::new(6))).tests[..], report.tests[6..7]);
}

#[test]
fn noisy_runs_of_every_program_are_reproducible() {
    let (mut engine, mut faults) = (CpuEngine::new(), 0);
    for (name, text) in cases::programs(&["samples", "tests/conformance"]) {
        let noise = Noise::new(0.01, 4, 1);
        let found = runs(&mut engine, &text, noise);
        assert_eq!(found, runs(&mut engine, &text, noise), "{name}: equal seeds give equal faults");
        faults += found.iter().map(|run| u64::from(run.faults)).sum::<u64>();
    }
    assert!(faults > 1_000, "{faults} faults");
}

#[test]
fn documents_are_the_same_on_every_engine() {
    let document = |engine: &str| {
        let called = call(&format!("noise samples/gcd.myr -k 40 --rate 0.003 --format json --engine {engine}"));
        assert_eq!(called.code, 0, "{called:?}");
        called
    };
    let cpu = document("cpu");
    assert_eq!(cpu.stdout, document("gpu").stdout);
    let file = cpu.file();
    assert_eq!((&file["simulation"], &file["k"]), (&true.into(), &40.into()));
    let tests = file["tests"].as_array().expect("tests");
    let sum = |test: &serde_json::Value| {
        ["held", "wrong", "trapped", "timeout"]
            .map(|field| test[field].as_u64().expect(field))
            .iter()
            .sum::<u64>()
    };
    assert!(!tests.is_empty() && tests.iter().all(|test| sum(test) == 40), "{tests:?}");
    assert!(!file["fragile"].as_array().expect("fragile").is_empty());
}

#[test]
fn invalid_noise_arguments_are_refused() {
    let beyond = call("noise samples/gcd.myr --test 999 --engine cpu");
    assert_eq!(beyond.code, 2, "{beyond:?}");
    assert_eq!(call("noise samples/gcd.myr --rate 2").code, 2);
    let failing = call_with("noise - --engine cpu --format json", "test 1 == 2;");
    assert_eq!((failing.code, &failing.file()["tests"]), (1, &serde_json::json!([])));
    let text = call("noise samples/gcd.myr -k 20 --engine cpu --test 0");
    assert!(text.code == 0 && text.stdout.contains("simulation"), "{text:?}");
}
