//! Opening engines: what the command line and the workbench both need.

use super::choose::{Adapter, Choice, Preference, choose};
use super::cpu::CpuEngine;
use super::gpu::GpuEngine;
use super::gpu::device::{self, AdapterSummary, Wanted};
use super::shared::Crew;
use super::{Engine, EngineError};

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
    match build(&choose(preference, &adapters())?, |_| Ok(())) {
        // Nobody insisted on a device that does not open.
        Err(_) if preference == Preference::Auto => Ok(Box::new(CpuEngine::new())),
        opened => opened,
    }
}

/// Opens what is chosen and makes each device ready, to work as one engine.
pub fn build(
    choice: &Choice,
    ready: impl FnMut(&mut GpuEngine) -> Result<(), EngineError>,
) -> Result<Box<dyn Engine>, EngineError> {
    Ok(Crew::new(members(choice, ready)?)?.into_engine())
}

/// Opens what is chosen and makes each device ready; of several those that can be opened.
pub fn members(
    choice: &Choice,
    mut ready: impl FnMut(&mut GpuEngine) -> Result<(), EngineError>,
) -> Result<Vec<Box<dyn Engine>>, EngineError> {
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    let mut failed = None;
    for index in &choice.adapters {
        let opened = GpuEngine::new(&Wanted::Nth(*index)).and_then(|mut engine| {
            ready(&mut engine)?;
            Ok(engine)
        });
        match opened {
            Ok(engine) => engines.push(Box::new(engine)),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if choice.cpu {
        engines.push(Box::new(CpuEngine::new()));
    }
    // That none is there is told with the reason, if there is one.
    failed.filter(|_| engines.is_empty()).map_or(Ok(engines), Err)
}
