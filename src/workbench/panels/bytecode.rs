//! The Bytecode panel, with one row per instruction.

use ratatui::text::Line;

use crate::lang::index::TokenId;
use crate::report::align::Comparable;
use crate::workbench::listing::CodeRow;
use crate::workbench::panels::{List, code};
use crate::workbench::state::State;
use crate::workbench::theme::Theme;

pub struct Bytecode;

impl List for Bytecode {
    fn count(&self, state: &State) -> usize {
        state.inspected().map_or(0, |s| s.code_rows().len())
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        state.base_token(state.inspected()?.code_rows().get(row)?.token()?)
    }

    fn comparable(&self, state: &State, row: usize) -> Comparable {
        state
            .inspected()
            .and_then(|shown| shown.code_rows().get(row))
            .map(CodeRow::comparable)
            .unwrap_or_default()
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        match state.inspected() {
            Some(shown) => code::line(shown, shown.code_rows(), row, width, theme),
            None => Line::default(),
        }
    }
}
