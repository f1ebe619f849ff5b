//! What a simulation of noise has found of the program that is shown.

use std::sync::Arc;

use crate::noise::Report;
use crate::workbench::event::Effect;
use crate::workbench::panels::Panel;
use crate::workbench::state::State;

/// A report, and of which text.
#[derive(Clone, Debug)]
pub struct NoiseView {
    pub revision: u64,
    pub report: Arc<Report>,
}

impl State {
    /// Asks the engine to simulate noise while the panel shows, and to leave it where it does not.
    pub(super) fn noise_wish_changed(&mut self) -> Option<Effect> {
        let wanted = self.layout().slot(Panel::NOISE).is_some();
        if wanted == self.noise_wanted {
            return None;
        }
        self.noise_wanted = wanted;
        Some(Effect::Noise(wanted))
    }

    /// Takes the report on the program that is shown.
    pub(super) fn noise_report(&mut self, revision: u64, report: Arc<Report>) {
        if self.shown().is_some_and(|shown| shown.revision == revision) {
            self.results.noise = Some(NoiseView { revision, report });
        }
    }
}
