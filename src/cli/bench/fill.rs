//! `fill`: the cost of filling a `?`: candidates a second by size, and memory. If a function `known` is the answer, it
//! answers the questions, and the prover's counterexamples, until the prover finds the expression equal to it.

use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Instant;

use super::Bench;
use super::repair::who;
use super::table::{BenchRow, BenchSubject, Section};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::cli::limit::Limits;
use crate::cli::repair::search_repairs;
use crate::compiler::program::{Compiled, Routine, Watch};
use crate::compiler::stage::chain::compile_at;
use crate::compiler::stage::execute::{Machine, Start};
use crate::engine::Engine;
use crate::engine::cpu::CpuEngine;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::ty::Type;
use crate::testing::decide::{self, CallOutcome, Given, call_words};
use crate::testing::mutation::repair::{FillStep, Grammar, Search};
use crate::testing::mutation::{literals, test_of};
use crate::testing::prove::{ProofEffort, ProveVerdict, Question, have_equal_signatures, prove};

const EXAMPLE: &str = "fn average(a: int, b: int) -> int { return ?; }
    test average(4, 6) == 5;
    test average(-3, -5) == -4;
    test average(2147483647, 2147483645) == 2147483646;";
/// The name of the answer.
const KNOWN: &str = "known";
/// The maximum number of answered questions.
const ANSWERS: u64 = 10;
/// The rate of a size that took fewer seconds depends on the clock.
const BRIEF: f64 = 0.02;
const SIZES: usize = 32;

/// Measures each program, and counts over all.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let example = || vec![InputSource::new(OsStr::new("average"), EXAMPLE.into())];
    let mut sections = bench.each(example, |source| Ok(measure(source, &effort)))?;
    if sections.len() > 1 {
        let rows = sums(&sections);
        sections.push(Section { file: "all".into(), rows });
    }
    Ok(sections)
}

/// The result of a search, with all questions that were answered.
#[derive(Default)]
struct Filled {
    found: u64,
    /// Whether the best expression is proved equal to the known answer.
    proved: u64,
    questions: u64,
    size: usize,
    kept: (usize, usize),
    seconds: f64,
    steps: Vec<FillStep>,
}

fn measure(source: &InputSource, effort: &Effort) -> Vec<BenchRow> {
    let program = compile_at(OptLevel::Lowered, &source.text);
    let known = program.functions().iter().find(|function| program.function_name(*function) == KNOWN);
    let grammars = match known {
        None => vec![("all operations", Grammar::default())],
        Some(known) => {
            vec![("operators", Grammar::of_operators()), ("needed", Grammar::of_function(&program, known))]
        }
    };
    let tests = program.entries().len() as usize;
    let subject = BenchSubject { k: 1, bytes: source.text.len(), tests };
    let mut rows = Vec::new();
    for (name, grammar) in grammars {
        let started = Instant::now();
        let mut all = vec![fill(&source.text, &grammar, effort.seconds)];
        while (all.len() as u32) < effort.repetitions && started.elapsed().as_secs_f64() < effort.seconds {
            all.push(fill(&source.text, &grammar, effort.seconds));
        }
        let last = &all[all.len() - 1];
        let mut row = |figure: &str, unit, values| {
            rows.push(BenchRow::new(format!("{name}, {figure}"), unit, subject, &who(), values));
        };
        let tried = |filled: &Filled, size| {
            let own = filled.steps.iter().filter(|step: &&FillStep| size == 0 || step.size == size);
            own.fold((0, 0.0), |(tried, time), step| (tried + step.tried, time + step.time.as_secs_f64()))
        };
        row("found", "count", vec![last.found as f64]);
        if known.is_some() {
            row("proved", "count", vec![last.proved as f64]);
            row("questions", "count", vec![last.questions as f64]);
        }
        row("size", "count", vec![last.size as f64]);
        row("tried", "count", vec![tried(last, 0).0 as f64]);
        row("rows", "count", vec![last.kept.0 as f64]);
        row("memory", "B", vec![last.kept.1 as f64]);
        row("time", "ms", all.iter().map(|filled| filled.seconds * 1e3).collect());
        for size in 0..SIZES {
            let costs: Vec<(u64, f64)> = all.iter().map(|filled| tried(filled, size)).collect();
            if costs.iter().all(|(_, seconds)| *seconds > BRIEF) {
                let rates = costs.iter().map(|(tried, seconds)| *tried as f64 / seconds).collect();
                let figure = if size == 0 { "rate".into() } else { format!("rate at size {size}") };
                row(&figure, "per second", rates);
            }
        }
    }
    rows
}

/// Fills the `?` of a program, answering questions, until the expression is proved equal to the known answer.
fn fill(text: &Arc<str>, grammar: &Grammar, seconds: f64) -> Filled {
    let (started, mut text) = (Instant::now(), text.clone());
    let limits = Limits::new(Some(seconds));
    let limit = limits.whole();
    let (mut engine, mut filled) = (CpuEngine::new(), Filled::default());
    while let Ok(base) = engine.base(&text, &limit) {
        let Some(mut search) = Search::new(base.compiled.clone(), &base.entries, &limit) else { break };
        search.restrict_fill(grammar.clone());
        let found = search_repairs(&mut search, &base.compiled, &mut engine, (None, usize::MAX), &limit);
        let Some(own) = search.fill() else { break };
        filled.steps.extend(own.steps());
        (filled.size, filled.kept) = (own.size(), own.kept());
        let Some(best) = found.repairs.first() else { break };
        filled.found = 1;
        let Some(known) = Known::of(compile_at(OptLevel::Lowered, &best.apply(&text)), own.function()) else {
            break;
        };
        let verdict = known.prove(&limit);
        filled.proved = u64::from(matches!(verdict, Some(ProveVerdict::Proved(_))));
        // Without a question, the input that refutes the equality goes on with the search.
        let asked = found.question.map(|question| question.arguments).or(match verdict {
            Some(ProveVerdict::Differs { arguments, .. }) => Some(arguments),
            _ => None,
        });
        let answer = asked.and_then(|arguments| known.answer(&arguments));
        let Some(answer) = answer.filter(|_| filled.proved == 0 && filled.questions < ANSWERS) else { break };
        filled.questions += 1;
        text = format!("{text}\n{answer}\n").into();
    }
    filled.seconds = started.elapsed().as_secs_f64();
    filled
}

/// A filled program with the known answer.
struct Known {
    program: Compiled,
    function: RoutineId,
    known: RoutineId,
}

impl Known {
    fn of(program: Compiled, function: RoutineId) -> Option<Known> {
        let known = program.functions().iter().find(|function| program.function_name(*function) == KNOWN)?;
        let fits = have_equal_signatures((&program, function), (&program, known));
        fits.then_some(Known { program, function, known })
    }

    /// Compares the filled function with the known answer; `None` if the time is up.
    fn prove(&self, limit: &dyn Watch) -> Option<ProveVerdict> {
        let Known { program, function, known } = self;
        let question =
            Question { base: program, function: *function, other: program, other_function: *known, edit: None };
        let effort = ProofEffort::searching(decide::Effort::FULL.steps);
        prove(&question, &effort, limit)
    }

    /// The test that says what a call returns; `None` if the known answer traps.
    fn answer(&self, arguments: &Given) -> Option<String> {
        let Known { program, function, known } = self;
        let types = program.arguments(*known);
        let words = call_words(arguments, &types);
        let mut machine = Machine::default();
        machine.translate(&program.executable);
        let record = machine.call(&program.executable, Start::call(*known, limits::STEPS), &words);
        let result = program.executable.routine(*known).map_or(Type::INT, Routine::result);
        let outcome = CallOutcome::new(&machine, &record, result);
        let arguments = literals(arguments, &types, |_| false);
        Some(test_of(program, *function, &arguments, outcome.value()?))
    }
}

/// Returns over how many programs an expression was found and proved, and the longest time.
fn sums(sections: &[Section]) -> Vec<BenchRow> {
    let mut names: Vec<&str> = Vec::new();
    for row in sections.iter().flat_map(|section| &section.rows) {
        let is_summed = [", found", ", proved", ", time"].iter().any(|end| row.name.ends_with(end));
        if is_summed && !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    }
    let subject = BenchSubject { k: sections.len() as u64, ..BenchSubject::default() };
    let sum = |name: &&str| {
        let rows = sections.iter().flat_map(|section| &section.rows).filter(|row| row.name == **name);
        let figures: Vec<f64> = rows.filter_map(BenchRow::median).collect();
        match name.strip_suffix(", time") {
            Some(grammar) => {
                let longest = figures.iter().copied().fold(0.0, f64::max);
                BenchRow::new(format!("{grammar}, longest time"), "ms", subject, &who(), vec![longest])
            }
            None => BenchRow::new(*name, "count", subject, &who(), vec![figures.iter().sum()]),
        }
    };
    names.iter().map(sum).collect()
}
