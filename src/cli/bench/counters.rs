//! `device --counters`: the work of each adapter in numbers that depend on no clock, as the engine of hardware
//! schedules it. A software adapter is treated as hardware, so its counts are those of a GPU.

use std::sync::Arc;

use super::measuring::{contender, forget};
use super::table::{BenchRow, BenchSubject, Section};
use super::{Bench, programs};
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::adapter::{AdapterQuery, adapters};
use crate::engine::gpu::counts::Counts;
use crate::engine::gpu::device::Gpu;
use crate::engine::gpu::subgroups;
use crate::engine::{Engine, MutantResult};
use crate::lang::index::Indices;

/// The longest slice of a software adapter, which ends longer loops silently.
const SOFTWARE_SLICE: u32 = 2_048;

/// Counts on each adapter, for each file.
pub fn run(bench: &mut Bench) -> Result<Vec<Section>, Failure> {
    let k = bench.effort.k;
    let sources = bench.sources(programs::all)?;
    let mut sections = Vec::new();
    for (index, adapter) in adapters().into_iter().enumerate() {
        for source in &sources {
            let mut rows = Vec::new();
            for lanes in [false, true] {
                rows.extend(counted(&mut open(index, lanes)?, source, k)?);
            }
            sections.push(Section { file: format!("{} on {}", source.shown(), adapter.name), rows });
        }
    }
    Ok(sections)
}

/// Opens an adapter as hardware, with counts of lanes or without.
fn open(index: usize, lanes: bool) -> Result<GpuEngine, Failure> {
    let mut gpu = Gpu::open(&AdapterQuery::Nth(index))?;
    let software = std::mem::replace(&mut gpu.adapter.software, false);
    gpu.subgroups = subgroups::serve(&gpu)?;
    let mut counts = if lanes { Counts::of_lanes(gpu.subgroups) } else { Counts::default() };
    counts.modelled = true;
    gpu.counts = Arc::new(counts);
    let mut engine = GpuEngine::on(gpu)?;
    if software {
        engine.bound_slices(SOFTWARE_SLICE);
    }
    Ok(engine)
}

/// Counts the work for a base, and for its first `k` mutants.
fn counted(engine: &mut GpuEngine, source: &InputSource, k: u32) -> Result<Vec<BenchRow>, Failure> {
    // The first base compiles shaders and is compared with the CPU engine's.
    engine.base(&source.text, &|| false)?;
    forget(engine)?;
    engine.counts().take();
    let tests = engine.base(&source.text, &|| false)?.entries.len();
    let base = engine.counts().take();
    let mut chunks = Vec::new();
    engine.mutants(Indices::first(k), &|| false, &mut |part: MutantResult| {
        chunks.push((part.verdicts.len() as f64, part.timings.wall.as_secs_f64() * 1e3));
    })?;
    let mut mutants = engine.counts().take();
    if let Some((.., waits)) = mutants.iter().find(|(name, ..)| *name == "waits") {
        mutants.push(("waits a chunk", "count", waits / chunks.len().max(1) as f64));
    }
    let who = contender(engine);
    let subject = |k| BenchSubject { k, bytes: source.text.len(), tests };
    let rows = |part: &'static str, k, figures: Vec<(&str, &'static str, f64)>| {
        let row =
            |(name, unit, value)| BenchRow::new(format!("{part}: {name}"), unit, subject(k), &who, vec![value]);
        figures.into_iter().map(row).collect::<Vec<_>>()
    };
    let mut all = rows("base", 0, base);
    let of_mutants = chunks.iter().map(|(mutants, _)| *mutants as u64).sum();
    all.extend(rows("mutants", of_mutants, mutants));
    if !engine.counts().lanes() {
        for (number, (mutants, time)) in (1..).zip(chunks) {
            let row = |name: &str, unit, value| {
                BenchRow::new(
                    format!("chunk {number}: {name}"),
                    unit,
                    subject(mutants as u64),
                    &who,
                    vec![value],
                )
            };
            all.extend([row("mutants", "count", mutants), row("time", "ms", time)]);
        }
    }
    Ok(all)
}
