//! Diagnostics of the newest text, one row each, with the help below.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::state::State;
use super::super::text::visible;
use crate::report::diagnostics::Diagnostic;

/// The diagnostic that a row belongs to, and whether the row is its help.
fn at(state: &State, row: usize) -> Option<(&Diagnostic, bool)> {
    let mut here = 0;
    for problem in &state.results.problems {
        let rows = 1 + usize::from(problem.help.is_some());
        if row < here + rows {
            return Some((problem, row > here));
        }
        here += rows;
    }
    None
}

pub fn count(state: &State) -> usize {
    state.results.problems.iter().map(|p| 1 + usize::from(p.help.is_some())).sum()
}

/// Its byte in the text on screen.
pub fn target(state: &State, row: usize) -> Option<usize> {
    at(state, row).map(|(problem, _)| state.results.latest_drift.forward(problem.span.start))
}

pub fn token(state: &State, row: usize) -> Option<u32> {
    state.shown()?.token_at(state.results.shown_drift.back(target(state, row)?)?)
}

pub fn line(state: &State, row: usize, theme: &Theme) -> Line<'static> {
    let Some((problem, help)) = at(state, row) else { return Line::default() };
    if help {
        let text = visible(problem.help.as_deref().unwrap_or(""));
        return Line::from(Span::styled(format!("    help: {text}"), theme.style(Look::Comment)));
    }
    let (glyph, look) = if problem.code.is_error() { ("✗", Look::Bad) } else { ("⚠", Look::Warning) };
    Line::from(vec![
        Span::styled(format!("{glyph} "), theme.style(look)),
        Span::styled(format!("{}:{} ", problem.start.line, problem.start.column), theme.style(Look::Dim)),
        Span::styled(format!("{} ", problem.code.code()), theme.style(look)),
        Span::styled(visible(&problem.message), theme.style(Look::Text)),
    ])
}
