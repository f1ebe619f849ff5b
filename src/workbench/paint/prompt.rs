//! Draws input lines and full-screen sheets.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::workbench::field::Field;
use crate::workbench::marks;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// Draws an input line at the bottom, with a note at its right. Returns the cursor's place.
pub fn prompt(
    label: &str,
    field: &Field,
    note: &str,
    area: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) -> Position {
    // Replace the style completely, so that no bold text below shows through.
    let style = theme.ground().patch(theme.style(Look::Prompt));
    buffer.set_string(area.x, area.y, " ".repeat(area.width.into()), style);
    let label = format!(" {label}");
    buffer.set_string(area.x, area.y, &label, style);
    let x = area.x + label.width() as u16;
    let room = usize::from(area.right().saturating_sub(x + 1));
    // Keep the end of a long input visible.
    let before: String = visible(&field.text.chars().take(field.cursor).collect::<String>());
    let after = visible(&field.text.chars().skip(field.cursor).collect::<String>());
    let hidden = before.width().saturating_sub(room);
    let shown: String = skip_cells(&before, hidden);
    let cursor = x + (shown.width() as u16).min(room as u16);
    let text = fit(&format!("{shown}{after}"), room + 1);
    buffer.set_string(x, area.y, &text, style);
    let end = x + text.width() as u16;
    let note_width = note.width() as u16;
    if end + note_width + 2 < area.right() {
        buffer.set_string(area.right() - note_width, area.y, note, style);
    }
    Position { x: cursor.min(area.right().saturating_sub(1)), y: area.y }
}

fn skip_cells(text: &str, cells: usize) -> String {
    let mut left = cells;
    text.chars()
        .skip_while(|c| {
            let width = c.to_string().width();
            let skip = left > 0;
            left = left.saturating_sub(width);
            skip
        })
        .collect()
}

/// Draws the keys of a sheet over the last line.
pub fn keys(text: &str, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    over_last_lines(&[(Look::Prompt, text.trim_start().to_string())], screen, theme, buffer);
}

/// Draws lines over the last ones of the screen; if they are too many, the last of them.
pub fn over_last_lines(lines: &[(Look, String)], screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let width = usize::from(screen.width);
    let height = lines.len().min(usize::from(screen.height));
    let from = lines.len() - height;
    for (y, (look, line)) in (screen.bottom() - height as u16..screen.bottom()).zip(&lines[from..]) {
        let style = theme.ground().patch(theme.style(*look));
        buffer.set_string(screen.x, y, " ".repeat(width), style);
        buffer.set_string(screen.x + 1, y, fit(&visible(line), width.saturating_sub(1)), style);
    }
}

/// Marks the selected row of a list.
pub fn select(row: Rect, theme: &Theme, buffer: &mut Buffer) {
    buffer.set_string(row.x, row.y, marks::SELECTED.glyph, theme.style(marks::SELECTED.look));
    buffer.set_style(row, theme.style(Look::SelectedRow));
}

/// Clears all but the last line, and draws a title. Returns the area, including the title's line.
pub fn sheet(title: &str, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Rect {
    let area = Rect { height: screen.height.saturating_sub(1), ..screen };
    let width = usize::from(area.width);
    for y in area.top()..area.bottom() {
        buffer.set_string(area.x, y, " ".repeat(width), theme.ground());
    }
    buffer.set_style(area, theme.ground());
    buffer.set_string(area.x, area.y, format!("{title:<width$}"), theme.style(Look::TabFocus));
    area
}
