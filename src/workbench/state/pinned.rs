//! A panel's content, kept for comparison.

use crate::workbench::state::screen::Panel;

/// The text of a panel at the time when it was pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    pub panel: Panel,
    /// The panel with what it showed.
    pub title: String,
    pub lines: Vec<String>,
}
