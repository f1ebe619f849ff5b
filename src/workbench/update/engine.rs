//! The engine's word.

use std::time::Duration;

use super::super::results::CrossCheck;
use super::super::state::{State, Tone};
use crate::engine::session::Update;

impl State {
    pub(super) fn engine_update(&mut self, update: Update, since: Duration) {
        match update {
            Update::Base { revision, result } => {
                let text = self.buffer.text().clone();
                if self.results.base(revision, result, &text, since) {
                    self.clamp_lists();
                }
            }
            Update::Mutants { revision, total, first_order, part } => {
                self.results.mutants(revision, total, first_order, part);
            }
            Update::Done { revision, wall, energy } => {
                self.results.done(revision, wall, energy, since);
            }
            Update::CrossCheck { revision, checked, other, difference } => {
                if self.shown().is_some_and(|s| s.revision == revision) {
                    self.results.cross_check = Some(CrossCheck { checked, other, difference });
                }
            }
            Update::Neural { revision, function, finding } => self.neural_finding(revision, function, finding),
            Update::Baseline { revision, baseline } => {
                if self.shown().is_some_and(|s| s.revision == revision) {
                    self.results.baseline = Some(baseline);
                }
            }
            Update::Noise { revision, report } => self.noise_report(revision, report),
            Update::Engine { kind, description, reason, meter } => {
                self.engine.kind = Some(kind);
                self.engine.description = description;
                self.engine.reason = reason;
                self.engine.meter = meter;
                self.engine.stopped = false;
            }
            Update::Notice(text) => self.say(Tone::Bad, text),
        }
    }
}
