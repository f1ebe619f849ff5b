//! `machine`: instructions executed per second, by kind of work. The CPU engine uses one thread here, so its
//! figure is per core.

use std::ffi::OsStr;

use super::Bench;
use super::measuring::{self, Engines, Opened};
use super::table::{BenchRow, Section};
use crate::cli::args::Effort;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::compiler::stage::Stage;
use crate::engine::cpu::CpuEngine;
use crate::lang::verdict::Outcome;

/// A loop, calls and arrays. Each is a property over a thousand inputs, so that a device has that many threads
/// to run.
const LOOPS: [(&str, &str); 3] = [
    (
        "arithmetic",
        "fn turn(n: int) -> int { let s = n; for i in 0..400 { s = ((s * 31 + i) ^ (s >> 3)) + (n & i); } return s; }
         prop n in 0..1000 => turn(n) == turn(n);",
    ),
    (
        "calls",
        "fn fib(n: int) -> int { if n < 2 { return n; } return fib(n - 1) + fib(n - 2); }
         prop n in 0..1000 => fib(10 + n % 5) > 0;",
    ),
    (
        "arrays",
        "fn sums(n: int) -> int {
             let xs = [n; 64];
             for round in 0..8 { for i in 1..64 { xs[i] = xs[i] + xs[i - 1] + round; } }
             return xs[63];
         }
         prop n in 0..1000 => sums(n) == sums(n);",
    ),
];

/// Measures each requested engine.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let mut engines = Engines::new(bench.common)?;
    // On one thread.
    engines.replace_cpu(CpuEngine::with_threads(1));
    let rows = engines.measure(|opened| measure(opened, &effort))?;
    Ok(vec![Section { file: "built in".into(), rows }])
}

/// Runs each loop on an engine.
pub fn measure(opened: &mut Opened, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let mut rows = Vec::new();
    for (name, text) in LOOPS {
        let source = InputSource::new(OsStr::new(name), text.into());
        let speeds = measuring::repeat(effort, || {
            let base = opened.engine.base(&source.text, &|| false)?;
            let steps: u64 = base.entries.iter().map(|entry| entry.steps).sum();
            if base.entries.iter().any(|entry| entry.outcome != Outcome::Pass) || steps == 0 {
                let message = format!("the loop `{name}` does not end as it must on {}", opened.who.adapter);
                return Err(Failure { exit: Exit::Engine, message, help: "report this bug".into() });
            }
            // A device without timestamps reports only the total time.
            let executing = base.timings.stages[Stage::Execute as usize];
            let time = if executing.is_zero() { base.timings.wall } else { executing };
            Ok(steps as f64 / time.as_secs_f64().max(1e-9) / 1e6)
        })?;
        rows.push(BenchRow::new(
            name,
            "million steps per second",
            opened.subject(&source, 1, 1),
            &opened.who,
            speeds,
        ));
    }
    Ok(rows)
}
