//! The Diagnostics panel: the newest text's diagnostics, each followed by its help and, on request, by the
//! page of `myriad explain`. Long messages wrap into further rows.

use ratatui::text::{Line, Span};

use crate::lang::diagnostic::Code;
use crate::lang::index::TokenId;
use crate::report::diagnostics::Diagnostic;
use crate::report::explain;
use crate::workbench::marks;
use crate::workbench::panels::{self, List, Panel, explained};
use crate::workbench::results::Results;
use crate::workbench::state::Screen;
use crate::workbench::state::{Link, State};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The number of diagnostics that wrap; a text may have thousands.
const BROKEN: usize = 20;
/// The indent of wrapped lines and of help, in cells.
const INDENT: usize = 4;

/// The hint at the first diagnostic about the key that explains.
const EXPLAIN: &str = "e explains it";

/// The rows of a diagnostic: lines of its message, its help and its page.
struct DiagnosticRows {
    message: Vec<String>,
    help: Vec<String>,
    page: Vec<String>,
}

impl DiagnosticRows {
    fn new(number: usize, problem: &Diagnostic, cells: usize, explained: bool) -> DiagnosticRows {
        let cells = if number < BROKEN || explained { cells.saturating_sub(INDENT) } else { usize::MAX };
        let message = format!("{} {}", place(problem), visible(&problem.message));
        let help = problem.help.as_ref().map(|help| format!("help: {}", visible(help)));
        let help = help.map_or(Vec::new(), |help| wrap(&help, cells));
        let page = if explained { page(problem.code, cells) } else { Vec::new() };
        let hint = (number == 0 && !explained).then(|| EXPLAIN.to_string());
        DiagnosticRows { message: wrap(&message, cells), help, page: hint.into_iter().chain(page).collect() }
    }

    /// Returns the number of rows.
    fn count(number: usize, problem: &Diagnostic, cells: usize, explained: bool) -> usize {
        if number >= BROKEN && !explained {
            return 1 + usize::from(problem.help.is_some());
        }
        let rows = DiagnosticRows::new(number, problem, cells, explained);
        rows.message.len() + rows.help.len() + rows.page.len()
    }
}

/// Returns the page about a code, without its heading; lines of examples are kept as they are.
fn page(code: Code, cells: usize) -> Vec<String> {
    let text = explain::text(code);
    explained::wrapped(text.split_once('\n').map_or("", |(_, page)| page), cells)
}

/// Returns whether the page is shown below a diagnostic: the first with the explained code.
fn is_explained(results: &Results, screen: &Screen, number: usize) -> bool {
    let problems = &results.problems;
    let Some(code) = screen.explained else { return false };
    problems.iter().position(|problem| problem.code == code) == Some(number)
}

/// Returns the number and the code of the chosen diagnostic. If several have the same code, the number is the
/// first one's.
pub fn chosen(state: &State) -> Option<(usize, Code)> {
    let (number, problem, _) =
        at(&state.results, &state.screen, state.list(Panel::DIAGNOSTICS).selected, cells(state))?;
    let first = state.results.problems.iter().position(|other| other.code == problem.code);
    Some((first.unwrap_or(number), problem.code))
}

pub fn first_row(state: &State, number: usize) -> usize {
    all(&state.results, &state.screen, cells(state)).nth(number).map_or(0, |(_, _, first, _)| first)
}

/// Returns a diagnostic's place and code.
fn place(problem: &Diagnostic) -> String {
    format!("{}:{} {}", problem.start.line, problem.start.column, problem.code.code())
}

/// Returns each diagnostic with its number, first row and row count.
fn all<'a>(
    results: &'a Results,
    screen: &'a Screen,
    cells: usize,
) -> impl Iterator<Item = (usize, &'a Diagnostic, usize, usize)> {
    let mut next = 0;
    results.problems.iter().enumerate().map(move |(number, problem)| {
        let (first, count) =
            (next, DiagnosticRows::count(number, problem, cells, is_explained(results, screen, number)));
        next += count;
        (number, problem, first, count)
    })
}

/// Returns the diagnostic that a row belongs to, its number, and the row's index within it.
fn at<'a>(
    results: &'a Results,
    screen: &'a Screen,
    row: usize,
    cells: usize,
) -> Option<(usize, &'a Diagnostic, usize)> {
    let mut holding = all(results, screen, cells).skip_while(|(.., first, count)| first + count <= row);
    holding.next().map(|(number, problem, first, _)| (number, problem, row - first))
}

fn cells(state: &State) -> usize {
    panels::cells(state, Panel::DIAGNOSTICS)
}

pub struct Diagnostics;

impl List for Diagnostics {
    fn count(&self, state: &State) -> usize {
        all(&state.results, &state.screen, cells(state)).map(|(.., count)| count).sum()
    }

    fn target(&self, state: &State, row: usize) -> Option<usize> {
        at(&state.results, &state.screen, row, cells(state))
            .map(|(_, problem, _)| target_of(&state.results, problem))
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        token_of(&state.results, at(&state.results, &state.screen, row, cells(state))?.1)
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let cells = cells(state);
        let Some((number, problem, row)) = at(&state.results, &state.screen, row, cells) else {
            return Line::default();
        };
        let rows =
            DiagnosticRows::new(number, problem, cells, is_explained(&state.results, &state.screen, number));
        let indent = Span::raw(" ".repeat(INDENT));
        let Some(text) = rows.message.get(row) else {
            let row = row - rows.message.len();
            let (text, look) = match rows.help.get(row) {
                Some(text) => (text.clone(), Look::Comment),
                None => (rows.page.get(row - rows.help.len()).cloned().unwrap_or_default(), Look::Dim),
            };
            return Line::from(vec![indent, Span::styled(text, theme.style(look))]);
        };
        let mark = state.results.mark_of(number);
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

    /// Returns the first row of a diagnostic about the element, or else about a part of it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let places = all(&state.results, &state.screen, cells(state))
            .map(|(_, problem, first, _)| (first, token_of(&state.results, problem)));
        let places: Vec<(usize, Option<TokenId>)> = places.collect();
        let itself = places.iter().find(|(_, token)| *token == Some(link.node));
        let part = || places.iter().find(|(_, token)| token.is_some_and(|t| link.tokens.contains(t)));
        itself.or_else(part).map(|(row, _)| *row)
    }
}

/// Returns the byte of the text on screen to which a diagnostic's row leads.
fn target_of(results: &Results, problem: &Diagnostic) -> usize {
    results.place_of(problem)
}
fn token_of(results: &Results, problem: &Diagnostic) -> Option<TokenId> {
    let start = results.latest_drift.forward(problem.span.start);
    results.shown()?.token_at(results.shown_drift.back(start)?)
}

/// Returns the number of errors and warnings.
pub fn figures(results: &Results) -> Vec<String> {
    let count = results.problems.len() - results.marked(&marks::UNFINISHED);
    (count > 0).then(|| count.to_string()).into_iter().collect()
}
