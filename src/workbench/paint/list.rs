//! Draws list panels: the visible rows, the selected row, and the rows linked to the element under the
//! cursor.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::workbench::marks;
use crate::workbench::panels::{self, List, Panel};
use crate::workbench::state::State;
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};

pub fn draw(state: &State, panel: Panel, list: &dyn List, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let (count, shown) = (list.count(state), panels::shown_count(state, panel));
    if count == 0 {
        return nothing(state, panel, area, theme, buffer);
    }
    if shown == 0 {
        let text = "no row contains all these words: esc shows all rows";
        buffer.set_stringn(area.x + 1, area.y, text, usize::from(area.width) - 1, theme.style(Look::Dim));
        return;
    }
    let view = state.list(panel);
    let link = state.followed(panel);
    let stale = state.age_of(panel) == Some(&marks::STALE);
    let by_cell = list.by_cell(state);
    let width = usize::from(area.width).saturating_sub(2);
    for line in 0..usize::from(area.height) {
        let (y, row) = (area.y + line as u16, panels::row_in(state, panel, line, area.height.into()));
        if row >= count {
            break;
        }
        let token = list.token(state, row);
        let selected = panel == state.screen.focus && row == view.selected;
        let linked = link.zip(token).map(|(link, token)| (token == link.node, link.tokens.contains(token)));
        let (glyph, look) = match linked {
            _ if by_cell => (" ", None),
            _ if selected => (marks::SELECTED.glyph, Some(Look::SelectedRow)),
            Some((true, _)) => (marks::LINKED.glyph, Some(Look::Link)),
            Some((_, true)) => (marks::PART.glyph, Some(Look::Part)),
            _ => (" ", None),
        };
        let mut line = list.line(state, row, width, theme);
        if stale {
            dim(&mut line, theme);
        }
        buffer.set_string(area.x, y, glyph, theme.style(Look::CurrentNumber));
        buffer.set_line(area.x + 1, y, &line, area.width.saturating_sub(1));
        if line.width() > width && width > 0 {
            let last = area.x + width as u16;
            buffer.set_string(last, y, "… ", theme.ground().patch(theme.style(Look::Dim)));
        }
        if let Some(look) = look {
            buffer.set_style(Rect { y, height: 1, ..area }, theme.style(look));
        }
    }
    scrollbar(area, view.top, shown, theme, buffer);
}

/// Draws the reason why the panel is empty.
fn nothing(state: &State, panel: Panel, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let lines = wrap(&panels::empty_text(state, panel), usize::from(area.width).saturating_sub(2));
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        buffer.set_stringn(area.x + 1, y, line, usize::from(area.width) - 1, theme.style(Look::Dim));
    }
}

/// Draws a scrolled page of prose.
pub fn prose(state: &State, panel: Panel, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let lines = panels::prose(state, panel, area.width.into(), theme);
    if lines.is_empty() {
        return nothing(state, panel, area, theme, buffer);
    }
    let stale = state.age_of(panel) == Some(&marks::STALE);
    let top = state.list(panel).top.min(lines.len().saturating_sub(usize::from(area.height)));
    for (y, mut line) in (area.y..area.bottom()).zip(lines.iter().skip(top).cloned()) {
        if stale {
            dim(&mut line, theme);
        }
        buffer.set_line(area.x + 1, y, &line, area.width.saturating_sub(1));
    }
    scrollbar(area, top, lines.len(), theme, buffer);
}

fn dim(line: &mut Line<'static>, theme: &Theme) {
    line.style = Style::new();
    for span in &mut line.spans {
        *span = Span::styled(std::mem::take(&mut span.content), theme.stale());
    }
}

/// Draws the scrollbar at the right edge.
pub(super) fn scrollbar(area: Rect, top: usize, count: usize, theme: &Theme, buffer: &mut Buffer) {
    let height = usize::from(area.height);
    if count <= height || area.width < 4 {
        return;
    }
    let size = (height * height / count).clamp(1, height);
    let at = top * (height - size) / (count - height).max(1);
    for i in 0..size {
        buffer.set_string(
            area.right() - 1,
            area.y + (at + i).min(height - 1) as u16,
            marks::VIEW.glyph,
            theme.style(marks::VIEW.look),
        );
    }
}
