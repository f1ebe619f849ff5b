//! The paper's conventional loop (§2.2, equation 16), [`Conventional`]: one variant after the other on one thread. Only
//! allocated memory is kept between variants.

use super::{Fate, Field, NoScore, Ready, Resource, Track};
use crate::engine::conventional::Conventional;
use crate::engine::gpu::GpuEngine;
use crate::engine::gpu::adapter::AdapterQuery;
use crate::engine::time_limit::{self, TimedCall, within};
use crate::engine::{Abilities, Engine, open};

struct ConventionalLoop {
    conventional: Conventional,
    /// The device from which the loop's texts are copied and to which they return, if this machine has one.
    gpu: Option<GpuEngine>,
}

pub fn prepare(field: &Field) -> Result<Box<dyn Ready>, NoScore> {
    let hardware = open::adapters().is_ok_and(|found| found.iter().any(|adapter| adapter.hardware));
    let open = || GpuEngine::new(&AdapterQuery::Any).ok();
    let gpu = hardware
        .then(|| within(TimedCall::Prepare.time_limit(), "opening a device", open).ok())
        .flatten()
        .flatten();
    let conventional = Conventional::new(field.program.clone(), &field.entries);
    Ok(Box::new(ConventionalLoop { conventional, gpu }))
}

impl Ready for ConventionalLoop {
    fn go(&mut self, field: &Field, track: &mut Track) -> Result<String, NoScore> {
        let ConventionalLoop { conventional, gpu } = self;
        let flag = track.start(Resource::OneCore);
        let mut lost = None;
        for id in field.ids() {
            if flag.is_up() {
                break;
            }
            let Some(iteration) = conventional.iterate(id, &|| flag.is_up()) else { break };
            let terms = iteration.terms;
            // Without a device, the copies stay in host memory.
            let transfers = gpu.as_mut().map_or(Ok(None), |gpu| gpu.transfer(conventional.received()));
            let transfers = transfers.unwrap_or_else(|error| {
                lost = Some(error);
                let broken = gpu.take();
                // Closing a broken device may take long or never return.
                let _ = time_limit::detach(move || drop(broken));
                None
            });
            for (part, time) in [
                ("make the text", terms.generate),
                ("copy", transfers.unwrap_or(terms.transfers)),
                ("compile", terms.compile),
                ("run", terms.execute),
            ] {
                track.spent(part, time);
            }
            track.report(id, Fate::of(iteration.verdict, |_| None));
        }
        let copies = match (gpu, lost) {
            (Some(gpu), _) => format!("copies to {} and back", gpu.describe()),
            (None, Some(error)) => format!("copies in this machine's memory, since a device failed: {error}"),
            (None, None) => "copies in this machine's memory".into(),
        };
        Ok(format!("one thread, each variant whole from its text; {copies}"))
    }
}
