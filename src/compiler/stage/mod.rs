//! The CPU twins: each stage as a fast sequential algorithm, the same outputs as its shader bit for bit.
//!
//! A stage's output is a struct of *columns* (`Vec<u32>`, one word per token, instruction, function …), so that a
//! twin and a shader are compared by comparing columns. Every twin has the form
//! `run(inputs, &mut output, &mut Scratch)`: outputs and scratch keep their capacity, so that compiling a mutant
//! allocates nothing in the steady state. `docs/stages.md` states what each column means.

pub mod chain;
pub mod check;
pub mod emit;
pub mod execute;
pub mod judge;
pub mod lex;
pub mod lower;
pub mod mutate;
pub mod optimize;
pub mod parse;
pub mod passes;
pub mod route;
pub mod splice;

pub use chain::{BackEnd, Compiler};

/// The stages in the order of their work, as timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    Lex,
    Parse,
    Check,
    Lower,
    Optimize,
    Emit,
    Execute,
    Judge,
    Mutate,
}

impl Stage {
    pub const ALL: [Stage; 9] = [
        Stage::Lex,
        Stage::Parse,
        Stage::Check,
        Stage::Lower,
        Stage::Optimize,
        Stage::Emit,
        Stage::Execute,
        Stage::Judge,
        Stage::Mutate,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Stage::Lex => "lex",
            Stage::Parse => "parse",
            Stage::Check => "check",
            Stage::Lower => "lower",
            Stage::Optimize => "optimize",
            Stage::Emit => "emit",
            Stage::Execute => "execute",
            Stage::Judge => "judge",
            Stage::Mutate => "mutate",
        }
    }
}
