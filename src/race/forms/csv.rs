//! A race for spreadsheets: a row for each contestant. Empty cells do not apply.

use super::super::{Contestant, Fate, Race};
use super::end;

const HEADS: [&str; 20] = [
    "contestant",
    "end",
    "reason",
    "variants",
    "seconds",
    "per_second",
    "to_external",
    "to_conventional",
    "origin",
    "joules",
    "joules_origin",
    "paper_low",
    "paper_high",
    "killed",
    "timeout",
    "survived",
    "invalid",
    "no_answer",
    "agree",
    "differ",
];

/// The table.
///
/// # Errors
/// Those of the writer; none is known that a table in memory could meet.
pub fn table(race: &Race) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record(HEADS)?;
    for score in race.scores.iter() {
        let (word, why) = end(score);
        let number = |number: Option<f64>| number.map_or(String::new(), |number| format!("{number:.6}"));
        let rate = score.per_second();
        let agreement = race.agreement(score);
        let quoted = score.contestant.quoted();
        let mut row = vec![
            score.contestant.name().to_string(),
            word.to_string(),
            why.unwrap_or("").to_string(),
            score.done.to_string(),
            number(rate.map(|_| score.time.as_secs_f64())),
            number(rate),
            number(race.speedup(score, Contestant::External)),
            number(race.speedup(score, Contestant::Conventional)),
            rate.map_or("", |_| "measured").to_string(),
            number(score.energy.map(|energy| energy.joules)),
            score.energy.map_or("", |energy| energy.origin().ident()).to_string(),
            quoted.map_or(String::new(), |(low, _)| low.to_string()),
            quoted.map_or(String::new(), |(_, high)| high.to_string()),
        ];
        row.extend(Fate::ALL.map(|fate| score.count(fate).to_string()));
        row.extend([agreement.agree.to_string(), agreement.differ.to_string()]);
        writer.write_record(&row)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
