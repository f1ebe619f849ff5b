//! The GPU engine: variants are compiled, run and judged on the device; only verdicts are copied back.

use super::{Field, NoScore, RaceSettings, Ready, Resource, Track, cpu};
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::adapter::AdapterQuery;
use crate::engine::time_limit::{TimedCall, within};
use crate::engine::{Engine, EngineError, EngineSettings, Kind, open};

struct Gpu(GpuEngine);

/// Prepares the GPU engine. A software adapter does not show a GPU's speed, so it races only on request.
pub fn prepare(settings: &RaceSettings) -> Result<Box<dyn Ready>, NoScore> {
    let failed = |error: EngineError| NoScore::Failed(error.to_string());
    let adapters = open::adapters().map_err(failed)?;
    if adapters.is_empty() {
        return Err(NoScore::LeftOut("no GPU was found".into()));
    }
    if !settings.software && adapters.iter().all(|adapter| !adapter.hardware) {
        let names: Vec<&str> = adapters.iter().map(|adapter| adapter.name.as_str()).collect();
        return Err(NoScore::LeftOut(format!(
            "no GPU was found; {} is a software adapter (--software lets it race)",
            names.join(", ")
        )));
    }
    let ready = || GpuEngine::new(&AdapterQuery::Any).and_then(|mut engine| engine.warm().map(|_| engine));
    let opened = within(TimedCall::Prepare.time_limit(), "preparing a device", ready).unwrap_or_else(Err);
    let mut engine = opened.map_err(failed)?;
    engine.configure(EngineSettings { exact: settings.exact, ..engine.settings() });
    Ok(Box::new(Gpu(engine)))
}

impl Ready for Gpu {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let flag = track.start(match self.0.power_source() {
            Kind::Cpu => Resource::AllCores,
            Kind::Gpu => Resource::Gpu,
        });
        cpu::judge_all(&mut self.0, field, flag, track)?;
        Ok(self.0.describe())
    }
}
