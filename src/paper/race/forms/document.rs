//! A race as a JSON document.

use serde::Serialize;

use super::super::{Contestant, Fate, Race, Resource, Score, Tally};
use super::end;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::Share;
use crate::lang::index::{Indices, MutantId};
use crate::report::mutants;

#[derive(Serialize)]
pub struct Document {
    k: u32,
    seed: u32,
    /// The requested number of repetitions.
    repetitions: u32,
    /// The number of cores of this machine.
    cores: u32,
    population: Population,
    contestants: Vec<Row>,
    disagreements: Vec<Disagreement>,
}

/// The variants with the engine's verdicts.
#[derive(Serialize)]
struct Population {
    singles: Kin,
    pairs: Kin,
    /// The score of the first-order variants, as in `myriad mutate`. Null if it does not exist or not all have been
    /// judged.
    score: Option<f64>,
}

/// Variants with the same number of changes.
#[derive(Serialize)]
struct Kin {
    variants: u32,
    counts: Counts,
}

#[derive(Serialize)]
struct Row {
    contestant: &'static str,
    title: &'static str,
    end: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    how: String,
    variants: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    speed: Option<Speed>,
    /// The counts of the first-order variants reached. Copies count as the engine classifies them.
    counts: Counts,
    /// Likewise for second-order variants.
    pair_counts: Counts,
    agree: usize,
    differ: usize,
    /// The number of variants without an answer.
    unanswered: usize,
    /// The number of variants with another fate in a later repetition than in the first.
    varies: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper: Option<Paper>,
}

/// The measurements of a contestant in its median repetition.
#[derive(Serialize)]
struct Speed {
    origin: Origin,
    repetitions: usize,
    preparation: f64,
    seconds: f64,
    per_second: f64,
    /// Half the interquartile range of the repetitions' times, divided by the median.
    #[serde(skip_serializing_if = "Option::is_none")]
    spread: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_external: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_conventional: Option<f64>,
    parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<Joules>,
}

/// The total energy of the variants that the contestant completed.
#[derive(Serialize)]
struct Joules {
    origin: Origin,
    joules: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    source: String,
    /// The number of cores that an estimate covers. Absent for a GPU and for metered energy.
    #[serde(skip_serializing_if = "Option::is_none")]
    cores: Option<u32>,
}

#[derive(Serialize)]
struct Part {
    part: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Counts {
    #[serde(flatten)]
    counts: mutants::Counts,
    no_answer: u32,
}

impl From<Tally> for Counts {
    fn from(tally: Tally) -> Counts {
        Counts { counts: tally.counts, no_answer: tally.no_answer }
    }
}

/// The paper's expected speedup over the conventional loop.
#[derive(Serialize)]
struct Paper {
    origin: Origin,
    low: u32,
    high: u32,
}

#[derive(Serialize)]
struct Disagreement {
    id: MutantId,
    /// The fate by the engine's verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<Fate>,
    verdicts: Vec<Verdict>,
}

#[derive(Serialize)]
struct Verdict {
    contestant: &'static str,
    verdict: Fate,
}

impl Document {
    pub fn new(race: &Race) -> Document {
        let verdicts = |answers: Vec<(Contestant, Fate)>| {
            answers.into_iter().map(|(who, verdict)| Verdict { contestant: who.name(), verdict }).collect()
        };
        let disagreements = race.disagreements().into_iter();
        Document {
            k: race.k,
            seed: race.seed,
            repetitions: race.repetitions,
            cores: race.cores,
            population: population(race),
            contestants: race.scores.iter().map(|score| row(race, score)).collect(),
            disagreements: disagreements
                .map(|one| Disagreement { id: one.id, engine: one.engine, verdicts: verdicts(one.answers) })
                .collect(),
        }
    }
}

fn population(race: &Race) -> Population {
    let kin = |ids: Indices<MutantId>| {
        let tally = race.population.tally(ids);
        Kin { variants: tally.variants, counts: tally.into() }
    };
    let score = super::score(race).map(Share::decimal);
    Population { singles: kin(race.population.singles()), pairs: kin(race.population.pairs()), score }
}

fn row(race: &Race, score: &Score) -> Row {
    let (word, why) = end(score);
    let agreement = race.agreement(score);
    Row {
        contestant: score.contestant.name(),
        title: score.contestant.title(),
        end: word,
        reason: why.map(str::to_string),
        how: score.note.clone(),
        variants: score.done,
        speed: speed(race, score),
        counts: race.tally(score, race.population.singles()).into(),
        pair_counts: race.tally(score, race.population.pairs()).into(),
        agree: agreement.agree,
        differ: agreement.differ,
        unanswered: score.unanswered(),
        varies: score.varies,
        paper: score.contestant.quoted().map(|(low, high)| Paper { origin: Origin::Quoted, low, high }),
    }
}

fn speed(race: &Race, score: &Score) -> Option<Speed> {
    let (run, rate) = (score.middle()?, score.per_second()?);
    let micro = |seconds: f64| (seconds * 1e6).round() / 1e6;
    let milli = |number: f64| (number * 1e3).round() / 1e3;
    let to = |to| race.speedup(score, to).map(milli);
    let part =
        |(part, time): &(&'static str, std::time::Duration)| Part { part, seconds: micro(time.as_secs_f64()) };
    Some(Speed {
        origin: Origin::Measured,
        repetitions: score.runs.len(),
        preparation: micro(score.preparation.as_secs_f64()),
        seconds: micro(run.time.as_secs_f64()),
        per_second: (rate * 10.0).round() / 10.0,
        spread: score.spread().map(|spread| (spread * 1e4).round() / 1e4),
        to_external: to(Contestant::External),
        to_conventional: to(Contestant::Conventional),
        parts: run.parts.iter().map(part).collect(),
        energy: run.energy.map(|energy| Joules {
            origin: energy.origin(),
            joules: micro(energy.joules),
            error: energy.error.map(micro),
            source: energy.source.to_string(),
            cores: match (energy.origin(), score.works) {
                (Origin::Modelled, Some(Resource::OneCore)) => Some(1),
                (Origin::Modelled, Some(Resource::AllCores)) => Some(race.cores),
                _ => None,
            },
        }),
    })
}
