//! What a panel of rows is asked for.

use ratatui::text::Line;

use crate::workbench::state::{Link, State};
use crate::workbench::theme::Theme;

/// Rows that can be selected and stand for places in the source.
pub trait List: Sync {
    fn count(&self, state: &State) -> usize;

    /// The token of the shown program that a row stands for.
    fn token(&self, state: &State, row: usize) -> Option<u32>;

    /// How a row reads in so many cells.
    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static>;

    /// Whether it marks cells of its rows itself, where else whole rows are marked.
    fn by_cell(&self, _: &State) -> bool {
        false
    }

    /// Its first rows that stay in sight while the others scroll.
    fn head(&self, _: &State) -> usize {
        0
    }

    /// The byte of the text on screen that a row stands for.
    fn target(&self, state: &State, row: usize) -> Option<usize> {
        let span = state.shown()?.span(self.token(state, row)?)?;
        Some(state.results.shown_drift.forward(span.start))
    }

    /// The first row that stands for an element itself, or else for a part of it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let rows = || (0..self.count(state)).map(|row| (row, self.token(state, row)));
        let itself = rows().find(|(_, t)| *t == Some(link.node));
        let part = || rows().find(|(_, t)| t.is_some_and(|t| link.lo <= t && t < link.hi));
        itself.or_else(part).map(|(row, _)| row)
    }
}
