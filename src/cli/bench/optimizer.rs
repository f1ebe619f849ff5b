//! `optimizer`: the same programs with and without optimization: words of bytecode, steps of their tests, and
//! the optimizer's time per function.

use std::time::Duration;

use super::table::{Contender, Row, Section, Subject};
use super::{Bench, measuring, programs};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::Source;
use crate::compiler::program::{Binders, Compiled, Executable, Ir};
use crate::compiler::stage::execute::{self, Machine};
use crate::compiler::stage::{Compiler, Stage, emit, lower};
use crate::lang::limits;

/// Number of compilations timed together, since a single one takes microseconds.
const TOGETHER: u32 = 32;

/// Measures each program, and the sum over all.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let mut sections = bench.each(programs::all, |source| measure(source, &effort))?;
    let rows = sums(&sections);
    sections.push(Section { file: "all".into(), rows });
    Ok(sections)
}

fn who() -> Contender {
    Contender { engine: "cpu".into(), adapter: "1 thread".into() }
}

fn measure(source: &Source, effort: &Effort) -> Result<Vec<Row>, Failure> {
    let mut compiler = Compiler::default();
    compiler.compile(&source.text);
    let compiled = compiler.compiled(&source.text);
    let routines = compiled.executable.routines.token.len();
    let plain = unoptimized(&compiled);
    let times = measuring::repeat(effort, || {
        compiler.times = Default::default();
        (0..TOGETHER).for_each(|_| compiler.compile(&source.text));
        let time: Duration = compiler.times[Stage::Optimize as usize];
        Ok(time.as_secs_f64() * 1e6 / f64::from(TOGETHER) / routines.max(1) as f64)
    })?;
    let tests = routines - compiled.facts.functions as usize;
    let subject = Subject { k: 1, bytes: source.text.len(), tests };
    let row = |name: &str, unit, values| Row::new(name, unit, subject, &who(), values);
    let count = |name: &str, n: u64| row(name, "count", vec![n as f64]);
    Ok(vec![
        count("words before", plain.code.word.len() as u64),
        count("words after", compiled.executable.code.word.len() as u64),
        count("steps before", steps(&compiled, &plain)),
        count("steps after", steps(&compiled, &compiled.executable)),
        row("time per function", "µs", times),
    ])
}

/// Returns the bytecode of the program without optimization.
fn unoptimized(compiled: &Compiled) -> Executable {
    let (mut facts, mut ir, mut binders) = (compiled.facts, Ir::default(), Binders::default());
    let Executable { mut code, mut routines } = Executable::default();
    let out = lower::Output { ir: &mut ir, routines: &mut routines, binders: &mut binders };
    lower::run(compiled.view(), out, &mut facts, &mut lower::Scratch::default());
    emit::run(&ir, &mut routines, &mut code, &mut emit::Scratch::default());
    Executable { code, routines }
}

/// Counts the steps of all tests and properties, each up to its first failing input.
fn steps(compiled: &Compiled, program: &Executable) -> u64 {
    let mut machine = Machine::default();
    machine.load(program);
    let domains = execute::domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
    let entries = compiled.facts.entry_routines().zip(&domains);
    let tally =
        |(routine, domain)| execute::entry(&mut machine, program, routine, domain, limits::STEPS, &|| false);
    entries.map(tally).map(|tally| tally.steps).sum()
}

/// Sums each count over all programs.
fn sums(sections: &[Section]) -> Vec<Row> {
    let rows = || sections.iter().flat_map(|section| &section.rows).filter(|row| row.unit == "count");
    let mut names: Vec<&str> = Vec::new();
    rows().for_each(|row| {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    });
    let sum = |name: &str| rows().filter(|row| row.name == name).filter_map(Row::median).sum();
    let subject = Subject { k: sections.len() as u64, ..Subject::default() };
    names.into_iter().map(|name| Row::new(name, "count", subject, &who(), vec![sum(name)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimized_code_is_shorter_and_takes_fewer_steps() {
        for source in programs::all() {
            let mut compiler = Compiler::default();
            compiler.compile(&source.text);
            let compiled = compiler.compiled(&source.text);
            let plain = unoptimized(&compiled);
            assert!(compiled.executable.code.word.len() <= plain.code.word.len(), "{}", source.name);
            assert!(steps(&compiled, &compiled.executable) <= steps(&compiled, &plain), "{}", source.name);
        }
    }
}
