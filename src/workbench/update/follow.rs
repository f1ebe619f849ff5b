//! The linked cursor: the element under the cursor, and the views that follow it.

use crate::workbench::panels;
use crate::workbench::panels::Panel;
use crate::workbench::panels::layout::COUNT;
use crate::workbench::state::{Link, State};
use crate::workbench::text::ScreenRow;

/// The number of lines kept visible above and below the cursor, where there is room.
const MARGIN: usize = 2;

impl State {
    /// Returns the element under the cursor of the focused panel.
    pub fn link(&self) -> Option<Link> {
        let shown = self.shown()?;
        let list =
            if self.screen.focus.is_list() { Some(self.screen.focus) } else { self.screen.focus.row().about };
        let token = if let Some(at) = self.screen.focus.row().at {
            at(self)?
        } else if let Some(list) = list {
            panels::token(self, list, self.list(list).selected)?
        } else {
            let byte = self.document.buffer.byte_of(self.document.buffer.head());
            shown.token_at(self.results.shown_drift.back(byte)?)?
        };
        Some(Link::of(shown, token))
    }

    /// Runs after each event: keeps the cursor visible, and scrolls the other views to the element under it.
    pub(super) fn settle(&mut self, cursor_moved: bool) {
        let layout = self.layout();
        let link = self.link();
        let followed = link != self.screen.followed;
        self.screen.followed = link;
        let lines = layout.content(Panel::EDITOR).map_or(0, |area| usize::from(area.height));
        let editor_changed = self.screen.settle_lines(lines);
        let is_shorter = self.screen.settle_text(self.document.buffer.lines());
        for slot in &layout.slots {
            let panel = slot.active;
            let height = usize::from(slot.content.height);
            if panel == Panel::EDITOR {
                if self.screen.focus == Panel::EDITOR {
                    if cursor_moved || self.screen.was_resized() {
                        match self.wrap_width() {
                            Some(cells) => self.reveal_row(self.document.buffer.head(), height, cells),
                            None => self.reveal_cursor(height, usize::from(slot.content.width)),
                        }
                    }
                } else if (followed || editor_changed)
                    && let Some(link) = link
                {
                    self.reveal_token(link, height);
                }
                if editor_changed || is_shorter || self.screen.was_resized() {
                    self.fill_editor(height, usize::from(slot.content.width));
                }
                continue;
            }
            let count = panels::shown_count(self, panel);
            let last = panels::count(self, panel).saturating_sub(1);
            // Rows scroll below the fixed head.
            let head = panels::head(self, panel, height);
            let scrolled = |top: usize, row: usize, margin: usize| {
                scrolled(top, row.saturating_sub(head), height - head, margin)
            };
            let mut view = self.list(panel);
            view.selected = view.selected.min(last);
            if panel.is_list() && panel == self.screen.focus {
                if self.screen.has_moved(panel, view) {
                    view.top = scrolled(view.top, panels::position_of(self, panel, view.selected), 0);
                }
            } else if panel.is_list()
                && followed
                && let Some(row) = self.followed(panel).and_then(|link| panels::row_of(self, panel, link))
            {
                view.top = scrolled(view.top, panels::position_of(self, panel, row), MARGIN);
            }
            view.top = view.top.min(count.saturating_sub(height));
            self.screen.settle(panel, view);
        }
        self.screen.editor_top = self.screen.editor_top.min(self.document.buffer.lines() - 1);
        let cells = self.wrap_width();
        let rows = cells.map_or(1, |cells| self.document.buffer.rows(self.screen.editor_top, cells).len());
        self.screen.editor_top_row = self.screen.editor_top_row.min(rows - 1);
        if cells.is_some() {
            self.screen.editor_left = 0;
        }
        self.screen.settle_size();
    }

    /// Returns whether the tokens of a panel's rows are those of the shown program.
    pub fn is_linked(&self, panel: Panel) -> bool {
        !panel.row().verdicts || self.results.is_judged()
    }

    /// Returns the followed element, for a panel that is linked.
    pub fn followed(&self, panel: Panel) -> Option<Link> {
        self.screen.followed.filter(|_| self.is_linked(panel))
    }

    fn reveal_cursor(&mut self, height: usize, width: usize) {
        let buffer = &self.document.buffer;
        let (line, column) = buffer.place(buffer.head());
        let (end, room) = (buffer.place(buffer.line_end(line)).1, self.editor_cells(width));
        self.screen.editor_top = scrolled(self.screen.editor_top, line, height, MARGIN);
        let margin = 4.min(room / 4);
        let last = (column + margin).min(end);
        if last < room {
            self.screen.editor_left = 0;
        } else if column < self.screen.editor_left + margin {
            self.screen.editor_left = column.saturating_sub(margin);
        } else if last >= self.screen.editor_left + room {
            self.screen.editor_left = last + 1 - room;
        }
        self.fill_line(width);
    }

    /// Scrolls back over columns that are blank after the end of the cursor's line.
    fn fill_line(&mut self, width: usize) {
        let buffer = &self.document.buffer;
        let end = buffer.place(buffer.line_end(buffer.line_of(buffer.head()))).1;
        self.screen.editor_left =
            self.screen.editor_left.min((end + 1).saturating_sub(self.editor_cells(width)));
    }

    /// Scrolls back over rows that are blank because the editor became larger or the text shorter.
    fn fill_editor(&mut self, height: usize, width: usize) {
        let last = match self.wrap_width() {
            Some(cells) => {
                let end = self.document.buffer.row_of(self.document.buffer.len(), cells);
                self.rows_above(end, height.saturating_sub(1), cells)
            }
            None => {
                self.fill_line(width);
                (self.document.buffer.lines().saturating_sub(height), 0)
            }
        };
        let top = (self.screen.editor_top, self.screen.editor_top_row).min(last);
        (self.screen.editor_top, self.screen.editor_top_row) = top;
    }

    /// Returns the row that is `count` rows above another, or the first: its line, and its number in that line.
    fn rows_above(&self, row: ScreenRow, count: usize, cells: usize) -> (usize, usize) {
        let buffer = &self.document.buffer;
        let mut top = row;
        for _ in 0..count {
            match buffer.row_above(top, cells) {
                Some(row) => top = row,
                None => break,
            }
        }
        let before = buffer.rows(top.line, cells).iter().take_while(|row| row.start < top.start).count();
        (top.line, before)
    }

    /// Scrolls to the row of a position where lines are wrapped, as little as possible.
    fn reveal_row(&mut self, position: usize, height: usize, cells: usize) {
        let margin = MARGIN.min(height.saturating_sub(1) / 2);
        let buffer = &self.document.buffer;
        let own = buffer.row_of(position, cells);
        let shown = self.editor_rows(height);
        let place = shown.iter().position(|row| *row == own);
        let is_first = shown.first().is_some_and(|row| row.start == 0);
        let is_far_enough = |place: usize| (place >= margin || is_first) && place + margin < height;
        if place.is_some_and(is_far_enough) {
            return;
        }
        // The number of rows above it: few if it is above the screen, many if it is below.
        let is_above =
            place.map_or(shown.first().is_none_or(|row| own.start < row.start), |place| place < margin);
        let above = if is_above { margin } else { height.saturating_sub(margin + 1) };
        (self.screen.editor_top, self.screen.editor_top_row) = self.rows_above(own, above, cells);
    }

    fn reveal_token(&mut self, link: Link, height: usize) {
        let span = self.shown().and_then(|shown| shown.span(link.token));
        if let Some(span) = span {
            let position = self.document.buffer.position_of_byte(self.results.shown_drift.forward(span.start));
            if let Some(cells) = self.wrap_width() {
                return self.reveal_row(position, height, cells);
            }
            self.screen.editor_top =
                scrolled(self.screen.editor_top, self.document.buffer.line_of(position), height, MARGIN);
        }
    }

    /// Returns the width of the text in an editor of a width, in cells.
    fn editor_cells(&self, width: usize) -> usize {
        width.saturating_sub(self.gutter_width()).max(1)
    }

    /// Returns the width of the line numbers and marks at the left of the editor, in cells.
    pub fn gutter_width(&self) -> usize {
        self.document.buffer.lines().to_string().len().max(3) + 3 + if self.counts_show() { COUNT } else { 0 }
    }
}

/// Returns the first row of a view of `height` rows that shows `row`, moved as little as possible.
fn scrolled(top: usize, row: usize, height: usize, margin: usize) -> usize {
    let margin = margin.min(height.saturating_sub(1) / 2);
    if row < top + margin {
        row.saturating_sub(margin)
    } else if row + margin + 1 > top + height {
        row + margin + 1 - height
    } else {
        top
    }
}
