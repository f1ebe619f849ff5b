//! The GPU engine: variants compiled, run and judged on the device; only verdicts come back.

use super::{Absent, Field, Track, cpu};
use crate::engine::Engine;
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::device::{self, Wanted};

/// A software adapter says nothing of a GPU's speed, so it races only where that is asked for.
pub fn run(field: &Field, software: bool, track: &mut Track) -> Result<String, Absent> {
    let adapters = device::adapters();
    if adapters.is_empty() {
        return Err(Absent::LeftOut("no GPU was found".into()));
    }
    if !software && adapters.iter().all(|adapter| adapter.software) {
        let names: Vec<&str> = adapters.iter().map(|adapter| adapter.name.as_str()).collect();
        return Err(Absent::LeftOut(format!(
            "no GPU was found; {} only imitates one (--software lets it race)",
            names.join(", ")
        )));
    }
    let failed = |error: crate::engine::EngineError| Absent::Failed(error.to_string());
    let mut engine = GpuEngine::new(&Wanted::Any).map_err(failed)?;
    engine.warm().map_err(failed)?;
    let flag = track.start(engine.powered_by());
    cpu::judge_all(&mut engine, field, flag, track)?;
    Ok(engine.describe())
}
