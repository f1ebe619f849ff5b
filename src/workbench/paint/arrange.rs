//! Draws the list of arrangements over the last lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::marks;
use crate::workbench::state::{Arrangement, State};
use crate::workbench::text::fit;
use crate::workbench::theme::{Look, Theme};

pub fn draw(state: &State, chosen: usize, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let width = usize::from(screen.width);
    let mut lines = vec![(Look::Prompt, "Arrangements of the screen:".to_string())];
    for (number, one) in Arrangement::ALL.into_iter().enumerate() {
        let mark = if number == chosen { marks::SELECTED.glyph } else { " " };
        let about = match one {
            Arrangement::Own if state.arrangements.own.is_none() => "none is kept yet",
            one => one.about(),
        };
        let look = if number == chosen { Look::Function } else { Look::Text };
        lines.push((look, format!("{mark} {:<9} {about}", one.name())));
    }
    lines.push((
        Look::Prompt,
        "enter arranges · k keeps the present arrangement as own · esc leaves".to_string(),
    ));
    let height = lines.len().min(usize::from(screen.height));
    for ((look, line), y) in lines.iter().zip(screen.bottom() - height as u16..screen.bottom()) {
        let style = theme.ground().patch(theme.style(*look));
        buffer.set_string(screen.x, y, " ".repeat(width), style);
        buffer.set_string(screen.x + 1, y, fit(line, width.saturating_sub(2)), style);
    }
}
