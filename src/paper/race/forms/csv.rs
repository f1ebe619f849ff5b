//! A race as CSV: one row per contestant. Cells that do not apply are empty.

use super::super::{Contestant, Race, Tally};
use super::{charged, end};
use crate::report::mutants::Counts;
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

/// Returns the table.
///
/// # Errors
/// If the writer fails, which no table in memory is known to cause.
pub fn table(race: &Race) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record(HEADS)?;
    for score in race.scores.iter() {
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
            cell(why.unwrap_or("")),
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
            cell(&charged(score, race.cores).unwrap_or_default()),
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
        writer.write_record(&row)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns text for a cell. Spreadsheets read a text that begins with one of these characters as a formula, unless an
/// apostrophe precedes it.
fn cell(text: &str) -> String {
    let mark = if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) { "'" } else { "" };
    format!("{mark}{}", visible(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_starting_a_formula_are_escaped() {
        let given = ["out of time", "=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "a=1\u{9b}", ""];
        let cells = ["out of time", "'=cmd|' /C calc'!A0", "'+1", "'-1", "'@SUM(1)", "'␉=1", "a=1‹9b›", ""];
        assert_eq!(given.map(cell), cells);
    }
}
