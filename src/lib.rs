//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has the map. A room may use those above it alone, which `tests/it/arrows.rs` checks.

// Facts and tools.
pub mod files;
pub mod lang;
pub mod measure;
pub mod samples;
pub mod start;

// Programs and what makes them.
pub mod program;
pub mod stage;

pub mod layout;
pub mod neural;

// Inputs that tell codes apart.
pub mod decide;

pub mod rounds;
pub mod variants;

// Batches of them, judged.
pub mod engine;

// What mutants say about tests.
pub mod mutation;

pub mod corpus;
pub mod hybrid;
pub mod noise;
pub mod synthesis;
#[cfg(feature = "train")]
pub mod training;

pub mod batch;
pub mod export;
pub mod learn;
pub mod merge;
pub mod paper;
pub mod race;
pub mod report;
pub mod session;
pub mod trace;

// What people meet.
pub mod cli;
pub mod config;
pub mod demo;
pub mod workbench;
