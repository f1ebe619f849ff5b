//! The forms of a race's result: text, JSON, CSV and SVG.

pub mod csv;
pub mod document;
pub mod text;

use super::{Contestant, End, Race, Resource, Score, Tally};
use crate::host::measure::energy::{Energy, EnergySource};
use crate::host::measure::numbers::{self, grouped_digits, plural};
use crate::host::measure::origin::Origin;
use crate::host::measure::share::Share;
use crate::report::mutants::Counts;

/// Formats a time in a suitable unit.
pub fn seconds(time: std::time::Duration) -> String {
    match time.as_secs_f64() {
        s if s < 0.001 => format!("{:.0} µs", s * 1e6),
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.2} s"),
        s => format!("{s:.1} s"),
    }
}

/// Formats a count or rate with separated thousands.
pub fn grouped(number: f64) -> String {
    if number < 10.0 {
        return format!("{number:.1}");
    }
    grouped_digits(&format!("{number:.0}"))
}

/// Formats a whole number with separated thousands.
pub fn count(n: impl TryInto<u64>) -> String {
    numbers::grouped(n.try_into().unwrap_or(u64::MAX))
}

/// Formats a speedup.
pub fn times(factor: f64) -> String {
    match factor {
        f if f < 0.1 => format!("{f:.3}×"),
        f if f < 10.0 => format!("{f:.1}×"),
        f => format!("{}×", grouped(f)),
    }
}

/// Formats an energy in a suitable unit, with a `~` before an estimate.
pub fn energy(energy: Energy) -> String {
    let mark = if energy.origin() == Origin::Measured { "" } else { "~" };
    match energy.joules {
        j if j < 0.001 => format!("{mark}{:.0} µJ", j * 1e6),
        j if j < 1.0 => format!("{mark}{:.1} mJ", j * 1e3),
        j => format!("{mark}{j:.2} J"),
    }
}

/// Formats the number of repetitions and the spread of their times, if there is one.
pub fn repeated(score: &Score) -> String {
    match score.spread() {
        Some(spread) => format!("{}× ±{}", score.runs.len(), percent(spread)),
        None => format!("{}×", score.runs.len()),
    }
}

fn percent(part: f64) -> String {
    match part * 100.0 {
        p if p < 1.0 => format!("{p:.1} %"),
        p => format!("{p:.0} %"),
    }
}

/// Formats the counts of variants, as in `myriad mutate`.
pub fn counts(tally: &Tally) -> String {
    let Counts { killed, timeout, survived, equivalent, duplicate, invalid, .. } = tally.counts;
    let unknown =
        if tally.no_answer > 0 { format!(", {} no answer", count(tally.no_answer)) } else { String::new() };
    format!(
        "{killed} killed, {timeout} timeout, {survived} survived; {equivalent} equivalent, {duplicate} duplicate, {invalid} invalid{unknown}"
    )
}

/// Returns the score of the racing first-order variants. Returns `None` if no variant counts, or if some have not been
/// judged, because the score would then be that of other variants.
pub fn score(race: &Race) -> Option<Share> {
    let singles = race.population.tally(race.population.singles());
    singles.counts.score().filter(|_| singles.no_answer == 0)
}

/// Describes the population: first-order variants, and second-order ones if any race, with the engine's verdicts.
pub fn population(race: &Race) -> Vec<String> {
    let population = &race.population;
    let singles = population.tally(population.singles());
    // The score of a part of the variants is not the program's score.
    let of = if population.has_all_singles() { "" } else { " of these" };
    let score = score(race).map_or(String::new(), |score| format!("; score{of} {score}"));
    let name = plural(u64::from(singles.variants), "first-order mutant");
    let mut lines = vec![format!("{name}: {}{score}.", counts(&singles))];
    let pairs = population.tally(population.pairs());
    if pairs.variants > 0 {
        lines.push(format!(
            "{}: {}.",
            plural(u64::from(pairs.variants), "second-order mutant"),
            counts(&pairs)
        ));
    }
    lines
}

pub fn variants(race: &Race) -> String {
    let (singles, pairs) = (race.population.singles().len(), race.population.pairs().len());
    let singles = plural(u64::from(singles), "first-order mutant");
    match pairs {
        0 => singles,
        _ => format!(
            "{} variants, {singles} and {}",
            count(race.k),
            plural(u64::from(pairs), "second-order mutant")
        ),
    }
}

/// Describes the scope of a contestant's energy on a machine with this number of cores.
pub fn charged(score: &Score, cores: u32) -> Option<String> {
    let energy = score.middle()?.energy?;
    let of = match (energy.source, score.works?) {
        (EnergySource::Estimate { .. }, Resource::OneCore) => format!(", one of {cores} cores"),
        (EnergySource::Estimate { .. }, Resource::AllCores) => format!(", all {cores} cores"),
        (EnergySource::Estimate { .. }, Resource::Gpu) => String::new(),
        _ => ", the whole device above its idle power".to_string(),
    };
    Some(format!("{}{of}", energy.source))
}

/// Returns the paper's expectation, in its notation.
pub fn quoted(contestant: Contestant) -> Option<String> {
    contestant.quoted().map(|(low, high)| format!("{low}–{high}×"))
}

/// Returns the end of a contestant's run in a word, and the reason if it was left out or failed.
pub fn end(score: &Score) -> (&'static str, Option<&str>) {
    match &score.end {
        End::Finished => ("finished", None),
        End::OutOfTime => ("out of time", None),
        End::Stopped => ("stopped", None),
        End::LeftOut(why) => ("left out", Some(why)),
        End::Failed(why) => ("failed", Some(why)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn numbers_are_shown_with_significant_digits() {
        assert_eq!(
            [0.04, 3.0, 12.0, 1234.0, 1234567.0].map(grouped),
            ["0.0", "3.0", "12", "1,234", "1,234,567"]
        );
        assert_eq!([0.05, 0.5, 1.0, 12.3, 4567.0].map(times), ["0.050×", "0.5×", "1.0×", "12×", "4,567×"]);
        let micro = [12, 3_400, 340_000, 34_000_000].map(|n| seconds(Duration::from_micros(n)));
        assert_eq!(micro, ["12 µs", "3.40 ms", "0.34 s", "34.0 s"]);
        assert_eq!([0.0012, 0.0234, 1.5].map(percent), ["0.1 %", "2 %", "150 %"]);
    }
}
