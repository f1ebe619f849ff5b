//! Values of a routine as terms in normal form. Equal terms have equal values; each term exists once.

mod bits;
mod comparisons;
mod sums;

use crate::compiler::stage::flow::ranges::Range;
use crate::lang::arithmetic;
use crate::lang::hash::QuickMap;
use crate::lang::index::RoutineId;
use crate::lang::opcode::Op;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

/// A function of other terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Head {
    /// An operation of the machine on its operands. Comparisons are `Lt` and `Eq` alone.
    Op(Op),
    /// Whether the operand is 0.
    Zero,
    Call(RoutineId),
    /// The list with the element at an index replaced.
    Replaced,
    /// The numbers from the first operand up to the second, without it or (true) with it.
    Range(bool),
    /// The elements of a list, in order.
    Elements,
    /// Whether a range or the rest of a list has another element, that element, and those after it.
    More,
    First,
    Rest,
    /// The second operand if the first is not 0, else the third.
    If,
    /// Whether a call traps, and how it traps at a place.
    Traps,
    TrapOf,
}

/// A product of terms, sorted.
type Product = Box<[Term]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Constant(i32),
    /// The parameter in this slot.
    Parameter(u32),
    /// The value of a variable where the block of this number begins.
    Joined {
        block: u32,
        variable: u32,
    },
    /// An unknown value, of which a proof assumes something.
    Symbol(u32),
    Apply(Head, Box<[Term]>),
    /// A sum of products with factors, by product, and a constant.
    Sum(i32, Box<[(Product, i32)]>),
}

/// A term with facts about its value where it is computed.
#[derive(Clone, Copy, Debug)]
pub struct TermValue {
    pub term: Term,
    pub known: Range,
}

/// The families of rules that normal forms apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Facts about values: intervals and known bits.
    pub facts: bool,
    /// Sums and products are regrouped.
    pub sums: bool,
    /// Signs are dropped where they have no effect.
    pub signs: bool,
    /// Bits that have no effect are dropped; `|`, `^` and `+` are one if no bit is set in both operands.
    pub bits: bool,
}

impl Rules {
    pub const ALL: Rules = Rules { facts: true, sums: true, signs: true, bits: true };
}

/// The families of rules that have had an effect. The two others have one on nearly every routine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    pub signs: bool,
    pub bits: bool,
}

/// How deep rules look into a term.
const DEPTH: u32 = 8;

/// All terms of some routines.
#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    known: QuickMap<Node, Term>,
    pub rules: Rules,
    pub used: Used,
}

impl Terms {
    pub fn new(rules: Rules) -> Terms {
        Terms { nodes: Vec::new(), known: QuickMap::default(), rules, used: Used::default() }
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets all terms but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        for node in self.nodes.drain(count.min(self.nodes.len())..) {
            self.known.remove(&node);
        }
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// Calls `each` with the terms that a term consists of directly.
    pub fn parts(&self, term: Term, mut each: impl FnMut(Term)) {
        match self.node(term) {
            Node::Apply(_, parts) => parts.iter().copied().for_each(each),
            Node::Sum(_, products) => {
                products.iter().flat_map(|(product, _)| product.iter().copied()).for_each(&mut each);
            }
            Node::Constant(_) | Node::Parameter(_) | Node::Joined { .. } | Node::Symbol(_) => {}
        }
    }

    pub fn find(&self, node: &Node) -> Option<Term> {
        self.known.get(node).copied()
    }

    pub fn intern(&mut self, node: Node) -> Term {
        if let Some(term) = self.known.get(&node) {
            return *term;
        }
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, term);
        term
    }

    pub fn constant(&mut self, value: i32) -> Term {
        self.intern(Node::Constant(value))
    }

    pub fn apply(&mut self, head: Head, operands: &[Term]) -> Term {
        self.intern(Node::Apply(head, operands.into()))
    }

    pub fn value_of(&self, term: Term) -> Option<i32> {
        match self.node(term) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// Applies an operation whose operands may be swapped.
    fn commutative(&mut self, op: Op, mut operands: Vec<Term>) -> Term {
        operands.sort_unstable();
        self.apply(Head::Op(op), &operands)
    }

    /// The facts that rules may use.
    fn facts(&self, value: TermValue) -> Range {
        if self.rules.facts { value.known } else { Range::ANY }
    }

    pub fn unary(&mut self, op: Op, a: TermValue) -> Term {
        if let Some(value) = self.value_of(a.term) {
            return self.constant(arithmetic::unary(op as u32, value as u32) as i32);
        }
        match op {
            Op::Neg if self.rules.sums => self.scaled(a.term, -1, 0),
            Op::Invert if self.rules.sums => self.scaled(a.term, -1, -1),
            Op::Not => self.zero(a),
            Op::Abs => {
                let known = self.facts(a);
                if known.lo >= 0 {
                    return a.term;
                }
                let inner = self.unsigned(a.term);
                self.apply(Head::Op(op), &[inner])
            }
            _ => self.apply(Head::Op(op), &[a.term]),
        }
    }

    /// Returns the term of a binary operation that does not trap.
    pub fn binary(&mut self, op: Op, a: TermValue, b: TermValue) -> Term {
        let constants = (self.value_of(a.term), self.value_of(b.term));
        if let (Some(x), Some(y)) = constants
            && let Ok(value) = arithmetic::binary(op as u32, x as u32, y as u32)
        {
            return self.constant(value as i32);
        }
        match op {
            Op::Add if self.rules.sums => self.sum(a.term, b.term, 1),
            Op::Sub if self.rules.sums => self.sum(a.term, b.term, -1),
            Op::Mul if self.rules.sums => self.product(a.term, b.term),
            Op::And => self.and(a, b),
            Op::Or | Op::Xor => self.or(op, a, b),
            Op::Div | Op::Mod | Op::Shl | Op::Shr if constants.0 == Some(0) => a.term,
            Op::Shl | Op::Shr => self.shift(op, a, b),
            Op::Div => match constants.1 {
                Some(1) => a.term,
                Some(-1) if self.rules.sums => self.scaled(a.term, -1, 0),
                _ => self.apply(Head::Op(op), &[a.term, b.term]),
            },
            Op::Mod => match constants.1 {
                Some(1 | -1) => self.constant(0),
                _ => {
                    let by = self.unsigned(b.term);
                    self.apply(Head::Op(op), &[a.term, by])
                }
            },
            Op::Min | Op::Max => {
                let (x, y) = (self.facts(a), self.facts(b));
                let (less, more) = if op == Op::Min { (a.term, b.term) } else { (b.term, a.term) };
                match () {
                    () if x.hi <= y.lo => less,
                    () if y.hi <= x.lo => more,
                    () if a.term == b.term => a.term,
                    () => self.commutative(op, vec![a.term, b.term]),
                }
            }
            Op::Lt => self.less(a, b),
            Op::Gt => self.less(b, a),
            Op::Ge => {
                let less = self.less(a, b);
                self.not(less)
            }
            Op::Le => {
                let less = self.less(b, a);
                self.not(less)
            }
            Op::Eq => self.equal(a, b),
            Op::Ne => {
                let equal = self.equal(a, b);
                self.not(equal)
            }
            _ if op.commutes() => self.commutative(op, vec![a.term, b.term]),
            _ => self.apply(Head::Op(op), &[a.term, b.term]),
        }
    }

    /// A part of what a loop has left: whether it has another element, that element, or the rest if it has one.
    pub fn iterated(&mut self, head: Head, left: Term) -> Term {
        let Node::Apply(Head::Range(false), bounds) = self.node(left) else { return self.apply(head, &[left]) };
        let (from, to) = (bounds[0], bounds[1]);
        let value = |term| TermValue { term, known: Range::ANY };
        match head {
            Head::More => self.binary(Op::Lt, value(from), value(to)),
            Head::First => from,
            _ => {
                let one = self.constant(1);
                let from = self.binary(Op::Add, value(from), value(one));
                self.apply(Head::Range(false), &[from, to])
            }
        }
    }

    /// Returns a term whose sign has no effect without it, where rules drop signs.
    fn unsigned(&mut self, term: Term) -> Term {
        if !self.rules.signs {
            return term;
        }
        let inner = self.without_sign(term, DEPTH);
        self.used.signs |= inner != term;
        inner
    }

    /// Returns a term that equals `term` or its negation, the same for both.
    fn without_sign(&mut self, term: Term, depth: u32) -> Term {
        let positive = |value: i32| if value < 0 { value.wrapping_neg() } else { value };
        match self.node(term).clone() {
            Node::Constant(value) => self.constant(positive(value)),
            Node::Sum(0, products) if products.len() == 1 && depth > 0 => {
                let (product, factor) = &products[0];
                let mut all = self.constant(positive(*factor));
                for one in product {
                    let one = self.without_sign(*one, depth - 1);
                    all = self.product(all, one);
                }
                all
            }
            Node::Sum(_, products) if products.first().is_some_and(|(_, factor)| *factor < 0) => {
                self.scaled(term, -1, 0)
            }
            Node::Apply(Head::Op(op @ (Op::Div | Op::Mod)), operands) if depth > 0 => {
                let operands: Vec<Term> =
                    operands.iter().map(|operand| self.without_sign(*operand, depth - 1)).collect();
                self.apply(Head::Op(op), &operands)
            }
            Node::Apply(Head::Op(Op::Neg), operand) if depth > 0 => self.without_sign(operand[0], depth - 1),
            _ => term,
        }
    }
}
