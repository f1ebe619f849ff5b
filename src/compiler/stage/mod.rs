//! The CPU twins: a fast sequential algorithm for each stage, with the same outputs as its shader, bit for
//! bit.
//!
//! A stage's output is a struct of *columns* (`Vec<u32>`, one word per token, instruction, function …). A
//! twin and a shader are compared column by column. Every twin has the form `run(inputs, &mut output, &mut
//! Scratch)`. Outputs and scratch keep their capacity, so in the steady state compiling a mutant allocates
//! nothing. `docs/stages/` defines each column.

pub mod chain;
pub mod check;
pub mod emit;
pub mod execute;
pub mod flow;
pub mod judge;
pub mod lex;
pub mod lower;
pub mod mutate;
pub mod optimize;
pub mod parse;
pub mod passes;
pub mod route;
pub mod splice;

pub use chain::{BackEnd, Compiler, compile, compile_at};

/// The stages that are measured, in the order of compilation.
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
