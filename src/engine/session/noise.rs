//! Noise on the newest text's tests, simulated whenever nothing else is asked and somebody looks.

use crate::engine::{BaseResult, Engine, EngineError};
use crate::noise::{self, Report, Settings};

/// What a look at noise simulates: enough to see what is fragile, and done in a moment.
pub const SETTINGS: Settings =
    Settings { rate: 0.001, repetitions: 500, seed: 1, bound: 0.001, confidence: 0.95 };

/// Whether somebody looks, and what was shown last.
#[derive(Default)]
pub struct Simulation {
    wanted: bool,
    /// The revision that was served last.
    served: Option<u64>,
}

impl Simulation {
    pub fn ask(&mut self, wanted: bool) {
        self.wanted = wanted;
    }

    pub fn due(&self, revision: u64) -> bool {
        self.wanted && self.served != Some(revision)
    }

    /// Simulates the tests of a base, which is that of `engine`.
    pub fn serve(
        &mut self,
        revision: u64,
        engine: &mut dyn Engine,
        base: &BaseResult,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Report, EngineError> {
        self.served = Some(revision);
        let report =
            noise::measure(engine, &base.compiled, &base.entries, None, &SETTINGS, cancelled, &mut |_, _| {});
        if report == Err(EngineError::Cancelled) {
            self.served = None;
        }
        report
    }
}
