//! The published bugs of `tests/repair`: how many are repaired, and how many of the first repairs are right.
//!
//! A repair is right if it behaves like the published fix on deciding inputs inside the domain that the file's tests
//! show.

use std::collections::BTreeSet;

use crate::common::cases;
use crate::common::extent::skip_unless_thorough;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{Machine, Start};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::RoutineId;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::Outcome;
use myriad::testing::decide::{ArgumentDomain, Given, Pool, calls_of_entries};
use myriad::testing::mutation::repair::{CANDIDATES, Search};

/// The number of inputs of each function.
const INPUTS: usize = 1_000;
const FUEL: u32 = 100_000;

/// A run's end: its trap, and the words of its value.
type End = (Trap, Vec<u32>);

/// A program with its published fix, and its behaviour.
struct Fixed {
    runs: Vec<(RoutineId, Given, End)>,
}

impl Fixed {
    fn new(engine: &mut CpuEngine, text: &str) -> Fixed {
        let program = compiled(engine, text);
        let mut machine = Machine::default();
        let mut runs = Vec::new();
        for function in program.functions() {
            let types = program.program().parameters(function);
            let calls = calls_of_entries(&program, function, &mut machine, &|| false).expect("not cancelled");
            let Some(domain) = ArgumentDomain::new(&program, &types, &calls) else { continue };
            let pool = Pool::new(&program, function, calls);
            machine.load(&program.executable);
            let built = domain.inputs(&pool);
            let inputs: BTreeSet<Given> = { pool.calls.iter().cloned().chain(domain.some(&pool, INPUTS)) }
                .chain(built.into_iter().take(INPUTS))
                .collect();
            for given in inputs {
                let end = end(&mut machine, &program, function, &given);
                // The published fix says nothing about inputs on which it exhausts its resources.
                if !end.0.counts_resources() {
                    runs.push((function, given, end));
                }
            }
        }
        Fixed { runs }
    }

    /// Returns whether another program behaves alike.
    fn is_like(&self, engine: &mut CpuEngine, text: &str) -> bool {
        let program = compiled(engine, text);
        let mut machine = Machine::default();
        machine.load(&program.executable);
        self.runs.iter().all(|(function, given, own)| end(&mut machine, &program, *function, given) == *own)
    }
}

/// Compiles a program whose tests pass.
fn compiled(engine: &mut CpuEngine, text: &str) -> std::sync::Arc<Compiled> {
    let base = engine.base(&text.into(), &|| false).expect("not cancelled");
    assert_eq!(base.compiled.facts.errors, 0, "{text}");
    assert!(base.entries.iter().all(|entry| entry.outcome == Outcome::Pass), "{text}");
    base.compiled
}

/// Calls a function of the program that the machine has loaded.
fn end(machine: &mut Machine, program: &Compiled, function: RoutineId, given: &Given) -> End {
    let types = program.program().parameters(function);
    let mut words = Vec::new();
    for (argument, ty) in given.iter().zip(&types) {
        words.extend(ty.is_list().then_some(argument.len() as u32));
        words.extend(argument);
    }
    let start = Start { routine: function, fuel: FUEL, depth: 1, origin: 0 };
    let record = machine.call(&program.executable, start, &words);
    let is_list = program.executable.routine(function).expect("a function").result().is_list();
    let value = match record.trap {
        Trap::None if is_list => machine.words(0, record.value).to_vec(),
        Trap::None => vec![record.value],
        _ => Vec::new(),
    };
    (record.trap, value)
}

/// Returns a program with its published fix: the corrected lines that its comments contain.
fn published(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for fix in text.lines().filter_map(|line| line.strip_prefix("// fix: ")) {
        let (line, mended) = fix.split_once(':').expect("a line and its corrected text");
        let line: usize = line.parse().expect("a number");
        lines[line - 1] = mended.trim();
    }
    lines.join("\n")
}

#[test]
fn published_bugs_are_mostly_repaired() {
    if skip_unless_thorough() {
        return;
    }
    let mut engine = CpuEngine::new();
    let (mut mended, mut first, mut five, mut missed) = (0, 0, 0, Vec::new());
    // Of QuixBugs: mended, and right first.
    let mut quix = [0; 2];
    let bugs = cases::programs(&["tests/repair"]);
    for (name, text) in &bugs {
        let fixed = Fixed::new(&mut engine, &published(text));
        assert!(fixed.runs.len() >= 20, "{name}: {}", fixed.runs.len());
        let base = engine.base(&text.as_str().into(), &|| false).expect("not cancelled");
        let mut search = Search::new(base.compiled, &base.entries, &|| false).expect("a test fails");
        while !search.is_settled() && search.searched() < CANDIDATES {
            search.step(&|| false).expect("nobody stops it");
        }
        let repairs = search.repairs(&|| false);
        mended += usize::from(!repairs.is_empty());
        let is_right: Vec<bool> =
            repairs.iter().take(5).map(|repair| fixed.is_like(&mut engine, &repair.apply(text))).collect();
        five += usize::from(is_right.contains(&true));
        let is_first = is_right.first() == Some(&true);
        if name.contains("quixbugs") {
            quix = [quix[0] + usize::from(!repairs.is_empty()), quix[1] + usize::from(is_first)];
        }
        if is_first { first += 1 } else { missed.push((name, is_right)) }
    }
    let all = bugs.len();
    let overfit = mended - first;
    println!(
        "{mended} of {all} mended; right: {first} first, {five} among the first five; QuixBugs {quix:?}; {missed:#?}"
    );
    assert!(mended * 100 >= all * 95 && first * 100 >= all * 85 && five * 100 >= all * 90, "{missed:?}");
    assert!(quix[0] >= 37 && quix[1] >= 34, "{quix:?}: {missed:?}");
    assert!(overfit * 100 <= all * 10, "{overfit} of {all} first repairs are wrong: {missed:?}");
}
