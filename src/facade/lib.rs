//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has an overview. Each room of its map is a crate, which depends on the rooms above it; this one
//! names them all.

// Facts of the language, and the computer that the program runs on.
pub use {::host, ::lang};

// Both ways to compile source to bytecode.
pub use {::compiler, ::network};

// Expressions from examples.
pub use ::fill;

// Judging many programs at once, and reporting on them.
pub use {::engine, ::report};

// Conclusions from verdicts.
pub use ::testing;

// The laboratory.
pub use {::corpus, ::learned, ::paper};

// User interfaces.
pub use ::cli::cli;
pub use ::session;
pub use ::workbench::workbench;
