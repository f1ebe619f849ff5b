//! Draws the list of arrangements over the last lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::marks;
use crate::workbench::paint::prompt::over_last_lines;
use crate::workbench::state::{Arrangement, State};
use crate::workbench::theme::{Look, Theme};

pub fn draw(state: &State, chosen: usize, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
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
    over_last_lines(&lines, screen, theme, buffer);
}
