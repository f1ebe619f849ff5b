//! Values as bits: words, lists, and iterators of loops. Two values of one kind are compared, or one of them is chosen
//! by a condition.

use super::Blaster;
use crate::lang::ty::Type;
use crate::testing::equivalence::terms::Head;
use crate::testing::prove::aig::{Bit, Word, constant, truth, word_value};

/// The kind of a value. Lists have at most this number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlastKind {
    Word,
    List(u32),
    /// The numbers that a loop has not drawn yet.
    Range,
    /// The elements of a list that a loop has not visited yet.
    Cursor(u32),
}

impl BlastKind {
    pub fn of(ty: Type) -> BlastKind {
        if ty.is_list() { BlastKind::List(ty.capacity()) } else { BlastKind::Word }
    }

    /// Returns the kind that includes both; `None` if there is no such kind.
    pub fn join(self, other: BlastKind) -> Option<BlastKind> {
        match (self, other) {
            (BlastKind::List(a), BlastKind::List(b)) => Some(BlastKind::List(a.max(b))),
            (BlastKind::Cursor(a), BlastKind::Cursor(b)) => Some(BlastKind::Cursor(a.max(b))),
            _ => (self == other).then_some(self),
        }
    }
}

/// A list, as its length and its elements. Elements beyond the length are arbitrary.
#[derive(Clone, Debug)]
pub struct List {
    pub length: Word,
    pub elements: Vec<Word>,
}

#[derive(Clone, Debug)]
pub enum Bits {
    Word(Word),
    List(List),
    Range { next: Word, left: Word },
    Cursor { at: Word, list: List },
}

impl Blaster<'_> {
    pub(super) fn element(&mut self, list: &List, index: &Word) -> Word {
        let mut level = list.elements.clone();
        for bit in index.iter().take(6) {
            if level.len() <= 1 {
                break;
            }
            level = level
                .chunks(2)
                .map(|pair| match pair {
                    [even, odd] => self.aig.choose_word(*bit, odd, even),
                    [even] => *even,
                    _ => constant(0),
                })
                .collect();
        }
        level.first().copied().unwrap_or(constant(0))
    }

    pub(super) fn iterate(&mut self, head: Head, bits: &Bits) -> Option<Bits> {
        Some(match (head, bits) {
            (Head::More, Bits::Range { left, .. }) => Bits::Word(truth(self.aig.is_nonzero(left))),
            (Head::First, Bits::Range { next, .. }) => Bits::Word(*next),
            (Head::Rest, Bits::Range { next, left }) => {
                let next = self.aig.add(next, &constant(1));
                Bits::Range { next, left: self.aig.sub(left, &constant(1)) }
            }
            (Head::More, Bits::Cursor { at, list }) => {
                let end = self.aig.equal(at, &list.length);
                Bits::Word(truth(!end))
            }
            (Head::First, Bits::Cursor { at, list }) => Bits::Word(self.element(list, at)),
            (Head::Rest, Bits::Cursor { at, list }) => {
                Bits::Cursor { at: self.aig.add(at, &constant(1)), list: list.clone() }
            }
            _ => return None,
        })
    }

    fn choose_list(&mut self, condition: Bit, a: &List, b: &List) -> List {
        let count = a.elements.len().max(b.elements.len());
        let at = |list: &List, i: usize| list.elements.get(i).copied();
        let elements = (0..count)
            .map(|i| match (at(a, i), at(b, i)) {
                (Some(x), Some(y)) => self.aig.choose_word(condition, &x, &y),
                // Elements beyond a list's length are arbitrary.
                (x, y) => x.or(y).unwrap_or(constant(0)),
            })
            .collect();
        List { length: self.aig.choose_word(condition, &a.length, &b.length), elements }
    }

    pub(super) fn choose(&mut self, condition: Bit, a: &Bits, b: &Bits) -> Option<Bits> {
        Some(match (a, b) {
            (Bits::Word(a), Bits::Word(b)) => Bits::Word(self.aig.choose_word(condition, a, b)),
            (Bits::List(a), Bits::List(b)) => Bits::List(self.choose_list(condition, a, b)),
            (Bits::Range { next: a, left: x }, Bits::Range { next: b, left: y }) => Bits::Range {
                next: self.aig.choose_word(condition, a, b),
                left: self.aig.choose_word(condition, x, y),
            },
            (Bits::Cursor { at: a, list: x }, Bits::Cursor { at: b, list: y }) => Bits::Cursor {
                at: self.aig.choose_word(condition, a, b),
                list: self.choose_list(condition, x, y),
            },
            _ => return None,
        })
    }

    pub(super) fn equal_lists(&mut self, a: &List, b: &List) -> Bit {
        let mut all = self.aig.equal(&a.length, &b.length);
        let least = a.elements.len().min(b.elements.len());
        if a.elements.len() != b.elements.len() {
            let within = !self.aig.below(&constant(least as u32), &a.length);
            all = self.aig.and(all, within);
        }
        for (i, (x, y)) in a.elements.iter().zip(&b.elements).enumerate() {
            if x != y {
                let within = self.aig.below(&constant(i as u32), &a.length);
                let same = self.aig.equal(x, y);
                let fits = self.aig.or(!within, same);
                all = self.aig.and(all, fits);
            }
        }
        all
    }

    /// Whether two values are equal; `None` if they are of different kinds.
    pub fn equal(&mut self, a: &Bits, b: &Bits) -> Option<Bit> {
        Some(match (a, b) {
            (Bits::Word(a), Bits::Word(b)) => self.aig.equal(a, b),
            (Bits::List(a), Bits::List(b)) => self.equal_lists(a, b),
            (Bits::Range { next: a, left: x }, Bits::Range { next: b, left: y }) => {
                let (next, left) = (self.aig.equal(a, b), self.aig.equal(x, y));
                self.aig.and(next, left)
            }
            (Bits::Cursor { at: a, list: x }, Bits::Cursor { at: b, list: y }) => {
                let (at, list) = (self.aig.equal(a, b), self.equal_lists(x, y));
                self.aig.and(at, list)
            }
            _ => return None,
        })
    }
}

/// Returns a value of a model as words. Values of one kind are equal if their words are.
pub fn value(model: &[bool], bits: &Bits) -> Vec<u32> {
    let list = |list: &List| {
        let length = word_value(model, &list.length);
        let elements = list.elements.iter().take(length as usize).map(|word| word_value(model, word));
        std::iter::once(length).chain(elements).collect::<Vec<u32>>()
    };
    match bits {
        Bits::Word(word) => vec![word_value(model, word)],
        Bits::List(own) => list(own),
        Bits::Range { next, left } => vec![word_value(model, next), word_value(model, left)],
        Bits::Cursor { at, list: own } => [vec![word_value(model, at)], list(own)].concat(),
    }
}
