//! Runs work in slices: records, submits and reads back until all runs are done or the work is cancelled.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::compiler::layout::numbers::control;
use crate::compiler::program::Watch;
use crate::engine::EngineError;
use crate::engine::timings::StageTimes;

use super::counts;
use super::device::{Gpu, Part};
use super::recorder::{Clock, Recorder};
use super::records::incomplete;

/// The longest time of one submission before chunks become smaller.
/// A newer edit waits for the submission in progress.
pub const TARGET: Duration = Duration::from_millis(50);
/// The time up to which slices still grow. A display that shares the device must not wait for a slice, and
/// some drivers abort a dispatch that lasts seconds.
const SLICE: Duration = Duration::from_millis(8);
/// The minimum of loop iterations per thread in a slice, and the initial value on hardware of unknown speed.
const LEAST_BUDGET: u32 = 512;
/// Slices per submission: initially, and the maximum for long runs.
const LEAST_SLICES: u32 = 4;
const MOST_SLICES: u32 = 64;

#[derive(Clone, Copy)]
pub struct Submission {
    /// Whether this is the first submission of the work.
    pub first: bool,
    pub slices: u32,
    /// Loop iterations per thread in each slice.
    pub budget: u32,
}

/// The length of slices, which adapts to the time of submissions.
pub struct Pace {
    budget: u32,
    least: u32,
    most: u32,
    /// The slices of the first submission, and those that the last work needed.
    first: u32,
    needed: u32,
}

impl Pace {
    /// Creates a pace that starts with `first` iterations per slice and grows to `most` if submissions take
    /// little time.
    pub fn new(first: Option<u32>, most: u32) -> Pace {
        let least = LEAST_BUDGET.min(most);
        let budget = first.unwrap_or(least).clamp(least, most);
        Pace { budget, least, most, first: LEAST_SLICES, needed: LEAST_SLICES }
    }

    /// Returns a pace whose first submission has the slices that similar work needed, so that one wait suffices.
    pub fn beginning(&self, needed: u32) -> Pace {
        Pace { first: needed.clamp(LEAST_SLICES, MOST_SLICES), ..*self }
    }

    /// Records work that `slices` slices finished in this time. A submission must not take longer than [`TARGET`].
    fn finished(&mut self, slices: u32, taken: Duration) {
        let share = (TARGET.as_secs_f64() / taken.as_secs_f64().max(1e-9)).min(1.0);
        self.needed = (f64::from(slices) * share) as u32;
    }

    /// Returns how many slices the last work needed, at most as many as the first submission of similar work may have.
    pub fn needed(&self) -> u32 {
        self.needed
    }

    /// Returns a pace whose slices only grow. With many programs in parallel most threads are idle in a
    /// slice, and short slices would check them more often.
    pub fn growing(&self) -> Pace {
        Pace { least: self.budget, ..*self }
    }

    /// Adopts the length that another pace has reached.
    pub fn learn(&mut self, other: &Pace) {
        self.budget = other.budget.clamp(self.least, self.most);
    }

    /// Returns the current iterations per thread in a slice.
    pub fn budget(&self) -> u32 {
        self.budget
    }

    /// Adapts to the time of a submission with unfinished runs; returns the number of slices for the next
    /// one. It grows while full-length slices are fast, because a few long runs leave most threads idle.
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

/// The progress of execute, read back after every submission.
#[derive(Clone, Copy, Debug)]
pub struct SliceProgress {
    pub done: bool,
    /// Loop iterations of all active slots since the start of the base's runs, modulo 2³².
    pub spent: u32,
    /// Slots that overflowed small memory.
    moved: u32,
    /// Slices with work in small memory.
    slices: u32,
}

impl SliceProgress {
    fn of(words: &[u32]) -> Result<SliceProgress, EngineError> {
        let words = words.get(..control::WORDS as usize).ok_or_else(incomplete)?;
        let at = |word: u32| words[word as usize];
        Ok(SliceProgress {
            done: at(control::ACTIVE) == 0 && at(control::RESUMED) == at(control::SPILLED),
            spent: at(control::ITERATIONS),
            moved: at(control::SPILLED),
            slices: at(control::SLICES),
        })
    }
}

/// The context for running work in slices.
pub struct Slices<'a> {
    pub gpu: &'a Gpu,
    pub control: &'a wgpu::Buffer,
    pub pace: &'a mut Pace,
    pub watch: &'a dyn Watch,
    /// The clock of the device, if it has one, and the stage times to add to.
    pub clock: Option<&'a Clock>,
    pub times: &'a mut StageTimes,
}

impl Slices<'_> {
    /// Submits the commands of `record` until all runs are done; returns the words of `parts`.
    ///
    /// # Errors
    /// If it is cancelled between two submissions, or the device fails.
    pub fn run(
        self,
        parts: &[Part],
        record: impl Fn(&mut Recorder, Submission) -> Result<(), EngineError>,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        self.run_seen(|_| parts.to_vec(), record, |_, _, _| Ok(()))
    }

    /// Like [`Slices::run`]; `look` receives the results of each submission.
    pub fn run_seen<'p>(
        self,
        parts: impl Fn(Submission) -> Vec<Part<'p>>,
        record: impl Fn(&mut Recorder, Submission) -> Result<(), EngineError>,
        mut look: impl FnMut(Submission, SliceProgress, &[Vec<u32>]) -> Result<(), EngineError>,
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        let Slices { gpu, control, pace, watch, clock, times } = self;
        let slices = if gpu.counts.lanes() { 1 } else { pace.first };
        let mut turn = Submission { first: true, slices, budget: pace.budget };
        gpu.counts.begin();
        let (mut known, mut submitted_slices, mut all) = (0, 0, Duration::ZERO);
        loop {
            submitted_slices += turn.slices;
            let submitted = Instant::now();
            let mut recorder = Recorder::new(gpu, clock);
            gpu.attempt(|| record(&mut recorder, turn))?;
            let mut wanted = parts(turn);
            wanted.push((control, 0, u64::from(control::WORDS)));
            let counted = gpu.counts.state();
            let of_lanes = wanted.len();
            wanted.extend(counted.iter().flat_map(counts::parts));
            let mut read = recorder.read(&wanted, times)?;
            read.drain(of_lanes..).for_each(|words| gpu.counts.add(&words));
            let progress = SliceProgress::of(&read.pop().unwrap_or_default())?;
            look(turn, progress, &read)?;
            let worked = if progress.moved > 0 { turn.slices } else { progress.slices.saturating_sub(known) };
            known = progress.slices;
            let taken = match gpu.counts.modelled {
                true => Duration::from_secs_f64(f64::from(worked * turn.budget) * counts::TURN / 1e6),
                false => submitted.elapsed(),
            };
            all += taken;
            if progress.done {
                gpu.counts.moved.fetch_add(progress.moved.into(), Ordering::Relaxed);
                // Slices with larger memory are not counted.
                let slices = if progress.moved > 0 { submitted_slices } else { progress.slices };
                pace.finished(slices, all);
                return Ok(read);
            }
            // The first submission contains more than slices, so a long time says nothing about their length.
            let slices = match turn.first && taken > SLICE {
                true => turn.slices,
                // The schedule of a count depends on no time.
                false if counted.is_some() => turn.slices,
                false => pace.adapt(turn.slices, taken),
            };
            // Only between submissions: a dispatch cannot be called back.
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            turn = Submission { first: false, slices, budget: pace.budget };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lengths of slices on a device that executes `speed` iterations of all threads per
    /// millisecond.
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
    fn slices_start_short_and_double_up_to_eight_milliseconds() {
        assert_eq!(Pace::new(None, 16_384).budget(), 512);
        // The estimated speed of an H100: the longest slice takes 8 ms.
        assert_eq!(lengths(Pace::new(None, 16_384), 2_048.0)[..5], [1_024, 2_048, 4_096, 8_192, 16_384]);
        // A slow integrated GPU: 512 iterations take 2 ms.
        assert_eq!(lengths(Pace::new(None, 16_384), 256.0)[..4], [1_024, 2_048, 2_048, 2_048]);
        // A device slower than any known one stays at the minimum.
        assert!(lengths(Pace::new(None, 16_384), 8.0).iter().all(|budget| *budget == 512));
    }

    /// Returns the submissions of each of four chunks, whose longest run takes these iterations of 0.23 µs.
    fn waits(iterations: u32) -> Vec<u32> {
        let (mut pace, mut needed) = (Pace::new(Some(16_384), 16_384), 0);
        let chunk = |_| {
            let mut own = pace.beginning(needed);
            let (mut slices, mut done, mut waits, mut all) = (own.first, 0, 0, 0);
            while done < iterations {
                let part = (slices * own.budget).min(iterations - done);
                (done, waits, all) = (done + slices * own.budget, waits + 1, all + part.div_ceil(own.budget));
                slices = own.adapt(slices, Duration::from_secs_f64(f64::from(part) * 0.23e-6));
            }
            own.finished(all, Duration::from_secs_f64(f64::from(iterations) * 0.23e-6));
            needed = own.needed();
            pace.learn(&own);
            waits
        };
        (0..4).map(chunk).collect()
    }

    #[test]
    fn a_chunk_waits_once_if_it_is_like_the_last_one() {
        assert_eq!(waits(7_385), [1, 1, 1, 1]);
        assert_eq!(waits(150_000), [3, 1, 1, 1]);
        // In two submissions of 50 ms, so that a newer edit need not wait for longer.
        assert_eq!(waits(400_000)[1..], [2, 2, 2]);
    }

    #[test]
    fn long_slices_are_halved_and_remembered_lengths_are_kept() {
        assert_eq!(Pace::new(Some(4_096), 16_384).budget(), 4_096);
        assert_eq!(Pace::new(Some(1 << 30), 16_384).budget(), 16_384);
        assert_eq!(Pace::new(Some(0), 16_384).budget(), 512);
        assert_eq!(lengths(Pace::new(Some(8_192), 16_384), 200.0)[..3], [4_096, 2_048, 2_048]);
        let pace = Pace::new(Some(4_096), 16_384).growing();
        assert!(lengths(pace, 8.0).iter().all(|budget| *budget == 4_096));
    }
}
