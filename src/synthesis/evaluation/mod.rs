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

use crate::lang::token::TokenKind;
use crate::stage::Compiler;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_taken_out_and_functions_stay() {
        let mut compiler = Compiler::default();
        let text = "fn f(a: int) -> int { return a; }\ntest \"x\": f(1) == 1; prop a in 0..9\n => f(a) == a;\nconst N = 2;\n";
        let bare = without_tests(&mut compiler, text).unwrap();
        assert_eq!(
            bare.split_whitespace().collect::<Vec<_>>().join(" "),
            "fn f(a: int) -> int { return a; } const N = 2;"
        );
        assert_eq!(bare.lines().count(), text.lines().count());
        assert_eq!(without_tests(&mut compiler, "fn f() -> int { return x; }"), None);
        assert_eq!(without_tests(&mut compiler, "const N = 2;"), None);
    }

    #[test]
    fn the_written_set_is_large_and_of_both_classes() {
        use crate::neural::source;
        let (mut simple, mut complex, mut out) = (0, 0, Vec::new());
        let mut compiler = Compiler::default();
        for task in written() {
            compiler.compile(&task.text);
            let compiled = compiler.compiled(&task.text);
            let program = compiled.program();
            for function in 0..program.functions {
                match source::read(&program, function) {
                    Ok(source) if Class::of(&source) == Class::Simple => simple += 1,
                    Ok(_) => complex += 1,
                    Err(why) => out.push(format!("{} {function}: {why}", task.name)),
                }
            }
        }
        assert!(simple >= 200 && complex >= 150, "{simple} simple, {complex} complex");
        assert!(out.len() * 50 < simple + complex, "{out:?}");
    }

    #[test]
    fn sums_are_over_functions_and_draws() {
        let row = |class, valid, correct, faster| Measured {
            set: Set::Written,
            class,
            program: String::new(),
            function: String::new(),
            valid,
            correct,
            faster,
            out_of_reach: None,
        };
        let out = Measured { out_of_reach: Some("too long".into()), ..row(Class::Complex, 0, 0, false) };
        let rows = [row(Class::Simple, 10, 5, true), row(Class::Simple, 8, 0, false), out];
        let [simple, complex] = summaries(&rows, 10)[..] else { panic!("two classes have functions") };
        assert_eq!((simple.functions, simple.p_correct, simple.success), (2, 0.25, 0.5));
        assert_eq!((simple.valid, simple.faster), (0.9, 0.5));
        assert_eq!((complex.functions, complex.out_of_reach, complex.success), (0, 1, 0.0));
    }
}
