//! Draws lists of choices over the last lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::marks;
use crate::workbench::paint::prompt::over_last_lines;
use crate::workbench::state::{Arrangement, State};
use crate::workbench::theme::{Look, Theme};

pub fn draw(state: &State, chosen: usize, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let rows = Arrangement::ALL.into_iter().map(|one| {
        let about = match one {
            Arrangement::Own if state.arrangements.own.is_none() => "none is kept yet",
            one => one.about(),
        };
        format!("{:<9} {about}", one.name())
    });
    let keys = "enter arranges · k keeps the present arrangement as own · esc leaves";
    over_last_lines(&choices("Arrangements of the screen:", rows, chosen, keys), screen, theme, buffer);
}

/// Returns the lines of a list: a title, the rows with a mark at the chosen one, and the keys.
pub fn choices(
    title: &str,
    rows: impl Iterator<Item = String>,
    chosen: usize,
    keys: &str,
) -> Vec<(Look, String)> {
    let row = |(number, text): (usize, String)| match number == chosen {
        true => (Look::Function, format!("{} {text}", marks::SELECTED.glyph)),
        false => (Look::Text, format!("  {text}")),
    };
    let edge = |text: &str| (Look::Prompt, text.to_string());
    [edge(title)].into_iter().chain(rows.enumerate().map(row)).chain([edge(keys)]).collect()
}
