//! The mouse: clicks move the focus and the cursor, the wheel scrolls the area under it.

use crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};

use crate::workbench::event::{Effect, Mouse};
use crate::workbench::key::Key;
use crate::workbench::paint::{open, tabs, welcome};
use crate::workbench::panels::Panel;
use crate::workbench::panels::layout::Layout;
use crate::workbench::state::{Overlay, State};
use crate::workbench::text::{Carets, Selection};
use crate::workbench::welcome::items;
use crate::workbench::{panels, run};

/// The number of rows that one notch of the wheel scrolls.
const NOTCH: isize = 3;

/// Returns the rows or columns to scroll for a number of notches.
pub(super) fn notches(by: i32) -> isize {
    (by as isize).saturating_mul(NOTCH)
}

impl State {
    pub(super) fn mouse(&mut self, what: Mouse, column: u16, row: u16, shift: bool, effects: &mut Vec<Effect>) {
        let at = Position { x: column, y: row };
        let asked = what;
        // In all other places, ctrl and alt are without a meaning.
        let what = if matches!(what, Mouse::Follow | Mouse::AddCursor) { Mouse::Click(1) } else { what };
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
                (Overlay::Open(view), Mouse::Click(times))
                    if let Some(chosen) = open::choice_at(self, view, at) =>
                {
                    let enter = Key { code: KeyCode::Enter, ctrl: false, alt: false, shift: false };
                    view.chosen = chosen;
                    if times == 2 && !self.open_key(view, enter, effects) {
                        return;
                    }
                }
                (Overlay::Open(view), Mouse::Scroll(by)) => {
                    let last = view.choices().len().saturating_sub(1);
                    view.chosen = view.chosen.saturating_add_signed(by as isize).min(last);
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
        if what == Mouse::Drag
            && let Some(number) = self.screen.moving
        {
            if let Some(border) = layout.borders.iter().find(|border| border.number == number) {
                self.move_border(*border, column, row);
            }
            return;
        }
        if let Mouse::Click(_) = what {
            self.screen.moving = self.border_at(&layout, at);
            if self.screen.moving.is_some() {
                return;
            }
        }
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
                if asked == Mouse::AddCursor {
                    let position = self.position_under(slot.content, column, row);
                    return self.add_cursor_at(position);
                }
                self.click_text(slot.content, column, row, times, shift);
                if asked == Mouse::Follow {
                    self.goto_definition();
                }
            }
            Mouse::Click(times) => {
                self.focus_on(panel);
                let line = usize::from(row.saturating_sub(slot.content.y));
                let line = panels::row_in(self, panel, line, slot.content.height.into());
                self.run.sliding = panel == Panel::RUN && self.run.scene.at(run::RunKey::Slider) == Some(line);
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
                    let most = panels::shown_count(self, panel).saturating_sub(height);
                    let mut view = self.list(panel);
                    view.top = view.top.saturating_add_signed(by).min(most);
                    self.screen.settle(panel, view);
                }
            }
            Mouse::ScrollAcross(by) if panel == Panel::EDITOR => {
                self.screen.editor_left =
                    self.screen.editor_left.saturating_add_signed(notches(by)).min(1 << 16);
            }
            Mouse::ScrollAcross(_) | Mouse::Drag | Mouse::Follow | Mouse::AddCursor => {}
        }
    }

    /// Adds a cursor, which becomes the main one.
    fn add_cursor_at(&mut self, position: usize) {
        let Carets { main, mut others } = self.document.buffer.carets();
        others.push(main);
        self.document.buffer.set_carets(Carets::new(Selection::at(position), others));
    }

    /// Returns the border at a cell: a line between columns, or a row of tabs where it has no tab.
    fn border_at(&self, layout: &Layout, at: Position) -> Option<usize> {
        let has_tab = || {
            let slot = layout.slots.iter().find(|slot| slot.tabs.contains(at));
            slot.is_some_and(|slot| tabs::tab_under(self, slot, at.x).is_some())
        };
        let border = layout.borders.iter().find(|border| border.cells.contains(at))?;
        (border.is_column || !has_tab()).then_some(border.number)
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
