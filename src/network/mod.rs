//! Neural compilation: a transformer that reads a function's tokens and writes its bytecode.
//!
//! `source` turns a checked function into words and tables that define its variables, constants and callees.
//! `target` turns bytecode into words. `assembler` turns words into bytecode and decides which word may come
//! next. The specification is `docs/neural.md`.

// A path begins with its room, in every member.
extern crate self as network;
use {::compiler, ::host, ::lang};

pub mod assembler;
pub mod candidates;
pub mod infer;
pub mod inputs;
pub mod layout;
pub mod refuted;
pub mod sampling;
pub mod source;
pub mod target;
pub mod vocabulary;
pub mod weights;
