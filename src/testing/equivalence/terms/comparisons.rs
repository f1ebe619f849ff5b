//! Comparisons in normal form: negation, equality with 0, `==` and `<`.

use super::{Head, Node, Term, TermValue, Terms};
use crate::compiler::stage::flow::ranges::{self, Range};
use crate::lang::opcode::Op;

impl Terms {
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
    pub fn zero(&mut self, a: TermValue) -> Term {
        let known = self.facts(a);
        if let Some(value) = self.value_of(a.term) {
            return self.constant(i32::from(value == 0));
        }
        if !known.contains(0) {
            return self.constant(0);
        }
        if self.is_bool(a.term) || Range::BOOL.covers(known) {
            return self.not(a.term);
        }
        let mut term = self.unsigned(a.term);
        if self.rules.signs
            && let Node::Apply(Head::Op(Op::Abs), operand) = self.node(term)
        {
            term = operand[0];
            self.used.signs = true;
        }
        self.apply(Head::Zero, &[term])
    }

    pub(super) fn equal(&mut self, a: TermValue, b: TermValue) -> Term {
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
        let known = ranges::binary(Op::Sub, x, y);
        self.zero(TermValue { term: difference, known })
    }

    fn equal_to(&mut self, a: TermValue, value: i32) -> Term {
        let term = self.constant(value);
        self.equal(a, TermValue { term, known: Range::of(value) })
    }

    pub(super) fn less(&mut self, a: TermValue, b: TermValue) -> Term {
        if a.term == b.term {
            return self.constant(0);
        }
        let (x, y) = (self.facts(a), self.facts(b));
        if let Some(value) = ranges::binary(Op::Lt, x, y).value() {
            return self.constant(value);
        }
        if let Some(value) = self.value_of(a.term) {
            // c < b is !(b < c + 1).
            let Some(value) = value.checked_add(1) else { return self.constant(0) };
            let bound = TermValue { term: self.constant(value), known: Range::of(value) };
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
}
