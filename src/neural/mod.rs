//! Neural compilation: a transformer that reads a function's tokens and writes its bytecode.
//!
//! `source` turns a checked function into words and the tables that give slots their meaning; `target` turns bytecode
//! into words, `assembler` turns words into bytecode and says which may come next. `docs/neural.md` is the contract.

pub mod assembler;
pub mod candidates;
pub mod compile;
pub mod corpus;
pub mod evaluation;
pub mod infer;
pub mod inputs;
pub mod sampling;
pub mod search;
pub mod source;
pub mod statistics;
pub mod target;
#[cfg(feature = "train")]
pub mod train;
pub mod vocabulary;
pub mod weights;
