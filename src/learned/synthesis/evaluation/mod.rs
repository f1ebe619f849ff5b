//! How well the model compiles functions that it was never trained on, by class.
//!
//! There are two sets: functions that the corpus generates from a seed kept for this, and functions that people wrote.
//! A draw counts as *correct* if it is the deterministic compiler's bytecode, or agrees with it on random inputs
//! (`neural::inputs`); tests take no part in it, so that functions with many and with few are measured alike. The greedy
//! candidate is no draw and is not counted.

mod class;
mod generated;
mod measure;
mod written;

use std::sync::Arc;

use crate::compiler::stage::Compiler;
use crate::lang::token::TokenKind;

pub use class::{Class, SIMPLE_WORDS};
pub use generated::{SEED, generated, generated_from};
pub use measure::{INPUTS, MeasureError, Measured, measure, measure_all};

/// Where functions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Set {
    /// The corpus, with a seed that training never uses.
    Generated,
    /// People.
    Written,
}

impl Set {
    pub const ALL: [Set; 2] = [Set::Generated, Set::Written];

    pub fn ident(self) -> &'static str {
        match self {
            Set::Generated => "generated",
            Set::Written => "written",
        }
    }
}

/// A program without its tests, some or all of whose functions are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub set: Set,
    /// What it is called.
    pub name: String,
    pub text: Arc<str>,
    /// The function that is measured; all if none is said.
    pub function: Option<u32>,
}

/// The programs that people wrote; those that do not compile, on purpose, are left out.
pub fn written() -> Vec<Task> {
    let mut compiler = Compiler::default();
    let task = |program: written::Text| {
        let text = without_tests(&mut compiler, &program.text)?;
        Some(Task { set: Set::Written, name: program.name, text: text.into(), function: None })
    };
    written::programs().into_iter().filter_map(task).collect()
}

/// A program's functions and constants alone; none if it does not compile or has no function.
pub fn without_tests(compiler: &mut Compiler, text: &str) -> Option<String> {
    compiler.compile(text);
    if !compiler.compiles() || compiler.facts.functions == 0 {
        return None;
    }
    let program = compiler.program(text);
    let mut bytes = text.as_bytes().to_vec();
    for entry in program.executable.routines().skip(program.functions as usize) {
        let head = entry.head();
        // The semicolon stands behind the node.
        let behind = program.extent(head).end;
        let closed = behind < program.len() && program.kind(behind) == TokenKind::Semicolon;
        // Blank, not gone: whatever names a place goes on naming it.
        let range = program.span(head..behind + u32::from(closed))?;
        bytes.get_mut(range)?.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    let text = String::from_utf8(bytes).ok()?;
    compiler.compile(&text);
    compiler.compiles().then_some(text)
}

/// The sum of a class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    pub set: Set,
    pub class: Class,
    pub functions: u32,
    /// Functions that the model cannot take; they are counted here alone.
    pub out_of_reach: u32,
    /// Draws for each function.
    pub k: u32,
    /// The part of the draws that is correct.
    pub p_correct: f64,
    /// The part of the functions that have a correct draw.
    pub success: f64,
    /// The part of the draws that are programs.
    pub valid: f64,
    /// The part of the functions that have a draw which is proved or verified and executes fewer instructions than the deterministic compiler's code.
    pub faster: f64,
}

/// A row for each set and class that has functions.
pub fn summaries(measured: &[Measured], k: u32) -> Vec<Summary> {
    let mut rows = Vec::new();
    for set in Set::ALL {
        for class in Class::ALL {
            let of_class = || measured.iter().filter(move |row| row.set == set && row.class == class);
            let reached: Vec<&Measured> = of_class().filter(|row| row.out_of_reach.is_none()).collect();
            let functions = reached.len() as u32;
            let out_of_reach = of_class().count() as u32 - functions;
            if functions + out_of_reach == 0 {
                continue;
            }
            let part = |count: &dyn Fn(&Measured) -> u32, of: u32| {
                let sum: u64 = reached.iter().map(|row| u64::from(count(row))).sum();
                sum as f64 / (u64::from(functions) * u64::from(of)).max(1) as f64
            };
            rows.push(Summary {
                set,
                class,
                functions,
                out_of_reach,
                k,
                p_correct: part(&|row| row.correct, k),
                success: part(&|row| u32::from(row.correct > 0), 1),
                valid: part(&|row| row.valid, k),
                faster: part(&|row| u32::from(row.faster), 1),
            });
        }
    }
    rows
}
