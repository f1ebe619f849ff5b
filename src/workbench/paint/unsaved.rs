//! Draws the unsaved texts of earlier runs over the lower part of the screen: the list, and the chosen text's
//! differences.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::host::measure::numbers::plural;
use crate::workbench::paint::prompt::over_last_lines;
use crate::workbench::state::State;
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};
use crate::workbench::unsaved::{Unsaved, UnsavedView};

/// The number of texts visible at once.
const ROWS: usize = 5;

pub fn draw(state: &State, view: UnsavedView, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let texts = &state.prompts.waiting.unsaved;
    let width = usize::from(screen.width);
    let room = usize::from(screen.height).saturating_sub(1);
    let older = match state.prompts.waiting.more {
        0 => String::new(),
        more => format!(" (and {}, listed once these are gone)", plural(more as u64, "older text")),
    };
    let mut lines = vec![(Look::Prompt, format!("Unsaved texts of earlier runs{older}:"))];
    let first = (view.chosen + 1).saturating_sub(ROWS);
    for (i, unsaved) in texts.iter().enumerate().skip(first).take(ROWS) {
        let mark = if i == view.chosen { "▶" } else { " " };
        let look = if i == view.chosen { Look::Function } else { Look::Dim };
        lines.push((look, format!("{mark} {}", row(unsaved))));
    }
    let keys = if view.discarding {
        "delete again discards the chosen text for good · any other key keeps it"
    } else {
        "enter loads it into the editor · ↑ ↓ choose · delete discards it · esc keeps all"
    };
    let keys = wrap(keys, width.saturating_sub(2).max(1));
    if let Some(unsaved) = texts.get(view.chosen) {
        let taken = lines.len() + keys.len();
        // Half of the screen stays free for the text itself.
        let most = (room / 2).max(taken + 1).min(room).saturating_sub(taken);
        let changed = &unsaved.difference.lines;
        for (added, text) in changed.iter().take(most) {
            let (look, mark) = if *added { (Look::Good, '+') } else { (Look::Bad, '−') };
            lines.push((look, format!("{mark} {text}")));
        }
    }
    lines.extend(keys.into_iter().map(|line| (Look::Prompt, line)));
    over_last_lines(&lines, screen, theme, buffer);
}

/// Returns a text's line: its age, the size of the difference, and its file.
fn row(unsaved: &Unsaved) -> String {
    let file = unsaved.of.as_ref().map_or("no file yet".to_string(), |path| path.display().to_string());
    let damaged = if unsaved.damaged { " (damaged on disk)" } else { "" };
    format!("{:<15} {:<14} {file}{damaged}", unsaved.age, unsaved.difference.counts())
}
