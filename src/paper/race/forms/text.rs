//! The table for people, as rows of cells; the command line prints them, the workbench draws them.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::super::{Contestant, Race, Score};
use super::{charged, count, end, energy, grouped, population, quoted, repeated, seconds, times, variants};
use crate::host::measure::origin::Origin;
use crate::report::visible::visible;

/// A column: its title, and where its numbers come from.
const COLUMNS: [(&str, Option<Origin>); 10] = [
    ("", None),
    ("variants", None),
    ("time", Some(Origin::Measured)),
    ("a second", Some(Origin::Measured)),
    ("repeated", Some(Origin::Measured)),
    ("to a", Some(Origin::Measured)),
    ("to b", Some(Origin::Measured)),
    ("paper, to b", Some(Origin::Quoted)),
    // Measured or modelled: each cell says it.
    ("energy each", None),
    ("verdicts", Some(Origin::Measured)),
];

/// A row of the table.
pub type Row = [String; COLUMNS.len()];

/// The first column and the last are words, all others numbers.
const fn is_number(column: usize) -> bool {
    column > 0 && column + 1 < COLUMNS.len()
}

/// Heads, their origins, and a row for each contestant.
pub fn table(race: &Race) -> Vec<Row> {
    let mut rows = vec![
        COLUMNS.map(|(title, _)| title.to_string()),
        COLUMNS.map(|(_, origin)| origin.map_or(String::new(), |origin| origin.ident().to_string())),
    ];
    rows.extend(race.scores.iter().map(|score| row(race, score)));
    rows
}

fn row(race: &Race, score: &Score) -> Row {
    let name = format!("{} {}", score.contestant.letter(), score.contestant.title());
    let paper = quoted(score.contestant).unwrap_or("–".into());
    let (Some(rate), Some(middle)) = (score.per_second(), score.middle()) else {
        let none = || "–".to_string();
        return [name, none(), none(), none(), none(), none(), none(), paper, none(), end(score).0.to_string()];
    };
    let speedup = |to| race.speedup(score, to).map_or("–".into(), times);
    [
        name,
        if score.done < race.k {
            format!("{} of {}", count(score.done), count(race.k))
        } else {
            count(score.done)
        },
        seconds(middle.time),
        grouped(rate),
        repeated(score),
        speedup(Contestant::External),
        speedup(Contestant::Conventional),
        paper,
        score.energy_each().map_or("–".into(), energy),
        verdicts(race, score),
    ]
}

/// What stands in the last column: whether a contestant judges as the others do.
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

/// Rows as lines, these columns of them, aligned: words at the left, numbers at the right.
pub fn lines(rows: &[Row], columns: &[usize]) -> Vec<String> {
    let line = |row: &Row| {
        let mut line = String::new();
        for &column in columns {
            let cell = &row[column];
            let gap = " ".repeat(widest(rows, column) - cell.width());
            let _ = match is_number(column) {
                true => write!(line, "{gap}{cell}  "),
                false => write!(line, "{cell}{gap}  "),
            };
        }
        line.trim_end().to_string()
    };
    rows.iter().map(line).collect()
}

/// Cells that a column takes.
pub fn widest(rows: &[Row], column: usize) -> usize {
    rows.iter().map(|row| row[column].width()).max().unwrap_or(0)
}

/// What is to be said below the table, a sentence a line.
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
                "; {word} after {} of {} variants, its rate is of these",
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

/// How the figures were come by: of which repetition they are, and what energy is of.
fn measured(race: &Race) -> Vec<String> {
    let mut lines = vec![];
    if race.scores.iter().any(|score| score.spread().is_some()) {
        let asked = race.repetitions;
        lines.push(format!(
            "All in turn, {asked} times or as often as there was time: each figure is of the repetition in the middle, ± half the distance between the quartiles of their times."
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
        lines.push(format!("Energy each, a variant's, {}{tilde}.", groups.join("; ")));
    }
    lines
}

/// Whether all judge alike.
fn disagreements(race: &Race) -> Vec<String> {
    let different = race.disagreements();
    let mut lines = vec![match different.len() {
        0 => "All who judged a variant judged it alike.".to_string(),
        1 => "On one variant not all judge alike:".to_string(),
        n => format!("On {n} variants not all judge alike:"),
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

/// The whole page.
pub fn page(name: &str, race: &Race) -> String {
    let mut page = format!("{name}: {}, seed {}\n\n", variants(race), race.seed);
    let all: Vec<usize> = (0..COLUMNS.len()).collect();
    for line in lines(&table(race), &all) {
        let _ = writeln!(page, "{line}");
    }
    page.push('\n');
    for note in notes(race) {
        let _ = writeln!(page, "{note}");
    }
    page
}
