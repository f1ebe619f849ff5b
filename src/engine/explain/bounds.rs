//! What the values of a binder may be.

use super::Case;

/// What a binder may be.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub list: bool,
    /// Elements of a list at most.
    pub longest: usize,
    /// Its numbers, `lo..=last`.
    pub lo: i64,
    pub last: i64,
    /// The one nearest to 0.
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
