//! A race as a JSON document.

use std::time::Duration;

use super::super::{Contestant, Disagreement, Fate, Race, Resource, Score, Tally};
use super::end;
use crate::host::measure::energy::Energy;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::Share;
use crate::lang::index::{Indices, MutantId};
use crate::report::document::Object;

pub fn document(race: &Race) -> Object {
    let kin = |ids: Indices<MutantId>| {
        let tally = race.population.tally(ids);
        Object::new().field("variants", tally.variants).field("counts", counts(tally))
    };
    // The score is that of the first-order variants, as in `myriad mutate`: null if it does not exist or not all have
    // been judged.
    let population = Object::new()
        .field("singles", kin(race.population.singles()))
        .field("pairs", kin(race.population.pairs()))
        .field("score", super::score(race).map(Share::decimal));
    Object::new()
        .field("k", race.k)
        .field("seed", race.seed)
        .field("repetitions", race.repetitions)
        .field("cores", race.cores)
        .field("date", &race.date)
        .field("population", population)
        .list("contestants", race.scores.iter().map(|score| row(race, score)))
        .list("disagreements", race.disagreements().iter().map(disagreement))
}

/// The counts of variants. Copies count as the engine classifies them.
fn counts(tally: Tally) -> Object {
    Object::new().join(tally.counts).field("no_answer", tally.no_answer)
}

fn disagreement(one: &Disagreement) -> Object {
    let verdict = |(who, verdict): &(Contestant, Fate)| {
        Object::new().field("contestant", who.name()).field("verdict", verdict)
    };
    let engine = Object::new().field("id", one.id).option("engine", one.engine);
    engine.list("verdicts", one.answers.iter().map(verdict))
}

fn row(race: &Race, score: &Score) -> Object {
    let (word, why) = end(score);
    let agreement = race.agreement(score);
    let quoted = |(low, high): (u32, u32)| {
        Object::new().field("origin", Origin::Quoted).field("low", low).field("high", high)
    };
    Object::new()
        .field("contestant", score.contestant.name())
        .field("title", score.contestant.title())
        .field("end", word)
        .option("reason", why)
        .option("how", Some(&score.note).filter(|note| !note.is_empty()))
        .field("variants", score.done)
        .option("speed", speed(race, score))
        .field("counts", counts(race.tally(score, race.population.singles())))
        .field("pair_counts", counts(race.tally(score, race.population.pairs())))
        .field("agree", agreement.agree)
        .field("differ", agreement.differ)
        .field("unanswered", score.unanswered())
        .field("varies", score.varies)
        .option("paper", score.contestant.quoted().map(quoted))
}

fn micro(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

/// The measurements of a contestant in its median repetition.
fn speed(race: &Race, score: &Score) -> Option<Object> {
    let (run, rate) = (score.middle()?, score.per_second()?);
    let to = |to| race.speedup(score, to).map(|number| (number * 1e3).round() / 1e3);
    let part = |(part, time): &(&'static str, Duration)| {
        Object::new().field("part", part).field("seconds", micro(time.as_secs_f64()))
    };
    let speed = Object::new()
        .field("origin", Origin::Measured)
        .field("repetitions", score.runs.len())
        .field("preparation", micro(score.preparation.as_secs_f64()))
        .field("seconds", micro(run.time.as_secs_f64()))
        .field("per_second", (rate * 10.0).round() / 10.0)
        .option("spread", score.spread().map(|spread| (spread * 1e4).round() / 1e4))
        .option("to_external", to(Contestant::External))
        .option("to_conventional", to(Contestant::Conventional))
        .list("parts", run.parts.iter().map(part))
        .option("energy", run.energy.map(|energy| joules(race, score, energy)));
    Some(speed)
}

/// The total energy of the variants that the contestant completed.
fn joules(race: &Race, score: &Score, energy: Energy) -> Object {
    // The number of cores that an estimate covers.
    let cores = match (energy.origin(), score.works) {
        (Origin::Modelled, Some(Resource::OneCore)) => Some(1),
        (Origin::Modelled, Some(Resource::AllCores)) => Some(race.cores),
        _ => None,
    };
    Object::new()
        .field("origin", energy.origin())
        .field("joules", micro(energy.joules))
        .option("error", energy.error.map(micro))
        .field("source", energy.source.to_string())
        .option("cores", cores)
}
