//! Draws the prompt for another file, over the whole screen, with the choices that begin as typed.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::workbench::marks;
use crate::workbench::open::{Choice, OpenView, names_a_file};
use crate::workbench::paint::{last_line, prompt};
use crate::workbench::state::State;
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The width of the samples' names, in cells.
const NAMES: usize = 24;

fn row(choice: &Choice, theme: &Theme) -> Line<'static> {
    match choice {
        Choice::File(name) => Line::from(Span::styled(visible(name), theme.style(Look::Text))),
        Choice::Folder(name) => {
            Line::from(Span::styled(format!("{}/", visible(name)), theme.style(Look::Function)))
        }
        Choice::Sample(sample) => Line::from(vec![
            Span::styled("sample: ", theme.style(Look::Dim)),
            Span::styled(format!("{:<width$}", sample.name, width = NAMES - 8), theme.style(Look::Text)),
            Span::styled(sample.about(), theme.style(Look::Comment)),
        ]),
    }
}

/// Returns why there are no choices, or why the chosen one was not opened.
fn said(view: &OpenView, choices: &[Choice]) -> Option<(Look, String)> {
    if let Some(problem) = &view.problem {
        return Some((Look::Bad, problem.clone()));
    }
    let (folder, typed) = view.parts();
    match &view.found {
        Some((of, Err(why))) if of == folder => {
            let folder = if folder.is_empty() { "this folder" } else { folder };
            Some((Look::Bad, format!("{folder} cannot be read: {why}")))
        }
        Some((of, Ok(_))) if of == folder && choices.is_empty() => Some((
            Look::Dim,
            match typed {
                "" => "no programs here".to_string(),
                typed if names_a_file(Path::new(&view.field.text)) => {
                    format!("nothing here begins with {typed}; enter starts a new program with that name")
                }
                typed => format!("nothing here begins with {typed}"),
            },
        )),
        _ => None,
    }
}

/// Draws the prompt. Returns the cursor's place in it.
pub fn draw(state: &State, view: &OpenView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let choices = view.choices();
    let area = prompt::sheet(" Open", screen, theme, buffer);
    let width = usize::from(area.width);
    let mut y = area.y + 1;
    // The prompt covers the banner, so repeat it here.
    let waits = state.banner().map(|text| (Look::Bad, format!("{} {text}", marks::WARNING.glyph)));
    for (look, text) in waits.into_iter().chain(said(view, &choices)) {
        for line in wrap(&visible(&text), width.saturating_sub(2)) {
            if y < area.bottom() {
                buffer.set_stringn(area.x + 1, y, line, width.saturating_sub(1), theme.style(look));
                y += 1;
            }
        }
    }
    // Scroll so that the chosen row is visible.
    let room = usize::from(area.bottom().saturating_sub(y));
    let top = (view.chosen + 1).saturating_sub(room);
    for (number, choice) in choices.iter().enumerate().skip(top).take(room) {
        buffer.set_line(area.x + 1, y, &row(choice, theme), area.width.saturating_sub(1));
        if number == view.chosen {
            buffer.set_string(area.x, y, "▶", theme.style(Look::CurrentNumber));
            buffer.set_style(Rect { y, height: 1, ..area }, theme.style(Look::SelectedRow));
        }
        y += 1;
    }
    let note = "tab completes · ↓ ↑ choose · enter opens · esc leaves ";
    prompt::prompt("open: ", &view.field, note, last_line(screen), theme, buffer)
}
