//! The focus, and the selected row of the focused panel.

use crate::lang::verdict::MutantStatus;
use crate::workbench::panels;
use crate::workbench::panels::{Panel, diagnostics};
use crate::workbench::run::RunMove;
use crate::workbench::state::{IrView, MutantFilter, State, Tone};
use crate::workbench::text::Selection;

/// The filters of the Mutants panel, in the order in which its key cycles.
pub const FILTERS: [MutantFilter; 11] = [
    MutantFilter::Singles,
    MutantFilter::Status(MutantStatus::Survived),
    MutantFilter::Status(MutantStatus::Killed),
    MutantFilter::Status(MutantStatus::Timeout),
    MutantFilter::Status(MutantStatus::Equivalent),
    MutantFilter::Status(MutantStatus::Duplicate),
    MutantFilter::Status(MutantStatus::Invalid),
    MutantFilter::Status(MutantStatus::Ignored),
    MutantFilter::Status(MutantStatus::Unfinished),
    MutantFilter::Changed,
    MutantFilter::Pairs,
];

impl State {
    /// Moves the focus to a panel. A list selects the row of the element that was under the cursor.
    pub fn focus_on(&mut self, panel: Panel) {
        if self.screen.focus == panel {
            return;
        }
        if let Some(link) = self.link().filter(|_| self.is_linked(panel))
            // If the chosen row already shows the element, it stays chosen.
            && panels::token(self, panel, self.list(panel).selected) != Some(link.token)
            && let Some(row) = panels::row_of(self, panel, link)
        {
            self.screen.select(panel, row);
        } else if panel == Panel::IR && self.link().is_none() {
            self.select_routine();
        }
        if self.screen.focus == Panel::LESSON || panel == Panel::LESSON {
            // The top of the panel depends on the focus. A user who returns after an edit sees the end, with
            // the goals and hints.
            let back = panel == Panel::LESSON
                && self.document.revision > self.document.opened
                && !self.lesson.is_done();
            self.screen.lists[Panel::LESSON.index()].top = if back { usize::MAX } else { 0 };
        }
        self.screen.bring_forward(panel);
    }

    /// Closes the focused panel: it is no longer one that was opened.
    pub(super) fn close_panel(&mut self) {
        let panel = self.screen.focus;
        self.focus_on(Panel::EDITOR);
        self.screen.forget(panel);
        if panel == Panel::COMPARE {
            self.pinned = None;
        }
    }

    pub(super) fn focus_number(&mut self, digit: char) {
        let key = format!("alt-{digit}");
        if let Some(panel) = Panel::all().find(|panel| panel.row().keys.contains(&key.as_str())) {
            self.focus_on(panel);
        }
    }

    pub(super) fn cycle_panel(&mut self, by: usize) {
        let (count, layout) = (panels::PANELS.len(), self.layout());
        let all =
            (1..=count).filter_map(|step| Panel::all().nth((self.screen.focus.index() + step * by) % count));
        // Skip panels without a tab.
        let next = { all }.find(|panel| self.has_tab(*panel) || layout.slot(*panel).is_some());
        self.focus_on(next.unwrap_or_default());
    }

    pub(super) fn select_row(&mut self, to: impl Fn(usize, usize) -> usize) {
        let panel = self.screen.focus;
        let page = self.layout().content(panel).map_or(1, |area| usize::from(area.height).max(1));
        let last = panels::shown_count(self, panel).saturating_sub(1);
        let mut view = self.list(panel);
        if panel.is_list() {
            let position = to(panels::position_of(self, panel, view.selected), page).min(last);
            view.selected = match self.screen.filter(panel) {
                Some(filter) => filter.rows().get(position).copied().unwrap_or(view.selected),
                None => position,
            };
        } else {
            // Prose panels have no rows and scroll instead.
            view.top = to(view.top, page).min(last);
        }
        self.screen.lists[panel.index()] = view;
    }

    pub(super) fn clamp_lists(&mut self) {
        for panel in Panel::all() {
            let last = panels::count(self, panel).saturating_sub(1);
            let view = &mut self.screen.lists[panel.index()];
            view.selected = view.selected.min(last);
        }
    }

    /// Moves the editor's cursor to the place of the selected row.
    pub(super) fn jump_to_row(&mut self) {
        let target = panels::target(self, self.screen.focus, self.list(self.screen.focus).selected);
        match target {
            Some(byte) => {
                self.focus_on(Panel::EDITOR);
                self.document.buffer.select(Selection::at(self.document.buffer.position_of_byte(byte)));
            }
            None => self.say(Tone::Bad, "this row has no place in the source"),
        }
    }

    /// Shows the explanation of the chosen diagnostic below it, or hides it.
    pub(super) fn explain_problem(&mut self) {
        let chosen = diagnostics::chosen(self);
        self.screen.explained = match chosen {
            Some((_, code)) if self.screen.explained == Some(code) => None,
            _ => chosen.map(|(_, code)| code),
        };
        // Keep the diagnostic chosen, and scroll to its explanation.
        if let Some((number, _)) = chosen {
            let row = diagnostics::first_row(self, number);
            let view = &mut self.screen.lists[Panel::DIAGNOSTICS.index()];
            (view.selected, view.top) = (row, row);
        }
    }

    pub(super) fn cycle_filter(&mut self, by: isize) {
        if self.predict.is_some() {
            return self.say(Tone::Bad, "a list by verdict would reveal the verdicts: esc ends predicting");
        }
        let here = FILTERS.iter().position(|f| *f == self.mutants.filter).unwrap_or(0) as isize;
        let next = (here + by).rem_euclid(FILTERS.len() as isize) as usize;
        self.mutants.filter = FILTERS[next];
        self.screen.lists[Panel::MUTANTS.index()] = Default::default();
    }

    /// Shows the IR after the next pass, or before this one. While predicting, the next form appears only
    /// after a guess.
    pub(super) fn walk_passes(&mut self, by: isize) {
        match self.pass_question() {
            Some(question) if by > 0 => self.ask(question, RunMove::Forward),
            _ if by < 0 && self.predict.is_some() && self.screen.ir_view == IrView::Lowered => {
                self.say(Tone::Plain, "this is the first form");
            }
            _ => self.cycle_pass(by),
        }
    }

    pub(super) fn cycle_pass(&mut self, by: isize) {
        // The order is: lowered, after each pass, optimized. Passes that change nothing here are skipped.
        let steps = self.step_numbers();
        let last = steps.len() as isize + 1;
        let here = match self.screen.ir_view {
            IrView::Lowered => 0,
            IrView::Pass(n) => steps.iter().rposition(|step| *step <= n).unwrap_or(0) as isize + 1,
            IrView::Optimized => last,
        };
        let next = (here + by).rem_euclid(last + 1);
        self.screen.ir_view = match next {
            0 => IrView::Lowered,
            n => steps.get(n as usize - 1).map_or(IrView::Optimized, |step| IrView::Pass(*step)),
        };
        self.reveal_step();
        self.clamp_lists();
    }
}
