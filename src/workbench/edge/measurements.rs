//! Removes everything that differs between runs, so that two recordings of a tape have the same pictures.
//!
//! Times and energies are zero, so panels show `–`, and engines do not describe the machine. Verdicts,
//! findings and counts stay.

use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Clock, Timings, Transfer};
use crate::host::measure::energy::Energy;
use crate::learned::synthesis::times::NeuralTime;
use crate::network::sampling::SampleTimings;
use crate::session::{Device, Filling, Finding, Growth, Neural, Repairs, Update};

/// Replaces everything that was measured.
const NOTHING: Duration = Duration::ZERO;

pub fn without_measurements(update: Update) -> Update {
    match update {
        Update::Base { revision, at, mut result } => {
            result.timings = timings(&result.timings);
            Update::Base { revision, at, result }
        }
        Update::Mutants { revision, total, first_order, mut part } => {
            part.timings = timings(&part.timings);
            Update::Mutants { revision, total, first_order, part }
        }
        Update::Done { revision, at, .. } => {
            Update::Done { revision, at, wall: NOTHING, energy: Energy::estimate(0.0, NOTHING) }
        }
        Update::Running { revision, compiled, entry, inputs, .. } => {
            Update::Running { revision, compiled, entry, inputs, taken: NOTHING }
        }
        Update::Engine { kind, reason, .. } => {
            let (description, preparing) = (String::new(), String::new());
            let meter = "figures are held still".to_string();
            let device = Device::Failed("figures are held still".to_string());
            Update::Engine { kind, description, reason, meter, device, preparing }
        }
        Update::Found(finding) => Update::Found(found(finding)),
        Update::Proved { .. } | Update::Notice(_) => update,
    }
}

fn timings(measured: &Timings) -> Timings {
    Timings {
        programs: measured.programs,
        threads: 1,
        transfer: Transfer::NoDevice,
        clock: Clock::Wall,
        ..Timings::default()
    }
}

fn found(finding: Finding) -> Finding {
    if let Some(Growth(times)) = finding.what() {
        let times = times.iter().map(|time| NeuralTime { generate: NOTHING, verify: NOTHING, ..*time });
        return Finding::new(finding.revision, finding.function, Growth(times.collect()));
    }
    if let Some(repairs @ Repairs { filling: Some(filling), .. }) = finding.what::<Repairs>() {
        let filling = Some(Filling { rate: 0.0, ..filling.clone() });
        return Finding::new(finding.revision, finding.function, Repairs { filling, ..repairs.clone() });
    }
    match finding.what::<Neural>() {
        Some(Neural::Done(compilation)) => {
            let mut unmeasured = (**compilation).clone();
            unmeasured.wall = NOTHING;
            unmeasured.found.rounds.iter_mut().for_each(|round| round.spent = SampleTimings::default());
            Finding::new(finding.revision, finding.function, Neural::Done(Arc::new(unmeasured)))
        }
        _ => finding,
    }
}
