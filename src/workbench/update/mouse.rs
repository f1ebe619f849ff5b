//! The mouse: clicks move the focus and the cursor, the wheel scrolls the area under it.

use ratatui::layout::{Position, Rect};

use crate::workbench::event::{Effect, Mouse};
use crate::workbench::paint::{tabs, welcome};
use crate::workbench::panels;
use crate::workbench::panels::Panel;
use crate::workbench::run::Key;
use crate::workbench::state::{Overlay, State};
use crate::workbench::text::Selection;
use crate::workbench::welcome::items;

/// The number of rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

/// Returns the rows or columns to scroll for a number of notches.
pub(super) fn notches(by: i32) -> isize {
    (by as isize).saturating_mul(NOTCH)
}

impl State {
    pub(super) fn mouse(&mut self, what: Mouse, column: u16, row: u16, shift: bool, effects: &mut Vec<Effect>) {
        if let Some(mut overlay) = self.prompts.overlay.take() {
            match (&mut overlay, what) {
                (Overlay::Help(view), Mouse::Scroll(by)) => self.scroll_help(view, notches(by)),
                (Overlay::Welcome(view), Mouse::Click(_))
                    if let Some(chosen) = welcome::choice_at(self, *view, row) =>
                {
                    view.chosen = chosen;
                    if let Some(item) = items(&self.recent).into_iter().nth(chosen) {
                        return self.choose_item(item, effects);
                    }
                }
                (Overlay::Welcome(view), Mouse::Scroll(by)) => {
                    let last = items(&self.recent).len().saturating_sub(1);
                    view.chosen = view.chosen.saturating_add_signed(by as isize).min(last);
                }
                _ => {}
            }
            self.prompts.overlay = Some(overlay);
            return;
        }
        let layout = self.layout();
        let at = Position { x: column, y: row };
        if what == Mouse::Drag && self.screen.focus == Panel::RUN {
            if self.run.sliding {
                self.slide(column);
            }
            return;
        }
        if what == Mouse::Drag {
            // A drag that began in the editor continues there, wherever the pointer is.
            if self.screen.focus == Panel::EDITOR
                && let Some(area) = layout.content(Panel::EDITOR)
            {
                let head = self.position_under(area, column, row);
                let anchor = self.document.buffer.selection().anchor;
                self.document.buffer.select(Selection { anchor, head });
            }
            return;
        }
        let Some(slot) = layout.slots.iter().find(|s| s.tabs.contains(at) || s.content.contains(at)) else {
            return;
        };
        let panel = slot.active;
        match what {
            Mouse::Click(_) if slot.tabs.contains(at) => {
                if let Some(panel) = tabs::tab_under(self, slot, column) {
                    self.focus_on(panel);
                }
            }
            Mouse::Click(times) if panel == Panel::EDITOR => {
                self.focus_on(Panel::EDITOR);
                self.click_text(slot.content, column, row, times, shift);
            }
            Mouse::Click(times) => {
                self.focus_on(panel);
                let line = usize::from(row.saturating_sub(slot.content.y));
                let line = panels::row_in(self, panel, line, slot.content.height.into());
                self.run.sliding = panel == Panel::RUN && self.run.scene.at(Key::Slider) == Some(line);
                if self.run.sliding {
                    return self.slide(column);
                }
                if panel == Panel::LADDER {
                    self.choose_phase(usize::from(column - slot.content.x));
                }
                if panel.is_list() && line < panels::count(self, panel) {
                    self.screen.select(panel, line);
                    if times == 2 {
                        self.jump_to_row();
                    }
                }
            }
            Mouse::Scroll(by) => {
                let by = notches(by);
                if panel == Panel::EDITOR {
                    self.screen.editor_top =
                        self.screen.editor_top.saturating_add_signed(by).min(self.document.buffer.lines() - 1);
                    self.screen.editor_top_row = 0;
                } else {
                    let height = usize::from(slot.content.height);
                    let most = panels::count(self, panel).saturating_sub(height);
                    let mut view = self.list(panel);
                    view.top = view.top.saturating_add_signed(by).min(most);
                    self.screen.settle(panel, view);
                }
            }
            Mouse::ScrollAcross(by) if panel == Panel::EDITOR => {
                self.screen.editor_left =
                    self.screen.editor_left.saturating_add_signed(notches(by)).min(1 << 16);
            }
            Mouse::ScrollAcross(_) | Mouse::Drag => {}
        }
    }

    fn click_text(&mut self, area: Rect, column: u16, row: u16, times: u8, shift: bool) {
        let position = self.position_under(area, column, row);
        let line = self.document.buffer.line_of(position);
        let selection = match times {
            2 => self.document.buffer.word_at(position),
            3 => Selection {
                anchor: self.document.buffer.line_start(line),
                head: self.document.buffer.line_start(line + 1),
            },
            _ if shift => Selection { anchor: self.document.buffer.selection().anchor, head: position },
            _ => Selection::at(position),
        };
        self.document.buffer.select(selection);
    }

    /// Returns the text position drawn at a cell, or the nearest one.
    fn position_under(&self, area: Rect, column: u16, row: u16) -> usize {
        let down = usize::from(row.saturating_sub(area.y).min(area.height.saturating_sub(1)));
        let across = usize::from(column.saturating_sub(area.x)).saturating_sub(self.gutter_width());
        let buffer = &self.document.buffer;
        match self.wrap_width().map(|_| self.editor_rows(usize::from(area.height))) {
            Some(rows) => rows.get(down).or(rows.last()).map_or(0, |row| buffer.position_in(*row, across)),
            None => buffer.position_at(self.screen.editor_top + down, self.screen.editor_left + across),
        }
    }
}
