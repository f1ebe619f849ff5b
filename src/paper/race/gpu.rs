//! The GPU engine: variants are compiled, run and judged on the device; only verdicts are copied back.

use super::{Absent, Field, Ready, Settings, Track, Works, cpu};
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::device::{self, AdapterQuery};
use crate::engine::{Engine, Kind};

struct Gpu(GpuEngine);

/// Prepares the GPU engine. A software adapter does not show a GPU's speed, so it races only on request.
pub fn prepare(settings: &Settings) -> Result<Box<dyn Ready>, Absent> {
    let adapters = device::adapters();
    if adapters.is_empty() {
        return Err(Absent::LeftOut("no GPU was found".into()));
    }
    if !settings.software && adapters.iter().all(|adapter| adapter.software) {
        let names: Vec<&str> = adapters.iter().map(|adapter| adapter.name.as_str()).collect();
        return Err(Absent::LeftOut(format!(
            "no GPU was found; {} is a software adapter (--software lets it race)",
            names.join(", ")
        )));
    }
    let failed = |error: crate::engine::EngineError| Absent::Failed(error.to_string());
    let mut engine = GpuEngine::new(&AdapterQuery::Any).map_err(failed)?;
    engine.warm().map_err(failed)?;
    engine.set_exact(settings.exact);
    Ok(Box::new(Gpu(engine)))
}

impl Ready for Gpu {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, Absent> {
        let flag = track.start(match self.0.power_source() {
            Kind::Cpu => Works::AllCores,
            Kind::Gpu => Works::Gpu,
        });
        cpu::judge_all(&mut self.0, field, flag, track)?;
        Ok(self.0.describe())
    }
}
