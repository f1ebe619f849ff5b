//! Mutants whose runs need larger memory, judged as on hardware.

use std::sync::Arc;

use crate::common::extent::skip_unless_thorough;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::gpu::counts::Counts;
use myriad::engine::gpu::device::Gpu;
use myriad::engine::{Engine, EngineError};
use myriad::lang::index::Indices;
use myriad::lang::verdict::Verdict;

/// The last single test needs more calls than a slot has if there are many mutants. Then the property decides.
const DEEP: &str = "fn down(n: int) -> int { if n <= 0 { return 0; } return down(n - 1) + 1; }
    test down(1) == 1; test down(100) == 100; prop n in -20..60 => down(n) >= 0;";

fn verdicts(engine: &mut dyn Engine) -> Result<Vec<Verdict>, EngineError> {
    let small: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2;".into();
    let mut found = Vec::new();
    // After a short chunk, all mutants are one chunk.
    engine.base(&small, &|| false)?;
    engine.mutants(Indices::first(8), &|| false, &mut |_| ())?;
    engine.base(&DEEP.into(), &|| false)?;
    let all = Indices::first(engine.variants().all);
    engine.mutants(all, &|| false, &mut |part| found.extend(part.verdicts))?;
    Ok(found)
}

#[test]
fn mutant_whose_last_single_test_needs_larger_memory_runs_its_properties() {
    if skip_unless_thorough() {
        return;
    }
    let Ok(mut gpu) = Gpu::open(&AdapterQuery::Any) else { return };
    gpu.adapter.software = false;
    let mut counts = Counts::default();
    counts.modelled = true;
    gpu.counts = Arc::new(counts);
    let mut engine = GpuEngine::on(gpu).expect("an engine");
    engine.bound_slices(2_048);
    let found = verdicts(&mut engine).expect("the device works");
    assert_eq!(found, verdicts(&mut CpuEngine::with_threads(1)).expect("the CPU engine does not fail"));
}
