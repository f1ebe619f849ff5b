//! Diagnostics of the newest text, each with its help below; what does not fit goes on in the next row.

use ratatui::text::{Line, Span};

use crate::report::diagnostics::Diagnostic;
use crate::workbench::marks;
use crate::workbench::panels::{self, List, Panel};
use crate::workbench::state::{Link, State};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// Diagnostics that go on where they do not fit. Nobody reads more of them at once, and a text can have thousands.
const BROKEN: usize = 20;
/// Cells that a message goes on behind, and those in which its help is set.
const INDENT: usize = 4;

/// A diagnostic's rows: pieces of its message, then of its help.
struct Rows {
    message: Vec<String>,
    help: Vec<String>,
}

impl Rows {
    fn new(number: usize, problem: &Diagnostic, cells: usize) -> Rows {
        let cells = if number < BROKEN { cells.saturating_sub(INDENT) } else { usize::MAX };
        let message = format!("{} {}", place(problem), visible(&problem.message));
        let help = problem.help.as_ref().map(|help| format!("help: {}", visible(help)));
        let help = help.map_or(Vec::new(), |help| wrap(&help, cells));
        Rows { message: wrap(&message, cells), help }
    }

    /// How many there are.
    fn count(number: usize, problem: &Diagnostic, cells: usize) -> usize {
        if number >= BROKEN {
            return 1 + usize::from(problem.help.is_some());
        }
        let rows = Rows::new(number, problem, cells);
        rows.message.len() + rows.help.len()
    }
}

/// Where it begins, and its code.
fn place(problem: &Diagnostic) -> String {
    format!("{}:{} {}", problem.start.line, problem.start.column, problem.code.code())
}

/// Each diagnostic with its number, its first row and how many it has.
fn all(state: &State, cells: usize) -> impl Iterator<Item = (usize, &Diagnostic, usize, usize)> {
    let mut next = 0;
    state.results.problems.iter().enumerate().map(move |(number, problem)| {
        let (first, count) = (next, Rows::count(number, problem, cells));
        next += count;
        (number, problem, first, count)
    })
}

/// The diagnostic that a row belongs to, its number, and which of its rows it is.
fn at(state: &State, row: usize, cells: usize) -> Option<(usize, &Diagnostic, usize)> {
    let mut holding = all(state, cells).skip_while(|(.., first, count)| first + count <= row);
    holding.next().map(|(number, problem, first, _)| (number, problem, row - first))
}

fn cells(state: &State) -> usize {
    panels::cells(state, Panel::PROBLEMS)
}

pub struct Diagnostics;

impl List for Diagnostics {
    fn count(&self, state: &State) -> usize {
        all(state, cells(state)).map(|(.., count)| count).sum()
    }

    fn target(&self, state: &State, row: usize) -> Option<usize> {
        at(state, row, cells(state)).map(|(_, problem, _)| target_of(state, problem))
    }

    fn token(&self, state: &State, row: usize) -> Option<u32> {
        token_of(state, at(state, row, cells(state))?.1)
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let cells = cells(state);
        let Some((number, problem, row)) = at(state, row, cells) else { return Line::default() };
        let rows = Rows::new(number, problem, cells);
        let indent = Span::raw(" ".repeat(INDENT));
        let Some(text) = rows.message.get(row) else {
            let text = rows.help.get(row - rows.message.len()).cloned().unwrap_or_default();
            return Line::from(vec![indent, Span::styled(text, theme.style(Look::Comment))]);
        };
        let mark = marks::of_problem(problem.code.is_error());
        let place = place(problem);
        match text.strip_prefix(&place).filter(|_| row == 0) {
            Some(said) => Line::from(vec![
                Span::styled(format!("{} ", mark.glyph), theme.style(mark.look)),
                Span::styled(place, theme.style(mark.look)),
                Span::styled(said.to_string(), theme.style(Look::Text)),
            ]),
            None => Line::from(vec![indent, Span::styled(text.clone(), theme.style(Look::Text))]),
        }
    }

    /// The first row of a diagnostic of an element itself, or else of a part of it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let places = all(state, cells(state)).map(|(_, problem, first, _)| (first, token_of(state, problem)));
        let places: Vec<(usize, Option<u32>)> = places.collect();
        let itself = places.iter().find(|(_, token)| *token == Some(link.node));
        let part = || places.iter().find(|(_, token)| token.is_some_and(|t| link.lo <= t && t < link.hi));
        itself.or_else(part).map(|(row, _)| *row)
    }
}

/// Its byte in the text on screen.
fn target_of(state: &State, problem: &Diagnostic) -> usize {
    state.results.latest_drift.forward(problem.span.start)
}
fn token_of(state: &State, problem: &Diagnostic) -> Option<u32> {
    state.shown()?.token_at(state.results.shown_drift.back(target_of(state, problem))?)
}

/// Its title with how many there are.
pub fn tab(state: &State) -> Vec<String> {
    let count = state.results.problems.len();
    let counted = (count > 0).then(|| format!("{} {count}", Panel::PROBLEMS.title()));
    counted.into_iter().chain(Panel::PROBLEMS.titles()).collect()
}
