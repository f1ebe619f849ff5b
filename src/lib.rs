//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has an overview. A module imports only the modules above it, which `tests/it/arrows.rs`
//! checks.

// Facts of the language, and the computer that the program runs on.
pub mod host;
pub mod lang;

// Both ways to compile source to bytecode.
pub mod compiler;
pub mod network;

// Judging many programs at once, and reporting on them.
pub mod engine;
pub mod report;

// Conclusions from verdicts.
pub mod learned;
pub mod paper;
pub mod testing;

// User interfaces.
pub mod cli;
pub mod session;
pub mod workbench;
