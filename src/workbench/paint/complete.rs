//! Draws the list that completes a word, below the cursor, or above it where there is no room.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::workbench::complete::{Completion, ROWS};
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The maximum width, in cells.
const WIDTH: usize = 60;

/// Draws the list inside an area, next to the cursor.
pub fn draw(list: &Completion, cursor: Position, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let below = usize::from(area.bottom().saturating_sub(cursor.y + 1));
    let above = usize::from(cursor.y.saturating_sub(area.y));
    let count = list.candidates().len().min(ROWS);
    let rows = if count <= below || below >= above { count.min(below) } else { count.min(above) };
    if rows == 0 {
        return;
    }
    let top = if rows <= below { cursor.y + 1 } else { cursor.y - rows as u16 };
    let first = list.chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(rows));
    let shown: Vec<_> = list.candidates().enumerate().skip(first).take(rows).collect();
    let names = shown.iter().map(|(_, own)| own.name.width()).max().unwrap_or(0);
    let details = shown.iter().map(|(_, own)| own.detail.width()).max().unwrap_or(0);
    let gap = if details > 0 { 2 } else { 0 };
    let width = (names + gap + details + 4).min(WIDTH).min(area.width.into());
    let left = cursor.x.saturating_sub(list.typed.width() as u16 + 2).max(area.x);
    let left = left.min(area.right() - width as u16);
    for (y, (number, own)) in (top..).zip(shown) {
        let is_chosen = list.chosen == Some(number);
        let style = theme.ground().patch(theme.style(if is_chosen { Look::TabFocus } else { Look::Tabs }));
        let text = visible(&format!(" {:<names$}{:gap$}{}", own.name, "", own.detail));
        let text = fit(&text, width.saturating_sub(3));
        buffer.set_string(left, y, " ".repeat(width), style);
        buffer.set_string(left + 1, y, text, style);
        // The sides tell the list from the code around it.
        let side = theme.ground().patch(theme.style(Look::Rule));
        for x in [left, left + width as u16 - 1] {
            buffer.set_string(x, y, "│", side);
        }
    }
}
