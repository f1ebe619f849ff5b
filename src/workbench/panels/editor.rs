//! Editor: what its tab says; the text is drawn by [`crate::workbench::paint`].

use crate::workbench::marks;
use crate::workbench::state::State;
use crate::workbench::text::visible;

/// The file's name, and whether all of the text is in it.
pub fn tab(state: &State) -> Vec<String> {
    let mark = if state.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
    vec![format!("{}{mark}", visible(&state.file.name()))]
}
