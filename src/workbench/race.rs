//! What the race screen knows: how far each contestant is, and the result when there is one.

use std::sync::Arc;
use std::time::Duration;

use crate::paper::race::{Contestant, Event, Race, Score};

/// The race's word.
#[derive(Clone, Debug)]
pub enum News {
    /// It begins, with so many variants, which each judges so often.
    Begun {
        k: u32,
        repetitions: u32,
    },
    Happened(Event),
    Done(Race),
    /// There is no race, and why.
    Refused(String),
}

/// How far a contestant is.
#[derive(Clone, Debug)]
pub enum Stand {
    Waits,
    Prepares,
    /// In its repetition with this number, counted from 1, it has done so much.
    Runs {
        repetition: u32,
        done: u32,
        time: Duration,
    },
    /// It waits for its next turn.
    Between(Score),
    Ended(Score),
}

/// A race that is looked at.
#[derive(Clone, Debug)]
pub struct RaceView {
    /// Counts races: news of an older one is dropped.
    pub number: u64,
    /// What is raced: the file's name, and the text.
    pub name: String,
    pub text: Arc<str>,
    /// Variants; 0 until the race begins.
    pub k: u32,
    /// How often each judges them.
    pub repetitions: u32,
    pub stands: Vec<(Contestant, Stand)>,
    pub result: Option<Race>,
    pub refused: Option<String>,
    /// Somebody asked it to end.
    pub stopping: bool,
    /// Whether to race again is asked: the result would go.
    pub asking: bool,
    /// First line of the result that shows.
    pub top: usize,
}

impl RaceView {
    pub fn new(number: u64, name: String, text: Arc<str>) -> RaceView {
        RaceView {
            number,
            name,
            text,
            k: 0,
            repetitions: 1,
            stands: Contestant::ALL.iter().map(|one| (*one, Stand::Waits)).collect(),
            result: None,
            refused: None,
            stopping: false,
            asking: false,
            top: 0,
        }
    }

    pub fn is_over(&self) -> bool {
        self.result.is_some() || self.refused.is_some()
    }

    pub fn take(&mut self, news: News) {
        match news {
            News::Begun { k, repetitions } => (self.k, self.repetitions) = (k, repetitions),
            News::Happened(event) => {
                let (contestant, stand) = match event {
                    Event::Prepares(contestant) => (contestant, Stand::Prepares),
                    Event::Progress { contestant, repetition, done, time } => {
                        (contestant, Stand::Runs { repetition, done, time })
                    }
                    Event::Between(score) => (score.contestant, Stand::Between(score)),
                    Event::Ended(score) => (score.contestant, Stand::Ended(score)),
                };
                if let Some((_, place)) = self.stands.iter_mut().find(|(one, _)| *one == contestant) {
                    *place = stand;
                }
            }
            News::Done(race) => self.result = Some(race),
            News::Refused(why) => self.refused = Some(why),
        }
    }
}
