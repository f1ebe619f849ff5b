//! The result table as rows of cells, printed by the command line and drawn by the workbench.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::super::{Contestant, Race, Score};
use super::{charged, count, end, energy, grouped, population, quoted, repeated, seconds, times, variants};
use crate::host::measure::origin::Origin;
use crate::report::visible::visible;

/// A column's title, and the origin of its numbers.
const COLUMNS: [(&str, Option<Origin>); 10] = [
    ("", None),
    ("variants", None),
    ("time", Some(Origin::Measured)),
    ("a second", Some(Origin::Measured)),
    ("repeated", Some(Origin::Measured)),
    ("to a", Some(Origin::Measured)),
    ("to b", Some(Origin::Measured)),
    ("paper, to b", Some(Origin::Quoted)),
    // Each cell indicates whether it is measured or modelled.
    ("energy each", None),
    ("verdicts", Some(Origin::Measured)),
];

/// A row of the table.
pub type Row = [String; COLUMNS.len()];

/// Returns whether a column contains numbers. The first and last contain words.
const fn is_number(column: usize) -> bool {
    column > 0 && column + 1 < COLUMNS.len()
}

/// Returns the header, the origins, and a row for each contestant.
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

/// Formats some columns of rows as aligned lines: words on the left, numbers on the right.
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

/// Returns the width of a column in terminal cells.
pub fn widest(rows: &[Row], column: usize) -> usize {
    rows.iter().map(|row| row[column].width()).max().unwrap_or(0)
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
