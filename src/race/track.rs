//! A contestant's run: its clock, the fates that it has reported, and when to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{Absent, Contestant, End, Event, Fate, Score};
use crate::energy::{Meter, Running};
use crate::engine::Kind;

/// Progress is told this often.
const INTERVAL: Duration = Duration::from_millis(50);

/// Says when a contestant must end.
#[derive(Clone, Copy)]
pub struct Flag<'a> {
    stop: &'a AtomicBool,
    deadline: Instant,
}

impl Flag<'_> {
    pub fn is_up(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline
    }
}

pub struct Track<'a> {
    contestant: Contestant,
    /// By variant; none where nothing has been reported.
    fates: Vec<Option<Fate>>,
    done: u32,
    prepared: Instant,
    started: Instant,
    share: Duration,
    meter: &'a Meter,
    /// What watches the energy, once the clock runs.
    running: Option<Running>,
    stop: &'a AtomicBool,
    tell: &'a mut dyn FnMut(Event),
    told: Instant,
    parts: Vec<(&'static str, Duration)>,
}

impl<'a> Track<'a> {
    pub fn new(
        contestant: Contestant,
        k: u32,
        share: Duration,
        meter: &'a Meter,
        stop: &'a AtomicBool,
        tell: &'a mut dyn FnMut(Event),
    ) -> Track<'a> {
        let now = Instant::now();
        Track {
            contestant,
            fates: vec![None; k as usize],
            done: 0,
            prepared: now,
            started: now,
            share,
            meter,
            running: None,
            stop,
            tell,
            told: now,
            parts: vec![],
        }
    }

    /// Starts the clock; what came before was preparation. The work draws the power of `device`.
    pub fn start(&mut self, device: Kind) -> Flag<'a> {
        self.running = Some(self.meter.start(device));
        self.started = Instant::now();
        Flag { stop: self.stop, deadline: self.started + self.share }
    }

    /// Reports the fate of a variant.
    pub fn report(&mut self, id: u32, fate: Fate) {
        let Some(place) = self.fates.get_mut(id as usize) else { return };
        self.done += u32::from(place.is_none());
        *place = Some(fate);
        if self.told.elapsed() >= INTERVAL {
            self.told = Instant::now();
            let time = self.started.elapsed();
            (self.tell)(Event::Progress { contestant: self.contestant, done: self.done, time });
        }
    }

    /// The fate of a variant that has been reported.
    pub fn fate(&self, id: u32) -> Option<Fate> {
        self.fates.get(id as usize).copied().flatten()
    }

    /// Adds to the time that a part of the work took; parts stand in the order of their first mention.
    pub fn spent(&mut self, part: &'static str, time: Duration) {
        match self.parts.iter_mut().find(|(name, _)| *name == part) {
            Some((_, sum)) => *sum += time,
            None => self.parts.push((part, time)),
        }
    }

    /// Does a part of the work, and notes the time.
    pub fn timed<T>(&mut self, part: &'static str, work: impl FnOnce() -> T) -> T {
        let from = Instant::now();
        let done = work();
        self.spent(part, from.elapsed());
        done
    }

    /// The score, with what the contestant has to say of itself.
    pub fn finish(self, ran: Result<String, Absent>) -> Score {
        let time = self.started.elapsed();
        let energy = self.running.map(Running::stop);
        let (end, note) = match ran {
            Err(Absent::LeftOut(why)) => (End::LeftOut(why), String::new()),
            Err(Absent::Failed(why)) => (End::Failed(why), String::new()),
            Ok(note) if self.done as usize == self.fates.len() => (End::Finished, note),
            Ok(note) if self.stop.load(Ordering::Relaxed) => (End::Stopped, note),
            Ok(note) => (End::OutOfTime, note),
        };
        Score {
            contestant: self.contestant,
            end,
            note,
            fates: self.fates.into(),
            done: self.done,
            preparation: self.started - self.prepared,
            time,
            energy,
            parts: self.parts,
        }
    }
}
