//! Which panel, and how it is looked at.

/// A panel: its number in the table of panels, which says everything else. The first is the editor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Panel(pub(in crate::workbench) u8);

impl Panel {
    /// Of so many panels at most the state keeps how each is looked at.
    pub const MOST: usize = 32;

    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where a list is scrolled to and which row is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListView {
    pub top: usize,
    pub selected: usize,
}
