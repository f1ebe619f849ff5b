//! Maps positions between two versions of a text.

use std::ops::Range;
use std::sync::Arc;

use crate::workbench::text::common_prefix_and_suffix;

/// The difference of two texts as one replacement: text before `prefix` is unchanged, and text after
/// `old_end` has moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextDelta {
    prefix: usize,
    old_end: usize,
    new_end: usize,
}

impl TextDelta {
    pub fn between(old: &Arc<str>, new: &Arc<str>) -> TextDelta {
        if Arc::ptr_eq(old, new) || old == new {
            return TextDelta { prefix: old.len(), old_end: old.len(), new_end: new.len() };
        }
        let (prefix, suffix) = common_prefix_and_suffix(old, new);
        TextDelta { prefix, old_end: old.len() - suffix, new_end: new.len() - suffix }
    }
    /// Maps a byte offset of the old text to the new one; offsets in the replaced range map to its end.
    pub fn forward(self, byte: usize) -> usize {
        if byte <= self.prefix { byte } else { byte.saturating_sub(self.old_end) + self.new_end }
    }
    /// Maps a byte offset of the new text to the old one; `None` inside the replacement.
    pub fn back(self, byte: usize) -> Option<usize> {
        if byte <= self.prefix {
            Some(byte)
        } else {
            byte.checked_sub(self.new_end).map(|behind| behind + self.old_end)
        }
    }
    /// Maps a byte offset of the new text to the old one; offsets inside the replacement map to its start.
    pub fn back_or_start(self, byte: usize) -> usize {
        self.back(byte).unwrap_or(self.prefix)
    }
    /// Returns the replaced range of the old text, in bytes.
    pub fn replaced(self) -> Range<usize> {
        self.prefix..self.old_end.max(self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_delta_maps_positions_across_an_edit() {
        let drift = TextDelta::between(&Arc::from("let a = 1; b"), &Arc::from("let abc = 1; b"));
        assert_eq!(drift.forward(4), 4);
        assert_eq!(drift.forward(11), 13);
        assert_eq!(drift.back(13), Some(11));
        assert_eq!(drift.back(6), None);
    }
}
