//! Focus, and the selected row of the panel that has it.

use super::super::panels::Panel;
use super::super::rows;
use super::super::state::{IrView, MutantFilter, State, Tone};
use super::super::text::Selection;
use crate::lang::verdict::MutantStatus;

/// The mutant panel's filters in the order of its key.
pub const FILTERS: [MutantFilter; 8] = [
    MutantFilter::Singles,
    MutantFilter::Status(MutantStatus::Survived),
    MutantFilter::Status(MutantStatus::Killed),
    MutantFilter::Status(MutantStatus::Timeout),
    MutantFilter::Status(MutantStatus::Equivalent),
    MutantFilter::Status(MutantStatus::Duplicate),
    MutantFilter::Status(MutantStatus::Invalid),
    MutantFilter::Pairs,
];

impl State {
    /// Gives a panel the keys. A list begins at the row of the element that was under the cursor.
    pub fn focus_on(&mut self, panel: Panel) {
        if self.focus == panel {
            return;
        }
        if let Some(row) = self.link().and_then(|link| rows::row_of(self, panel, link)) {
            self.lists[panel as usize].selected = row;
        }
        self.focus = panel;
        self.recency[panel as usize] = self.recency.iter().max().unwrap_or(&0) + 1;
    }

    pub(super) fn focus_number(&mut self, digit: char) {
        let number = digit.to_digit(10).unwrap_or(0) as usize;
        self.focus_on(Panel::ALL[(number + Panel::COUNT - 1) % Panel::COUNT]);
    }

    pub(super) fn cycle_panel(&mut self, by: usize) {
        self.focus_on(Panel::ALL[(self.focus as usize + by) % Panel::COUNT]);
    }

    pub(super) fn select_row(&mut self, to: impl Fn(usize, usize) -> usize) {
        let panel = self.focus;
        let page = self.layout().content(panel).map_or(1, |area| usize::from(area.height).max(1));
        let last = rows::count(self, panel).saturating_sub(1);
        let view = &mut self.lists[panel as usize];
        if panel.is_list() {
            view.selected = to(view.selected, page).min(last);
        } else {
            // Panels without rows of their own scroll.
            view.top = to(view.top, page).min(last);
        }
    }

    pub(super) fn clamp_lists(&mut self) {
        for panel in Panel::ALL {
            let last = rows::count(self, panel).saturating_sub(1);
            let view = &mut self.lists[panel as usize];
            view.selected = view.selected.min(last);
        }
    }

    /// To the place in the editor that the selected row stands for.
    pub(super) fn jump_to_row(&mut self) {
        let target = rows::target(self, self.focus, self.list(self.focus).selected);
        match target {
            Some(byte) => {
                self.focus_on(Panel::Editor);
                self.buffer.select(Selection::at(self.buffer.position_of_byte(byte)));
            }
            None => self.say(Tone::Bad, "this row has no place in the source"),
        }
    }

    pub(super) fn cycle_filter(&mut self, by: isize) {
        let here = FILTERS.iter().position(|f| *f == self.filter).unwrap_or(0) as isize;
        let next = (here + by).rem_euclid(FILTERS.len() as isize) as usize;
        self.filter = FILTERS[next];
        self.lists[Panel::Mutants as usize] = Default::default();
    }

    pub(super) fn cycle_pass(&mut self, by: isize) {
        let passes = self.shown().map_or(0, |s| s.passes().len()) as isize;
        // Lowered, after each pass, optimized.
        let here = match self.ir_view {
            IrView::Lowered => 0,
            IrView::Pass(n) => n as isize + 1,
            IrView::Optimized => passes + 1,
        };
        self.ir_view = match (here + by).rem_euclid(passes + 2) {
            0 => IrView::Lowered,
            n if n <= passes => IrView::Pass(n as usize - 1),
            _ => IrView::Optimized,
        };
        self.clamp_lists();
    }
}
