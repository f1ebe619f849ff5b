//! Draws a survivor's proof over the whole screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::paint::prompt::sheet;
use crate::workbench::panels::proof;
use crate::workbench::state::State;
use crate::workbench::text::fit;
use crate::workbench::theme::{Look, Theme};

/// The lines above and below the page.
const FRAME: usize = 2;

/// Returns the greatest number of lines above the first visible one.
pub fn last_top(state: &State, (width, height): (u16, u16)) -> usize {
    let count = proof::lines(state, width.into(), &Theme::plain()).len();
    count.saturating_sub(usize::from(height).saturating_sub(FRAME))
}

pub fn draw(state: &State, top: usize, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let area = sheet(" Proof, step by step", screen, theme, buffer);
    let width = usize::from(screen.width);
    let lines = proof::lines(state, width, theme);
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    let below = lines.len().saturating_sub(top + usize::from(area.height).saturating_sub(1));
    let more = if below > 0 { format!(" · {below} more lines") } else { String::new() };
    let style = theme.ground().patch(theme.style(Look::Prompt));
    let keys = fit(&format!(" ↑ ↓ pageup pagedown scroll · esc closes{more}"), width);
    buffer.set_string(screen.x, area.bottom(), format!("{keys:<width$}"), style);
}
