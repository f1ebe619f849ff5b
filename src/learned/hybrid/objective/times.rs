//! The times of the traditional compiler and of a step, measured on this machine with the samples.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::workload::{Workload, all_instructions};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{Machine, domains, entry};
use crate::compiler::stage::{BackEnd, compile};
use crate::host::measure::stat::StatLine;
use crate::lang::level::OptLevel;
use crate::lang::{limits, samples};

/// How often a program is compiled at each level; the least time counts.
pub const REPETITIONS: usize = 3;
/// The samples that are measured: a small one, one with loops, one with calls, and a large one.
const PROGRAMS: [&str; 4] = ["weak.myr", "gcd.myr", "sorting.myr", "dynamic.myr"];
/// The inputs of each property that steps are timed on.
const INPUTS: u32 = 64;

/// The times of a machine, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The time to compile a checked program by its instructions before optimization, for each level.
    pub levels: [StatLine; 4],
    pub step: f64,
}

/// The times of this machine, once they are measured.
static HERE: OnceLock<Times> = OnceLock::new();

impl Times {
    /// Returns the times of this machine, measured on first use. Returns `None` if that was cancelled.
    pub fn here(watch: &dyn Watch) -> Option<Times> {
        if HERE.get().is_none() {
            let times = Times::measure(watch)?;
            return Some(*HERE.get_or_init(|| times));
        }
        HERE.get().copied()
    }

    /// Measures. Takes some milliseconds. Returns `None` if cancelled.
    pub fn measure(watch: &dyn Watch) -> Option<Times> {
        let mut points: [Vec<(f64, f64)>; 4] = Default::default();
        let (mut time, mut steps) = (Duration::ZERO, 0);
        for sample in PROGRAMS.into_iter().filter_map(samples::named) {
            let program = compile(sample.text);
            let size = f64::from(all_instructions(&program));
            for level in OptLevel::ALL {
                let took = compile_time(&program, level).0;
                points[level.number() as usize].push((size, took.as_secs_f64()));
            }
            let mut machine = Machine::default();
            machine.translate(&program.executable);
            let Compiled { facts, executable, binders, .. } = &program;
            for domain in domains(facts, &executable.routines, binders, INPUTS) {
                let from = Instant::now();
                steps += entry(&mut machine, executable, &domain, limits::STEPS, watch).steps;
                time += from.elapsed();
            }
            if watch.cancelled() {
                return None;
            }
        }
        let none = StatLine { fixed: 0.0, each: 0.0 };
        Some(Times {
            levels: points.map(|points| StatLine::through(&points).unwrap_or(none)),
            step: time.as_secs_f64() / (steps.max(1) as f64),
        })
    }

    /// The time to compile a function of a program of `instructions`: its part of the program's time.
    pub fn compile(&self, level: OptLevel, instructions: u32, workload: &Workload) -> f64 {
        let all = f64::from(instructions.max(1));
        self.levels[level.number() as usize].at(all) * f64::from(workload.instructions) / all
    }
}

/// Compiles a checked program at a level several times. Returns the least time, and the program.
pub fn compile_time(program: &Compiled, level: OptLevel) -> (Duration, Compiled) {
    let mut back = BackEnd::default();
    let least = (0..REPETITIONS).map(|_| back.compile_at(program, level)).min().unwrap_or_default();
    let BackEnd { lowered, ir, executable, binders, .. } = back;
    (least, Compiled { level, lowered, ir, executable, binders, ..program.clone() })
}
