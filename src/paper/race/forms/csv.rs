//! A race as CSV: one row per contestant. Cells that do not apply are empty.

use super::super::{Contestant, Race, Score, Tally};
use super::{charged, end};
use crate::report::mutants::Counts;
use crate::report::table;
use crate::report::visible::visible;

const HEADS: [&str; 34] = [
    "contestant",
    "end",
    "reason",
    "variants",
    "repetitions",
    "seconds",
    "per_second",
    "spread",
    "to_external",
    "to_conventional",
    "origin",
    "joules",
    "joules_origin",
    "joules_of",
    "paper_low",
    "paper_high",
    // Counts of first-order variants, then of second-order variants.
    "killed",
    "timeout",
    "survived",
    "equivalent",
    "duplicate",
    "invalid",
    "no_answer",
    "pairs_killed",
    "pairs_timeout",
    "pairs_survived",
    "pairs_equivalent",
    "pairs_duplicate",
    "pairs_invalid",
    "pairs_no_answer",
    "agree",
    "differ",
    "unanswered",
    "varies",
];

pub fn table(race: &Race) -> String {
    let heads = HEADS.map(String::from).to_vec();
    table::csv(std::iter::once(heads).chain(race.scores.iter().map(|score| row(race, score))))
}

fn row(race: &Race, score: &Score) -> Vec<String> {
    let (word, why) = end(score);
    let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.6}"));
    let rate = score.per_second();
    let middle = score.middle();
    let energy = middle.and_then(|run| run.energy);
    let agreement = race.agreement(score);
    let quoted = score.contestant.quoted();
    let mut row = vec![
        score.contestant.name().to_string(),
        word.to_string(),
        visible(why.unwrap_or("")),
        score.done.to_string(),
        middle.map_or(0, |_| score.runs.len()).to_string(),
        number(middle.map(|run| run.time.as_secs_f64())),
        number(rate),
        number(score.spread()),
        number(race.speedup(score, Contestant::External)),
        number(race.speedup(score, Contestant::Conventional)),
        rate.map_or("", |_| "measured").to_string(),
        number(energy.map(|energy| energy.joules)),
        energy.map_or("", |energy| energy.origin().ident()).to_string(),
        visible(&charged(score, race.cores).unwrap_or_default()),
        quoted.map_or(String::new(), |(low, _)| low.to_string()),
        quoted.map_or(String::new(), |(_, high)| high.to_string()),
    ];
    for ids in [race.population.singles(), race.population.pairs()] {
        let Tally { counts, no_answer, .. } = race.tally(score, ids);
        let Counts { killed, timeout, survived, equivalent, duplicate, invalid, .. } = counts;
        let counted = [killed, timeout, survived, equivalent, duplicate, invalid, no_answer];
        row.extend(counted.map(|count| count.to_string()));
    }
    let last = [agreement.agree, agreement.differ, score.unanswered(), score.varies as usize];
    row.extend(last.map(|count| count.to_string()));
    row
}
