//! Matrix: which test notices which mutant. First the tests, each with what it is for; then the mutants that stand for all others,
//! each with a column of marks, one a test.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::{grouped, plural};
use crate::session::{Filled, Noticed};
use crate::testing::mutation::{Entries, Minimal, Standing};
use crate::workbench::marks::{self, Mark};
use crate::workbench::panels::{List, Panel, cells, mutants};
use crate::workbench::results::Shown;
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// Cells below which a row has no room for whole sentences.
const NARROW: usize = 44;
/// Columns of a mutant's marks at most, as a part of a row's cells.
const MARKS: usize = 3;

/// A row of the panel.
#[derive(Clone, Copy)]
enum Row<'a> {
    /// How many tests would do.
    Least,
    /// What the numbers behind the tests are, where there is no room for words.
    Heads,
    /// The oracle at this place of the matrix.
    Oracle(usize),
    /// How many mutants stand for all.
    Minimal,
    Mutant(&'a Minimal),
}

fn noticed(state: &State) -> Option<&Noticed> {
    match state.results.findings.current::<Filled>()? {
        Filled::All(noticed) => Some(noticed),
        Filled::Part(..) => None,
    }
}

fn row(noticed: &Noticed, row: usize, narrow: bool) -> Option<Row<'_>> {
    let (oracles, heads) = (noticed.oracles.len(), 1 + usize::from(narrow));
    match row.checked_sub(heads) {
        None if row == 0 => Some(Row::Least),
        None => Some(Row::Heads),
        Some(row) if row < oracles => Some(Row::Oracle(row)),
        Some(row) if row == oracles => Some(Row::Minimal),
        Some(row) => noticed.minimal.get(row - oracles - 1).map(Row::Mutant),
    }
}

/// Whether the panel has no room for whole sentences.
fn narrow(state: &State) -> bool {
    cells(state, Panel::MATRIX) < NARROW
}

pub struct Listed;

impl List for Listed {
    fn count(&self, state: &State) -> usize {
        if state.predict.is_some() {
            return 0;
        }
        let heads = 2 + usize::from(narrow(state));
        let rows = |noticed: &Noticed| heads + noticed.oracles.len() + noticed.minimal.len();
        noticed(state).filter(|noticed| !noticed.matrix.rows.is_empty()).map_or(0, rows)
    }

    fn token(&self, state: &State, at: usize) -> Option<u32> {
        let (shown, noticed) = (state.shown()?, noticed(state)?);
        match row(noticed, at, narrow(state))? {
            Row::Oracle(place) => {
                let entry = noticed.matrix.oracles.get(place)?;
                Some(shown.compiled.entry(*entry)?.head())
            }
            Row::Mutant(minimal) => Some(shown.mutant(minimal.id)?.edits.first()?.token),
            Row::Least | Row::Heads | Row::Minimal => None,
        }
    }

    fn line(&self, state: &State, at: usize, width: usize, theme: &Theme) -> Line<'static> {
        let line = || {
            let (shown, noticed) = (state.shown()?, noticed(state)?);
            Some(match row(noticed, at, narrow(state))? {
                Row::Least => Line::styled(longest(least(noticed), width), theme.style(Look::Text)),
                Row::Heads => heads(width, theme),
                Row::Oracle(place) => oracle(shown, noticed, place, width, theme)?,
                Row::Minimal => Line::styled(longest(minimal(noticed), width), theme.style(Look::Text)),
                Row::Mutant(minimal) => mutant(shown, noticed, minimal, width, theme)?,
            })
        };
        line().unwrap_or_default()
    }
}

/// The longest of some texts that fits, the longest of all first; the last one where none does.
fn longest<const N: usize>(texts: [String; N], width: usize) -> String {
    let last = texts.last().cloned().unwrap_or_default();
    texts.into_iter().find(|text| text.width() <= width).unwrap_or(last)
}

/// How many tests would do.
fn least(noticed: &Noticed) -> [String; 2] {
    let (few, all) = (noticed.least.entries.len(), noticed.oracles.len());
    let tests = plural(all as u64, "test");
    let fewest = if noticed.least.proved { "" } else { ", perhaps fewer do" };
    match few {
        few if few == all => {
            [format!("{tests}: to notice as much none can be spared"), format!("{tests}, all needed")]
        }
        few => [
            format!("{few} of {tests} notice as much as all{fewest}"),
            format!("{few} of {tests} would do{fewest}"),
        ],
    }
}

/// Cells of a number of mutants, and of those that nobody else notices.
const NOTICES: usize = 7;
const ALONE: usize = 7;

/// What stands above the numbers.
fn heads(width: usize, theme: &Theme) -> Line<'static> {
    let room = width.saturating_sub(NOTICES + ALONE);
    let text = format!("{:<room$}{:>NOTICES$}{:>ALONE$}", "  test", "notices", "alone");
    Line::styled(text, theme.style(Look::Heading))
}

/// A test, and what it is for.
fn oracle(
    shown: &Shown,
    noticed: &Noticed,
    place: usize,
    width: usize,
    theme: &Theme,
) -> Option<Line<'static>> {
    let (count, standing) = *noticed.oracles.get(place)?;
    let entry = *noticed.matrix.oracles.get(place)?;
    let mark: &Mark = match standing {
        Standing::Idle => &marks::IDLE,
        _ if noticed.least.entries.contains(&entry) => &marks::LEAST,
        _ => &marks::DISPENSABLE,
    };
    let says = match standing {
        _ if width < NARROW => {
            let alone = if let Standing::Needed(alone) = standing { alone } else { 0 };
            format!("{:>5}{:>ALONE$}", grouped(count.into()), grouped(alone.into()))
        }
        Standing::Idle => "notices nothing".to_string(),
        Standing::Redundant => format!("notices {}, as others do", grouped(count.into())),
        Standing::Needed(alone) => {
            format!("notices {}, {} alone", grouped(count.into()), grouped(alone.into()))
        }
    };
    let room = width.saturating_sub(4 + says.chars().count());
    let label = fit(&visible(shown.labels.get(entry as usize).map_or("", String::as_str)), room);
    Some(Line::from(vec![
        Span::styled(format!("{} ", mark.glyph), theme.style(mark.look)),
        Span::styled(format!("{label:<room$}  "), theme.style(Look::Text)),
        Span::styled(says, theme.style(if standing == Standing::Idle { mark.look } else { Look::Dim })),
    ]))
}

/// How many mutants stand for all.
fn minimal(noticed: &Noticed) -> [String; 3] {
    let (few, all) = (noticed.minimal.len() as u64, noticed.matrix.rows.len() as u64);
    let verb = if few == 1 { "stands" } else { "stand" };
    let stand = format!("{} {verb} for", plural(few, "change"));
    let all = grouped(all);
    [
        format!("{stand} {all} that are noticed; a column for each test"),
        format!("{stand} {all}; a column for each test"),
        format!("{stand} all {all}"),
    ]
}

/// A mutant that stands for others: which tests notice it, what it changes, how many follow.
fn mutant(
    shown: &Shown,
    noticed: &Noticed,
    minimal: &Minimal,
    width: usize,
    theme: &Theme,
) -> Option<Line<'static>> {
    let mutant = shown.mutant(minimal.id)?;
    let mut spans = columns(&minimal.noticed_by, &noticed.matrix.oracles, width / MARKS, theme);
    let taken: usize = spans.iter().map(Span::width).sum();
    spans.extend(mutants::edits(shown, &mutant, width.saturating_sub(taken), theme));
    if minimal.follow > 0 {
        let others = format!("  and {} with it", plural(minimal.follow.into(), "other"));
        spans.push(Span::styled(others, theme.style(Look::Dim)));
    }
    spans.push(Span::styled(format!("  #{}", minimal.id), theme.style(Look::Comment)));
    Some(Line::from(spans))
}

/// A mark a test, as many as there is room for.
fn columns(noticed: &Entries, oracles: &[u32], room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let shown = if oracles.len() > room { room.saturating_sub(1) } else { oracles.len() };
    let mark = |entry: &u32| {
        let mark = if noticed.contains(*entry) { &marks::LEAST } else { &marks::NOTICES_NOT };
        Span::styled(mark.glyph, theme.style(mark.look))
    };
    let mut spans: Vec<Span> = oracles.iter().take(shown).map(mark).collect();
    let rest = if shown < oracles.len() { "…  " } else { "  " };
    spans.push(Span::styled(rest, theme.style(Look::Dim)));
    spans
}

/// Its title with how many tests would do.
pub fn tab(state: &State) -> Vec<String> {
    let panel = Panel::MATRIX;
    let told = noticed(state).filter(|noticed| !noticed.matrix.rows.is_empty()).map(|noticed| {
        let tests = plural(noticed.oracles.len() as u64, "test");
        format!("{} {} of {tests}", panel.title(), noticed.least.entries.len())
    });
    told.into_iter().chain(panel.titles()).collect()
}

/// Why nothing is listed.
pub fn empty(state: &State) -> &'static str {
    match state.results.findings.current::<Filled>() {
        _ if state.predict.is_some() => "hidden while you predict: it has the verdicts",
        _ if !state.shown().is_some_and(|shown| shown.has_passing()) => mutants::empty(state),
        None | Some(Filled::Part(..)) => "every mutant is run by every test",
        Some(Filled::All(_)) => "no test notices any mutant",
    }
}
