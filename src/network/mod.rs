//! Neural compilation: a transformer that reads a function's tokens and writes its bytecode.
//!
//! `source` turns a checked function into words and the tables that give slots their meaning; `target` turns bytecode
//! into words, `assembler` turns words into bytecode and says which may come next. `docs/neural.md` is the contract.

pub mod assembler;
pub mod candidates;
pub mod corpus;
pub mod infer;
pub mod inputs;
pub mod layout;
pub mod sampling;
pub mod source;
pub mod target;
pub mod vocabulary;
pub mod weights;
