//! The result as a table and notes, printed by the command line and drawn by the workbench.

use std::fmt::Write;

use super::super::{Contestant, Race, Score};
use super::{charged, count, end, energy, grouped, population, quoted, repeated, seconds, times, variants};
use crate::host::measure::origin::Origin;
use crate::report::table::{Table, number, words};
use crate::report::visible::visible;

/// Returns the table, with a row for each contestant.
pub fn table(race: &Race) -> Table {
    let measured = |title| number(title).of(Origin::Measured);
    let mut table = Table::new([
        words(""),
        number("variants"),
        measured("time"),
        measured("a second"),
        measured("repeated"),
        measured("to a"),
        measured("to b"),
        number("paper, to b").of(Origin::Quoted),
        // Each cell indicates whether it is measured or modelled.
        number("energy each"),
        words("verdicts").of(Origin::Measured),
    ]);
    for score in race.scores.iter() {
        let name = format!("{} {}", score.contestant.letter(), score.contestant.title());
        let paper = quoted(score.contestant).unwrap_or("–".into());
        let (Some(rate), Some(middle)) = (score.per_second(), score.middle()) else {
            table.row(&[&name, &"–", &"–", &"–", &"–", &"–", &"–", &paper, &"–", &end(score).0]);
            continue;
        };
        let all = if score.done < race.k { format!(" of {}", count(race.k)) } else { String::new() };
        let speedup = |to| race.speedup(score, to).map_or("–".into(), times);
        table.row(&[
            &name,
            &format!("{}{all}", count(score.done)),
            &seconds(middle.time),
            &grouped(rate),
            &repeated(score),
            &speedup(Contestant::External),
            &speedup(Contestant::Conventional),
            &paper,
            &score.energy_each().map_or("–".into(), energy),
            &verdicts(race, score),
        ]);
    }
    table
}

/// Returns the last column: how a contestant's verdicts compare with those of others.
pub fn verdicts(race: &Race, score: &Score) -> String {
    let agreement = race.agreement(score);
    let mut words = vec![];
    if agreement.differ > 0 {
        words.push(format!("{} DIFFER", count(agreement.differ)));
    }
    words.push(format!("{} agree", count(agreement.agree)));
    match score.unanswered() {
        0 => {}
        n => words.push(format!("{} no answer", count(n))),
    }
    match score.varies {
        0 => {}
        n => words.push(format!("{n} VARY")),
    }
    words.join(", ")
}

/// Returns the notes below the table, a sentence a line.
pub fn notes(race: &Race) -> Vec<String> {
    let mut notes = vec![];
    for score in race.scores.iter() {
        let letter = score.contestant.letter();
        let (word, why) = end(score);
        if let Some(why) = why {
            notes.push(format!("{letter}  {word}: {}", visible(why)));
            continue;
        }
        let mut note = format!("{letter}  {}", score.note);
        if score.done < race.k {
            let _ = write!(
                note,
                "; {word} after {} of {} variants; its rate covers only these",
                count(score.done),
                count(race.k)
            );
        }
        notes.push(note);
        let parts = score.middle().map_or(&[][..], |run| &run.parts);
        let parts: Vec<String> =
            parts.iter().map(|(part, time)| format!("{part} {}", seconds(*time))).collect();
        if parts.len() > 1 {
            notes.push(format!("   {}", parts.join(", ")));
        }
    }
    let measured = measured(race);
    if !measured.is_empty() {
        notes.push(String::new());
        notes.extend(measured);
    }
    notes.push(String::new());
    notes.extend(population(race));
    if race.scores.iter().any(|score| score.done > 0) {
        notes.extend(disagreements(race));
    }
    notes
}

/// Describes how the figures were measured: the repetition they are from, and the scope of the energy.
fn measured(race: &Race) -> Vec<String> {
    let mut lines = vec![];
    if race.scores.iter().any(|score| score.spread().is_some()) {
        let asked = race.repetitions;
        lines.push(format!(
            "Contestants took turns, up to {asked} times as time allowed. Each figure is from the median repetition, ± half the interquartile range of the times."
        ));
    }
    let mut groups: Vec<(String, String)> = vec![];
    for score in race.scores.iter() {
        let Some(of) = charged(score, race.cores) else { continue };
        let letter = score.contestant.letter();
        match groups.iter_mut().find(|(known, _)| *known == of) {
            Some((_, letters)) => {
                let _ = write!(letters, ", {letter}");
            }
            None => groups.push((of, letter.to_string())),
        }
    }
    if !groups.is_empty() {
        let energies = race.scores.iter().filter_map(Score::energy_each);
        let modelled = energies.map(|energy| energy.origin()).any(|origin| origin != Origin::Measured);
        let groups: Vec<String> = groups.iter().map(|(of, letters)| format!("{letters}: {of}")).collect();
        let tilde = if modelled { "; ~ is modelled" } else { "" };
        lines.push(format!("Energy each, per variant, {}{tilde}.", groups.join("; ")));
    }
    lines
}

/// Lists the variants with differing verdicts.
fn disagreements(race: &Race) -> Vec<String> {
    let different = race.disagreements();
    let mut lines = vec![match different.len() {
        0 => "All verdicts agree.".to_string(),
        1 => "The verdicts on one variant differ:".to_string(),
        n => format!("The verdicts on {n} variants differ:"),
    }];
    for one in different.iter().take(5) {
        let mut said: Vec<String> =
            one.answers.iter().map(|(who, fate)| format!("{} {}", who.letter(), fate.name())).collect();
        said.extend(one.engine.map(|fate| format!("expected {}", fate.name())));
        lines.push(format!("  variant {}: {}", one.id, said.join(", ")));
    }
    if different.len() > 5 {
        lines.push("  …; the document (--format json) has them all".to_string());
    }
    lines
}

/// Returns the whole page.
pub fn page(name: &str, race: &Race) -> String {
    let notes: String = notes(race).iter().map(|note| format!("{note}\n")).collect();
    format!("{name}: {}, seed {}\n\n{}\n{notes}", variants(race), race.seed, table(race).text(""))
}
