//! `repair`: the cost of repairing programs, from the text until the search is settled.

use std::ffi::OsStr;

use super::table::{BenchRow, BenchSubject, Contender, Section};
use super::{Bench, measuring};
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::engine::Engine;
use crate::engine::cpu::CpuEngine;
use crate::lang::samples;
use crate::testing::mutation::repair::{CANDIDATES, Search};

/// A sample that fails its own tests.
const SAMPLE: &str = "midpoint.myr";

/// Measures each program, and summary figures over all.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let effort = bench.effort.clone();
    let mut sections = bench.each(sample, |source| measure(source, &effort))?;
    if sections.len() > 1 {
        let rows = sums(&sections);
        sections.push(Section { file: "all".into(), rows });
    }
    Ok(sections)
}

fn sample() -> Vec<InputSource> {
    let sample = samples::named(SAMPLE).into_iter();
    sample.map(|it| InputSource::new(OsStr::new(&format!("samples/{}", it.name)), it.text.into())).collect()
}

/// The search uses all cores, whichever engine judges.
pub(super) fn who() -> Contender {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    Contender { engine: "cpu".into(), adapter: format!("{threads} threads") }
}

fn measure(source: &InputSource, effort: &Effort) -> Result<Vec<BenchRow>, Failure> {
    let mut engine = CpuEngine::new();
    let (mut failing, mut tests, mut repairs, mut searched) = (0, 0, 0, 0);
    let times = measuring::repeat(effort, || {
        let started = std::time::Instant::now();
        let base = engine.base(&source.text, &|| false)?;
        tests = base.entries.len();
        failing = base.entries.iter().filter(|entry| entry.outcome.fails()).count();
        (repairs, searched) = (0, 0);
        if let Some(mut search) = Search::new(base.compiled, &base.entries, &|| false) {
            while !search.is_settled() && search.searched() < CANDIDATES && search.step(&|| false).is_some() {}
            (repairs, searched) = (search.repairs(&|| false).len(), search.searched());
        }
        Ok(started.elapsed().as_secs_f64() * 1e3)
    })?;
    let subject = BenchSubject { k: searched, bytes: source.text.len(), tests };
    let row = |name: &str, unit, values| BenchRow::new(name, unit, subject, &who(), values);
    let count = |name: &str, n: u64| row(name, "count", vec![n as f64]);
    Ok(vec![
        count("failing tests", failing as u64),
        count("candidates", searched),
        count("repairs", repairs as u64),
        row("time", "ms", times),
    ])
}

/// Returns how many programs fail, how many of them were repaired, and the longest search.
fn sums(sections: &[Section]) -> Vec<BenchRow> {
    let figures = |name: &str| -> Vec<f64> {
        let rows = sections.iter().flat_map(|section| &section.rows).filter(|row| row.name == name);
        rows.filter_map(BenchRow::median).collect()
    };
    let some = |name: &str| figures(name).into_iter().filter(|count| *count > 0.0).count() as f64;
    let times = figures("time");
    let longest = times.iter().copied().fold(0.0, f64::max);
    let subject = BenchSubject { k: times.len() as u64, ..BenchSubject::default() };
    let row = |name: &str, unit, values| BenchRow::new(name, unit, subject, &who(), values);
    vec![
        row("programs that fail", "count", vec![some("failing tests")]),
        row("programs with a repair", "count", vec![some("repairs")]),
        row("time of each", "ms", times),
        row("longest time", "ms", vec![longest]),
    ]
}
