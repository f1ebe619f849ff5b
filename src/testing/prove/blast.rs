//! Translates terms to bits.

mod calls;
mod symbols;
mod values;

use std::collections::HashMap;
use std::rc::Rc;

use super::aig::{Aig, Bit, TRUE, Word, constant, truth};
use crate::compiler::program::Watch;
use crate::compiler::stage::flow::ranges::Range;
use crate::lang::hash::QuickMap;
use crate::lang::index::RoutineId;
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op};
use crate::lang::ty::Type;
use crate::testing::equivalence::terms::{Head, Node, Term, Terms};
use calls::Called;
pub use symbols::Symbol;
use values::List;
pub use values::{Bits, BlastKind, value};

/// Translates terms to bits of a graph. Each term is translated once.
pub struct Blaster<'a> {
    pub aig: Aig,
    terms: &'a Terms,
    symbols: &'a HashMap<Term, Symbol>,
    result: &'a dyn Fn(RoutineId) -> Option<Type>,
    pub watch: &'a dyn Watch,
    bits: QuickMap<Term, Rc<Bits>>,
    calls: HashMap<RoutineId, Vec<Called>>,
    /// By call: the places at which it may trap, each with the code of its trap there, which is unknown.
    codes: HashMap<Term, Vec<(Term, Word)>>,
    /// Conditions that hold for all values of the symbols.
    pub constraints: Vec<Bit>,
    pub constants: Vec<u32>,
}

/// The maximum number of nodes of a graph.
const NODES: usize = 1 << 19;
impl<'a> Blaster<'a> {
    pub fn new(
        terms: &'a Terms,
        symbols: &'a HashMap<Term, Symbol>,
        result: &'a dyn Fn(RoutineId) -> Option<Type>,
        watch: &'a dyn Watch,
    ) -> Blaster<'a> {
        Blaster {
            aig: Aig::default(),
            terms,
            symbols,
            result,
            watch,
            bits: QuickMap::default(),
            calls: HashMap::new(),
            codes: HashMap::new(),
            constraints: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// Returns the bits of a term, or `None` if it is not understood or the graph is too large.
    pub fn bits(&mut self, term: Term) -> Option<Rc<Bits>> {
        let mut open = vec![term];
        while let Some(term) = open.last().copied() {
            if self.bits.contains_key(&term) {
                open.pop();
                continue;
            }
            let before = open.len();
            self.terms.parts(term, |part| {
                if !self.bits.contains_key(&part) {
                    open.push(part);
                }
            });
            if open.len() == before {
                if self.aig.nodes.len() > NODES || self.bits.len().is_multiple_of(32) && self.watch.cancelled()
                {
                    return None;
                }
                let bits = self.blast(term)?;
                self.bits.insert(term, Rc::new(bits));
                open.pop();
            }
        }
        self.bits.get(&term).cloned()
    }

    /// The bits of the parameter at a slot, if a term depends on it.
    pub fn parameter(&mut self, slot: u32) -> Option<Rc<Bits>> {
        self.bits(self.terms.find(&Node::Parameter(slot))?)
    }

    pub fn word(&mut self, term: Term) -> Option<Word> {
        match &*self.bits(term)? {
            Bits::Word(word) => Some(*word),
            _ => None,
        }
    }

    /// The truth of a term that is 0 or 1.
    pub fn truth(&mut self, term: Term) -> Option<Bit> {
        let word = self.word(term)?;
        Some(self.aig.is_nonzero(&word))
    }

    fn list(&self, term: Term) -> Option<List> {
        match &**self.bits.get(&term)? {
            Bits::List(list) => Some(list.clone()),
            _ => None,
        }
    }

    fn blast(&mut self, term: Term) -> Option<Bits> {
        match self.terms.node(term).clone() {
            Node::Constant(value) => {
                self.constants.push(value as u32);
                Some(Bits::Word(constant(value as u32)))
            }
            Node::Parameter(_) | Node::Symbol(_) => {
                let symbol = *self.symbols.get(&term)?;
                Some(self.unknown(symbol))
            }
            Node::Joined { .. } => None,
            Node::Sum(first, products) => {
                let mut sum = constant(first as u32);
                for (product, factor) in products.iter() {
                    let mut all: Option<Word> = None;
                    for part in product.iter() {
                        let word = self.word(*part)?;
                        all = Some(all.map_or(word, |all| self.aig.mul(&all, &word)));
                    }
                    let all = all?;
                    sum = match factor {
                        1 => self.aig.add(&sum, &all),
                        -1 => self.aig.sub(&sum, &all),
                        factor => {
                            let scaled = self.aig.mul(&all, &constant(*factor as u32));
                            self.aig.add(&sum, &scaled)
                        }
                    };
                }
                Some(Bits::Word(sum))
            }
            Node::Apply(head, operands) => self.apply(term, head, &operands),
        }
    }

    fn apply(&mut self, term: Term, head: Head, operands: &[Term]) -> Option<Bits> {
        let word = |own: &mut Blaster, at: usize| own.word(*operands.get(at)?);
        let list = |own: &Blaster, at: usize| own.list(*operands.get(at)?);
        Some(match head {
            Head::Zero => {
                let word = word(self, 0)?;
                Bits::Word(truth(!self.aig.is_nonzero(&word)))
            }
            Head::Op(Op::ListLen) => Bits::Word(list(self, 0)?.length),
            Head::Op(Op::LoadIndex) => {
                let (list, index) = (list(self, 0)?, word(self, 1)?);
                Bits::Word(self.element(&list, &index))
            }
            Head::Op(Op::BuildList) => {
                let elements = (0..operands.len()).map(|at| word(self, at)).collect::<Option<_>>()?;
                Bits::List(List { length: constant(operands.len() as u32), elements })
            }
            Head::Op(Op::RepeatList) => {
                let (element, count) = (word(self, 0)?, self.terms.value_of(*operands.get(1)?)?);
                let count = u32::try_from(count).ok().filter(|count| *count <= CAPACITY)?;
                Bits::List(List { length: constant(count), elements: vec![element; count as usize] })
            }
            Head::Op(Op::JoinList) => {
                let (a, b) = (list(self, 0)?, list(self, 1)?);
                let capacity = (a.elements.len() + b.elements.len()).min(CAPACITY as usize);
                let mut moved = b.elements.clone();
                moved.resize(capacity, constant(0));
                for (stage, on) in a.length.iter().take(7).enumerate() {
                    let by = 1usize << stage;
                    let from = |moved: &[Word], i: usize| i.checked_sub(by).map_or(constant(0), |i| moved[i]);
                    moved = (0..capacity)
                        .map(|i| {
                            let other = from(&moved, i);
                            self.aig.choose_word(*on, &other, &moved[i])
                        })
                        .collect();
                }
                for (i, own) in a.elements.iter().enumerate().take(capacity) {
                    let within = self.aig.below(&constant(i as u32), &a.length);
                    moved[i] = self.aig.choose_word(within, own, &moved[i]);
                }
                Bits::List(List { length: self.aig.add(&a.length, &b.length), elements: moved })
            }
            Head::Op(Op::Slice) => {
                let (list, from, to) = (list(self, 0)?, word(self, 1)?, word(self, 2)?);
                let mut elements = list.elements;
                let count = elements.len();
                for (stage, on) in from.iter().take(7).enumerate() {
                    let by = 1usize << stage;
                    elements = (0..count)
                        .map(|i| {
                            let other = elements.get(i + by).copied().unwrap_or(constant(0));
                            self.aig.choose_word(*on, &other, &elements[i])
                        })
                        .collect();
                }
                Bits::List(List { length: self.aig.sub(&to, &from), elements })
            }
            Head::Op(Op::ListEq) => {
                let (a, b) = (list(self, 0)?, list(self, 1)?);
                Bits::Word(truth(self.equal_lists(&a, &b)))
            }
            Head::Op(op) if op.class() == Class::Unary => {
                let a = word(self, 0)?;
                Bits::Word(self.aig.unary(op, &a)?)
            }
            Head::Op(op) => {
                let mut all = word(self, 0)?;
                for at in 1..operands.len() {
                    let next = word(self, at)?;
                    all = self.aig.binary(op, &all, &next)?;
                }
                Bits::Word(all)
            }
            Head::Replaced => {
                let (mut list, index, value) = (list(self, 0)?, word(self, 1)?, word(self, 2)?);
                for (i, element) in list.elements.iter_mut().enumerate() {
                    let here = self.aig.equal(&index, &constant(i as u32));
                    *element = self.aig.choose_word(here, &value, element);
                }
                Bits::List(list)
            }
            Head::Range(inclusive) => {
                let (a, b) = (word(self, 0)?, word(self, 1)?);
                let count = self.aig.sub(&b, &a);
                let (some, count) = match inclusive {
                    false => (self.aig.less(&a, &b), count),
                    true => {
                        let full = self.aig.equal(&count, &constant(u32::MAX));
                        let more = self.aig.add(&count, &constant(1));
                        let count = self.aig.choose_word(full, &constant(u32::MAX), &more);
                        (!self.aig.less(&b, &a), count)
                    }
                };
                Bits::Range { next: a, left: self.aig.choose_word(some, &count, &constant(0)) }
            }
            Head::Elements => Bits::Cursor { at: constant(0), list: list(self, 0)? },
            Head::More | Head::First | Head::Rest => {
                let bits = self.bits.get(operands.first()?)?.clone();
                self.iterate(head, &bits)?
            }
            Head::Call(routine) => {
                let ty = (self.result)(routine)?;
                let bools = if ty.is_list() { ty.element() } else { ty } == Type::BOOL;
                let bits = self.unknown(Symbol { kind: BlastKind::of(ty), known: Range::ANY, bools });
                self.called(routine, operands, term, &bits)?;
                bits
            }
            Head::Traps => {
                let call = *operands.first()?;
                let calls = self.calls.values().flatten();
                let traps = calls.into_iter().find(|known| known.value == call)?.traps;
                Bits::Word(truth(traps))
            }
            Head::TrapOf => {
                let (call, place) = (*operands.first()?, *operands.get(1)?);
                let mut word = self.aig.input_word();
                // The code of a trap is not 0.
                word[0] = TRUE;
                self.same_codes(call, place, &word)?;
                self.codes.entry(call).or_default().push((place, word));
                Bits::Word(word)
            }
            Head::If => {
                let condition = word(self, 0)?;
                let condition = self.aig.is_nonzero(&condition);
                let (then, otherwise) =
                    (self.bits.get(&operands[1])?.clone(), self.bits.get(&operands[2])?.clone());
                self.choose(condition, &then, &otherwise)?
            }
        })
    }
}
