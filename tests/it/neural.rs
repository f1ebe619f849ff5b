//! Round trip through words: the compiler's code of a function can be written in words and assembled again.

mod vocabulary;

use std::path::Path;

use crate::common::typed;
use myriad::compiler::program::Program;
use myriad::compiler::stage::Compiler;
use myriad::lang::index::{Address, Index, RoutineId};
use myriad::lang::opcode;
use myriad::network::source::{self, Source, Unsupported};
use myriad::network::vocabulary::{EOS, SOURCE_MAX, TARGETS, WORDS};
use myriad::network::{assembler, target};

/// Calls `visit(program, function)` for each function of a text that compiles.
fn for_each_function(text: &str, mut visit: impl FnMut(&Program, RoutineId)) {
    let mut compiler = Compiler::default();
    compiler.compile(text);
    if !compiler.compiles() {
        return;
    }
    let compiled = compiler.compiled(&text.into());
    let program = compiled.program();
    program.functions.iter().for_each(|function| visit(&program, function));
}

/// Checks one function; returns an error if it is out of reach.
fn round_trip(program: &Program, function: RoutineId) -> Result<Source, Unsupported> {
    let source = source::read(program, function)?;
    let rows = source.words.len();
    assert!(rows <= SOURCE_MAX && source.words.iter().all(|&word| (TARGETS..WORDS).contains(&(word as usize))));
    for column in [&source.ty, &source.depth, &source.statement, &source.height] {
        assert_eq!(column.len(), rows);
    }
    let words = target::write(program, function, &source.tables)?;
    assert_eq!(words.last(), Some(&EOS));
    let own = program.function(function).unwrap();
    assert_eq!(assembler::assemble(&source.tables, &words, own.address()).as_deref(), Ok(own.words()));
    // The code may be placed at any address.
    let moved = assembler::assemble(&source.tables, &words, Address::new(5000)).unwrap();
    assert_eq!(target::of_code(&moved, Address::new(5000), &source.tables), Ok(words));
    Ok(source)
}

#[test]
fn sample_functions_round_trip_through_words() {
    let (mut reached, mut missed) = (0, Vec::new());
    for folder in ["samples", "tests/conformance", "tests/cases"] {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for_each_function(&text, |program, function| match round_trip(program, function) {
                Ok(_) => reached += 1,
                Err(reason) => missed.push(format!("{} {function}: {reason}", path.display())),
            });
        }
    }
    println!("{reached} within reach, out of reach: {missed:#?}");
    assert!(reached > 20 * missed.len(), "{reached} within reach, but not {missed:#?}");
}

#[test]
fn random_functions_round_trip_through_words() {
    let (mut reached, mut missed) = (0, 0);
    for seed in 0..500 {
        for_each_function(&typed::program(seed), |program, function| match round_trip(program, function) {
            Ok(_) => reached += 1,
            Err(_) => missed += 1,
        });
    }
    assert!(reached > missed, "{reached} within reach, {missed} not");
}

#[test]
fn names_and_constant_values_do_not_change_words() {
    let words = |text: &str| {
        let mut words = Vec::new();
        for_each_function(text, |program, function| words.push(source::read(program, function).unwrap().words));
        words
    };
    let one = words("const K = 40; fn f(a: int) -> int { let b = a * (K + 2); return b - -7; }");
    let other = words("fn longer(x: int) -> int { let yy = x * (1_000); return yy - 3; }");
    assert_eq!(one.len(), 1);
    assert_eq!(one, other, "a group that is constant, and its sign, are one value");
    assert_ne!(
        one,
        words("fn f(a: int) -> int { let b = a * 42; return b - 42; }"),
        "values are the same or not"
    );
    assert_eq!(one, words("fn g(q: int) -> int { let r = q * 99; return r - 3; }"));
}

#[test]
fn an_operation_without_a_word_is_out_of_reach() {
    let code = [opcode::word(opcode::Op::Nop, 0)];
    let found = target::of_code(&code, Address::new(0), &source::Tables::default());
    assert_eq!(found, Err(Unsupported::NoWord("NOP")));
}
