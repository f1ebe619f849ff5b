//! The table for people, as rows of cells; the command line prints them, the workbench draws them.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use super::super::{Contestant, Fate, Race, Score};
use super::{end, energy, grouped, quoted, seconds, times};
use crate::energy::Energy;
use crate::report::origin::Origin;

/// A column: its title, and where its numbers come from.
const COLUMNS: [(&str, Option<Origin>); 9] = [
    ("", None),
    ("variants", None),
    ("time", Some(Origin::Measured)),
    ("a second", Some(Origin::Measured)),
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
    let Some(rate) = score.per_second() else {
        let none = || "–".to_string();
        return [name, none(), none(), none(), none(), none(), paper, none(), end(score).0.to_string()];
    };
    let speedup = |to| race.speedup(score, to).map_or("–".into(), times);
    [
        name,
        if score.done < race.k { format!("{} of {}", score.done, race.k) } else { score.done.to_string() },
        seconds(score.time),
        grouped(rate),
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
        words.push(format!("{} DIFFER", agreement.differ));
    }
    words.push(format!("{} agree", agreement.agree));
    match score.count(Fate::NoAnswer) {
        0 => {}
        n => words.push(format!("{n} no answer")),
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
            notes.push(format!("{letter}  {word}: {why}"));
            continue;
        }
        let mut note = format!("{letter}  {}", score.note);
        if score.done < race.k {
            let _ = write!(note, "; {word} after {} of {} variants, its rate is of these", score.done, race.k);
        }
        notes.push(note);
        let parts: Vec<String> =
            score.parts.iter().map(|(part, time)| format!("{part} {}", seconds(*time))).collect();
        if parts.len() > 1 {
            notes.push(format!("   {}", parts.join(", ")));
        }
    }
    let energies: Vec<Energy> = race.scores.iter().filter_map(|score| score.energy).collect();
    let mut sources: Vec<String> = energies.iter().map(|energy| energy.source.to_string()).collect();
    sources.dedup();
    if !sources.is_empty() {
        let tilde = if energies.iter().all(|energy| energy.origin() == Origin::Measured) {
            ""
        } else {
            "; ~ is modelled"
        };
        notes.push(String::new());
        notes.push(format!("Energy each, a variant's: {}{tilde}.", sources.join(", ")));
    }
    if let Some(reference) = race.reference() {
        let different = race.disagreements();
        let count: Vec<String> = Fate::ALL
            .iter()
            .filter(|fate| reference.count(**fate) > 0)
            .map(|fate| format!("{} {}", reference.count(*fate), fate.name()))
            .collect();
        notes.push(format!("Verdicts of {}: {}.", reference.contestant.letter(), count.join(", ")));
        notes.push(match different.len() {
            0 => "All who judged a variant judged it alike.".to_string(),
            1 => "On one variant not all judge alike:".to_string(),
            n => format!("On {n} variants not all judge alike:"),
        });
        for (id, answers) in different.iter().take(5) {
            let said: Vec<String> =
                answers.iter().map(|(who, fate)| format!("{} {}", who.letter(), fate.name())).collect();
            notes.push(format!("  variant {id}: {}", said.join(", ")));
        }
        if different.len() > 5 {
            notes.push("  …; the document (--format json) has them all".to_string());
        }
    }
    notes
}

/// The whole page.
pub fn page(name: &str, race: &Race) -> String {
    let mut page = format!("{name}: {} variants, seed {}\n\n", race.k, race.seed);
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
