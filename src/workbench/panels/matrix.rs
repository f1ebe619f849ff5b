//! The Matrix panel: which test notices which mutant. First come the tests, each with its contribution, then
//! the mutants that represent all others, each with one mark per test.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, TokenId};
use crate::session::{Filled, KillMatrix};
use crate::testing::mutation::{Entries, Minimal, OracleRole};
use crate::workbench::marks::{self, Mark};
use crate::workbench::panels::page::NEEDS_NO_ERRORS;
use crate::workbench::panels::{List, Panel, cells, mutants};
use crate::workbench::results::{Results, Shown};
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The row width below which sentences are abbreviated, in cells.
const NARROW: usize = 44;
/// A mutant's marks take at most `1 / MARKS` of a row.
const MARKS: usize = 3;

#[derive(Clone, Copy)]
enum MatrixRow<'a> {
    /// The number of tests that suffice.
    Least,
    /// The headings of the numbers, where there is no room for words.
    Heads,
    /// The oracle with this index in the matrix.
    Oracle(usize),
    /// The number of mutants that represent all.
    Minimal,
    Mutant(&'a Minimal),
}

fn kill_matrix(results: &Results) -> Option<&KillMatrix> {
    match results.findings.current::<Filled>()? {
        Filled::All(noticed) => Some(noticed),
        Filled::Part(..) => None,
    }
}

fn row(noticed: &KillMatrix, row: usize, narrow: bool) -> Option<MatrixRow<'_>> {
    let (oracles, heads) = (noticed.oracles.len(), 1 + usize::from(narrow));
    match row.checked_sub(heads) {
        None if row == 0 => Some(MatrixRow::Least),
        None => Some(MatrixRow::Heads),
        Some(row) if row < oracles => Some(MatrixRow::Oracle(row)),
        Some(row) if row == oracles => Some(MatrixRow::Minimal),
        Some(row) => noticed.minimal.get(row - oracles - 1).map(MatrixRow::Mutant),
    }
}

/// Returns whether the panel is too narrow for sentences.
fn narrow(state: &State) -> bool {
    cells(state, Panel::MATRIX) < NARROW
}

pub struct MatrixListed;

impl List for MatrixListed {
    fn count(&self, state: &State) -> usize {
        if state.predict.is_some() {
            return 0;
        }
        let heads = 2 + usize::from(narrow(state));
        let rows = |noticed: &KillMatrix| heads + noticed.oracles.len() + noticed.minimal.len();
        kill_matrix(&state.results).filter(|noticed| !noticed.matrix.rows.is_empty()).map_or(0, rows)
    }

    fn token(&self, state: &State, at: usize) -> Option<TokenId> {
        let (shown, noticed) = (state.results.judged.as_ref()?, kill_matrix(&state.results)?);
        match row(noticed, at, narrow(state))? {
            MatrixRow::Oracle(place) => {
                let entry = noticed.matrix.oracles.get(place)?;
                Some(shown.compiled.entry(*entry)?.head())
            }
            MatrixRow::Mutant(minimal) => Some(shown.mutant(minimal.id)?.edits.first()?.token),
            MatrixRow::Least | MatrixRow::Heads | MatrixRow::Minimal => None,
        }
    }

    fn explains(&self, state: &State, at: usize) -> Vec<String> {
        let mutant = || match row(kill_matrix(&state.results)?, at, narrow(state))? {
            MatrixRow::Mutant(minimal) => state.results.judged.as_ref()?.mutant(minimal.id),
            _ => None,
        };
        mutant().map_or(Vec::new(), |mutant| mutant.operator.split('+').map(String::from).collect())
    }

    fn explains_node(&self) -> bool {
        false
    }

    fn line(&self, state: &State, at: usize, width: usize, theme: &Theme) -> Line<'static> {
        let line = || {
            let (shown, noticed) = (state.results.judged.as_ref()?, kill_matrix(&state.results)?);
            Some(match row(noticed, at, narrow(state))? {
                MatrixRow::Least => Line::styled(longest(least(noticed), width), theme.style(Look::Text)),
                MatrixRow::Heads => heads(width, theme),
                MatrixRow::Oracle(place) => oracle(shown, noticed, place, width, theme)?,
                MatrixRow::Minimal => Line::styled(longest(minimal(noticed), width), theme.style(Look::Text)),
                MatrixRow::Mutant(minimal) => mutant(shown, noticed, minimal, width, theme)?,
            })
        };
        line().unwrap_or_default()
    }
}

/// Returns the first text that fits, or else the last; `texts` are sorted from the longest.
fn longest<const N: usize>(texts: [String; N], width: usize) -> String {
    let last = texts.last().cloned().unwrap_or_default();
    texts.into_iter().find(|text| text.width() <= width).unwrap_or(last)
}

/// Describes how many tests suffice.
fn least(noticed: &KillMatrix) -> [String; 2] {
    let (few, all) = (noticed.least.entries.len(), noticed.oracles.len());
    let tests = plural(all as u64, "test");
    let fewest = if noticed.least.proved { "" } else { ", fewer may suffice" };
    match few {
        few if few == all => {
            [format!("{tests}: all are needed to notice as much"), format!("{tests}, all needed")]
        }
        few => [
            format!("{few} of {tests} notice as much as all{fewest}"),
            format!("{few} of {tests} suffice{fewest}"),
        ],
    }
}

/// Widths of columns: the number of mutants that a test notices, and of those that no other test notices.
const NOTICES: usize = 7;
const ALONE: usize = 7;

fn heads(width: usize, theme: &Theme) -> Line<'static> {
    let room = width.saturating_sub(NOTICES + ALONE);
    let text = format!("{:<room$}{:>NOTICES$}{:>ALONE$}", "  test", "notices", "alone");
    Line::styled(text, theme.style(Look::Heading))
}

/// Returns a test's row with its contribution.
fn oracle(
    shown: &Shown,
    noticed: &KillMatrix,
    place: usize,
    width: usize,
    theme: &Theme,
) -> Option<Line<'static>> {
    let (count, standing) = *noticed.oracles.get(place)?;
    let entry = *noticed.matrix.oracles.get(place)?;
    let mark: &Mark = match standing {
        OracleRole::Idle => &marks::IDLE,
        _ if noticed.least.entries.contains(&entry) => &marks::LEAST,
        _ => &marks::DISPENSABLE,
    };
    let says = match width < NARROW {
        true => format!("{:>5}{:>ALONE$}", grouped(count.into()), grouped(standing.alone().into())),
        false => standing.text(count),
    };
    let room = width.saturating_sub(4 + says.chars().count());
    let label = fit(&visible(shown.label(entry)), room);
    Some(Line::from(vec![
        Span::styled(format!("{} ", mark.glyph), theme.style(mark.look)),
        Span::styled(format!("{label:<room$}  "), theme.style(Look::Text)),
        Span::styled(says, theme.style(if standing == OracleRole::Idle { mark.look } else { Look::Dim })),
    ]))
}

/// Describes how many mutants represent all.
fn minimal(noticed: &KillMatrix) -> [String; 3] {
    let (few, all) = (noticed.minimal.len() as u64, noticed.matrix.rows.len() as u64);
    let verb = if few == 1 { "represents" } else { "represent" };
    let stand = format!("{} {verb}", plural(few, "change"));
    let all = grouped(all);
    [
        format!("{stand} {all} that are noticed; a column for each test"),
        format!("{stand} {all}; a column for each test"),
        format!("{stand} all {all}"),
    ]
}

/// Returns the row of a representative mutant: the tests that notice it, its edits, and the number of mutants
/// that it represents.
fn mutant(
    shown: &Shown,
    noticed: &KillMatrix,
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

/// Returns one mark per test, as many as fit.
fn columns(noticed: &Entries, oracles: &[EntryId], room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let shown = if oracles.len() > room { room.saturating_sub(1) } else { oracles.len() };
    let mark = |entry: &EntryId| {
        let mark = if noticed.contains(*entry) { &marks::LEAST } else { &marks::NOT_NOTICED };
        Span::styled(mark.glyph, theme.style(mark.look))
    };
    let mut spans: Vec<Span> = oracles.iter().take(shown).map(mark).collect();
    let rest = if shown < oracles.len() { "…  " } else { "  " };
    spans.push(Span::styled(rest, theme.style(Look::Dim)));
    spans
}

/// Returns the number of tests that suffice.
pub fn figures(results: &Results) -> Vec<String> {
    let told = kill_matrix(results).filter(|noticed| !noticed.matrix.rows.is_empty()).map(|noticed| {
        let tests = plural(noticed.oracles.len() as u64, "test");
        format!("{} of {tests}", noticed.least.entries.len())
    });
    told.into_iter().collect()
}

/// Returns why the list is empty.
pub fn empty(state: &State) -> &'static str {
    match state.results.findings.current::<Filled>() {
        _ if state.predict.is_some() => "hidden while you predict: it shows verdicts",
        _ if !state.results.judged.as_ref().is_some_and(|shown| shown.has_passing()) => mutants::empty(state),
        _ if state.results.judged.as_ref().is_some_and(|judged| judged.has_errors()) => NEEDS_NO_ERRORS,
        None | Some(Filled::Part(..)) => "running every test on every mutant",
        Some(Filled::All(_)) => "no test notices any mutant",
    }
}
