//! Draws the keys that the prefix key leads to, over the lower part of the screen, until the next key.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use crate::workbench::keys::hints::after_prefix;
use crate::workbench::state::State;
use crate::workbench::text::fit;
use crate::workbench::theme::{Look, Theme};

/// The width of a column, in cells, and of a short key in it.
const COLUMN: usize = 26;
const KEY: usize = 6;

pub fn draw(state: &State, theme: &Theme, buffer: &mut Buffer) {
    if !state.prompts.prefixed {
        return;
    }
    let screen = *buffer.area();
    let rows = after_prefix(state);
    let columns = (usize::from(screen.width) / COLUMN).max(1);
    let width = usize::from(screen.width) / columns;
    // The title and as many lines as fit; the keys read column by column.
    let height = rows.len().div_ceil(columns).min(usize::from(screen.height).saturating_sub(1));
    let top = screen.bottom().saturating_sub(height as u16 + 1);
    let style = theme.ground().patch(theme.style(Look::Prompt));
    let title = " ctrl-t, then one of these keys; ctrl-t again: next panel; esc cancels";
    let title = fit(&state.spelled(title), usize::from(screen.width));
    buffer.set_string(screen.x, top, format!("{title:<width$}", width = usize::from(screen.width)), style);
    for y in top + 1..screen.bottom() {
        buffer.set_string(screen.x, y, " ".repeat(screen.width.into()), theme.ground());
    }
    for (number, (key, words)) in rows.iter().enumerate().take(height * columns) {
        let (column, line) = (number / height, number % height);
        let key = format!(" {key:<KEY$} ");
        let words = fit(words, width.saturating_sub(key.chars().count() + 1));
        let line_of = Line::from(vec![
            Span::styled(key, theme.style(Look::Keyword)),
            Span::styled(words, theme.style(Look::Text)),
        ]);
        buffer.set_line(screen.x + (column * width) as u16, top + 1 + line as u16, &line_of, width as u16);
    }
}
