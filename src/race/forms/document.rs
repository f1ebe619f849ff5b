//! A race as a machine reads it.

use serde::Serialize;

use super::super::{Fate, Race, Score};
use super::end;
use crate::report::origin::Origin;

#[derive(Serialize)]
pub struct Document {
    k: u32,
    seed: u32,
    contestants: Vec<Row>,
    disagreements: Vec<Disagreement>,
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
    counts: Counts,
    agree: usize,
    differ: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper: Option<Paper>,
}

/// What was measured of who ran.
#[derive(Serialize)]
struct Speed {
    origin: Origin,
    preparation: f64,
    seconds: f64,
    per_second: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_external: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_conventional: Option<f64>,
    parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<Joules>,
}

/// The energy of all that it did.
#[derive(Serialize)]
struct Joules {
    origin: Origin,
    joules: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    source: String,
}

#[derive(Serialize)]
struct Part {
    part: &'static str,
    seconds: f64,
}

#[derive(Serialize)]
struct Counts {
    killed: usize,
    timeout: usize,
    survived: usize,
    invalid: usize,
    no_answer: usize,
}

/// The speedup over the conventional loop that the paper expects.
#[derive(Serialize)]
struct Paper {
    origin: Origin,
    low: u32,
    high: u32,
}

#[derive(Serialize)]
struct Disagreement {
    id: u32,
    verdicts: Vec<Verdict>,
}

#[derive(Serialize)]
struct Verdict {
    contestant: &'static str,
    verdict: Fate,
}

impl Document {
    pub fn new(race: &Race) -> Document {
        let verdicts = |answers: Vec<(super::super::Contestant, Fate)>| {
            answers.into_iter().map(|(who, verdict)| Verdict { contestant: who.name(), verdict }).collect()
        };
        let disagreements = race.disagreements().into_iter();
        Document {
            k: race.k,
            seed: race.seed,
            contestants: race.scores.iter().map(|score| row(race, score)).collect(),
            disagreements: disagreements
                .map(|(id, answers)| Disagreement { id, verdicts: verdicts(answers) })
                .collect(),
        }
    }
}

fn row(race: &Race, score: &Score) -> Row {
    let (word, why) = end(score);
    let agreement = race.agreement(score);
    let micro = |seconds: f64| (seconds * 1e6).round() / 1e6;
    let to = |to| race.speedup(score, to).map(|factor| (factor * 1e3).round() / 1e3);
    let part =
        |(part, time): &(&'static str, std::time::Duration)| Part { part, seconds: micro(time.as_secs_f64()) };
    Row {
        contestant: score.contestant.name(),
        title: score.contestant.title(),
        end: word,
        reason: why.map(str::to_string),
        how: score.note.clone(),
        variants: score.done,
        speed: score.per_second().map(|rate| Speed {
            origin: Origin::Measured,
            preparation: micro(score.preparation.as_secs_f64()),
            seconds: micro(score.time.as_secs_f64()),
            per_second: (rate * 10.0).round() / 10.0,
            to_external: to(super::super::Contestant::External),
            to_conventional: to(super::super::Contestant::Conventional),
            parts: score.parts.iter().map(part).collect(),
            energy: score.energy.map(|energy| Joules {
                origin: energy.origin(),
                joules: micro(energy.joules),
                error: energy.error.map(micro),
                source: energy.source.to_string(),
            }),
        }),
        counts: Counts {
            killed: score.count(Fate::Killed),
            timeout: score.count(Fate::Timeout),
            survived: score.count(Fate::Survived),
            invalid: score.count(Fate::Invalid),
            no_answer: score.count(Fate::NoAnswer),
        },
        agree: agreement.agree,
        differ: agreement.differ,
        paper: score.contestant.quoted().map(|(low, high)| Paper { origin: Origin::Quoted, low, high }),
    }
}
