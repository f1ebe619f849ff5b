//! Work in slices: recorded, submitted and read back, until all runs are done or nobody wants them any more.

use std::time::{Duration, Instant};

use crate::engine::EngineError;
use crate::engine::timings::StageTimes;
use crate::layout::numbers::control;
use crate::program::Watch;

use super::device::{Gpu, Part};
use super::recorder::{Clock, Recorder};
use super::records::incomplete;

/// What one submission may take before chunks and slices become smaller.
pub const TARGET: Duration = Duration::from_millis(50);
/// The least number of loop iterations that a slice allows a thread.
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
    /// Slices of this length at most, and at first.
    pub fn new(most: u32) -> Pace {
        Pace { budget: most, least: LEAST_BUDGET.min(most), most }
    }

    /// Slices of this length, whatever they take: for many programs side by side, where most threads have nothing to do in a slice and
    /// would be looked at the more often the shorter it is.
    pub fn steady(length: u32) -> Pace {
        Pace { budget: length, least: length, most: length }
    }

    /// Adapts to what a submission took. There are more slices in the next one where those of full length take little time, as a few runs
    /// that go on long leave most threads idle.
    fn adapt(&mut self, slices: u32, taken: Duration) -> u32 {
        if taken > TARGET {
            self.budget = (self.budget / 2).max(self.least);
            (slices / 2).max(LEAST_SLICES)
        } else if taken < TARGET / 4 {
            let longest = self.budget == self.most;
            self.budget = (self.budget * 2).min(self.most);
            if longest { (slices * 2).min(MOST_SLICES) } else { slices }
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
            // The first submission has more in it than slices.
            let slices = match turn.first {
                true => turn.slices,
                false => pace.adapt(turn.slices, submitted.elapsed()),
            };
            if progress.done {
                return Ok(read);
            }
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            turn = Turn { first: false, slices, budget: pace.budget };
        }
    }
}
