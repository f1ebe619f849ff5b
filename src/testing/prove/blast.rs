//! Translates terms to bits.

use std::collections::HashMap;
use std::rc::Rc;

use super::aig::{Aig, Bit, FALSE, TRUE, Word, constant, truth, word_value};
use crate::compiler::program::Watch;
use crate::lang::index::RoutineId;
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::{Class, Op};
use crate::lang::ty::Type;
use crate::testing::equivalence::known::Known;
use crate::testing::equivalence::terms::{Head, Node, Term, Terms};

/// The kind of a value. Lists have at most this number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Word,
    List(u32),
    /// The numbers that a loop has left.
    Range,
    /// The elements of a list that a loop has left.
    Cursor(u32),
}

impl Kind {
    pub fn of(ty: Type) -> Kind {
        if ty.is_list() { Kind::List(ty.capacity()) } else { Kind::Word }
    }

    /// The kind that has the values of both; `None` if they have nothing in common.
    pub fn join(self, other: Kind) -> Option<Kind> {
        match (self, other) {
            (Kind::List(a), Kind::List(b)) => Some(Kind::List(a.max(b))),
            (Kind::Cursor(a), Kind::Cursor(b)) => Some(Kind::Cursor(a.max(b))),
            _ => (self == other).then_some(self),
        }
    }
}

/// An unknown value.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    pub kind: Kind,
    /// The facts about it; of a list, about its length.
    pub known: Known,
    /// Whether it is a bool or a list of bools.
    pub bools: bool,
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

/// A call, with the unknown results.
struct Called {
    arguments: Vec<Term>,
    value: Term,
    traps: Bit,
}

/// Terms as bits of a graph.
pub struct Blaster<'a> {
    pub aig: Aig,
    terms: &'a Terms,
    symbols: &'a HashMap<Term, Symbol>,
    result: &'a dyn Fn(RoutineId) -> Option<Type>,
    watch: &'a dyn Watch,
    bits: HashMap<Term, Rc<Bits>>,
    calls: HashMap<RoutineId, Vec<Called>>,
    /// How each call traps at each place.
    codes: HashMap<Term, Vec<(Term, Word)>>,
    /// Conditions that hold for all values of the symbols.
    pub constraints: Vec<Bit>,
}

/// The largest graph.
const NODES: usize = 1 << 19;
/// The most calls of one function that are compared with each other.
const CALLS: usize = 12;

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
            bits: HashMap::new(),
            calls: HashMap::new(),
            codes: HashMap::new(),
            constraints: Vec::new(),
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
            Node::Constant(value) => Some(Bits::Word(constant(value as u32))),
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

    /// New inputs for a value.
    fn unknown(&mut self, symbol: Symbol) -> Bits {
        let Symbol { kind, known, bools } = symbol;
        match kind {
            Kind::Word if bools => Bits::Word(truth(self.aig.input())),
            Kind::Word => {
                let word = self.known_word(known);
                Bits::Word(word)
            }
            Kind::List(capacity) => Bits::List(self.unknown_list(capacity, known, bools)),
            Kind::Range => {
                let (next, left) = (self.aig.input_word(), self.aig.input_word());
                // The facts are those about its numbers.
                let none = !self.aig.is_nonzero(&left);
                let below = self.aig.less(&next, &constant(known.lo as u32));
                let above = self.aig.less(&constant(known.hi as u32), &next);
                let outside = self.aig.or(below, above);
                let fits = self.aig.or(none, !outside);
                self.constraints.push(fits);
                Bits::Range { next, left }
            }
            Kind::Cursor(capacity) => {
                let list = self.unknown_list(capacity, Known::ANY, bools);
                let at = self.length(capacity);
                let within = !self.aig.below(&list.length, &at);
                self.constraints.push(within);
                Bits::Cursor { at, list }
            }
        }
    }

    /// A word within its facts.
    fn known_word(&mut self, known: Known) -> Word {
        let word: Word = std::array::from_fn(|i| {
            let fixed = |bits: u32| bits >> i & 1 == 1;
            match (fixed(known.zeros), fixed(known.ones)) {
                (true, _) => FALSE,
                (_, true) => TRUE,
                _ => self.aig.input(),
            }
        });
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
        self.known_word(Known::between(0, capacity as i32))
    }

    fn unknown_list(&mut self, capacity: u32, known: Known, bools: bool) -> List {
        let known = known.meet(Known::between(0, capacity as i32));
        let length = self.known_word(known.unwrap_or(Known::between(0, capacity as i32)));
        let element = |aig: &mut Aig| if bools { truth(aig.input()) } else { aig.input_word() };
        List { length, elements: (0..capacity).map(|_| element(&mut self.aig)).collect() }
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
                let bits = self.unknown(Symbol { kind: Kind::of(ty), known: Known::ANY, bools });
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

    /// Equal calls have equal results.
    fn called(&mut self, routine: RoutineId, operands: &[Term], term: Term, bits: &Bits) -> Option<()> {
        let traps = self.aig.input();
        let known: Vec<(Vec<Term>, Term, Bit)> = { self.calls.entry(routine).or_default() }
            .iter()
            .map(|call| (call.arguments.clone(), call.value, call.traps))
            .collect();
        for (arguments, value, other) in known.iter().take(CALLS) {
            let mut same = TRUE;
            for (a, b) in arguments.iter().zip(operands) {
                let (a, b) = (self.bits.get(a)?.clone(), self.bits.get(b)?.clone());
                let equal = self.equal(&a, &b)?;
                same = self.aig.and(same, equal);
            }
            if same == FALSE {
                continue;
            }
            let value = self.bits.get(value)?.clone();
            let values = self.equal(&value, bits)?;
            let ways = !self.aig.xor(*other, traps);
            let results = self.aig.and(values, ways);
            let implied = self.aig.or(!same, results);
            self.constraints.push(implied);
        }
        let call = Called { arguments: operands.to_vec(), value: term, traps };
        self.calls.entry(routine).or_default().push(call);
        Some(())
    }

    /// Equal calls trap in the same way at the same place.
    fn same_codes(&mut self, call: Term, place: Term, word: &Word) -> Option<()> {
        let Node::Apply(Head::Call(routine), operands) = self.terms.node(call).clone() else { return None };
        let known: Vec<(Vec<Term>, Term)> =
            { self.calls.get(&routine)? }.iter().map(|call| (call.arguments.clone(), call.value)).collect();
        for (arguments, value) in known.iter().take(CALLS) {
            let there = self.codes.get(value).into_iter().flatten().find(|(at, _)| *at == place);
            let Some(other) = there.map(|(_, word)| *word) else { continue };
            let mut same = TRUE;
            for (a, b) in arguments.iter().zip(operands.iter()) {
                let (a, b) = (self.bits.get(a)?.clone(), self.bits.get(b)?.clone());
                let equal = self.equal(&a, &b)?;
                same = self.aig.and(same, equal);
            }
            let equal = self.aig.equal(&other, word);
            let implied = self.aig.or(!same, equal);
            self.constraints.push(implied);
        }
        Some(())
    }

    fn element(&mut self, list: &List, index: &Word) -> Word {
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

    fn iterate(&mut self, head: Head, bits: &Bits) -> Option<Bits> {
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
                // Beyond a list, its elements are arbitrary.
                (x, y) => x.or(y).unwrap_or(constant(0)),
            })
            .collect();
        List { length: self.aig.choose_word(condition, &a.length, &b.length), elements }
    }

    fn choose(&mut self, condition: Bit, a: &Bits, b: &Bits) -> Option<Bits> {
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

    fn equal_lists(&mut self, a: &List, b: &List) -> Bit {
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

/// A value of a model: the words that distinguish it from others of its kind.
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
