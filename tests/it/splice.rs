//! A mutant compiled by its changed functions alone is, to the word, the mutant compiled whole.

use crate::common::cases::programs;
use crate::common::compile::compile;
use myriad::program::Executable;
use myriad::stage::Compiler;
use myriad::stage::mutate::{Plan, apply};
use myriad::stage::splice::{Scratch, Splice};

/// Compares up to `most` mutants of a program, spread over all; returns how many of them compile.
fn compare(name: &str, text: &str, most: u32) -> u32 {
    let program = compile(text);
    if program.facts.errors > 0 {
        return 0;
    }
    let base = program.view();
    let mut plan = Plan::default();
    plan.build(base);
    let splice = Splice::new(&program);
    let (mut whole, mut parts, mut scratch) = (Compiler::default(), Compiler::default(), Scratch::default());
    let mut executable = Executable::default();
    let mut compiled = 0;
    let ids =
        (0..plan.first_order().min(most)).chain(plan.first_order()..plan.all().min(plan.first_order() + most));
    for id in ids {
        let edits = plan.variant(base, id).expect("a variant");
        let valid = apply(base.tokens, edits.0, edits.1, &mut whole.tokens) && {
            whole.mutant(text, program.facts.names);
            whole.compiles()
        };
        let made = splice.compile(&program, edits, &mut parts, &mut scratch, &mut executable);
        assert_eq!(valid, made, "{name}, mutant {id} {edits:?}\n{text}");
        if valid {
            assert_eq!(
                whole.back.executable.code.word, executable.code.word,
                "{name}, mutant {id} {edits:?}\n{text}"
            );
            let (expected, routines) = (&whole.back.executable.routines, &executable.routines);
            assert_eq!(
                (&expected.address, &expected.frame),
                (&routines.address, &routines.frame),
                "{name}, mutant {id}"
            );
            assert_eq!(
                (&expected.caps0, &expected.result),
                (&routines.caps0, &routines.result),
                "{name}, mutant {id}"
            );
            compiled += 1;
        }
    }
    compiled
}

#[test]
fn on_samples_and_cases() {
    let mut compiled = 0;
    for (name, text) in programs(&["samples", "tests/conformance", "tests/cases"]) {
        compiled += compare(&name, &text, 400);
    }
    assert!(compiled > 5_000, "only {compiled} mutants compile");
}

#[test]
fn on_random_programs() {
    let mut compiled = 0;
    for seed in 0..60 {
        let text = crate::common::typed::program(seed);
        compiled += compare(&format!("seed {seed}"), &text, 60);
    }
    assert!(compiled > 1_000, "only {compiled} mutants compile");
}

#[test]
fn on_hostile_programs() {
    for (name, text) in crate::common::programs::hostile() {
        compare(&name, &text, 5);
    }
}
