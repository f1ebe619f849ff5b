//! Relations between variables that a simulation assumes at a place.

use std::collections::{BTreeMap, BTreeSet};

use super::aig::{Aig, Bit, constant};
use super::blast::{Bits, BlastKind, Blaster};
use crate::lang::limits::CAPACITY;
use crate::testing::equivalence::terms::TermValue;

/// The maximum number of words of one routine that are compared with each other.
const COMPARED: usize = 12;

/// A variable of the first (0) or the second (1) routine.
pub type Item = (usize, u32);

/// A relation between variables. The word of a list is its length; the word of a range is its next number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Less(Item, Item),
    AtMost(Item, Item),
    /// No bit is set in both.
    Disjoint(Item, Item),
    /// A range is empty, or ends just before this word.
    Ends(Item, Item),
    /// A range has no numbers left.
    Empty(Item),
    /// A range has no more numbers left than a list has elements.
    Few(Item),
    /// A word has this value.
    Is(Item, u32),
    /// The next number of a range is one more than this word.
    Follows(Item, Item),
    /// A range has as many numbers left as are missing from its next number to the bound, or none.
    Counts(Item, Bound),
    /// The sum of this variable's words in both routines is 0. Or, with `either`, they may also be equal.
    Opposite {
        variable: u32,
        either: bool,
    },
    /// In both routines, the list in this variable has the same length, and the same elements at indices below `bound +
    /// more` (`before`) or from there on.
    Alike {
        list: u32,
        bound: Item,
        more: u32,
        before: bool,
    },
}

/// The end of a range: a word, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bound {
    Item(Item),
    Constant(u32),
}

/// All relations between the variables at a place. `bounds` are the constants that ranges end at.
pub fn related(kinds: &BTreeMap<Item, BlastKind>, bounds: &BTreeSet<u32>) -> BTreeSet<Relation> {
    let mut relations = BTreeSet::new();
    for (range, _) in kinds.iter().filter(|(_, kind)| **kind == BlastKind::Range) {
        relations.extend(bounds.iter().map(|bound| Relation::Counts(*range, Bound::Constant(*bound))));
        for (word, kind) in kinds.iter().filter(|(word, _)| word.0 == range.0) {
            relations.extend((*kind == BlastKind::Word).then_some(Relation::Follows(*range, *word)));
            let is_bound = matches!(kind, BlastKind::Word | BlastKind::List(_));
            relations.extend(is_bound.then_some(Relation::Counts(*range, Bound::Item(*word))));
        }
    }
    for side in 0..2 {
        let words = kinds.iter().filter(|(item, kind)| item.0 == side && !matches!(kind, BlastKind::Cursor(_)));
        let words: Vec<(Item, BlastKind)> = words.map(|(item, kind)| (*item, *kind)).take(COMPARED).collect();
        for (a, kind) in &words {
            for (b, other) in words.iter().filter(|(b, _)| b != a) {
                relations.extend([Relation::Less(*a, *b), Relation::AtMost(*a, *b)]);
                let are_words = (*kind, *other) == (BlastKind::Word, BlastKind::Word);
                relations.extend((are_words && a < b).then_some(Relation::Disjoint(*a, *b)));
                relations.extend((*kind == BlastKind::Range).then_some(Relation::Ends(*a, *b)));
            }
            let lists =
                kinds.iter().filter(|((side, _), kind)| *side == 0 && matches!(kind, BlastKind::List(_)));
            for ((_, list), _) in lists.filter(|((_, list), kind)| {
                side == 0 && kinds.get(&(1, *list)).is_some_and(|other| other.join(**kind).is_some())
            }) {
                for (more, before) in [(0, false), (0, true), (1, false), (1, true)] {
                    relations.insert(Relation::Alike { list: *list, bound: *a, more, before });
                }
            }
        }
    }
    relations
}

/// The relations between the words of one variable in both routines, if a sign may differ.
pub fn opposed(kinds: &BTreeMap<Item, BlastKind>) -> impl Iterator<Item = Relation> {
    let words = kinds.iter().filter(|((side, variable), kind)| {
        (*side, **kind) == (0, BlastKind::Word) && kinds.get(&(1, *variable)) == Some(&BlastKind::Word)
    });
    words.flat_map(|((_, variable), _)| {
        [false, true].map(|either| Relation::Opposite { variable: *variable, either })
    })
}

impl Relation {
    /// Whether it holds for some values. Returns `None` if these are not of the kinds that it relates.
    pub fn bit(&self, blaster: &mut Blaster, values: &[BTreeMap<u32, TermValue>; 2]) -> Option<Bit> {
        let bits =
            |blaster: &mut Blaster, (side, variable): Item| blaster.bits(values[side].get(&variable)?.term);
        let word = |blaster: &mut Blaster, item: Item| match &*bits(blaster, item)? {
            Bits::Word(word) => Some(*word),
            Bits::List(list) => Some(list.length),
            Bits::Range { next, .. } => Some(*next),
            Bits::Cursor { .. } => None,
        };
        Some(match *self {
            Relation::Less(a, b) => {
                let (a, b) = (word(blaster, a)?, word(blaster, b)?);
                blaster.aig.less(&a, &b)
            }
            Relation::AtMost(a, b) => {
                let (a, b) = (word(blaster, a)?, word(blaster, b)?);
                !blaster.aig.less(&b, &a)
            }
            Relation::Disjoint(a, b) => {
                let (a, b) = (word(blaster, a)?, word(blaster, b)?);
                let common = blaster.aig.map(&a, &b, Aig::and);
                !blaster.aig.is_nonzero(&common)
            }
            Relation::Ends(range, b) => {
                let b = word(blaster, b)?;
                let Bits::Range { next, left } = &*bits(blaster, range)? else { return None };
                let end = blaster.aig.add(next, left);
                let none = !blaster.aig.is_nonzero(left);
                let equal = blaster.aig.equal(&end, &b);
                let above = blaster.aig.less(next, &b);
                let both = blaster.aig.and(equal, above);
                blaster.aig.or(none, both)
            }
            Relation::Empty(range) => {
                let Bits::Range { left, .. } = &*bits(blaster, range)? else { return None };
                !blaster.aig.is_nonzero(left)
            }
            Relation::Few(range) => {
                let Bits::Range { left, .. } = &*bits(blaster, range)? else { return None };
                blaster.aig.below(left, &constant(CAPACITY + 1))
            }
            Relation::Is(item, value) => {
                let word = word(blaster, item)?;
                blaster.aig.equal(&word, &constant(value))
            }
            Relation::Opposite { variable, either } => {
                let (a, b) = (word(blaster, (0, variable))?, word(blaster, (1, variable))?);
                let sum = blaster.aig.add(&a, &b);
                let opposite = !blaster.aig.is_nonzero(&sum);
                let equal = blaster.aig.equal(&a, &b);
                if either { blaster.aig.or(opposite, equal) } else { opposite }
            }
            Relation::Follows(range, b) => {
                let b = word(blaster, b)?;
                let Bits::Range { next, .. } = &*bits(blaster, range)? else { return None };
                let after = blaster.aig.add(&b, &constant(1));
                blaster.aig.equal(next, &after)
            }
            Relation::Counts(range, bound) => {
                let bound = match bound {
                    Bound::Item(item) => word(blaster, item)?,
                    Bound::Constant(value) => constant(value),
                };
                let Bits::Range { next, left } = &*bits(blaster, range)? else { return None };
                let more = blaster.aig.less(next, &bound);
                let missing = blaster.aig.sub(&bound, next);
                let missing = blaster.aig.choose_word(more, &missing, &constant(0));
                blaster.aig.equal(left, &missing)
            }
            Relation::Alike { list, bound, more, before } => {
                let bound = word(blaster, bound)?;
                let bound = blaster.aig.add(&bound, &constant(more));
                let (a, b) = (bits(blaster, (0, list))?, bits(blaster, (1, list))?);
                let (Bits::List(a), Bits::List(b)) = (&*a, &*b) else { return None };
                let mut all = blaster.aig.equal(&a.length, &b.length);
                for (k, (x, y)) in (0..).zip(a.elements.iter().zip(&b.elements)) {
                    let below = blaster.aig.less(&constant(k), &bound);
                    let concerned = if before { below } else { !below };
                    let same = blaster.aig.equal(x, y);
                    let fits = blaster.aig.or(!concerned, same);
                    all = blaster.aig.and(all, fits);
                }
                all
            }
        })
    }
}
