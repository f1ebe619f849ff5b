//! Runs a program through all CPU twins, for tests that look at results between stages.

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;

/// Compiles a text with the twins.
pub fn compile(text: &str) -> Compiled {
    let mut compiler = Compiler::default();
    compiler.compile(text);
    compiler.compiled(&text.into())
}
