//! Runs a program through all CPU twins, for tests that look at results between stages.

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;
use myriad::lang::level::OptLevel;

/// Compiles a text with the twins.
pub fn compile(text: &str) -> Compiled {
    compile_at(OptLevel::default(), text)
}

/// Compiles a text with the twins at a level.
pub fn compile_at(level: OptLevel, text: &str) -> Compiled {
    let mut compiler = Compiler::at(level);
    compiler.compile(text);
    compiler.compiled(&text.into())
}
