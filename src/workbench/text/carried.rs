//! Places that move with the text when it is edited: the jump list, marks, and the brackets that were closed automatically.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::workbench::text::{Buffer, Selection};

/// The maximum number of places in the jump list; the oldest are dropped.
const MOST: usize = 100;

#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    /// Places before jumps, the latest last.
    back: Vec<usize>,
    /// Places that a way back has left, the latest last.
    ahead: Vec<usize>,
    /// Places that the user has named by a letter.
    marks: BTreeMap<char, usize>,
    /// Positions of closing brackets that were inserted automatically since the cursor last moved, in text order.
    closers: Vec<usize>,
}

impl Carried {
    /// Moves all places after a range was replaced by `inserted` characters. Closing brackets in the range are forgotten.
    pub fn carry(&mut self, range: Range<usize>, inserted: usize) {
        let moved = |at: usize| match at {
            at if at >= range.end => at - range.len() + inserted,
            at => at.min(range.start),
        };
        self.back
            .iter_mut()
            .chain(&mut self.ahead)
            .chain(self.marks.values_mut())
            .for_each(|at| *at = moved(*at));
        self.closers.retain(|at| !range.contains(at));
        self.closers.iter_mut().for_each(|at| *at = moved(*at));
    }

    pub fn forget_closers(&mut self) {
        self.closers.clear();
    }
    pub fn forget(&mut self, closers: impl Iterator<Item = usize>) {
        let gone: Vec<usize> = closers.collect();
        self.closers.retain(|at| !gone.contains(at));
    }
    pub fn closers(&self) -> &[usize] {
        &self.closers
    }
    pub fn expect_closers(&mut self, closers: impl IntoIterator<Item = usize>) {
        self.closers.extend(closers);
        self.closers.sort_unstable();
        self.closers.dedup();
    }
}

impl Buffer {
    /// Records the cursor's place in the jump list, before a jump.
    pub fn leave(&mut self) {
        self.leave_from(self.head());
    }

    /// Records a place in the jump list, after a jump from there.
    pub fn leave_from(&mut self, place: usize) {
        self.carried.ahead.clear();
        push(&mut self.carried.back, place);
    }

    /// Names a place.
    pub fn set_mark(&mut self, name: char, place: usize) {
        self.carried.marks.insert(name, place);
    }
    /// Returns the place with a name.
    pub fn mark(&self, name: char) -> Option<usize> {
        self.carried.marks.get(&name).copied()
    }

    pub fn can_jump_back(&self) -> bool {
        self.carried.back.iter().any(|place| *place != self.head())
    }
    pub fn can_jump_ahead(&self) -> bool {
        self.carried.ahead.iter().any(|place| *place != self.head())
    }

    /// Goes back to the place before the last jump. Returns false without one.
    pub fn jump_back(&mut self) -> bool {
        let head = self.head();
        let Some(to) = last_other(&mut self.carried.back, head) else { return false };
        push(&mut self.carried.ahead, head);
        self.select(Selection::at(to));
        true
    }

    /// Goes again to the place that the last way back has left. Returns false without one.
    pub fn jump_ahead(&mut self) -> bool {
        let head = self.head();
        let Some(to) = last_other(&mut self.carried.ahead, head) else { return false };
        push(&mut self.carried.back, head);
        self.select(Selection::at(to));
        true
    }
}

fn push(places: &mut Vec<usize>, place: usize) {
    if places.last() == Some(&place) {
        return;
    }
    if places.len() >= MOST {
        places.remove(0);
    }
    places.push(place);
}

/// Takes the last place that is not the cursor's.
fn last_other(places: &mut Vec<usize>, head: usize) -> Option<usize> {
    std::iter::from_fn(|| places.pop()).find(|place| *place != head)
}
