//! A program through all CPU twins, by hand: for tests that look between the stages.

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;

/// Compiles a text with the twins.
pub fn compile(text: &str) -> Compiled {
    let mut compiler = Compiler::default();
    compiler.compile(text);
    compiler.compiled(&text.into())
}
