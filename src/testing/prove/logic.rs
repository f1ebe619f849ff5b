//! Truth values and choices as terms.

use crate::compiler::stage::flow::ranges::Range;
use crate::lang::opcode::Op;
use crate::testing::equivalence::terms::{Head, Node, Term, TermValue, Terms};

/// A value about which nothing is known.
pub fn any(term: Term) -> TermValue {
    TermValue { term, known: Range::ANY }
}

pub fn both(terms: &mut Terms, a: Term, b: Term) -> Term {
    match (terms.value_of(a), terms.value_of(b)) {
        (Some(0), _) | (_, Some(1)) => return a,
        (Some(1), _) | (_, Some(0)) => return b,
        _ if a == b => return a,
        _ if terms.not(a) == b => return terms.constant(0),
        _ => {}
    }
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    terms.apply(Head::Op(Op::And), &[a, b])
}

pub fn either(terms: &mut Terms, a: Term, b: Term) -> Term {
    // `g && c || g && !c` is `g`.
    if let (Node::Apply(Head::Op(Op::And), x), Node::Apply(Head::Op(Op::And), y)) =
        (terms.node(a).clone(), terms.node(b).clone())
        && x.len() == 2
        && y.len() == 2
    {
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if x[i] == y[j] && terms.not(x[1 - i]) == y[1 - j] {
                return x[i];
            }
        }
    }
    let (a, b) = (terms.not(a), terms.not(b));
    let neither = both(terms, a, b);
    terms.not(neither)
}

/// `then` if the condition holds, else `otherwise`.
pub fn choose(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Term {
    match terms.node(condition) {
        _ if then == otherwise => return then,
        Node::Constant(value) => return if *value == 0 { otherwise } else { then },
        Node::Apply(Head::Op(Op::Not), operand) => {
            let condition = operand[0];
            return choose(terms, condition, otherwise, then);
        }
        _ => {}
    }
    match (terms.value_of(then), terms.value_of(otherwise)) {
        (Some(1), Some(0)) => return condition,
        (Some(0), Some(1)) => return terms.not(condition),
        _ => {}
    }
    if let Some(limit) = limited(terms, condition, then, otherwise) {
        return limit;
    }
    terms.apply(Head::If, &[condition, then, otherwise])
}

/// The choice as a minimum or maximum, if the condition compares what is chosen.
fn limited(terms: &mut Terms, condition: Term, then: Term, otherwise: Term) -> Option<Term> {
    let Node::Apply(Head::Op(Op::Lt), sides) = terms.node(condition) else { return None };
    let (a, b) = (sides[0], sides[1]);
    // `a < c` is also `a <= c - 1`.
    let before = terms.value_of(b).and_then(|bound| bound.checked_sub(1));
    let is_bound = |terms: &Terms, term: Term| term == b || before.is_some() && terms.value_of(term) == before;
    let (op, bound) = match () {
        () if then == a && is_bound(terms, otherwise) => (Op::Min, otherwise),
        () if otherwise == a && is_bound(terms, then) => (Op::Max, then),
        () => return None,
    };
    Some(terms.binary(op, any(a), any(bound)))
}

pub fn less(terms: &mut Terms, a: Term, b: Term) -> Term {
    terms.binary(Op::Lt, any(a), any(b))
}
