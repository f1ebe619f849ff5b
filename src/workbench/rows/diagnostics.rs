//! Diagnostics of the newest text, each with its help below; what does not fit goes on in the next row.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::draw::wrap;
use super::super::panels::Panel;
use super::super::state::{Link, State};
use super::super::text::visible;
use crate::report::diagnostics::Diagnostic;

/// Diagnostics that are broken where they do not fit. Nobody reads more of them at once, and more would take time.
const BROKEN: usize = 100;
/// Cells that a message goes on behind, and those in which its help is set.
const INDENT: usize = 4;

/// A diagnostic's rows: pieces of its message, then of its help.
struct Rows<'a> {
    problem: &'a Diagnostic,
    message: Vec<String>,
    help: Vec<String>,
}

impl<'a> Rows<'a> {
    fn new(number: usize, problem: &'a Diagnostic, cells: usize) -> Rows<'a> {
        let cells = if number < BROKEN { cells.saturating_sub(INDENT) } else { usize::MAX };
        let message = format!("{} {}", place(problem), visible(&problem.message));
        let help = problem.help.as_ref().map(|help| format!("help: {}", visible(help)));
        let help = help.map_or(Vec::new(), |help| wrap(&help, cells));
        Rows { problem, message: wrap(&message, cells), help }
    }

    fn len(&self) -> usize {
        self.message.len() + self.help.len()
    }
}

/// Where it begins, and its code.
fn place(problem: &Diagnostic) -> String {
    format!("{}:{} {}", problem.start.line, problem.start.column, problem.code.code())
}

fn all(state: &State) -> impl Iterator<Item = Rows<'_>> {
    let cells = super::cells(state, Panel::Problems);
    state.results.problems.iter().enumerate().map(move |(number, problem)| Rows::new(number, problem, cells))
}

/// The diagnostic that a row belongs to, and which of its rows it is.
fn at(state: &State, row: usize) -> Option<(Rows<'_>, usize)> {
    let mut first = 0;
    all(state).find_map(|rows| {
        let here = row.checked_sub(first).filter(|row| *row < rows.len());
        first += rows.len();
        here.map(|row| (rows, row))
    })
}

pub fn count(state: &State) -> usize {
    all(state).map(|rows| rows.len()).sum()
}

/// The first row of a diagnostic of an element itself, or else of a part of it.
pub fn row_of(state: &State, link: Link) -> Option<usize> {
    let mut first = 0;
    let places = all(state).map(|rows| {
        let here = first;
        first += rows.len();
        (here, token_of(state, rows.problem))
    });
    let places: Vec<(usize, Option<u32>)> = places.collect();
    let itself = places.iter().find(|(_, token)| *token == Some(link.node));
    let part = || places.iter().find(|(_, token)| token.is_some_and(|t| link.lo <= t && t < link.hi));
    itself.or_else(part).map(|(row, _)| *row)
}

/// Its byte in the text on screen.
fn target_of(state: &State, problem: &Diagnostic) -> usize {
    state.results.latest_drift.forward(problem.span.start)
}
fn token_of(state: &State, problem: &Diagnostic) -> Option<u32> {
    state.shown()?.token_at(state.results.shown_drift.back(target_of(state, problem))?)
}

pub fn target(state: &State, row: usize) -> Option<usize> {
    at(state, row).map(|(rows, _)| target_of(state, rows.problem))
}

pub fn token(state: &State, row: usize) -> Option<u32> {
    token_of(state, at(state, row)?.0.problem)
}

pub fn line(state: &State, row: usize, theme: &Theme) -> Line<'static> {
    let Some((rows, row)) = at(state, row) else { return Line::default() };
    let indent = Span::raw(" ".repeat(INDENT));
    let Some(text) = rows.message.get(row) else {
        let text = rows.help.get(row - rows.message.len()).cloned().unwrap_or_default();
        return Line::from(vec![indent, Span::styled(text, theme.style(Look::Comment))]);
    };
    let problem = rows.problem;
    let (glyph, look) = if problem.code.is_error() { ("✗", Look::Bad) } else { ("⚠", Look::Warning) };
    let place = place(problem);
    match text.strip_prefix(&place).filter(|_| row == 0) {
        Some(said) => Line::from(vec![
            Span::styled(format!("{glyph} "), theme.style(look)),
            Span::styled(place, theme.style(look)),
            Span::styled(said.to_string(), theme.style(Look::Text)),
        ]),
        None => Line::from(vec![indent, Span::styled(text.clone(), theme.style(Look::Text))]),
    }
}
