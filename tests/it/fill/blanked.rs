//! Programs in which an expression is blanked, and filled again. The result is compared with the original by proof, and
//! proofs are attacked on the second machine.

use std::time::Instant;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::{self, Machine};
use myriad::lang::index::RoutineId;
use myriad::lang::level::OptLevel;
use myriad::lang::role::Role;
use myriad::lang::ty::Type;
use myriad::lang::{limits, samples};
use myriad::testing::decide::Effort;
use myriad::testing::prove::{ProofEffort, ProveVerdict, Question, prove};
use serde_json::Value;

use crate::common::attack::Claim;
use crate::common::cases::programs;
use crate::common::command::myriad;
use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled, skip_unless_thorough};

/// One in this number of expressions is blanked in CI.
const SHARE: usize = 72;
/// Inputs on the second machine for each proof, in CI.
const INPUTS: u64 = 1_000;

/// An expression of one line, with its function.
struct Blank {
    file: String,
    kind: &'static str,
    text: String,
    function: RoutineId,
    span: std::ops::Range<usize>,
}

fn blanks(file: &str, text: &str) -> Vec<Blank> {
    let program = compile_at(OptLevel::Lowered, text);
    let view = program.view();
    let mut blanks = Vec::new();
    for function in program.functions().iter() {
        let head = program.executable.routine(function).expect("a function").head();
        for node in view.extent(head).iter() {
            let (kind, slot) = match view.role(node) {
                Role::Return => ("return", 0),
                Role::If | Role::While => ("condition", 0),
                Role::Let => ("right-hand side", 2),
                Role::Assign => ("right-hand side", 1),
                _ => continue,
            };
            let Some(value) = view.child(node, slot) else { continue };
            let is_filled = [Type::INT, Type::BOOL].contains(&view.ty(value));
            let Some(span) = view.extent_span(value).filter(|_| is_filled) else { continue };
            if !text[span.clone()].contains('\n') {
                let text = text.to_string();
                blanks.push(Blank { file: file.into(), kind, text, function, span });
            }
        }
    }
    blanks
}

/// The result of filling a blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filled {
    No,
    Proved,
    /// A question separates the best expression from the original.
    Asked,
    /// Neither.
    Open,
}

/// Whether a program passes its last test.
fn passes(text: &str, test: &str) -> bool {
    let program = compile_at(OptLevel::Lowered, &format!("{text}\n{test}\n"));
    let domains = execute::domains(&program.facts, &program.executable.routines, &program.binders, 1);
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let last = domains.last().expect("the test");
    execute::entry(&mut machine, &program.executable, last, limits::STEPS, &|| false).passes()
}

/// Returns also the best expression, and what is asked.
fn fill(blank: &Blank, attacked: &mut u64) -> (Filled, String) {
    let put = |expression: &str| {
        format!("{}{expression}{}", &blank.text[..blank.span.start], &blank.text[blank.span.end..])
    };
    let called = myriad(&["fill", "-", "--format", "json", "--seconds", "10"], put("?").as_bytes());
    let found = called.file();
    let Some(best) = found["solutions"][0]["text"].as_str() else {
        return (Filled::No, found["partial"].to_string());
    };
    let [original, filled]: [Compiled; 2] =
        [&blank.text, &put(best)].map(|text| compile_at(OptLevel::Local, text));
    assert!(filled.facts.compiles(), "{best} in {}", put("?"));
    let question = Question {
        base: &original,
        function: blank.function,
        other: &filled,
        other_function: blank.function,
        edit: None,
    };
    let effort = ProofEffort::searching(Effort::FULL.steps >> 4);
    if let Some(ProveVerdict::Proved(_)) = prove(&question, &effort, &|| false) {
        let (base, other, function) = (&original, &filled.executable, blank.function);
        let claim = Claim { base, function, other, other_function: function, is_mutant: false };
        let inputs = scaled(INPUTS).min(1_000_000);
        *attacked +=
            claim.on_second_machine(inputs as u32).unwrap_or_else(|why| panic!("{best}: {why} {}", put("?")));
        return (Filled::Proved, best.into());
    }
    let answers = found["question"]["answers"].as_array().cloned().unwrap_or_default();
    let is_best =
        |answer: &&Value| answer["ranks"].as_array().is_some_and(|ranks| ranks.contains(&Value::from(1)));
    let apart = match answers.iter().find(is_best) {
        Some(own) => !passes(&blank.text, own["test"].as_str().expect("a test")),
        None => answers.iter().any(|answer| passes(&blank.text, answer["test"].as_str().expect("a test"))),
    };
    let shown = format!("{best}; {}", found["question"]["call"]);
    if apart { (Filled::Asked, shown) } else { (Filled::Open, shown) }
}

/// `MYRIAD_SCALE=1000` attacks each proof with 10⁶ inputs, and blanks all expressions.
#[test]
fn blanked_expressions_are_found_again() {
    if skip_unless_thorough() {
        return;
    }
    let own = samples::all().into_iter().map(|sample| (sample.name.to_string(), sample.text.to_string()));
    let all: Vec<Blank> = own
        .chain(programs(&["assets/neural/written"]))
        .filter(|(_, text)| compile_at(OptLevel::Lowered, text).facts.compiles())
        .flat_map(|(file, text)| blanks(&file, &text))
        .collect();
    let count = all.len();
    let (mut rows, mut attacked) = (Vec::new(), 0);
    for blank in one_in(SHARE, all) {
        let started = Instant::now();
        let (filled, words) = fill(&blank, &mut attacked);
        let shown = &blank.text[blank.span.clone()];
        let file = blank.file.rsplit('/').next().unwrap_or_default();
        let line = blank.text[..blank.span.start].matches('\n').count() + 1;
        let seconds = started.elapsed().as_secs_f64();
        println!("{file}:{line}: {}: {shown}: {filled:?} in {seconds:.1} s: {words}", blank.kind);
        rows.push((blank.kind, filled));
    }
    println!("| kind | of {count} | found | proved equal | asked | neither |\n|---|---:|---:|---:|---:|---:|");
    let of = |kind: &str, wanted: &[Filled]| {
        let is_it = |row: &&(&str, Filled)| (kind == "all" || row.0 == kind) && wanted.contains(&row.1);
        rows.iter().filter(is_it).count()
    };
    const FOUND: [Filled; 3] = [Filled::Proved, Filled::Asked, Filled::Open];
    for kind in ["return", "condition", "right-hand side", "all"] {
        let [proved, asked, open] = FOUND.map(|one| of(kind, &[one]));
        let found = of(kind, &FOUND);
        println!("| {kind} | {} | {found} | {proved} | {asked} | {open} |", found + of(kind, &[Filled::No]));
    }
    println!("{attacked} inputs on the second machine refute no proof");
    let (found, open) = (of("all", &FOUND), of("all", &[Filled::Open]));
    assert!(rows.len() > 10 && found * 2 > rows.len() && open * 4 < found);
}
