//! The Bytecode panel, with one row per instruction.

use ratatui::text::Line;

use crate::lang::index::TokenId;
use crate::workbench::panels::{List, code};
use crate::workbench::state::State;
use crate::workbench::theme::Theme;

pub struct Bytecode;

impl List for Bytecode {
    fn count(&self, state: &State) -> usize {
        state.shown().map_or(0, |s| s.code_rows().len())
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        state.shown()?.code_rows().get(row)?.token()
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        match state.shown() {
            Some(shown) => code::line(shown, shown.code_rows(), row, width, theme),
            None => Line::default(),
        }
    }
}
