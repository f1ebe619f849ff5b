//! The devices of this machine, as a session uses them.

use super::devices::{Devices, Found, Purpose};
use crate::engine::choose::{Adapter, Choice, Preference, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::GpuEngine;
use crate::engine::open::{adapters, members};
use crate::engine::{Engine, EngineError};
use crate::lang::mutation::Group;

/// Makes a device ready for all that a session may ask. The CPU engine serves meanwhile.
fn warm(engine: &mut GpuEngine) -> Result<(), EngineError> {
    engine.warm()?;
    match engine.warm_neural() {
        Err(lost @ EngineError::Lost(_)) => Err(lost),
        // A device without room for the neural path does for all else. What is wrong is told when somebody asks for it.
        _ => Ok(()),
    }
}

/// All devices that there are. A software adapter will do, for the comparison and for who asks; by
/// itself the session prefers hardware only.
pub struct Machine {
    /// Whether mutants run on every input.
    pub exact: bool,
    /// Whose operators make them.
    pub group: Group,
}

/// The hardware, or else a software adapter.
fn devices(adapters: &[Adapter]) -> Result<Choice, EngineError> {
    match choose(Preference::Auto, adapters)? {
        devices if !devices.adapters.is_empty() => Ok(devices),
        _ => choose(Preference::Gpu, adapters),
    }
}

impl Devices for Machine {
    fn find(&self) -> Result<Found, EngineError> {
        let adapters = adapters();
        let reason = choose(Preference::Auto, &adapters)?.reason;
        let chosen: Vec<&Adapter> = devices(&adapters)?.adapters.iter().map(|i| &adapters[*i]).collect();
        let names: Vec<&str> = chosen.iter().map(|adapter| adapter.name.as_str()).collect();
        Ok(Found { name: names.join(" + "), preferred: chosen.iter().all(|adapter| adapter.hardware), reason })
    }

    fn build(
        &self,
        purpose: Purpose,
        pace: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        members(&devices(&adapters())?, |engine| {
            engine.set_exact(self.exact);
            // Each group has a shader of its own, so the one that will be asked for is the one to warm.
            engine.set_group(self.group);
            engine.set_reusing(true);
            match purpose {
                Purpose::Serve => warm(engine),
                Purpose::Compare => engine.warm_at_leisure(pace),
            }
        })
    }

    fn processor(&self) -> Box<dyn Engine> {
        let mut engine = CpuEngine::new();
        engine.set_exact(self.exact);
        engine.set_group(self.group);
        engine.set_reusing(true);
        Box::new(engine)
    }
}
