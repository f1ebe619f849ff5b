//! The values that a binder may have.

use super::Case;

/// The limits of a binder's values.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub list: bool,
    /// The maximum length of a list.
    pub longest: usize,
    /// The range of its numbers, `lo..=last`.
    pub lo: i64,
    pub last: i64,
    /// The number in the range that is nearest to 0.
    pub goal: i64,
}

impl Bounds {
    pub(super) fn new(case: &Case, row: usize) -> Bounds {
        let binders = &case.c.binders;
        let lo = i64::from(binders.lo[row] as i32);
        let last = (i64::from(binders.hi[row] as i32) - 1).max(lo);
        let longest = binders.longest(row);
        let (list, longest) = (longest.is_some(), longest.unwrap_or(0) as usize);
        Bounds { list, longest, lo, last, goal: 0.clamp(lo, last) }
    }
}
