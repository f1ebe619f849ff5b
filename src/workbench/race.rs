//! The state of the race screen: each contestant's progress, and the result.

pub mod stored;

use std::sync::Arc;
use std::time::Duration;

use crate::paper::race::replay::FRAMES;
use crate::paper::race::{Contestant, Race, RaceEvent, Score};

#[derive(Clone, Debug)]
pub enum RaceMessage {
    /// The race begins, with `k` variants that each contestant judges `repetitions` times.
    Begun {
        k: u32,
        repetitions: u32,
    },
    Happened(RaceEvent),
    Done(Race),
    /// The race cannot start, for this reason.
    Refused(String),
}

#[derive(Clone, Debug)]
pub enum ContestantState {
    Waits,
    Prepares,
    /// It has judged `done` variants in this repetition, counted from 1.
    Runs {
        repetition: u32,
        done: u32,
        time: Duration,
    },
    /// It waits for its next repetition.
    Between(Score),
    Ended(Score),
}

#[derive(Debug, Default)]
pub struct Races {
    /// The race, if it covers the screen.
    shown: Option<RaceView>,
    /// The last race with a result that was left.
    left: Option<RaceView>,
    count: u64,
}

impl Races {
    /// Returns the race that covers the screen, if any.
    pub fn shown(&self) -> Option<&RaceView> {
        self.shown.as_ref()
    }

    pub fn shown_mut(&mut self) -> Option<&mut RaceView> {
        self.shown.as_mut()
    }

    /// Shows the kept result. Returns false if nothing was kept.
    pub fn show_left(&mut self) -> bool {
        self.shown = self.left.take();
        self.shown.iter_mut().for_each(|view| view.frame = FRAMES);
        self.shown.is_some()
    }

    /// Shows a new race. Returns its number.
    pub fn begin(&mut self, name: String, text: Arc<str>) -> u64 {
        self.count += 1;
        self.shown = Some(RaceView::new(self.count, name, text));
        self.count
    }

    pub fn handle(&mut self, number: u64, news: RaceMessage) {
        if let Some(view) = self.shown.as_mut().filter(|view| view.number == number) {
            view.take(news);
        }
    }

    /// Leaves the race screen and keeps its result, if it has one.
    pub fn leave(&mut self) {
        self.left = self.shown.take().filter(|view| view.result.is_some());
    }

    /// Returns the state for another file: only the number of races is kept.
    pub fn of_another_file(&self) -> Races {
        Races { count: self.count, ..Races::default() }
    }
}

#[derive(Clone, Debug)]
pub struct RaceView {
    /// The race's number; messages of earlier races are dropped.
    pub number: u64,
    /// The file's name, and the text that is raced.
    pub name: String,
    pub text: Arc<str>,
    /// The number of variants; 0 until the race begins.
    pub k: u32,
    /// How many times each contestant judges the variants.
    pub repetitions: u32,
    pub contestant_states: Vec<(Contestant, ContestantState)>,
    pub result: Option<Race>,
    pub refused: Option<String>,
    /// The user asked to stop the race.
    pub stopping: bool,
    /// Whether the screen asks before it starts another race, which would discard the result.
    pub asking: bool,
    /// The first visible line of the result.
    pub top: usize,
    /// The frame of the replay.
    pub frame: u32,
}

impl RaceView {
    pub fn new(number: u64, name: String, text: Arc<str>) -> RaceView {
        RaceView {
            number,
            name,
            text,
            k: 0,
            repetitions: 1,
            contestant_states: Contestant::ALL.iter().map(|one| (*one, ContestantState::Waits)).collect(),
            result: None,
            refused: None,
            stopping: false,
            asking: false,
            top: 0,
            frame: 0,
        }
    }

    /// Returns whether the result is on the screen and its replay has not ended.
    pub fn is_replaying(&self) -> bool {
        self.result.is_some() && self.frame < FRAMES
    }

    /// Returns how much of the measurements is done, from 0 to 1.
    pub fn measured(&self) -> f64 {
        let repetitions = f64::from(self.repetitions.max(1));
        let part = |state: &ContestantState| match state {
            ContestantState::Waits | ContestantState::Prepares => 0.0,
            ContestantState::Runs { repetition, done, .. } => {
                let begun = f64::from(*done) / f64::from(self.k.max(1));
                (f64::from(repetition.saturating_sub(1)) + begun) / repetitions
            }
            ContestantState::Between(score) => score.runs.len() as f64 / repetitions,
            ContestantState::Ended(_) => 1.0,
        };
        let sum: f64 = self.contestant_states.iter().map(|(_, state)| part(state)).sum();
        sum / self.contestant_states.len().max(1) as f64
    }

    pub fn is_over(&self) -> bool {
        self.result.is_some() || self.refused.is_some()
    }

    pub fn take(&mut self, news: RaceMessage) {
        match news {
            RaceMessage::Begun { k, repetitions } => (self.k, self.repetitions) = (k, repetitions),
            RaceMessage::Happened(event) => {
                let (contestant, stand) = match event {
                    RaceEvent::Prepares(contestant) => (contestant, ContestantState::Prepares),
                    RaceEvent::Progress { contestant, repetition, done, time } => {
                        (contestant, ContestantState::Runs { repetition, done, time })
                    }
                    RaceEvent::Between(score) => (score.contestant, ContestantState::Between(score)),
                    RaceEvent::Ended(score) => (score.contestant, ContestantState::Ended(score)),
                };
                if let Some((_, place)) = self.contestant_states.iter_mut().find(|(one, _)| *one == contestant)
                {
                    *place = stand;
                }
            }
            RaceMessage::Done(race) => (self.k, self.result) = (race.k, Some(race)),
            RaceMessage::Refused(why) => self.refused = Some(why),
        }
    }
}
