//! One repetition of a contestant: its clock, its reported fates, and its deadline.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::{Contestant, Fate, Flag, RaceEvent, Resource, Run};
use crate::host::measure::energy::{Meter, Running};
use crate::lang::index::{Index, MutantId};

/// The minimum interval between progress events.
const INTERVAL: Duration = Duration::from_millis(50);

/// A contestant's turn.
#[derive(Clone, Copy)]
pub struct Repetition<'a> {
    pub contestant: Contestant,
    /// Counted from 1.
    pub repetition: u32,
    pub k: u32,
    /// The time limit, counted from the first variant.
    pub share: Duration,
    pub meter: &'a Meter,
    pub stop: &'a AtomicBool,
}

pub struct Track<'a> {
    turn: Repetition<'a>,
    /// The fate of each variant, or `None` if none is reported.
    fates: Vec<Option<Fate>>,
    done: u32,
    started: Instant,
    works: Option<Resource>,
    /// The energy measurement, once the clock runs.
    running: Option<Running>,
    tell: &'a mut dyn FnMut(RaceEvent),
    last_report: Instant,
    parts: Vec<(&'static str, Duration)>,
}

pub struct RepetitionResult {
    pub fates: Vec<Option<Fate>>,
    /// The number of variants reached.
    pub done: u32,
    pub works: Option<Resource>,
    pub run: Run,
}

impl RepetitionResult {
    /// Returns whether it reached all variants.
    pub fn is_whole(&self) -> bool {
        self.done as usize == self.fates.len()
    }
}

impl<'a> Track<'a> {
    pub fn new(turn: Repetition<'a>, tell: &'a mut dyn FnMut(RaceEvent)) -> Track<'a> {
        let now = Instant::now();
        Track {
            turn,
            fates: vec![None; turn.k as usize],
            done: 0,
            started: now,
            works: None,
            running: None,
            tell,
            last_report: now,
            parts: vec![],
        }
    }

    /// Starts the clock. Everything before this is preparation.
    pub fn start(&mut self, works: Resource) -> Flag<'a> {
        let Repetition { meter, stop, share, .. } = self.turn;
        self.works = Some(works);
        self.running = Some(works.watch(meter));
        self.started = Instant::now();
        Flag::until(stop, self.started + share)
    }

    /// Leaves the energy unknown, since the work moved from a device to the processor.
    pub fn drop_energy(&mut self) {
        (self.works, self.running) = (None, None);
    }

    pub fn report(&mut self, id: MutantId, fate: Fate) {
        let Some(place) = self.fates.get_mut(id.position()) else { return };
        self.done += u32::from(place.is_none());
        *place = Some(fate);
        if self.last_report.elapsed() >= INTERVAL {
            self.last_report = Instant::now();
            let Repetition { contestant, repetition, .. } = self.turn;
            let time = self.started.elapsed();
            (self.tell)(RaceEvent::Progress { contestant, repetition, done: self.done, time });
        }
    }

    /// Returns the reported fate of a variant.
    pub fn fate(&self, id: MutantId) -> Option<Fate> {
        self.fates.get(id.position()).copied().flatten()
    }

    /// Adds to the time of a part of the work. Parts are in the order of their first use.
    pub fn spent(&mut self, part: &'static str, time: Duration) {
        match self.parts.iter_mut().find(|(name, _)| *name == part) {
            Some((_, sum)) => *sum += time,
            None => self.parts.push((part, time)),
        }
    }

    /// Runs a part of the work and records its time.
    pub fn timed<T>(&mut self, part: &'static str, work: impl FnOnce() -> T) -> T {
        let from = Instant::now();
        let done = work();
        self.spent(part, from.elapsed());
        done
    }

    /// Stops the clock.
    pub fn finish(self) -> RepetitionResult {
        let time = self.started.elapsed();
        let energy = self.running.map(Running::stop);
        let run = Run { time, energy, parts: self.parts };
        RepetitionResult { fates: self.fates, done: self.done, works: self.works, run }
    }
}
