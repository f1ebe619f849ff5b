//! The traditional path: from the checked program to bytecode.

use std::time::{Duration, Instant};

use crate::program::{Binders, Compiled, Executable, Facts, Ir};
use crate::stage::{emit, lower, optimize};

/// The deterministic compiler's stages behind check, by the CPU twins: the same bytecode on any machine.
#[derive(Default)]
pub struct Traditional {
    /// How often it has worked.
    pub runs: u64,
    lowered: Ir,
    ir: Ir,
    binders: Binders,
    executable: Executable,
    lower: lower::Scratch,
    optimize: optimize::Scratch,
    emit: emit::Scratch,
}

impl Traditional {
    /// Compiles a checked program without errors, which front ends have left; says what it took.
    pub fn compile(&mut self, program: &Compiled) -> Duration {
        let started = Instant::now();
        self.runs += 1;
        let mut facts = Facts { functions: 0, ..program.facts };
        let Executable { code, routines } = &mut self.executable;
        let out = lower::Output { ir: &mut self.lowered, routines, binders: &mut self.binders };
        lower::run(program.view(), out, &mut facts, &mut self.lower);
        optimize::run(&self.lowered, routines, &mut self.ir, &mut self.optimize);
        emit::run(&self.ir, routines, code, &mut self.emit);
        started.elapsed()
    }

    /// What it made last.
    pub fn result(&self) -> &Executable {
        &self.executable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Compiler;

    #[test]
    fn it_makes_what_the_engine_makes() {
        let mut traditional = Traditional::default();
        for text in
            ["fn f(a: int) -> int { return a + 2 * 3; } test f(1) == 7;", "fn g() -> [int] { return [1]; }"]
        {
            let mut compiler = Compiler::default();
            compiler.compile(text);
            let program = compiler.compiled(&text.into());
            traditional.compile(&program);
            assert_eq!(traditional.result(), &program.executable);
        }
        assert_eq!(traditional.runs, 2);
    }
}
