//! The interface of list panels.

use ratatui::text::Line;

use crate::lang::index::TokenId;
use crate::report::align::Comparable;
use crate::workbench::panels::{WHOLE_ROW, explained};
use crate::workbench::state::{Link, State};
use crate::workbench::theme::Theme;

/// A list whose rows can be selected and link to places in the source.
pub trait List: Sync {
    fn count(&self, state: &State) -> usize;

    /// Returns the token that a row belongs to, of the program that the panel shows.
    fn token(&self, state: &State, row: usize) -> Option<TokenId>;

    /// Renders a row in `width` cells.
    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static>;

    /// Returns the part of a row that the Compare panel compares; by default its text.
    fn comparable(&self, state: &State, row: usize) -> Comparable {
        let text = self.line(state, row, WHOLE_ROW, &Theme::plain()).to_string();
        Comparable::of(text.trim_end().to_string())
    }

    /// Returns whether the list marks single cells itself instead of whole rows.
    fn by_cell(&self, _: &State) -> bool {
        false
    }

    /// Returns the number of first rows that do not scroll.
    fn head(&self, _: &State) -> usize {
        0
    }

    /// Returns the byte offset of a row's place in the text on screen.
    fn target(&self, state: &State, row: usize) -> Option<usize> {
        let span = state.shown()?.span(self.token(state, row)?)?;
        Some(state.results.shown_drift.forward(span.start))
    }

    /// Returns the names that a row is about and that have an explanation, the most important first. By default, the
    /// instructions, traps and codes in its text.
    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        explained::terms(&self.line(state, row, WHOLE_ROW, &Theme::plain()).to_string())
    }

    /// Returns whether a row without such names is explained by the node of its token.
    fn explains_node(&self) -> bool {
        true
    }

    /// Returns the first row of the element, or else of a part of it.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let rows = || (0..self.count(state)).map(|row| (row, self.token(state, row)));
        let itself = rows().find(|(_, t)| *t == Some(link.node));
        let part = || rows().find(|(_, t)| t.is_some_and(|t| link.tokens.contains(t)));
        itself.or_else(part).map(|(row, _)| row)
    }
}
