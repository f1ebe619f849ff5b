//! The devices of this machine, as a session uses them.

use super::devices::{Devices, Found, Purpose};
use crate::engine::choose::{Adapter, Choice, Preference, choose};
use crate::engine::gpu::GpuEngine;
use crate::engine::open::{adapters, build};
use crate::engine::{Engine, EngineError};

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
    pub preference: Preference,
    /// Whether mutants run on every input.
    pub exact: bool,
}

impl Machine {
    fn choice(&self, adapters: &[Adapter]) -> Result<Choice, EngineError> {
        let wanted = if self.preference == Preference::All { self.preference } else { Preference::Auto };
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
        let mut engine = build(&choice, |engine| match purpose {
            Purpose::Serve => warm(engine),
            Purpose::Compare => engine.warm_at_leisure(pace),
        })?;
        engine.set_exact(self.exact);
        Ok(engine)
    }
}
