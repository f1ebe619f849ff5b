//! A contestant during a race: its turns and results so far.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::track::{Repetition, RepetitionResult};
use super::{
    Contestant, End, Field, NoScore, RaceEvent, RaceSettings, Ready, Score, Track, conventional, cpu, external,
    gpu,
};
use super::{hybrid, neural};

pub struct ContestantState {
    contestant: Contestant,
    /// The prepared contestant, once it is prepared.
    ready: Option<Box<dyn Ready>>,
    score: Score,
    /// Whether it has had a turn.
    pub begun: bool,
    /// Whether it has no more turns.
    pub over: bool,
}

impl ContestantState {
    pub fn new(contestant: Contestant) -> ContestantState {
        ContestantState { contestant, ready: None, score: Score::new(contestant), begun: false, over: false }
    }

    pub fn contestant(&self) -> Contestant {
        self.contestant
    }

    /// Returns the maximum time for its remaining repetitions, or `None` if it has not run.
    pub fn wish(&self, repetitions: u32) -> Option<Duration> {
        let longest = self.longest().filter(|_| self.begun)?;
        // Each repetition has an untimed turn.
        Some(2 * longest * repetitions.saturating_sub(self.score.runs.len() as u32))
    }

    fn longest(&self) -> Option<Duration> {
        self.score.runs.iter().map(|run| run.time).max()
    }

    /// Runs its next turn, if it has one.
    pub fn turn(
        &mut self,
        field: &Field,
        settings: &RaceSettings,
        turn: Repetition,
        tell: &mut dyn FnMut(RaceEvent),
    ) {
        // A repetition that cannot finish in its share is useless.
        if self.longest().is_some_and(|longest| longest > turn.share) {
            return self.end(tell);
        }
        if !self.begun {
            self.begun = true;
            tell(RaceEvent::Prepares(self.contestant));
            let from = Instant::now();
            let prepared = prepare(self.contestant, field, settings);
            self.score.preparation = from.elapsed();
            match prepared {
                Ok(ready) => self.ready = Some(ready),
                Err(why) => {
                    self.score.end = End::from(why);
                    return self.end(tell);
                }
            }
        }
        let Some(ready) = &mut self.ready else { return self.end(tell) };
        let from = Instant::now();
        let mut track = Track::new(turn, tell);
        let mut ran = ready.go(field, &mut track);
        let mut lap = track.finish();
        let stopped = turn.stop.load(Ordering::Relaxed);
        // Another contestant had the caches before. If there is time, the turn counts that follows this one directly.
        let share = turn.share.saturating_sub(from.elapsed());
        if ran.is_ok() && lap.is_whole() && lap.run.time <= share && !stopped {
            let mut track = Track::new(Repetition { share, ..turn }, tell);
            let again = ready.go(field, &mut track);
            let next = track.finish();
            if again.is_ok() && next.is_whole() {
                (lap, ran) = (next, again);
            }
        }
        self.take(lap, ran, stopped);
        if self.over || turn.repetition >= settings.repetitions {
            self.end(tell);
        } else {
            tell(RaceEvent::Between(self.score.clone()));
        }
    }

    /// Adds the result of a repetition. If it was cut off, a first repetition counts in part and a later one is
    /// dropped.
    fn take(&mut self, lap: RepetitionResult, ran: Result<String, NoScore>, stopped: bool) {
        let (score, whole) = (&mut self.score, lap.is_whole());
        let first = score.runs.is_empty();
        let note = ran.clone().unwrap_or_default();
        match ran {
            Err(why) => score.end = End::from(why),
            Ok(_) if whole => score.end = End::Finished,
            Ok(_) if !first => {}
            Ok(_) if stopped => score.end = End::Stopped,
            Ok(_) => score.end = End::OutOfTime,
        }
        self.over = !whole || score.end != End::Finished;
        if first {
            score.note = note;
            (score.fates, score.done, score.works) = (lap.fates.into(), lap.done, lap.works);
            score.runs.push(lap.run);
        } else if whole {
            let differ = score.fates.iter().zip(&lap.fates).filter(|(one, other)| one != other).count();
            score.varies = score.varies.max(differ as u32);
            score.runs.push(lap.run);
        }
    }

    /// Ends the contestant's turns.
    pub fn end(&mut self, tell: &mut dyn FnMut(RaceEvent)) {
        self.over = true;
        self.ready = None;
        tell(RaceEvent::Ended(self.score.clone()));
    }

    pub fn score(self) -> Score {
        self.score
    }
}

fn prepare(contestant: Contestant, field: &Field, settings: &RaceSettings) -> Result<Box<dyn Ready>, NoScore> {
    match contestant {
        Contestant::External => external::prepare(field),
        Contestant::Conventional => conventional::prepare(field),
        Contestant::Cpu => cpu::prepare(settings.exact),
        Contestant::Gpu => gpu::prepare(settings),
        Contestant::Neural => neural::prepare(settings.seed),
        Contestant::Hybrid => hybrid::prepare(settings.seed),
    }
}
