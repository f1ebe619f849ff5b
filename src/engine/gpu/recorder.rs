//! Records a submission, with timestamps if the device has them.

use std::time::Duration;

use crate::compiler::stage::Stage;
use crate::engine::EngineError;
use crate::engine::timings::StageTimes;

use super::device::{Gpu, Part};

/// The maximum number of timed passes in a submission.
const TIMED: u32 = 24;
/// The timestamps of a submission: the beginning and the end of each pass, and the end of the copies after
/// them.
const STAMPS: u32 = 2 * TIMED + 1;

/// The device's timestamp queries.
pub struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    period: f32,
    /// Whether timestamps are allowed outside of passes, so that copies can be timed.
    copies: bool,
}

impl Clock {
    pub fn new(gpu: &Gpu) -> Result<Option<Clock>, EngineError> {
        let Some(period) = gpu.timestamp_period else { return Ok(None) };
        gpu.scoped(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stages"),
                ty: wgpu::QueryType::Timestamp,
                count: STAMPS,
            });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: 8 * STAMPS as u64,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let copies = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
            Some(Clock { queries, resolved, period, copies })
        })
    }
}

/// A submission being recorded: passes by stage, timed if the device can.
pub struct Recorder<'a> {
    pub gpu: &'a Gpu,
    pub encoder: wgpu::CommandEncoder,
    clock: Option<&'a Clock>,
    /// The stages of the timed passes.
    stages: Vec<Stage>,
    /// Whether some passes were not timed.
    untimed: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(gpu: &'a Gpu, clock: Option<&'a Clock>) -> Recorder<'a> {
        Recorder { gpu, encoder: gpu.encoder(), clock, stages: Vec::new(), untimed: false }
    }

    pub fn pass(&mut self, stage: Stage, record: impl FnOnce(&mut wgpu::ComputePass)) {
        let index = self.stages.len() as u32;
        let timed = self.clock.filter(|_| index < TIMED);
        let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(stage.name()),
            timestamp_writes: timed.map(|clock| wgpu::ComputePassTimestampWrites {
                query_set: &clock.queries,
                beginning_of_pass_write_index: Some(2 * index),
                end_of_pass_write_index: Some(2 * index + 1),
            }),
        });
        record(&mut pass);
        drop(pass);
        match timed {
            Some(_) => self.stages.push(stage),
            None => self.untimed = true,
        }
    }

    /// Submits, waits and returns the words of `parts`. Adds the stages' times to `times`, and the time of
    /// the device's copies to [`Gpu::moved`].
    ///
    /// # Errors
    /// If the device fails.
    pub fn read(self, parts: &[Part], times: &mut StageTimes) -> Result<Vec<Vec<u32>>, EngineError> {
        let gpu = self.gpu;
        let timed = self.stages.len();
        let Some(clock) = self.clock.filter(|_| timed > 0) else {
            gpu.moved(None);
            return gpu.read(self.encoder, parts);
        };
        let last = 2 * timed as u32;
        let mark = |encoder: &mut wgpu::CommandEncoder| {
            // An empty pass cannot be used instead: some backends omit its timestamps or write them too
            // early.
            if clock.copies {
                encoder.write_timestamp(&clock.queries, last);
            }
            encoder.resolve_query_set(&clock.queries, 0..last + u32::from(clock.copies), &clock.resolved, 0);
        };
        let stamps = (&clock.resolved, 0, 2 * u64::from(last + u32::from(clock.copies)));
        let mut read = gpu.read_with_tail(self.encoder, parts, mark, stamps)?;
        let words = read.pop().unwrap_or_default();
        let at: Vec<u64> = words.chunks_exact(2).map(|low| low[0] as u64 | (low[1] as u64) << 32).collect();
        let between = |from: usize, to: usize| {
            let ticks = ticks(*at.get(from)?, *at.get(to)?)?;
            Some(Duration::from_nanos((ticks as f64 * clock.period as f64) as u64))
        };
        for (pass, stage) in self.stages.iter().enumerate() {
            times[*stage as usize] += between(2 * pass, 2 * pass + 1).unwrap_or_default();
        }
        gpu.moved(between(2 * timed - 1, 2 * timed).filter(|_| !self.untimed && clock.copies));
        Ok(read)
    }
}

/// Returns the ticks between two timestamps; `None` if the device's clock stood still or ran backwards.
fn ticks(from: u64, to: u64) -> Option<u64> {
    to.checked_sub(from).filter(|ticks| from != 0 && *ticks != 0)
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn zero_or_unordered_timestamps_yield_no_duration() {
        assert_eq!(ticks(5, 12), Some(7));
        for (from, to) in [(0, 0), (0, 12), (5, 0), (12, 5), (5, 5)] {
            assert_eq!(ticks(from, to), None, "{from} {to}");
        }
    }
}
