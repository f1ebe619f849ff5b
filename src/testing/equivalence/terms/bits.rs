//! Operations on bits in normal form: shifts, `&`, `|` and `^`. Bits that have no effect are dropped.

use super::{DEPTH, Head, Node, Term, TermValue, Terms};
use crate::compiler::stage::flow::ranges::Range;
use crate::lang::opcode::Op;

impl Terms {
    pub(super) fn shift(&mut self, op: Op, a: TermValue, b: TermValue) -> Term {
        // The count is taken modulo 32.
        let Some(count) = self.value_of(b.term).map(|count| count as u32 & 31) else {
            let count = if self.rules.bits { self.low(b.term, 5, DEPTH) } else { b.term };
            self.used.bits |= count != b.term;
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

    pub(super) fn and(&mut self, mut a: TermValue, mut b: TermValue) -> Term {
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
                    let before = a.term;
                    a.term = self.low(before, mask.trailing_ones(), DEPTH);
                    self.used.bits |= a.term != before || self.value_of(before).is_some();
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
    pub(super) fn or(&mut self, op: Op, a: TermValue, b: TermValue) -> Term {
        if self.rules.bits && self.are_disjoint(a, b) {
            self.used.bits = true;
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
    fn are_disjoint(&mut self, a: TermValue, b: TermValue) -> bool {
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
                let value = |term| TermValue { term, known: Range::ANY };
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
}
