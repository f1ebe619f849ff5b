//! Unknown values, as inputs of the graph.

use super::Blaster;
use super::values::{Bits, BlastKind, List};
use crate::compiler::stage::flow::ranges::Range;
use crate::testing::prove::aig::{Aig, FALSE, TRUE, Word, constant, truth};

/// An unknown value.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub kind: BlastKind,
    /// The facts about it. For a list, they are about its length.
    pub known: Range,
    /// Whether it is a bool or a list of bools.
    pub bools: bool,
}

impl Blaster<'_> {
    /// Returns new inputs for a value.
    pub(super) fn unknown(&mut self, symbol: Symbol) -> Bits {
        let Symbol { kind, known, bools } = symbol;
        match kind {
            BlastKind::Word if bools => Bits::Word(truth(self.aig.input())),
            BlastKind::Word => {
                let word = self.known_word(known);
                Bits::Word(word)
            }
            BlastKind::List(capacity) => Bits::List(self.unknown_list(capacity, known, bools)),
            BlastKind::Range => {
                let (next, left) = (self.aig.input_word(), self.aig.input_word());
                // The facts about a range hold for its numbers.
                let none = !self.aig.is_nonzero(&left);
                let below = self.aig.less(&next, &constant(known.lo as u32));
                let above = self.aig.less(&constant(known.hi as u32), &next);
                let outside = self.aig.or(below, above);
                let fits = self.aig.or(none, !outside);
                self.constraints.push(fits);
                Bits::Range { next, left }
            }
            BlastKind::Cursor(capacity) => {
                let list = self.unknown_list(capacity, Range::ANY, bools);
                let at = self.length(capacity);
                let within = !self.aig.below(&list.length, &at);
                self.constraints.push(within);
                Bits::Cursor { at, list }
            }
        }
    }

    /// Returns a new word with these facts.
    fn known_word(&mut self, known: Range) -> Word {
        let word: Word = std::array::from_fn(|i| {
            let fixed = |bits: u32| bits >> i & 1 == 1;
            match (fixed(known.zeros), fixed(known.ones)) {
                (true, _) => FALSE,
                (_, true) => TRUE,
                _ => self.aig.input(),
            }
        });
        self.aig.words.push(word);
        if known.lo > i32::MIN {
            let below = self.aig.less(&word, &constant(known.lo as u32));
            self.constraints.push(!below);
        }
        if known.hi < i32::MAX {
            let above = self.aig.less(&constant(known.hi as u32), &word);
            self.constraints.push(!above);
        }
        word
    }

    fn length(&mut self, capacity: u32) -> Word {
        self.known_word(Range::between(0, capacity as i32))
    }

    fn unknown_list(&mut self, capacity: u32, known: Range, bools: bool) -> List {
        let known = known.meet(Range::between(0, capacity as i32));
        let length = self.known_word(known.unwrap_or(Range::between(0, capacity as i32)));
        let element = |aig: &mut Aig| if bools { truth(aig.input()) } else { aig.input_word() };
        List { length, elements: (0..capacity).map(|_| element(&mut self.aig)).collect() }
    }
}
