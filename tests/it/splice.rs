//! A mutant compiled by its changed functions alone is, to the word, the mutant compiled whole.

use std::ops::Range;
use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::compile::compile;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::device::Wanted;
use myriad::engine::{Ask, Engine, MutantCounts};
use myriad::lang::verdict::{MutantStatus, Verdict};
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

/// What engines say of mutants that are compiled and compared, not run: a verdict, and a hash of the whole bytecode.
fn compiled(engine: &mut dyn Engine, ids: Range<u32>) -> Vec<(Verdict, [u32; 2])> {
    engine.prepare(ids.end).unwrap_or_else(|error| panic!("{error}"));
    engine.forget().unwrap_or_else(|error| panic!("{error}"));
    let mut all = Vec::new();
    while (all.len() as u32) < ids.end - ids.start {
        let from = ids.start + all.len() as u32;
        let chunk = engine.chunk(from..ids.end, Ask::Compare, &|| false);
        let chunk = chunk.unwrap_or_else(|error| panic!("{error}"));
        let hash =
            |verdict: &Verdict, hash| if verdict.status == MutantStatus::Invalid { [0; 2] } else { hash };
        let pairs = chunk.result.verdicts.into_iter().zip(chunk.hashes);
        all.extend(pairs.map(|(verdict, of)| (verdict, hash(&verdict, of))));
    }
    all
}

/// Both engines splice: the first and the last mutants of first order and the first of second order, up to `most` each.
fn compare_engines(engines: &mut [Box<dyn Engine>; 2], name: &str, text: &str, most: u32) -> u32 {
    let text: Arc<str> = text.into();
    let [expected, found] = engines.each_mut().map(|engine| {
        engine.base(&text, &|| false).unwrap_or_else(|error| panic!("{name}: {error}"));
        let MutantCounts { first_order, all } = engine.variants();
        let least = first_order.saturating_sub(most);
        let ids = [0..least.min(most), least..all.min(first_order + most)];
        ids.map(|ids| compiled(engine.as_mut(), ids)).concat()
    });
    assert_eq!(expected.len(), found.len(), "{name}");
    for (place, (cpu, gpu)) in expected.iter().zip(&found).enumerate() {
        assert_eq!(cpu, gpu, "{name}, mutant {place} of those compared\n{text}");
    }
    expected.iter().filter(|(_, hash)| *hash != [0; 2]).count() as u32
}

#[test]
fn on_the_device() {
    let gpu = GpuEngine::new(&Wanted::Any).unwrap_or_else(|error| panic!("{error}"));
    let mut engines: [Box<dyn Engine>; 2] = [Box::new(CpuEngine::new()), Box::new(gpu)];
    let mut compiled = 0;
    for (name, text) in programs(&["samples", "tests/conformance", "tests/cases"]) {
        compiled += compare_engines(&mut engines, &name, &text, 200);
    }
    for seed in 0..60 {
        let text = crate::common::typed::program(seed);
        compiled += compare_engines(&mut engines, &format!("seed {seed}"), &text, 60);
    }
    for (name, text) in crate::common::programs::hostile() {
        compare_engines(&mut engines, &name, &text, 4);
    }
    assert!(compiled > 5_000, "only {compiled} mutants compile");
}
