//! `optimizer`: the same programs at each level of optimization: words of bytecode, steps and time of their
//! tests, and the optimizer's time per function.

use std::time::Duration;

use super::measuring::timed;
use super::table::{BenchRow, BenchSubject, Contender, Section};
use super::{Bench, measuring, programs};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::{self, Machine};
use crate::compiler::stage::{Compiler, Stage};
use crate::lang::level::OptLevel;
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

fn measure(source: &InputSource, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let mut rows = Vec::new();
    for level in OptLevel::FIXED {
        let mut compiler = Compiler::at(level);
        compiler.compile(&source.text);
        let compiled = compiler.compiled(&source.text);
        let routines = compiled.executable.routines.token.len();
        let times = measuring::repeat(effort, || {
            compiler.times = Default::default();
            (0..TOGETHER).for_each(|_| compiler.compile(&source.text));
            let time: Duration = compiler.times[Stage::Optimize as usize];
            Ok(time.as_secs_f64() * 1e6 / f64::from(TOGETHER) / routines.max(1) as f64)
        })?;
        let tests = routines - compiled.facts.functions as usize;
        let subject = BenchSubject { k: 1, bytes: source.text.len(), tests };
        let mut row = |name: &str, unit, values| {
            rows.push(BenchRow::new(
                format!("{name} at level {}", level.number()),
                unit,
                subject,
                &who(),
                values,
            ));
        };
        row("words", "count", vec![compiled.executable.code.word.len() as f64]);
        let mut machine = Machine::default();
        let tests = measuring::repeat(effort, || Ok(timed(|| steps(&mut machine, &compiled)).1 * 1e3))?;
        row("steps", "count", vec![steps(&mut machine, &compiled) as f64]);
        row("time of the tests", "ms", tests);
        row("time per function", "µs", times);
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(rows)
}

/// Counts the steps of all tests and properties, each up to its first failing input.
fn steps(machine: &mut Machine, compiled: &Compiled) -> u64 {
    let program = &compiled.executable;
    // As the CPU engine runs them.
    machine.translate(program);
    let domains = execute::domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
    let tally = |domain| execute::entry(machine, program, domain, limits::STEPS, &|| false);
    domains.iter().map(tally).map(|tally| tally.steps).sum()
}

/// Sums each count over all programs, and compares levels 2 and 1 by the geometric mean.
fn sums(sections: &[Section]) -> Vec<BenchRow> {
    let rows = || sections.iter().flat_map(|section| &section.rows).filter(|row| row.unit == "count");
    let mut names: Vec<&str> = Vec::new();
    rows().for_each(|row| {
        if !names.contains(&row.name.as_str()) {
            names.push(&row.name);
        }
    });
    let sum = |name: &str| rows().filter(|row| row.name == name).filter_map(BenchRow::median).sum();
    let subject = BenchSubject { k: sections.len() as u64, ..BenchSubject::default() };
    let mut all: Vec<BenchRow> =
        names.into_iter().map(|name| BenchRow::new(name, "count", subject, &who(), vec![sum(name)])).collect();
    for name in ["steps", "time of the tests"] {
        let ratios: Vec<f64> =
            sections.iter().filter_map(|section| ratio(section, name)).map(f64::ln).collect();
        let mean = (ratios.iter().sum::<f64>() / ratios.len() as f64).exp();
        all.push(BenchRow::new(format!("{name}, level 2 / level 1"), "times", subject, &who(), vec![mean]));
    }
    all
}

/// Divides a figure at level 2 by that at level 1.
fn ratio(section: &Section, name: &str) -> Option<f64> {
    let at = |level: u32| {
        let name = format!("{name} at level {level}");
        section
            .rows
            .iter()
            .find(|row| row.name == name)
            .and_then(BenchRow::median)
            .filter(|median| *median > 0.0)
    };
    Some(at(2)? / at(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile_at;

    #[test]
    fn a_higher_level_takes_no_more_steps() {
        for source in programs::all() {
            let found = OptLevel::FIXED.map(|level| compile_at(level, &source.text));
            let words = |level: usize| found[level].executable.code.word.len();
            assert!(words(1) <= words(0), "{}", source.name);
            assert!(
                found
                    .each_ref()
                    .map(|found| steps(&mut Machine::default(), found))
                    .is_sorted_by(|less, more| less >= more),
                "{}",
                source.name
            );
        }
    }
}
