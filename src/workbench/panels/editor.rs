//! The editor's tab. [`crate::workbench::paint`] draws the text.

use crate::workbench::marks;
use crate::workbench::state::Document;
use crate::workbench::text::visible;

/// Returns the file's name, marked if the text is not saved.
pub fn tab(document: &Document) -> Vec<String> {
    let mark = if document.dirty() { format!(" {}", marks::UNSAVED.glyph) } else { String::new() };
    vec![format!("{}{mark}", visible(&document.file.name()))]
}
