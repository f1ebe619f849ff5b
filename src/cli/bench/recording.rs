//! Runs of a million steps, for `frames`: the cost of recording compared with the plain run, the size of the
//! recording, and the time to show an arbitrary recorded step.

use std::sync::Arc;
use std::time::Instant;

use super::keyboard::{PATIENCE, TestWorkbench};
use super::measuring;
use super::table::{BenchRow, BenchSubject, Contender};
use crate::cli::args::{Common, Effort};
use crate::cli::exit::Failure;
use crate::compiler::program::Compiled;
use crate::compiler::stage::compile;
use crate::compiler::stage::execute::Machine;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, Index};
use crate::lang::limits;
use crate::lang::random::Rng;
use crate::testing::trace::{ReplayKey, RunDiff, Trace, preallocate_buffers, record};

/// Programs whose first test exceeds the step limit of a run: a loop, calls, lists.
const RUNS: [(&str, &str); 3] = [
    (
        "loop",
        "fn turn(n: int) -> int {\n    let s = n;\n    for i in 0..1000000 {\n        s = (s * 31 + i) ^ (s >> 3);\n    }\n    return s;\n}\ntest turn(7) == 0;\n",
    ),
    (
        "calls",
        "fn fib(n: int) -> int {\n    if n < 2 {\n        return n;\n    }\n    return fib(n - 1) + fib(n - 2);\n}\ntest fib(30) == 0;\n",
    ),
    (
        "lists",
        "fn sums(n: int) -> int {\n    let xs = [n; 64];\n    for round in 0..100000 {\n        for i in 1..64 {\n            xs[i] = xs[i] + xs[i - 1] + round;\n        }\n    }\n    return xs[63];\n}\ntest sums(3) == 0;\n",
    ),
];
/// Number of recordings that are kept at the same time.
const KEPT_RECORDINGS: usize = 3;
/// Number of steps to seek in each repetition.
const SEEKS: usize = 10;

pub fn measure(common: Common, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let mut rows = Vec::new();
    for (name, text) in RUNS {
        let compiled = Arc::new(compile(text));
        let who = Contender { engine: "cpu".into(), adapter: "1 thread".into() };
        let subject = BenchSubject { k: 1, bytes: text.len(), tests: 1 };
        let row = |what: &str, unit, values: Vec<f64>| {
            BenchRow::new(format!("{name}: {what}"), unit, subject, &who, values)
        };
        rows.push(row("run", "ms", measuring::repeat(effort, || Ok(run(&compiled, false)))?));
        rows.push(row("run, in register form", "ms", measuring::repeat(effort, || Ok(run(&compiled, true)))?));
        // Earlier recordings are kept alive so that each new one needs new memory from the system, unless
        // memory of an earlier measurement is reused.
        let mut kept = vec![traced(&compiled)];
        let mut with_kept_recordings = |before: fn()| {
            let repeated = (0..KEPT_RECORDINGS).map(|_| {
                before();
                let (time, trace) = timed(&compiled);
                kept.push(trace);
                time
            });
            repeated.collect::<Vec<_>>()
        };
        rows.push(row("recording, in memory that is new", "ms", with_kept_recordings(|| {})));
        rows.push(row("recording, in room made ready before", "ms", with_kept_recordings(preallocate_buffers)));
        drop(kept);
        let mut memory = 0;
        let recording = measuring::repeat(effort, || {
            let (time, trace) = timed(&compiled);
            trace.prepare(&|| false);
            memory = trace.bytes();
            Ok(time)
        })?;
        rows.push(row("recording, in room of an earlier one", "ms", recording));
        let prepared = measuring::repeat(effort, || {
            let started = Instant::now();
            traced(&compiled).prepare(&|| false);
            Ok(started.elapsed().as_secs_f64() * 1e3)
        })?;
        rows.push(row("the same with its index", "ms", prepared));
        let trace = traced(&compiled);
        let beside = measuring::repeat(effort, || {
            let started = Instant::now();
            let again = ReplayKey {
                compiled: compiled.clone(),
                routine: compiled.facts.entry(EntryId::FIRST),
                frame: [].into(),
            };
            let beside = RunDiff::new(&trace, &again, String::new(), 2, 4);
            std::hint::black_box(beside);
            Ok(started.elapsed().as_secs_f64() * 1e3)
        })?;
        rows.push(row("another beside it", "ms", beside));
        rows.push(row("memory", "B", vec![memory as f64]));
        let seeks = seeks(common, text, effort.repetitions as usize * SEEKS)?;
        let slowest = seeks.iter().copied().fold(0.0, f64::max);
        rows.push(row("seek", "ms", seeks));
        rows.push(row("slowest seek", "ms", vec![slowest]));
    }
    Ok(rows)
}

/// Measures the plain run, in milliseconds.
fn run(compiled: &Compiled, registers: bool) -> f64 {
    let mut machine = Machine::default();
    match registers {
        true => machine.translate(&compiled.executable),
        false => machine.load(&compiled.executable),
    }
    let started = Instant::now();
    machine.run(&compiled.executable, compiled.facts.entry(EntryId::FIRST), limits::STEPS, 0);
    started.elapsed().as_secs_f64() * 1e3
}

fn traced(compiled: &Arc<Compiled>) -> Trace {
    record(compiled, compiled.facts.entry(EntryId::FIRST), &[], limits::STEPS)
}

/// Records the run; returns the milliseconds and the trace.
fn timed(compiled: &Arc<Compiled>) -> (f64, Trace) {
    let started = Instant::now();
    let trace = traced(compiled);
    (started.elapsed().as_secs_f64() * 1e3, trace)
}

/// Measures the time from the key that seeks a random step to the frame that shows it.
fn seeks(common: Common, text: &str, count: usize) -> Result<Vec<f64>, Failure> {
    let mut bench = TestWorkbench::open(common, text)?;
    bench.named("ctrl-end");
    bench.named("up");
    bench.named("alt-u");
    bench.off.settle(PATIENCE);
    let steps = bench.off.state().run.trace().map_or(0, |trace| trace.len());
    let mut rng = Rng::new(14, 0);
    let mut times = Vec::new();
    for _ in 0..count {
        bench.named("s");
        let step = 1 + rng.below(steps.max(1) as usize) as u64;
        for digit in grouped(step).chars() {
            bench.named(&digit.to_string());
        }
        times.push(bench.named("enter"));
    }
    Ok(times)
}
