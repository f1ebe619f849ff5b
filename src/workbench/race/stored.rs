//! A measured race, stored as the document of `myriad race --format json`. A tape shows it in place of a new one, so that
//! its recording is the same on any machine.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::host::measure::energy::Energy;
use crate::lang::index::{Index, Indices, MutantId};
use crate::paper::race::forms::document::document;
use crate::paper::race::{Contestant, End, Fate, Field, Population, Race, Resource, Run, Score};

#[derive(Clone, Debug, Deserialize)]
pub struct StoredRace {
    k: u32,
    seed: u32,
    repetitions: u32,
    cores: u32,
    date: String,
    population: Value,
    contestants: Vec<StoredScore>,
}

#[derive(Clone, Debug, Deserialize)]
struct StoredScore {
    contestant: String,
    end: String,
    reason: Option<String>,
    how: Option<String>,
    variants: u32,
    speed: Option<StoredSpeed>,
    differ: u32,
    unanswered: u32,
    varies: u32,
}

#[derive(Clone, Debug, Deserialize)]
struct StoredSpeed {
    repetitions: usize,
    preparation: f64,
    seconds: f64,
    spread: Option<f64>,
    energy: Option<StoredEnergy>,
}

#[derive(Clone, Debug, Deserialize)]
struct StoredEnergy {
    joules: f64,
    /// The processor's cores that an estimate covers.
    cores: Option<u32>,
}

impl StoredRace {
    /// Reads the document of a race of one file.
    ///
    /// # Errors
    /// If it is not such a document, or if verdicts differ. Which ones did is not stored, so this race could not be shown.
    pub fn read(text: &str) -> Result<StoredRace, String> {
        #[derive(Deserialize)]
        struct Document {
            files: [StoredRace; 1],
        }
        let document: Document = serde_json::from_str(text).map_err(|why| why.to_string())?;
        let [race] = document.files;
        let differs = |score: &&StoredScore| score.differ + score.varies > 0;
        match race.contestants.iter().find(differs) {
            Some(score) => Err(format!("{} does not agree with the others", score.contestant)),
            None => Ok(race),
        }
    }

    /// Returns the race of a program: the stored times, and the verdicts of the CPU engine, which all contestants share.
    ///
    /// # Errors
    /// If another program was raced.
    pub fn of(&self, text: &Arc<str>) -> Result<Race, String> {
        let field = Field::new(text, self.k).map_err(|why| why.to_string())?;
        let population = Population::of(&field);
        let scores = self.contestants.iter().map(|score| score.score(&population)).collect();
        let StoredRace { k, seed, repetitions, cores, ref date, .. } = *self;
        let race = Race { k, seed, repetitions, cores, date: date.clone(), population, scores };
        let document = serde_json::to_value(document(&race)).map_err(|why| why.to_string())?;
        let is_same = field.k == k && document["population"] == self.population;
        if is_same { Ok(race) } else { Err("the stored race is one of another program".to_string()) }
    }
}

impl StoredScore {
    fn score(&self, population: &Population) -> Score {
        let contestant = Contestant::from_name(&self.contestant).unwrap_or(Contestant::Cpu);
        let reason = || self.reason.clone().unwrap_or_default();
        let energy = self.speed.as_ref().and_then(|speed| speed.energy.as_ref());
        // Which variants have no answer is not stored; only their number is shown.
        let answered = self.variants.saturating_sub(self.unanswered);
        let fate = |id: MutantId| match id.number() < answered {
            true => population.fate(id),
            false => Some(Fate::NoAnswer),
        };
        Score {
            end: match self.end.as_str() {
                "finished" => End::Finished,
                "out of time" => End::OutOfTime,
                "left out" => End::LeftOut(reason()),
                "failed" => End::Failed(reason()),
                _ => End::Stopped,
            },
            note: self.how.clone().unwrap_or_default(),
            works: energy.map(|energy| match energy.cores {
                Some(1) => Resource::OneCore,
                Some(_) => Resource::AllCores,
                None => Resource::Gpu,
            }),
            fates: Indices::first(self.variants).iter().map(fate).collect(),
            done: self.variants,
            preparation: self.speed.as_ref().map_or(Duration::ZERO, |speed| seconds(speed.preparation)),
            runs: self.speed.as_ref().map_or(vec![], StoredSpeed::runs),
            ..Score::new(contestant)
        }
    }
}

impl StoredSpeed {
    /// Returns repetitions with the stored median and spread.
    fn runs(&self) -> Vec<Run> {
        let (half, spread) = (self.repetitions / 2, self.spread.unwrap_or(0.0));
        let run = |number: usize| {
            let time = self.seconds
                * match number.cmp(&half) {
                    std::cmp::Ordering::Less => (1.0 - spread).max(0.0),
                    std::cmp::Ordering::Equal => 1.0,
                    std::cmp::Ordering::Greater => 1.0 + spread,
                };
            let energy = self
                .energy
                .as_ref()
                .map(|energy| Energy::estimate(energy.joules / self.seconds.max(1e-9), seconds(time)));
            Run { time: seconds(time), energy, parts: vec![] }
        };
        (0..self.repetitions).map(run).collect()
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
