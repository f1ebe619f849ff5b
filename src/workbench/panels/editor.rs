//! The editor's tab. [`crate::workbench::paint`] draws the text.

use crate::workbench::marks;
use crate::workbench::state::State;
use crate::workbench::text::visible;

/// Returns the file's name, marked if the text is not saved.
pub fn tab(state: &State) -> Vec<String> {
    let mark = if state.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
    vec![format!("{}{mark}", visible(&state.document.file.name()))]
}
