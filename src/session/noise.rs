//! Noise on the newest text's tests, simulated whenever nothing else is asked and somebody looks.

use crate::engine::{BaseResult, Engine, EngineError};
use crate::noise::{self, Report, Settings};
use crate::program::Watch;

/// What a look at noise simulates: enough to see what is fragile, and done in a moment.
pub const SETTINGS: Settings =
    Settings { rate: 0.001, repetitions: 500, seed: 1, bound: 0.001, confidence: 0.95 };

/// What was shown last.
#[derive(Default)]
pub struct Simulation {
    /// The epoch that was served last.
    served: Option<u64>,
}

impl Simulation {
    /// Whether the text of an epoch is still to be simulated.
    pub fn due(&self, epoch: u64) -> bool {
        self.served != Some(epoch)
    }

    /// Simulates the tests of a base, which is that of `engine`.
    pub fn serve(
        &mut self,
        epoch: u64,
        engine: &mut dyn Engine,
        base: &BaseResult,
        watch: &dyn Watch,
    ) -> Result<Report, EngineError> {
        self.served = Some(epoch);
        let report =
            noise::measure(engine, &base.compiled, &base.entries, None, &SETTINGS, watch, &mut |_, _| {});
        if report == Err(EngineError::Cancelled) {
            self.served = None;
        }
        report
    }
}
