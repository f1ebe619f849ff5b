//! A panel's content, kept for comparison.

use crate::report::align::Comparable;
use crate::workbench::state::screen::Panel;

/// The text of a panel at the time when it was pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    pub panel: Panel,
    /// The panel with what it showed.
    pub title: String,
    /// The lines, each with the part that is compared.
    pub lines: Vec<(String, Comparable)>,
}
