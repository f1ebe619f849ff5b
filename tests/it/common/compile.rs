//! Runs a program through all CPU twins, for tests that look at results between stages.

pub use myriad::compiler::stage::{compile, compile_at};
