//! The editor's tab, and the rows that it shows. [`crate::workbench::paint`] draws the text.

use crate::workbench::marks;
use crate::workbench::panels::Panel;
use crate::workbench::state::State;
use crate::workbench::text::{ScreenRow, visible};

/// Returns the file's name, marked if the text is not saved, the number of other open files, and the run of the values.
pub fn tab(state: &State) -> Vec<String> {
    let mark = if state.document.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
    let name = format!("{}{mark}", visible(&state.document.file.name()));
    let others = &state.files.others;
    let unsaved = others.iter().any(|file| file.document.dirty());
    let mark = if unsaved { marks::UNSAVED.glyph } else { "" };
    let more = (!others.is_empty()).then(|| format!("{name}  +{}{mark}", others.len()));
    // The run whose values follow the lines.
    let title = &state.values.title;
    let run = (!title.is_empty()).then(|| format!("{}   {title}", more.as_ref().unwrap_or(&name)));
    run.into_iter().chain(more).chain([name]).collect()
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
