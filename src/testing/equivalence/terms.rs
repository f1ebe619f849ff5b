//! Values of a routine as terms in normal form. Equal terms have equal values; each term exists once.

use std::collections::HashMap;

use super::known::Known;
use crate::lang::arithmetic;
use crate::lang::index::RoutineId;
use crate::lang::opcode::Op;

/// A term, by its number.
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

/// A sum that is being computed.
type Polynomial = (i32, Vec<(Product, i32)>);

/// A term with facts about its value where it is computed.
#[derive(Clone, Copy, Debug)]
pub struct Value {
    pub term: Term,
    pub known: Known,
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

/// Limits of sums, beyond which operations are not expanded.
const PRODUCTS: usize = 16;
const DEGREE: usize = 4;
/// How deep rules look into a term.
const DEPTH: u32 = 8;

/// All terms of some routines.
#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    known: HashMap<Node, Term>,
    pub rules: Rules,
}

impl Terms {
    pub fn new(rules: Rules) -> Terms {
        Terms { nodes: Vec::new(), known: HashMap::new(), rules }
    }

    /// The number of terms.
    pub fn len(&self) -> usize {
        self.nodes.len()
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

    /// The term of a node, if it exists.
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
    fn facts(&self, value: Value) -> Known {
        if self.rules.facts { value.known } else { Known::ANY }
    }

    /// Returns the term of a unary operation.
    pub fn unary(&mut self, op: Op, a: Value) -> Term {
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
                let inner = if self.rules.signs { self.without_sign(a.term, DEPTH) } else { a.term };
                self.apply(Head::Op(op), &[inner])
            }
            _ => self.apply(Head::Op(op), &[a.term]),
        }
    }

    /// Returns the term of a binary operation that does not trap.
    pub fn binary(&mut self, op: Op, a: Value, b: Value) -> Term {
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
            Op::Shl | Op::Shr => self.shift(op, a, b),
            Op::And => self.and(a, b),
            Op::Or | Op::Xor => self.or(op, a, b),
            Op::Div => match constants.1 {
                Some(1) => a.term,
                Some(-1) if self.rules.sums => self.scaled(a.term, -1, 0),
                _ => self.apply(Head::Op(op), &[a.term, b.term]),
            },
            Op::Mod => match constants.1 {
                Some(1 | -1) => self.constant(0),
                _ => {
                    let by = if self.rules.signs { self.without_sign(b.term, DEPTH) } else { b.term };
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
        let value = |term| Value { term, known: Known::ANY };
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

    /// The negation of a term that is 0 or 1.
    pub fn not(&mut self, term: Term) -> Term {
        match self.node(term) {
            Node::Constant(value) => {
                let value = i32::from(*value == 0);
                self.constant(value)
            }
            Node::Apply(Head::Op(Op::Not), operand) => operand[0],
            _ => self.apply(Head::Op(Op::Not), &[term]),
        }
    }

    /// Whether a term is 0 or 1 by its form.
    fn is_bool(&self, term: Term) -> bool {
        matches!(
            self.node(term),
            Node::Apply(
                Head::Zero | Head::More | Head::Traps | Head::Op(Op::Not | Op::Lt | Op::Eq | Op::ListEq),
                _
            ) | Node::Constant(0 | 1)
        )
    }

    /// Whether a value is 0.
    pub fn zero(&mut self, a: Value) -> Term {
        let known = self.facts(a);
        if let Some(value) = self.value_of(a.term) {
            return self.constant(i32::from(value == 0));
        }
        if !known.contains(0) {
            return self.constant(0);
        }
        if self.is_bool(a.term) || Known::BOOL.covers(known) {
            return self.not(a.term);
        }
        let mut term = a.term;
        if self.rules.signs {
            term = self.without_sign(term, DEPTH);
            if let Node::Apply(Head::Op(Op::Abs), operand) = self.node(term) {
                term = operand[0];
            }
        }
        self.apply(Head::Zero, &[term])
    }

    fn equal(&mut self, a: Value, b: Value) -> Term {
        if self.value_of(a.term).is_some() && self.value_of(b.term).is_none() {
            return self.equal(b, a);
        }
        if a.term == b.term {
            return self.constant(1);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if x.meet(y).is_none() {
            return self.constant(0);
        }
        match self.value_of(b.term) {
            Some(0) => return self.zero(a),
            // If there are two values, equality with the higher one is inequality with the lower.
            Some(value) if value == x.hi && x.lo.checked_add(1) == Some(x.hi) => {
                let lower = self.equal_to(a, x.lo);
                return self.not(lower);
            }
            _ => {}
        }
        if !self.rules.sums {
            return self.commutative(Op::Eq, vec![a.term, b.term]);
        }
        let difference = self.sum(a.term, b.term, -1);
        let known = Known::binary(Op::Sub, x, y);
        self.zero(Value { term: difference, known })
    }

    fn equal_to(&mut self, a: Value, value: i32) -> Term {
        let term = self.constant(value);
        self.equal(a, Value { term, known: Known::constant(value) })
    }

    fn less(&mut self, a: Value, b: Value) -> Term {
        if a.term == b.term {
            return self.constant(0);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if let Some(value) = Known::binary(Op::Lt, x, y).value() {
            return self.constant(value);
        }
        if let Some(value) = self.value_of(a.term) {
            // c < b is !(b < c + 1).
            let Some(value) = value.checked_add(1) else { return self.constant(0) };
            let bound = Value { term: self.constant(value), known: Known::constant(value) };
            let less = self.less(b, bound);
            return self.not(less);
        }
        match self.value_of(b.term) {
            Some(value) if x.lo.checked_add(1) == Some(value) => self.equal_to(a, x.lo),
            Some(value) if value == x.hi => {
                let highest = self.equal_to(a, value);
                self.not(highest)
            }
            None if x.hi == y.lo => {
                let equal = self.equal(a, b);
                self.not(equal)
            }
            _ => self.apply(Head::Op(Op::Lt), &[a.term, b.term]),
        }
    }

    fn shift(&mut self, op: Op, a: Value, b: Value) -> Term {
        // The count is taken modulo 32.
        let Some(count) = self.value_of(b.term).map(|count| count as u32 & 31) else {
            let count = if self.rules.bits { self.low(b.term, 5, DEPTH) } else { b.term };
            return self.apply(Head::Op(op), &[a.term, count]);
        };
        match op {
            _ if count == 0 => a.term,
            Op::Shl if self.rules.sums => self.scaled(a.term, (1u32 << count) as i32, 0),
            _ => {
                let count = self.constant(count as i32);
                self.apply(Head::Op(op), &[a.term, count])
            }
        }
    }

    /// The operands of nested applications of `&`, `|` or `^`, sorted.
    fn flat(&self, op: Op, terms: [Term; 2]) -> Vec<Term> {
        let mut operands = Vec::new();
        for term in terms {
            match self.node(term) {
                Node::Apply(Head::Op(own), nested) if *own == op => operands.extend_from_slice(nested),
                _ => operands.push(term),
            }
        }
        operands.sort_unstable();
        operands
    }

    fn and(&mut self, mut a: Value, mut b: Value) -> Term {
        if self.value_of(a.term).is_some() {
            std::mem::swap(&mut a, &mut b);
        }
        if let Some(mask) = self.value_of(b.term) {
            let known = self.facts(a);
            match mask {
                0 => return b.term,
                -1 => return a.term,
                _ if !known.zeros & !(mask as u32) == 0 => return a.term,
                _ if self.rules.bits && (mask & mask.wrapping_add(1)) == 0 => {
                    a.term = self.low(a.term, mask.trailing_ones(), DEPTH);
                    if let Some(value) = self.value_of(a.term) {
                        return self.constant(value & mask);
                    }
                }
                _ => {}
            }
        }
        let mut operands = self.flat(Op::And, [a.term, b.term]);
        operands.dedup();
        match operands[..] {
            [one] => one,
            _ => self.apply(Head::Op(Op::And), &operands),
        }
    }

    /// The term of `|` or `^`.
    fn or(&mut self, op: Op, a: Value, b: Value) -> Term {
        if self.rules.bits && self.are_disjoint(a, b) {
            return if self.rules.sums {
                self.sum(a.term, b.term, 1)
            } else {
                self.commutative(Op::Xor, vec![a.term, b.term])
            };
        }
        let constant = |value: Option<i32>| value.filter(|value| matches!(value, 0 | -1));
        let (x, y) = (constant(self.value_of(a.term)), constant(self.value_of(b.term)));
        match (op, x, y) {
            (_, Some(0), _) => return b.term,
            (_, _, Some(0)) => return a.term,
            (Op::Or, Some(_), _) => return a.term,
            (Op::Or, _, Some(_)) => return b.term,
            (_, Some(_), _) if self.rules.sums => return self.scaled(b.term, -1, -1),
            (_, _, Some(_)) if self.rules.sums => return self.scaled(a.term, -1, -1),
            _ => {}
        }
        let mut operands = self.flat(op, [a.term, b.term]);
        if op == Op::Or {
            operands.dedup();
        } else {
            // Equal operands of `^` cancel each other.
            let mut odd: Vec<Term> = Vec::new();
            for operand in operands {
                if odd.last() == Some(&operand) {
                    odd.pop();
                } else {
                    odd.push(operand);
                }
            }
            operands = odd;
        }
        match operands[..] {
            [] => self.constant(0),
            [one] => one,
            _ => self.apply(Head::Op(op), &operands),
        }
    }

    /// Whether no bit can be set in both values.
    fn are_disjoint(&mut self, a: Value, b: Value) -> bool {
        if self.facts(a).zeros | self.facts(b).zeros == u32::MAX {
            return true;
        }
        // `x & ~u` and `y & u`.
        let [left, right] = [a.term, b.term].map(|term| match self.node(term) {
            Node::Apply(Head::Op(Op::And), operands) => operands.to_vec(),
            _ => vec![term],
        });
        left.iter().any(|u| {
            let inverse = self.inverse(*u);
            right.contains(&inverse)
        })
    }

    fn inverse(&mut self, term: Term) -> Term {
        if self.rules.sums { self.scaled(term, -1, -1) } else { self.apply(Head::Op(Op::Invert), &[term]) }
    }

    /// Returns a term whose lowest `bits` bits are those of `term`; the others may differ.
    fn low(&mut self, term: Term, bits: u32, depth: u32) -> Term {
        let mask = if bits >= 32 { u32::MAX } else { (1 << bits) - 1 };
        match self.node(term).clone() {
            Node::Constant(value) => self.constant((value as u32 & mask) as i32),
            Node::Sum(constant, products) => {
                let low = |value: i32| (value as u32 & mask) as i32;
                let products = products.iter().map(|(product, factor)| (product.clone(), low(*factor)));
                let products = products.collect();
                self.polynomial((low(constant), products))
            }
            Node::Apply(Head::Op(op @ (Op::And | Op::Or | Op::Xor)), operands) if depth > 0 => {
                let value = |term| Value { term, known: Known::ANY };
                let mut low: Vec<Term> =
                    operands.iter().map(|operand| self.low(*operand, bits, depth - 1)).collect();
                let Some(first) = low.pop() else { return term };
                let mut all = value(first);
                for operand in low {
                    all = value(match op {
                        Op::And => self.and(all, value(operand)),
                        _ => self.or(op, all, value(operand)),
                    });
                }
                all.term
            }
            _ => term,
        }
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

    fn as_polynomial(&self, term: Term) -> Polynomial {
        match self.node(term) {
            Node::Constant(value) => (*value, Vec::new()),
            Node::Sum(constant, products) => (*constant, products.to_vec()),
            _ => (0, vec![([term].into(), 1)]),
        }
    }

    /// Returns the term of a sum whose products are sorted, each once.
    fn polynomial(&mut self, (constant, mut products): Polynomial) -> Term {
        products.retain(|(_, factor)| *factor != 0);
        match &products[..] {
            [] => self.constant(constant),
            [(product, 1)] if constant == 0 && product.len() == 1 => product[0],
            _ => self.intern(Node::Sum(constant, products.into())),
        }
    }

    /// `term * factor + constant`
    fn scaled(&mut self, term: Term, factor: i32, constant: i32) -> Term {
        let (own, mut products) = self.as_polynomial(term);
        products.iter_mut().for_each(|(_, own)| *own = own.wrapping_mul(factor));
        self.polynomial((own.wrapping_mul(factor).wrapping_add(constant), products))
    }

    /// `a + b * factor`
    fn sum(&mut self, a: Term, b: Term, factor: i32) -> Term {
        let ((one, left), (other, right)) = (self.as_polynomial(a), self.as_polynomial(b));
        let constant = one.wrapping_add(other.wrapping_mul(factor));
        let right = right.into_iter().map(|(product, own)| (product, own.wrapping_mul(factor)));
        let products = added(left.into_iter().chain(right));
        if products.len() > PRODUCTS {
            let op = if factor == 1 { Op::Add } else { Op::Sub };
            return self.apply(Head::Op(op), &[a, b]);
        }
        self.polynomial((constant, products))
    }

    fn product(&mut self, a: Term, b: Term) -> Term {
        let (left, right) = (self.as_polynomial(a), self.as_polynomial(b));
        let parts = |(constant, products): Polynomial| -> Vec<(Product, i32)> {
            let constant = (constant != 0).then(|| (Product::default(), constant));
            constant.into_iter().chain(products).collect()
        };
        let (left, right) = (parts(left), parts(right));
        let mut all = Vec::new();
        for ((one, x), (other, y)) in left.iter().flat_map(|l| right.iter().map(move |r| (l, r))) {
            let mut product = [&one[..], &other[..]].concat();
            product.sort_unstable();
            all.push((product.into_boxed_slice(), x.wrapping_mul(*y)));
        }
        let products = added(all);
        if products.len() > PRODUCTS || products.iter().any(|(product, _)| product.len() > DEGREE) {
            return self.commutative(Op::Mul, vec![a, b]);
        }
        let (constants, products): (Vec<_>, Vec<_>) = products.into_iter().partition(|(p, _)| p.is_empty());
        let constant = constants.first().map_or(0, |(_, constant)| *constant);
        self.polynomial((constant, products))
    }
}

/// Sorts products and adds the factors of equal ones.
fn added(products: impl IntoIterator<Item = (Product, i32)>) -> Vec<(Product, i32)> {
    let mut products: Vec<(Product, i32)> = products.into_iter().collect();
    products.sort_by(|(one, _), (other, _)| one.cmp(other));
    products.dedup_by(|(product, factor), (kept, sum)| {
        let same = product == kept;
        if same {
            *sum = sum.wrapping_add(*factor);
        }
        same
    });
    products.retain(|(_, factor)| *factor != 0);
    products
}
