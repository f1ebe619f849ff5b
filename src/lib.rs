//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has the map. A room imports only the rooms above it, which `tests/it/arrows.rs` checks.

// Facts of the language, and the computer that the program runs on.
pub mod host;
pub mod lang;

// Both ways from source to bytecode.
pub mod compiler;
pub mod network;

// Many programs, judged at once.
pub mod engine;
pub mod report;

// What verdicts say.
pub mod learned;
pub mod paper;
pub mod testing;

// What people use.
pub mod cli;
pub mod session;
pub mod workbench;
