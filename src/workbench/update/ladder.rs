//! Movement between the phases of the ladder, at the same token.

use crate::workbench::ladder::GAP;
use crate::workbench::panels::{self, Panel};
use crate::workbench::state::State;

impl State {
    /// Selects the phase displayed at a column of the panel.
    pub(super) fn choose_phase(&mut self, at: usize) {
        let width = panels::cells(self, Panel::LADDER);
        let Some(columns) = &self.ladder.columns else { return };
        let mut end = 1;
        for number in std::iter::once(0).chain(columns.showing(self.ladder.column, width)) {
            end += columns.all.get(number).map_or(0, |column| column.width + GAP);
            if at < end {
                self.ladder.column = number;
                return;
            }
        }
    }

    /// Goes to the next or previous phase. Phases without tokens of the line are skipped.
    pub(super) fn go_on_ladder(&mut self, on: bool) {
        let Some(columns) = &self.ladder.columns else { return };
        let (own, link) = (self.ladder.column, self.link());
        let next = match on {
            true => (own + 1..columns.all.len()).find(|column| columns.has_tokens(*column)),
            false => (0..own).rev().find(|column| columns.has_tokens(*column)),
        };
        self.ladder.column = next.unwrap_or(own);
        // Select the row for the same token there.
        if let Some(row) = link.and_then(|link| panels::row_of(self, Panel::LADDER, link)) {
            self.screen.select(Panel::LADDER, row);
        }
    }
}
