//! Work in slices: recorded, submitted and read back, until all runs are done or nobody wants them any more.

use std::time::{Duration, Instant};

use crate::compiler::layout::numbers::control;
use crate::compiler::program::Watch;
use crate::engine::EngineError;
use crate::engine::timings::StageTimes;

use super::device::{Gpu, Part};
use super::recorder::{Clock, Recorder};
use super::records::incomplete;

/// The longest that one submission may take before chunks become smaller.
pub const TARGET: Duration = Duration::from_millis(50);
/// What one slice may take while slices still become longer: a display that shares the device must not wait for one, and some drivers
/// end a dispatch that lasts seconds.
const SLICE: Duration = Duration::from_millis(8);
/// The least number of loop iterations that a slice allows a thread; on hardware of unknown speed the first slices allow no more.
const LEAST_BUDGET: u32 = 512;
/// Slices of one submission, and the most of them where runs go on long.
const LEAST_SLICES: u32 = 4;
const MOST_SLICES: u32 = 64;

/// One submission of some work.
#[derive(Clone, Copy)]
pub struct Turn {
    /// Nothing of the work has been submitted before.
    pub first: bool,
    /// Slices of it.
    pub slices: u32,
    /// Loop iterations that each slice allows a thread.
    pub budget: u32,
}

/// How much a slice does; adapts to what submissions take.
pub struct Pace {
    budget: u32,
    least: u32,
    most: u32,
}

impl Pace {
    /// Slices of `first` iterations at first and of `most` later, if they take little time.
    pub fn new(first: Option<u32>, most: u32) -> Pace {
        let least = LEAST_BUDGET.min(most);
        Pace { budget: first.unwrap_or(least).clamp(least, most), least, most }
    }

    /// Slices that become longer and never shorter: for many programs side by side, where most threads have nothing to do in a slice and
    /// would be looked at the more often the shorter it is.
    pub fn growing(&self) -> Pace {
        Pace { least: self.budget, ..*self }
    }

    /// Continues with the length that another pace has come to.
    pub fn learn(&mut self, other: &Pace) {
        self.budget = other.budget.clamp(self.least, self.most);
    }

    /// Iterations that a slice allows a thread now.
    pub fn budget(&self) -> u32 {
        self.budget
    }

    /// Adapts to what a submission took after which runs go on. There are more slices in the next one where those of full length take
    /// little time, as a few runs that go on long leave most threads idle.
    fn adapt(&mut self, slices: u32, taken: Duration) -> u32 {
        let of_least = LEAST_SLICES * SLICE;
        if taken > 2 * of_least {
            self.budget = (self.budget / 2).max(self.least);
            (slices / 2).max(LEAST_SLICES)
        } else if taken < of_least && self.budget < self.most {
            self.budget = (self.budget * 2).min(self.most);
            slices
        } else if taken < TARGET / 4 {
            (slices * 2).min(MOST_SLICES)
        } else {
            slices
        }
    }
}

/// Where execute stands: read back after every submission.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub done: bool,
    /// First-order mutants of the base.
    pub sites: u32,
    /// Loop iterations of all slots at work since the base's runs were begun, modulo 2³².
    pub spent: u32,
}

impl Progress {
    fn of(words: &[u32]) -> Result<Progress, EngineError> {
        let words = words.get(..control::WORDS as usize).ok_or_else(incomplete)?;
        let at = |word: u32| words[word as usize];
        Ok(Progress {
            done: at(control::ACTIVE) == 0 && at(control::RESUMED) == at(control::SPILLED),
            sites: at(control::SITES),
            spent: at(control::SPENT),
        })
    }
}

/// What work in slices is done with.
pub struct Slices<'a> {
    pub gpu: &'a Gpu,
    pub control: &'a wgpu::Buffer,
    pub pace: &'a mut Pace,
    pub watch: &'a dyn Watch,
    /// Where the times of stages go, and the clock that takes them if the device has one.
    pub clock: Option<&'a Clock>,
    pub times: &'a mut StageTimes,
}

impl Slices<'_> {
    /// Submits what `record` encodes until all runs are done; gives the `parts` as they are then.
    ///
    /// # Errors
    /// If it is cancelled between two submissions, or the device fails.
    pub fn run(
        self,
        parts: &[Part],
        record: impl Fn(&mut Recorder, Turn) -> Result<(), EngineError>,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        self.run_seen(|_| parts.to_vec(), record, |_, _, _| Ok(()))
    }

    /// The same; `look` sees what each submission left.
    pub fn run_seen<'p>(
        self,
        parts: impl Fn(Turn) -> Vec<Part<'p>>,
        record: impl Fn(&mut Recorder, Turn) -> Result<(), EngineError>,
        mut look: impl FnMut(Turn, Progress, &[Vec<u32>]) -> Result<(), EngineError>,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        let Slices { gpu, control, pace, watch, clock, times } = self;
        let mut turn = Turn { first: true, slices: LEAST_SLICES, budget: pace.budget };
        loop {
            let submitted = Instant::now();
            let mut recorder = Recorder::new(gpu, clock);
            gpu.attempt(|| record(&mut recorder, turn))?;
            let mut wanted = parts(turn);
            wanted.push((control, 0, u64::from(control::WORDS)));
            let mut read = recorder.read(&wanted, times)?;
            let progress = Progress::of(&read.pop().unwrap_or_default())?;
            look(turn, progress, &read)?;
            if progress.done {
                return Ok(read);
            }
            let taken = submitted.elapsed();
            // The first submission has more in it than slices: that it took long says nothing about them.
            let slices = match turn.first && taken > SLICE {
                true => turn.slices,
                false => pace.adapt(turn.slices, taken),
            };
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            turn = Turn { first: false, slices, budget: pace.budget };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths of slices on a device that makes so many iterations of all threads in a millisecond.
    fn lengths(mut pace: Pace, speed: f64) -> Vec<u32> {
        let mut slices = LEAST_SLICES;
        (0..12)
            .map(|_| {
                let taken = f64::from(slices) * f64::from(pace.budget()) / speed;
                slices = pace.adapt(slices, Duration::from_secs_f64(taken / 1e3));
                pace.budget()
            })
            .collect()
    }

    #[test]
    fn slices_begin_short_and_double_while_one_takes_less_than_eight_milliseconds() {
        assert_eq!(Pace::new(None, 16_384).budget(), 512);
        // As fast as an H100 by estimate: the longest slice takes 8 ms.
        assert_eq!(lengths(Pace::new(None, 16_384), 2_048.0)[..5], [1_024, 2_048, 4_096, 8_192, 16_384]);
        // A slow integrated GPU: 512 iterations take 2 ms.
        assert_eq!(lengths(Pace::new(None, 16_384), 256.0)[..4], [1_024, 2_048, 2_048, 2_048]);
        // One that is slower than anything known stays with the least.
        assert!(lengths(Pace::new(None, 16_384), 8.0).iter().all(|budget| *budget == 512));
    }

    #[test]
    fn slices_that_became_too_long_are_halved_and_a_remembered_length_is_kept() {
        assert_eq!(Pace::new(Some(4_096), 16_384).budget(), 4_096);
        assert_eq!(Pace::new(Some(1 << 30), 16_384).budget(), 16_384);
        assert_eq!(Pace::new(Some(0), 16_384).budget(), 512);
        assert_eq!(lengths(Pace::new(Some(8_192), 16_384), 200.0)[..3], [4_096, 2_048, 2_048]);
        let pace = Pace::new(Some(4_096), 16_384).growing();
        assert!(lengths(pace, 8.0).iter().all(|budget| *budget == 4_096));
    }
}
