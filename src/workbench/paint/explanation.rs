//! Draws a page that explains something over the whole screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::paint::prompt::sheet;
use crate::workbench::panels::explained::lines;
use crate::workbench::state::ExplanationView;
use crate::workbench::text::fit;
use crate::workbench::theme::{Look, Theme};

/// The lines above and below the page.
const FRAME: usize = 2;

fn cells(width: u16) -> usize {
    usize::from(width).saturating_sub(2)
}

/// Returns the greatest number of lines above the first visible one.
pub fn last_top(view: &ExplanationView, (width, height): (u16, u16)) -> usize {
    let count = lines(&view.text, cells(width), &Theme::plain()).len();
    count.saturating_sub(usize::from(height).saturating_sub(FRAME))
}

pub fn draw(view: &ExplanationView, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let area = sheet(" Explanation", screen, theme, buffer);
    let lines = lines(&view.text, cells(screen.width), theme);
    let top = view.top.min(last_top(view, (screen.width, screen.height)));
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    let below = lines.len().saturating_sub(top + usize::from(area.height).saturating_sub(1));
    let more = if below > 0 { format!(" · {below} more lines") } else { String::new() };
    let width = usize::from(screen.width);
    let keys = fit(&format!(" ↑ ↓ pageup pagedown scroll · esc closes{more}"), width);
    let style = theme.ground().patch(theme.style(Look::Prompt));
    buffer.set_string(screen.x, area.bottom(), format!("{keys:<width$}"), style);
}
