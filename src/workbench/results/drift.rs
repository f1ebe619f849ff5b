//! How a text became another.

use std::ops::Range;
use std::sync::Arc;

use crate::workbench::text::common_ends;

/// How a text became another: what lies before `prefix` kept its place, what lies behind `old_end` moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    prefix: usize,
    old_end: usize,
    new_end: usize,
}

impl Drift {
    pub fn between(old: &Arc<str>, new: &Arc<str>) -> Drift {
        if Arc::ptr_eq(old, new) || old == new {
            return Drift { prefix: old.len(), old_end: old.len(), new_end: new.len() };
        }
        let (prefix, suffix) = common_ends(old, new);
        Drift { prefix, old_end: old.len() - suffix, new_end: new.len() - suffix }
    }
    /// A byte of the old text in the new one; what was replaced is at its end.
    pub fn forward(self, byte: usize) -> usize {
        if byte <= self.prefix { byte } else { byte.saturating_sub(self.old_end) + self.new_end }
    }
    /// A byte of the new text in the old one, unless it is in what is new.
    pub fn back(self, byte: usize) -> Option<usize> {
        if byte <= self.prefix {
            Some(byte)
        } else {
            byte.checked_sub(self.new_end).map(|behind| behind + self.old_end)
        }
    }
    /// What of the old text was replaced, in bytes: what is new in the new one stands for it.
    pub fn replaced(self) -> Range<usize> {
        self.prefix..self.old_end.max(self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_carries_places_over_an_edit() {
        let drift = Drift::between(&Arc::from("let a = 1; b"), &Arc::from("let abc = 1; b"));
        assert_eq!(drift.forward(4), 4);
        assert_eq!(drift.forward(11), 13);
        assert_eq!(drift.back(13), Some(11));
        assert_eq!(drift.back(6), None);
    }
}
