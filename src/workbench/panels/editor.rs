//! The editor's tab, and the rows that it shows. [`crate::workbench::paint`] draws the text.

use crate::workbench::marks;
use crate::workbench::panels::Panel;
use crate::workbench::state::State;
use crate::workbench::text::{ScreenRow, visible};

/// Returns the file's name, marked if the text is not saved.
pub fn name(state: &State) -> String {
    let mark = if state.document.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
    format!("{}{mark}", visible(&state.document.file.name()))
}

/// Returns the number of other open files, and the run whose values follow the lines.
pub fn figures(state: &State) -> Vec<String> {
    let others = &state.files.others;
    let unsaved = others.iter().any(|file| file.document.dirty());
    let mark = if unsaved { marks::UNSAVED.glyph } else { "" };
    let more = (!others.is_empty()).then(|| format!("+{}{mark}", others.len()));
    let run = Some(&state.values.title).filter(|_| !state.values.lines.is_empty());
    let age = state.values.of.as_ref().and_then(|of| of.age);
    let age = age.filter(|age| *age != &marks::AWAITED || state.is_late(Panel::EDITOR));
    let age = age.map_or(String::new(), |age| format!(" · {}", age.shown()));
    let run = run.filter(|title| !title.is_empty()).map(|title| format!("values: {title}{age}"));
    let both = more.as_ref().zip(run.as_ref()).map(|(more, run)| format!("{run} · {more}"));
    both.into_iter().chain(more).chain(run).collect()
}

impl State {
    /// Returns the width at which lines are wrapped, in cells; `None` if they are not.
    pub fn wrap_width(&self) -> Option<usize> {
        let area = self.layout().content(Panel::EDITOR).filter(|_| self.document.options.soft_wrap)?;
        Some(usize::from(area.width).saturating_sub(self.gutter_width()).max(1))
    }

    /// Returns the rows that the editor shows from its first visible one, at most `height`. Lines that are not wrapped are
    /// one row each, which begins at the first visible column.
    pub fn editor_rows(&self, height: usize) -> Vec<ScreenRow> {
        let (buffer, top) = (&self.document.buffer, self.screen.editor_top);
        match self.wrap_width() {
            None => {
                let left = self.screen.editor_left;
                let whole = |line: usize| ScreenRow { line, start: buffer.line_start(line), left, next: None };
                (top..buffer.lines().min(top + height)).map(whole).collect()
            }
            Some(cells) => {
                let rows = (top..buffer.lines()).flat_map(|line| buffer.rows(line, cells));
                rows.skip(self.screen.editor_top_row).take(height).collect()
            }
        }
    }
}
