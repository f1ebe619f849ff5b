//! The selections of all cursors: sorted, and merged where they meet.

use crate::workbench::text::Selection;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carets {
    /// The cursor that the screen follows; the newest one.
    pub main: Selection,
    /// The others, in text order. No two cursors overlap.
    pub others: Vec<Selection>,
}

impl From<Selection> for Carets {
    fn from(main: Selection) -> Carets {
        Carets { main, others: Vec::new() }
    }
}

impl Carets {
    /// Merges cursors that overlap or touch, and sorts the others.
    pub fn new(main: Selection, others: Vec<Selection>) -> Carets {
        if others.is_empty() {
            return main.into();
        }
        let mut all: Vec<(Selection, bool)> = others.into_iter().map(|other| (other, false)).collect();
        all.push((main, true));
        all.sort_by_key(|(own, is_main)| (own.range().start, own.range().end, !is_main));
        let mut kept: Vec<(Selection, bool)> = Vec::new();
        for (own, is_main) in all {
            match kept.last_mut().filter(|(last, _)| last.overlaps(own)) {
                Some((last, last_is_main)) => {
                    // The main cursor keeps its direction.
                    *last = if is_main { own.over(*last) } else { last.over(own) };
                    *last_is_main |= is_main;
                }
                None => kept.push((own, is_main)),
            }
        }
        let main = kept.iter().find(|(_, is_main)| *is_main).map_or(main, |(own, _)| *own);
        let others = kept.into_iter().filter(|(_, is_main)| !is_main).map(|(own, _)| own).collect();
        Carets { main, others }
    }

    /// Returns all cursors in text order, each with whether it is the main one.
    pub fn in_order(&self) -> Vec<(Selection, bool)> {
        let split = self.others.partition_point(|other| other.range().start < self.main.range().start);
        let (before, after) = self.others.split_at(split);
        let other = |own: &Selection| (*own, false);
        before.iter().map(other).chain([(self.main, true)]).chain(after.iter().map(other)).collect()
    }
}

impl Selection {
    /// Returns whether two selections share text, or one is a cursor at an end of the other.
    pub(super) fn overlaps(self, other: Selection) -> bool {
        let (a, b) = (self.range(), other.range());
        let touches = a.start <= b.end && b.start <= a.end;
        touches && (self.is_empty() || other.is_empty() || (a.start < b.end && b.start < a.end))
    }

    /// Returns the selection of both, in this one's direction.
    fn over(self, other: Selection) -> Selection {
        let start = self.range().start.min(other.range().start);
        let end = self.range().end.max(other.range().end);
        match self.head < self.anchor {
            true => Selection { anchor: end, head: start },
            false => Selection { anchor: start, head: end },
        }
    }
}
