//! Panel numbers, and each panel's list view.

/// A panel: its index in the table of panels. The editor is the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Panel(pub(in crate::workbench) u8);

impl Panel {
    /// The maximum number of panels; the state keeps a view for each.
    pub const MOST: usize = 32;

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A list's scroll position and selected row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListView {
    pub top: usize,
    pub selected: usize,
}
