//! The rows of the panels that are lists, one file a panel: how many there are, which token of the shown program
//! each stands for, and how it reads. Nothing here depends on how many rows there are but for those on screen.

mod ast;
mod code;
mod diagnostics;
mod energy;
mod latency;
pub mod model;
mod mutants;
mod neural;
mod noise;
mod page;
mod router;
mod tests;
mod tokens;

use ratatui::text::Line;

use super::draw::theme::Theme;
use super::panels::Panel;
use super::state::{Link, State};
pub use code::ir_title;

/// Columns of a panel that are not for its text: the mark of the selected row, and the scrollbar.
const EDGES: usize = 2;

/// Cells for a row's text: as many as the panel has where it shows, and else as many as on a small screen.
fn cells(state: &State, panel: Panel) -> usize {
    let area = state.layout().content(panel);
    area.map_or(80, |area| usize::from(area.width)).saturating_sub(EDGES)
}

/// How many rows a panel has.
pub fn count(state: &State, panel: Panel) -> usize {
    match panel {
        Panel::Editor => 0,
        Panel::Tokens => tokens::count(state),
        Panel::Ast => ast::count(state),
        Panel::Ir => code::ir_count(state),
        Panel::Bytecode => code::count(state),
        Panel::Tests => tests::rows(state).len(),
        Panel::Mutants => mutants::count(state),
        Panel::Problems => diagnostics::count(state),
        Panel::Latency | Panel::Energy | Panel::Neural | Panel::Router | Panel::Noise => {
            // How many lines prose has depends on how wide it is set.
            prose(state, panel, cells(state, panel) + EDGES, &Theme::plain()).len()
        }
    }
}

/// The token of the shown program that a row stands for.
pub fn token(state: &State, panel: Panel, row: usize) -> Option<u32> {
    match panel {
        Panel::Tokens => tokens::token(state, row),
        Panel::Ast => ast::token(state, row),
        Panel::Ir => code::ir_token(state, row),
        Panel::Bytecode => code::token(state, row),
        Panel::Tests => tests::token(state, row),
        Panel::Mutants => mutants::token(state, row),
        Panel::Problems => diagnostics::token(state, row),
        Panel::Editor | Panel::Latency | Panel::Energy | Panel::Neural | Panel::Router | Panel::Noise => None,
    }
}

/// The byte of the text on screen that a row stands for.
pub fn target(state: &State, panel: Panel, row: usize) -> Option<usize> {
    if panel == Panel::Problems {
        return diagnostics::target(state, row);
    }
    let span = state.shown()?.span(token(state, panel, row)?)?;
    Some(state.results.shown_drift.forward(span.start))
}

/// The first row that stands for an element itself, or else for a part of it.
pub fn row_of(state: &State, panel: Panel, link: Link) -> Option<usize> {
    match panel {
        Panel::Tokens => Some(link.token as usize).filter(|row| *row < tokens::count(state)),
        Panel::Mutants => mutants::row_of(state, link),
        Panel::Tests => tests::row_of(state, link),
        Panel::Problems => diagnostics::row_of(state, link),
        _ => {
            let rows = || (0..count(state, panel)).map(|row| (row, token(state, panel, row)));
            let itself = rows().find(|(_, t)| *t == Some(link.node));
            let part = || rows().find(|(_, t)| t.is_some_and(|t| link.lo <= t && t < link.hi));
            itself.or_else(part).map(|(row, _)| row)
        }
    }
}

/// How a row reads in so many cells.
pub fn line(state: &State, panel: Panel, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    match panel {
        Panel::Tokens => tokens::line(state, row, theme),
        Panel::Ast => ast::line(state, row, theme),
        Panel::Ir => code::ir_line(state, row, width, theme),
        Panel::Bytecode => code::line(state, row, width, theme),
        Panel::Tests => tests::line(state, row, width, theme),
        Panel::Mutants => mutants::line(state, row, width, theme),
        Panel::Problems => diagnostics::line(state, row, theme),
        _ => Line::default(),
    }
}

/// The text of a panel that is no list.
pub fn prose(state: &State, panel: Panel, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    match panel {
        Panel::Latency => latency::lines(state, width, theme),
        Panel::Energy => energy::lines(state, width, theme),
        Panel::Neural => neural::lines(state, width, theme),
        Panel::Router => router::lines(state, width, theme),
        Panel::Noise => noise::lines(state, width, theme),
        _ => Vec::new(),
    }
}

/// What a panel says while it has nothing to list.
pub fn empty_text(state: &State, panel: Panel) -> &'static str {
    let compiled = state.shown().is_some_and(|s| s.is_good());
    match panel {
        _ if state.results.latest.is_none() => "waiting for the engine",
        Panel::Problems => "no diagnostics",
        Panel::Tests
        | Panel::Mutants
        | Panel::Ir
        | Panel::Bytecode
        | Panel::Neural
        | Panel::Router
        | Panel::Noise
            if !compiled =>
        {
            "does not compile yet"
        }
        Panel::Tests if state.shown().is_some_and(|shown| shown.compiled.facts.functions > 0) => {
            "no tests: alt-t writes one of the function under the cursor, with the value that it gives now"
        }
        Panel::Tests => "no tests: write `test 1 + 1 == 2;`",
        Panel::Mutants if !state.shown().is_some_and(|shown| shown.has_passing()) => {
            "no test passes, so none can judge a mutant"
        }
        Panel::Mutants => mutants::empty_text(state),
        Panel::Neural | Panel::Router => "no function to compile yet",
        _ => "nothing here",
    }
}
