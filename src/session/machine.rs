//! The devices of this machine, as a session uses them.

use super::devices::{BuildProgress, Devices, Purpose};
use super::roster::Found;
use crate::engine::choose::{Adapter, Choice, Preference, Work, choose, names};
use crate::engine::cpu::CpuEngine;
use crate::engine::gpu::GpuEngine;
use crate::engine::measured::Measured;
use crate::engine::news::Reporter;
use crate::engine::open::{adapters, measure, members};
use crate::engine::{Engine, EngineError, EngineSettings};

/// All devices of this machine. Software adapters are used too, for comparison and on request. Without a
/// request, a device serves only if it was measured to be faster than the CPU on the work of a keystroke.
pub struct Machine {
    pub settings: EngineSettings,
    /// Number of mutants that a keystroke judges.
    pub budget: u32,
}

/// Chooses hardware if there is any, else a software adapter.
fn devices(adapters: &[Adapter]) -> Result<Choice, EngineError> {
    match choose(Preference::Auto, adapters, Work::Network)? {
        devices if !devices.adapters.is_empty() => Ok(devices),
        _ => choose(Preference::Gpu, adapters, Work::Network),
    }
}

/// Measures hardware that has not been measured yet; automatic choice uses the measurement from then on.
fn measure_once(engine: &mut GpuEngine) -> Result<(), EngineError> {
    if engine.is_measured() { Ok(()) } else { measure(engine).map(drop) }
}

impl Devices for Machine {
    fn find(&self) -> Result<Found, EngineError> {
        let adapters = adapters()?;
        let chosen = devices(&adapters)?.adapters;
        let known: Vec<&Measured> = chosen.iter().filter_map(|i| adapters[*i].measured.as_ref()).collect();
        let sooner = known.iter().all(|measured| measured.is_device_sooner(self.budget));
        let reason = match known.first() {
            Some(measured) => measured.words(),
            None if chosen.iter().any(|i| adapters[*i].hardware) => "the GPU has not been measured yet".into(),
            None => choose(Preference::Auto, &adapters, Work::Programs)?.reason,
        };
        let preferred = known.len() == chosen.len() && sooner;
        Ok(Found { name: names(&adapters, &chosen), preferred, reason })
    }

    fn build(
        &self,
        purpose: Purpose,
        pace: &mut dyn FnMut(BuildProgress) -> bool,
        news: &Reporter,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        members(&devices(&adapters()?)?, news, |engine| {
            // Each group has its own shader, so `warm` compiles only that of the group in use.
            engine.configure(self.settings);
            // Pipelines of the neural path are compiled on first use.
            match purpose {
                Purpose::Serve => engine.warm(),
                Purpose::Compare => {
                    let warmed = engine.warm_in_background(&mut |done, of| pace(BuildProgress { done, of }));
                    warmed.and_then(|()| measure_once(engine))
                }
            }
        })
    }

    fn processor(&self) -> Box<dyn Engine> {
        let mut engine = CpuEngine::new();
        engine.configure(self.settings);
        Box::new(engine)
    }
}
