//! Opening engines: what the command line and the workbench both need.

use std::sync::Arc;

use super::choose::{Adapter, Preference, choose};
use super::cpu::CpuEngine;
use super::gpu::GpuEngine;
use super::gpu::device::{self, AdapterSummary, Wanted};
use super::session::{BuildGpu, Built};
use super::{Engine, EngineError, Kind};

/// The devices that the GPU engine could run on, best first.
pub fn adapters() -> Vec<Adapter> {
    let adapter = |found: AdapterSummary| Adapter {
        name: found.name,
        backend: found.backend.to_lowercase(),
        driver: found.driver,
        hardware: !found.software,
    };
    device::adapters().into_iter().map(adapter).collect()
}

/// The engine that is asked for, ready to work.
pub fn open(preference: Preference) -> Result<Box<dyn Engine>, EngineError> {
    if preference == Preference::Cpu {
        return Ok(Box::new(CpuEngine::new()));
    }
    match choose(preference, &adapters())?.kind {
        Kind::Cpu => Ok(Box::new(CpuEngine::new())),
        Kind::Gpu => match GpuEngine::new(&Wanted::Any) {
            // Nobody insisted on a device that does not open.
            Err(_) if preference == Preference::Auto => Ok(Box::new(CpuEngine::new())),
            opened => Ok(Box::new(opened?)),
        },
    }
}

/// What a session calls, on a thread of its own, to get a GPU engine with all its shaders compiled. A software adapter
/// will do, for the cross-check and for who asks; by itself the session prefers hardware only.
pub fn build_gpu() -> BuildGpu {
    Arc::new(|| {
        let reason = choose(Preference::Auto, &adapters())?.reason;
        let mut engine = GpuEngine::new(&Wanted::Any)?;
        engine.warm()?;
        let preferred = !engine.adapter().software;
        Ok(Built { engine: Box::new(engine), preferred, reason })
    })
}
