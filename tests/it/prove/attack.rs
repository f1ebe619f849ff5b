//! Proofs are attacked: code that is proved equal behaves alike on every input tried, and no test tells it apart.

use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::compile::compile_at;
use crate::common::extent::{one_in, scaled};
use crate::common::{called, typed};
use crate::levels_exact::{arguments, is_resource, words};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::Machine;
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::call;
use myriad::lang::index::{Indices, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::testing::decide::{Decider, STEPS};
use myriad::testing::equivalence::function_of;
use myriad::testing::prove::{Method, Question, Verdict, mutant, prove};

/// Inputs on which a proof is attacked.
const INPUTS: u32 = 400;

/// The proofs and the runs that attacked them.
#[derive(Debug, Default)]
struct Attacked {
    mutants: u64,
    proofs: u64,
    symbolic: u64,
    runs: u64,
}

/// Asks for a proof of each mutant of a program, and attacks those found. The mutants are not selected by their
/// verdicts: most of them differ.
fn attack(attacked: &mut Attacked, name: &str, text: &str, share: usize) {
    let mut machine = Machine::default();
    let base = Arc::new(compile_at(OptLevel::Local, text));
    let variants = Variants::new(base.clone());
    for id in one_in(share, Indices::first(variants.first_order()).iter().collect::<Vec<_>>()) {
        let Some(edits) = variants.edits(id) else { continue };
        let Some(function) = function_of(&base, edits.first) else { continue };
        let Some(other) = mutant(&base, edits.first) else { continue };
        let question = Question {
            base: &base,
            function,
            other: &other,
            other_function: function,
            edit: Some(edits.first),
        };
        attacked.mutants += 1;
        let Some(Verdict::Proved(method)) = prove(&question, 0, &|| false) else { continue };
        attacked.proofs += 1;
        attacked.symbolic += u64::from(matches!(method, Method::Symbolic(_)));
        let change = variants.describe(id).expect("a mutant");
        let of = format!("{name}: {id}: {} → {}, {method:?}\n{text}", change.original, change.replacement);
        let decision = Decider::new(&base, function)
            .decide_program((&other.executable, function), true, STEPS, &|| false)
            .expect("not cancelled");
        assert_eq!(decision.differs, None, "{of}");
        attacked.runs += u64::from(decision.inputs);
        attacked.runs += random(&mut machine, &base, &other, function, &of);
    }
}

/// Runs both on random inputs, which do not come from the room of deciding inputs.
fn random(machine: &mut Machine, base: &Compiled, other: &Compiled, function: RoutineId, of: &str) -> u64 {
    let constants = [words(base), words(other)].concat();
    let mut runs = 0;
    for input in 0..INPUTS {
        let arguments = arguments(base, function, &constants, input);
        let [a, b] = [base, other].map(|program| call(machine, &program.executable, function, &arguments));
        if is_resource(a.trap) || is_resource(b.trap) {
            continue;
        }
        runs += 1;
        assert_eq!((a.trap, &a.value), (b.trap, &b.value), "{of}: {arguments:?}");
    }
    runs
}

#[test]
fn proved_mutants_of_samples_and_cases_behave_alike() {
    let mut attacked = Attacked::default();
    for (name, text) in one_in(4, programs(&["samples", "tests/cases", "tests/conformance"])) {
        if compile_at(OptLevel::Local, &text).facts.compiles() {
            attack(&mut attacked, &name, &text, 48);
        }
    }
    println!("{attacked:?}");
    assert!(attacked.mutants > 0 && attacked.runs >= attacked.proofs);
}

#[test]
fn proved_mutants_of_random_programs_behave_alike() {
    let mut attacked = Attacked::default();
    for seed in 0..scaled(2) {
        for text in [typed::program(seed), called::program(seed)] {
            attack(&mut attacked, &format!("seed {seed}"), &text, 16);
        }
    }
    println!("{attacked:?}");
    assert!(attacked.mutants > 0 && attacked.runs >= attacked.proofs);
}
