//! Opening engines: what the command line and the workbench both need.

use super::choose::{Adapter, Choice, Preference, choose};
use super::cpu::CpuEngine;
use super::gpu::GpuEngine;
use super::gpu::device::{self, AdapterSummary, Wanted};
use super::session::{Devices, Found, Purpose};
use super::shared::Shared;
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

/// Opens what is chosen and makes each device ready; of several those that can be opened.
fn build(
    choice: &Choice,
    mut ready: impl FnMut(&mut GpuEngine) -> Result<(), EngineError>,
) -> Result<Box<dyn Engine>, EngineError> {
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
    match (engines.pop(), failed) {
        (Some(only), _) if engines.is_empty() => Ok(only),
        (Some(last), _) => {
            engines.push(last);
            Ok(Box::new(Shared::new(engines)))
        }
        (None, Some(error)) => Err(error),
        (None, None) => Err(EngineError::NoAdapter("none was chosen".into())),
    }
}

/// Makes a device ready for all that a session may ask. The CPU engine serves meanwhile.
fn warm(engine: &mut GpuEngine) -> Result<(), EngineError> {
    engine.warm()?;
    match engine.warm_neural() {
        Err(lost @ EngineError::Lost(_)) => Err(lost),
        // A device without room for the neural path does for all else. What is wrong is told when somebody asks for it.
        _ => Ok(()),
    }
}

/// The devices of this machine, as a session uses them. A software adapter will do, for the comparison and for who asks; by
/// itself the session prefers hardware only.
pub struct Machine(pub Preference);

impl Machine {
    fn choice(&self, adapters: &[Adapter]) -> Result<Choice, EngineError> {
        let wanted = if self.0 == Preference::All { self.0 } else { Preference::Auto };
        match choose(wanted, adapters)? {
            devices if !devices.adapters.is_empty() => Ok(devices),
            _ => choose(Preference::Gpu, adapters),
        }
    }
}

impl Devices for Machine {
    fn find(&self) -> Result<Found, EngineError> {
        let adapters = adapters();
        let reason = choose(Preference::Auto, &adapters)?.reason;
        let chosen: Vec<&Adapter> = self.choice(&adapters)?.adapters.iter().map(|i| &adapters[*i]).collect();
        let names: Vec<&str> = chosen.iter().map(|adapter| adapter.name.as_str()).collect();
        Ok(Found { name: names.join(" + "), preferred: chosen.iter().all(|adapter| adapter.hardware), reason })
    }

    fn build(&self, purpose: Purpose, pace: &mut dyn FnMut() -> bool) -> Result<Box<dyn Engine>, EngineError> {
        let choice = self.choice(&adapters())?;
        build(&choice, |engine| match purpose {
            Purpose::Serve => warm(engine),
            Purpose::Compare => engine.warm_at_leisure(pace),
        })
    }
}
