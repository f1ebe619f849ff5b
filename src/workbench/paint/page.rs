//! Draws a page over the whole screen: an explanation, or a survivor's proof.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::workbench::paint::prompt::{keys, sheet};
use crate::workbench::panels::{Page, explained, proof};
use crate::workbench::state::{PageView, State};
use crate::workbench::theme::Theme;

/// The lines above and below the page.
const FRAME: usize = 2;

fn lines(state: &State, view: &PageView, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    match &view.text {
        Some(text) => explained::lines(text, usize::from(width).saturating_sub(2), theme),
        None => {
            let mut page = Page::new(width.into(), theme);
            proof::lines(state, &mut page);
            page.into_lines()
        }
    }
}

/// Returns the greatest number of lines above the first visible one.
pub fn last_top(state: &State, view: &PageView) -> usize {
    let (width, height) = state.screen.size;
    lines(state, view, width, &Theme::plain()).len().saturating_sub(usize::from(height).saturating_sub(FRAME))
}

pub fn draw(state: &State, view: &PageView, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let title = if view.text.is_some() { " Explanation" } else { " Proof, step by step" };
    let area = sheet(title, screen, theme, buffer);
    let lines = lines(state, view, screen.width, theme);
    let top = view.top.min(last_top(state, view));
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    let below = lines.len().saturating_sub(top + usize::from(area.height).saturating_sub(1));
    let more = if below > 0 { format!(" · {below} more lines") } else { String::new() };
    keys(&format!("↑ ↓ pageup pagedown scroll · esc closes{more}"), screen, theme, buffer);
}
