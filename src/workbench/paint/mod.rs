//! Drawing is a function of the state and does not change it. The highlighter's cache does not affect the
//! result.

mod arrange;
mod complete;
mod echo;
mod editor;
mod goal;
pub mod help;
mod list;
pub mod open;
mod overlay;
pub mod page;
mod prefix;
mod prompt;
pub mod race;
mod race_table;
mod status;
mod suggested;
pub mod tabs;
mod unsaved;
pub mod welcome;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::workbench::highlight::Highlighter;
use crate::workbench::panels::layout::LEAST;
use crate::workbench::panels::{Content, Panel};
use crate::workbench::state::State;
use crate::workbench::theme::{Look, Theme};

/// Draws the screen. Returns the place of the terminal's cursor, if any. If the screen's size differs from
/// the state's, nothing is drawn.
pub fn draw(
    state: &State,
    theme: &Theme,
    highlighter: &mut Highlighter,
    buffer: &mut Buffer,
) -> Option<Position> {
    let screen = *buffer.area();
    let theme = &state.palette.map_or(*theme, |palette| theme.with(palette));
    buffer.set_style(screen, theme.ground());
    if screen.is_empty() || (screen.width, screen.height) != state.screen.size {
        return None;
    }
    if screen.width < LEAST.0 || screen.height < LEAST.1 {
        too_small(screen, theme, buffer);
        return None;
    }
    let Some(echo) = &state.status.echo else {
        let cursor = everything(state, theme, highlighter, buffer);
        prefix::draw(state, theme, buffer);
        return cursor;
    };
    let theme = theme.contrasting();
    buffer.set_style(screen, theme.ground());
    let cursor = everything(state, &theme, highlighter, buffer);
    prefix::draw(state, &theme, buffer);
    echo::draw(state, echo, cursor, &theme, buffer);
    cursor
}

/// Draws everything except the key echo, on a screen that is large enough.
fn everything(
    state: &State,
    theme: &Theme,
    highlighter: &mut Highlighter,
    buffer: &mut Buffer,
) -> Option<Position> {
    let screen = *buffer.area();
    if let Some(view) = state.race.shown() {
        race::draw(view, state.document.buffer.text(), screen, theme, buffer);
        return state
            .prompts
            .overlay
            .as_ref()
            .and_then(|open| overlay::draw(state, open, screen, theme, buffer));
    }
    let layout = state.layout();
    let mut cursor = None;
    for slot in &layout.slots {
        tabs::draw(state, slot, theme, buffer);
        match slot.active.row().content {
            Content::Editor => cursor = editor::draw(state, slot.content, theme, highlighter, buffer),
            Content::List(list) => list::draw(state, slot.active, list, slot.content, theme, buffer),
            Content::Prose(_) => list::prose(state, slot.active, slot.content, theme, buffer),
        }
    }
    for border in layout.borders.iter().filter(|border| border.is_column) {
        for y in border.cells.top()..border.cells.bottom() {
            buffer.set_string(border.cells.x, y, "│", theme.style(Look::Rule));
        }
    }
    if let Some(area) = layout.goal {
        goal::draw(state, area, theme, buffer);
    }
    if let Some(area) = layout.gauge {
        status::gauge(state, area, theme, buffer);
    }
    status::draw(state, layout.status, theme, buffer);
    match &state.prompts.overlay {
        Some(open) => {
            // The prompt covers the last line, so a message moves up.
            let above = Rect {
                height: layout.status.height.min(1),
                y: layout.status.y.saturating_sub(1),
                ..layout.status
            };
            if open.is_one_line() && state.status.message.is_some() {
                status::draw(state, above, theme, buffer);
            }
            overlay::draw(state, open, screen, theme, buffer)
        }
        None => {
            let area = layout.content(Panel::EDITOR).filter(|_| state.screen.focus == Panel::EDITOR);
            if let (Some(list), Some(at), Some(area)) = (&state.prompts.completion, cursor, area) {
                complete::draw(list, at, area, theme, buffer);
            }
            cursor
        }
    }
}

fn last_line(screen: Rect) -> Rect {
    Rect { y: screen.bottom().saturating_sub(1), height: screen.height.min(1), ..screen }
}

fn too_small(screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let text = format!("needs {}×{}", LEAST.0, LEAST.1);
    buffer.set_stringn(screen.x, screen.y, text, screen.width.into(), theme.style(Look::Text));
}
