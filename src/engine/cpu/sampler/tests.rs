//! Tests for candidates on the CPU engine: sampled programs run, and verdicts and comparisons are right.

use std::cell::Cell;

use super::*;
use crate::compiler::program::Compiled;
use crate::engine::Engine;
use crate::lang::index::{EntryId, Index, RoutineId};
use crate::network::assembler::assemble;
use crate::network::infer::Ended;
use crate::network::sampling::Status;
use crate::network::vocabulary::{EOS, Family, plain};
use crate::network::weights::Config;
use crate::network::{source, target};

const TEXT: &str = "
const LIMIT = 40;
fn helper(xs: [int], n: int) -> [int] { return xs + [n]; }
fn count(xs: [int; 8], limit: int, strict: bool) -> int {
    let n = 0;
    for x in xs {
        if strict && x < limit { n += 1; } else if x <= limit { n += 2; }
    }
    for i in 0..limit % 3 { n = n * 3 + helper(xs, i)[0]; }
    while n > LIMIT { n -= 17; }
    return n;
}
fn fact(n: int) -> int { if n <= 1 { return 1; } return n * fact(n - 1); }
fn half(a: int, b: int) -> int { return a / b; }
fn xor(a: bool, b: bool) -> bool { return a != b; }
fn twice(xs: [int; 4]) -> [int; 8] { return xs + xs; }
test count([1, 2, 3], 3, false) == 6;
test \"fails on the base\": half(1, 1) == 2;
test fact(5) == 120;
prop a in 0..9, b in 1..4 => half(a, b) * b <= a;
test len(twice([1, 2])) == 4;
";

fn engine() -> (CpuEngine, Arc<Compiled>) {
    let mut engine = CpuEngine::with_threads(2);
    let base = engine.base(&TEXT.into(), &|| false).unwrap();
    assert_eq!(base.compiled.facts.errors, 0);
    (engine, base.compiled)
}

fn read(compiled: &Compiled, function: RoutineId) -> Source {
    source::read(&compiled.program(), function).unwrap()
}

fn own_words(compiled: &Compiled, source: &Source) -> Vec<u16> {
    let function = source.tables.callees[0].function;
    target::write(&compiled.program(), function, &source.tables).unwrap()
}

/// The function's own code after a change of its words, assembled for an address after the base's code.
fn changed(compiled: &Compiled, function: RoutineId, change: impl Fn(&mut Vec<u16>)) -> Vec<u32> {
    let source = read(compiled, function);
    let mut words = own_words(compiled, &source);
    change(&mut words);
    assemble(&source.tables, &words, compiled.executable.end()).unwrap()
}

fn verdict(engine: &CpuEngine, function: RoutineId, words: &[u16]) -> Candidate {
    let base = engine.base.as_ref().unwrap();
    let source = read(&base.compiled, function);
    let mut collector = Collector::new(&source.tables, base.compiled.executable.end());
    collector.add(Ended {
        prompt: 0,
        words,
        numbers: &[3, 5],
        log_p: -1.0,
        shares: &[],
        whole: words.last() == Some(&EOS),
    });
    let oracles = affected(base, function);
    let verdicts = verdicts(&engine.pool, base, function, &oracles, collector.unjudged(), &|| false);
    let mut seen = 0;
    collector.judge(verdicts.unwrap(), &mut |_| seen += 1);
    collector.add(Ended {
        prompt: 0,
        words,
        numbers: &[1],
        log_p: -1.0,
        shares: &[],
        whole: words.last() == Some(&EOS),
    });
    assert!(collector.unjudged().is_empty(), "equal code is judged once");
    let mut sampled = collector.finish(0, 0);
    assert_eq!((seen, sampled.candidates.len()), (1, 1));
    let candidate = sampled.candidates.remove(0);
    assert_eq!((candidate.number, candidate.samples), (1, 3));
    candidate
}

#[test]
fn original_code_as_candidate_passes_all_tests_of_the_base() {
    let (engine, compiled) = engine();
    for function in compiled.functions() {
        let base = engine.base.as_ref().unwrap();
        let candidate = verdict(&engine, function, &own_words(&compiled, &read(&compiled, function)));
        let base_steps: u64 = base.oracles.iter().map(|judge| judge.steps).sum();
        assert_eq!(base.oracles.len(), 4);
        assert_eq!((candidate.status, candidate.differing), (Status::Passed, None), "function {function}");
        assert_eq!((candidate.passed, candidate.steps), (4, base_steps), "function {function}");
    }
}

#[test]
fn candidate_failures_have_distinct_statuses() {
    let (engine, compiled) = engine();
    let source = read(&compiled, RoutineId::new(2));
    let own = own_words(&compiled, &source);
    let replaced = |from: u16, to: &[u16]| {
        let at = own.iter().position(|&word| word == from).unwrap();
        [&own[..at], to, &own[at + 1..]].concat()
    };
    use crate::lang::opcode::Op;
    let word = |op| plain(op).unwrap();
    let failed = |words: &[u16]| {
        let candidate = verdict(&engine, RoutineId::new(2), words);
        (candidate.status, candidate.differing.map(Index::number), candidate.passed)
    };
    // Only the third entry calls fact; the entries before it in judging order pass.
    let before = engine
        .base
        .as_ref()
        .unwrap()
        .oracles
        .iter()
        .position(|oracle| oracle.entry == EntryId::new(2))
        .unwrap() as u32;
    assert_eq!(failed(&replaced(word(Op::Mul), &[word(Op::Add)])), (Status::Wrong, Some(2), before));
    assert_eq!(failed(&replaced(word(Op::Mul), &[word(Op::Mod)])), (Status::Trap, Some(2), before));
    assert_eq!(failed(&replaced(word(Op::Sub), &[word(Op::Add)])), (Status::Timeout, Some(2), before));
    let label = Family::Label.word(0);
    assert_eq!(failed(&[label, Family::Jump.word(0), EOS]), (Status::Timeout, Some(2), before));
    assert_eq!(failed(&own[..own.len() - 1]), (Status::Invalid, None, 0));
}

#[test]
fn original_code_agrees_with_itself_on_all_inputs() {
    let (mut engine, compiled) = engine();
    let inputs = Inputs { seed: 1, first: 0, count: 3_000 };
    for function in compiled.functions() {
        let code = changed(&compiled, function, |_| {});
        let [agreement] = engine.agree(function, &[&code], inputs, &|| false).unwrap()[..] else { panic!() };
        assert!(agreement.agrees(), "function {function}: {agreement:?}");
        assert_eq!(agreement.steps, agreement.base_steps);
        let expected = match function.number() {
            // Long loops and deep recursion reach a limit, which decides nothing.
            1 => 2_800..3_000,
            2 => 2_000..3_000,
            4 => 4..5,
            _ => 3_000..3_001,
        };
        assert!(expected.contains(&agreement.compared), "function {function}: {agreement:?}");
        // Full lists and division by zero trap.
        assert_eq!(
            agreement.trapping > 0,
            matches!(function.number(), 0 | 3),
            "function {function}: {agreement:?}"
        );
    }
}

#[test]
fn comparison_finds_the_first_disagreeing_input() {
    use crate::lang::opcode::Op;
    let (mut engine, compiled) = engine();
    let [ne, eq, div, modulo, join, dup, pop] =
        [Op::Ne, Op::Eq, Op::Div, Op::Mod, Op::JoinList, Op::Dup, Op::Max].map(|op| plain(op).unwrap());
    let replace =
        |from, to| move |words: &mut Vec<u16>| words.iter_mut().filter(|w| **w == from).for_each(|w| *w = to);
    let inputs = Inputs { seed: 9, first: 0, count: 3_000 };
    let mut compare = |function: RoutineId, change: &dyn Fn(&mut Vec<u16>)| {
        let (own, other) = (changed(&compiled, function, |_| {}), changed(&compiled, function, change));
        let list = engine.agree(function, &[&other, &own], inputs, &|| false).unwrap();
        assert!(list[1].agrees());
        // A comparison of the disagreeing input alone finds the same disagreement.
        let at = Inputs { first: list[0].differs_at.unwrap(), count: 1, ..inputs };
        let again = engine.agree(function, &[&other], at, &|| false).unwrap();
        assert_eq!((again[0].differs_at, again[0].compared), (list[0].differs_at, 1));
        list[0]
    };
    assert_eq!(compare(RoutineId::new(4), &replace(ne, eq)).differs_at, Some(0));
    assert!(compare(RoutineId::new(3), &replace(div, modulo)).differs_at.unwrap() < 20);
    // The changed function returns a list of another length.
    let load = Family::Load.word(0);
    let empty = move |words: &mut Vec<u16>| *words = vec![load, Family::Build.word(0), join, words[3], EOS];
    assert!(compare(RoutineId::new(5), &empty).differs_at.unwrap() < 20);
    // The same value with more steps.
    let own = changed(&compiled, RoutineId::new(3), |_| {});
    let longer = changed(&compiled, RoutineId::new(3), |words| drop(words.splice(0..1, [words[0], dup, pop])));
    let list = engine.agree(RoutineId::new(3), &[&longer, &own], inputs, &|| false).unwrap();
    assert!(list[0].agrees() && list[0].base_steps == list[1].steps);
    assert_eq!(list[0].steps, list[0].base_steps + 2 * u64::from(list[0].compared - list[0].trapping));
}

#[test]
fn candidates_sampled_from_random_weights_are_judged() {
    let (mut engine, compiled) = engine();
    for function in compiled.functions() {
        let source = read(&compiled, function);
        for seed in 0..3 {
            let mut weights = Weights::random(Config::new(32, 1), 100 * function.number() + seed);
            // The end of a program is a rare word, so make it more likely.
            let favoured = [EOS, plain(crate::lang::opcode::Op::Return).unwrap()];
            for word in favoured {
                weights.data[word as usize * 32..][..32].iter_mut().for_each(|x| *x *= 1.0 + seed as f32);
            }
            engine.weights(&Arc::new(weights)).unwrap();
            let sampling =
                Sampling { k: 150, seed, temperature: 0.5 + seed as f32 / 3.0, ..Sampling::default() };
            let streamed = Cell::new(0);
            let sink = &mut |_: &Candidate| streamed.set(streamed.get() + 1);
            let Sampled { candidates, oracles, .. } =
                engine.sample(&source, &sampling, &|| false, sink).unwrap();
            assert_eq!((streamed.get(), oracles), (candidates.len(), 4));
            assert_eq!(candidates.iter().map(|c| c.samples).sum::<u32>(), 150);
            assert!(candidates.is_sorted_by_key(|c| c.number) && candidates[0].number == 0);
            let mut codes: Vec<&[u32]> = Vec::new();
            for candidate in &candidates {
                let valid = candidate.words.last() == Some(&EOS);
                assert_eq!(valid, candidate.status != Status::Invalid);
                if valid {
                    let origin = compiled.executable.end();
                    assert_eq!(assemble(&source.tables, &candidate.words, origin).unwrap(), candidate.code);
                    assert!(candidate.log_p <= 0.0 && candidate.log_p.is_finite());
                    codes.push(&candidate.code);
                }
            }
            assert!(!codes.is_empty());
            let inputs = Inputs { seed, first: 7, count: 40 };
            assert_eq!(engine.agree(function, &codes, inputs, &|| false).unwrap().len(), codes.len());
        }
    }
}

#[test]
fn samples_do_not_depend_on_the_threads() {
    let (compiled, mut all) = (engine().1, Vec::new());
    let weights = Arc::new(Weights::random(Config::new(32, 2), 3));
    for threads in [1, 3] {
        let mut engine = CpuEngine::with_threads(threads);
        engine.base(&TEXT.into(), &|| false).unwrap();
        engine.weights(&weights).unwrap();
        let sampling = Sampling { k: 100, seed: 5, ..Sampling::default() };
        all.push(
            engine.sample(&read(&compiled, RoutineId::new(1)), &sampling, &|| false, &mut |_| {}).unwrap(),
        );
    }
    assert!(all[0] == all[1]);
}

#[test]
fn sampling_reports_missing_weights_and_cancellation() {
    let (mut engine, compiled) = engine();
    let source = read(&compiled, RoutineId::new(3));
    let sampling = Sampling::default();
    let fault = engine.sample(&source, &sampling, &|| false, &mut |_| {}).unwrap_err();
    assert_eq!(fault, EngineError::no_weights());
    engine.weights(&Arc::new(Weights::random(Config::new(32, 1), 1))).unwrap();
    assert_eq!(engine.sample(&source, &sampling, &|| true, &mut |_| {}).unwrap_err(), EngineError::Cancelled);
    let inputs = Inputs { seed: 1, first: 0, count: 100_000 };
    let code = changed(&compiled, RoutineId::new(3), |_| {});
    assert_eq!(
        engine.agree(RoutineId::new(3), &[&code], inputs, &|| true).unwrap_err(),
        EngineError::Cancelled
    );
    assert!(matches!(engine.agree(RoutineId::new(6), &[&code], inputs, &|| false), Err(EngineError::Call(_))));
}
