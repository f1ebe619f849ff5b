//! Results of self-play (`assets/neural/found.jsonl`): programs that take fewer steps than the compiler's and
//! are training targets.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::common::drawn::Named;
use crate::common::extent::{one_in, scaled};
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::{Index, RoutineId};
use myriad::network::{assembler, source};
use myriad::testing::decide::{Decide, Decider};
use myriad::testing::equivalence::CodeProver;
use serde_json::Value;

#[test]
fn self_play_targets_are_equivalent_to_their_functions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/neural/found.jsonl");
    let lines = fs::read_to_string(path).expect("the file");
    let lines: Vec<(usize, &str)> = lines.lines().enumerate().collect();
    assert!(lines.len() > 400);
    let mut engine = CpuEngine::with_threads(1);
    let (mut wrong, mut proved, mut tried) = (Vec::new(), 0, 0);
    for (number, line) in one_in(8, lines) {
        let found: Value = serde_json::from_str(line).expect("a line is an object");
        let text: Arc<str> = found["text"].as_str().expect("a text").into();
        let function = RoutineId::new(found["function"].as_u64().expect("a number") as u32);
        let words: Vec<u16> = found["words"]
            .as_array()
            .expect("words")
            .iter()
            .map(|word| word.as_u64().unwrap() as u16)
            .collect();
        let compiled = engine.base(&text, &|| false).unwrap().compiled;
        let program = compiled.program();
        let source = source::read(&program, function).unwrap();
        let code = assembler::assemble(&source.tables, &words, program.executable.end()).unwrap();
        tried += 1;
        proved += usize::from(CodeProver::new(&compiled, function).is_some_and(|prover| prover.proves(&code)));
        let decision = Decider::new(&compiled, function).decide(&code, &|| false).unwrap();
        let apart = Named::of(&text).told_apart(&compiled, function, &code, (1, scaled(2_000)));
        if decision.differs.is_some() || apart.is_some() {
            println!("line {number} is wrong: {:?}, {apart:?}", decision.differs);
            wrong.push(number);
        }
    }
    println!("{tried} targets, {proved} with the same normal form as the compiler's code");
    assert!(wrong.is_empty(), "wrong targets, by their lines from 0: {wrong:?}");
}
