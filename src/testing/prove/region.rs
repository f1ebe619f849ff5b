//! Executes the code between the heads of loops on terms.
//!
//! A region begins where the routine begins or at the head of a loop. It ends at heads of loops and at the routine's
//! end. It has no loops, so one pass in topological order executes all its paths at once: where paths meet, a value is
//! a choice between those of the paths (King, "Symbolic execution", 1976; Hansen et al., "State joining", 2009).

use std::collections::{BTreeMap, BTreeSet};

use super::logic::{any, both, choose, either, less};
use crate::compiler::program::Watch;
use crate::compiler::stage::flow::Alone;
use crate::lang::NONE;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Class, Op, class, number};
use crate::lang::trap::Trap;
use crate::testing::equivalence::FormSubject;
use crate::testing::equivalence::form::{Analysis, EndForm, analyzed};
use crate::testing::equivalence::state::{EquivalenceEffect, EquivalenceState, LOOP, OPERAND};
use crate::testing::equivalence::terms::{Head, Term, TermValue, Terms};

/// The maximum number of terms of a proof.
const TERMS: usize = 1 << 18;

/// A routine, divided into regions.
pub struct Routine<'a> {
    pub subject: &'a FormSubject<'a>,
    pub code: Alone,
    pub loops: Vec<RegionLoop>,
    /// The maximum number of rounds of loops that one region executes.
    pub unrolled: u32,
    /// The loop whose first round belongs to the region before it.
    pub peeled: Option<usize>,
}

pub struct RegionLoop {
    /// The block that it begins with.
    pub head: usize,
    pub body: BTreeSet<usize>,
    /// The token of its head, and its place in the text.
    pub token: TokenId,
    pub place: u32,
    /// Whether it is a `for`, which always ends.
    pub is_for: bool,
    pub depth: usize,
}

/// The end of a call: the code of the trap or 0, and the value.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    pub guard: Term,
    pub code: Term,
    pub value: Option<Term>,
}

#[derive(Default)]
pub struct Stops {
    /// By head: the condition under which the region ends there, and the state.
    pub heads: BTreeMap<usize, (Term, EquivalenceState)>,
    pub ending: Option<Ending>,
}

impl<'a> Routine<'a> {
    /// Divides a routine. Returns `None` if its code is too large or not understood.
    pub fn new(subject: &'a FormSubject<'a>) -> Option<Routine<'a>> {
        let mut code = analyzed(subject)?;
        code.find_live();
        let rank = |block: usize| code.order.rank[block];
        let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for block in code.order.blocks.iter().map(|block| *block as usize) {
            // Level 2 makes loops with several entries, so not every one is natural.
            for head in code.flow.blocks.successors(block).filter(|to| rank(*to) <= rank(block)) {
                let body = bodies.entry(head).or_insert_with(|| [head].into());
                let mut open = vec![block];
                while let Some(block) = open.pop() {
                    if body.insert(block) {
                        open.extend(code.flow.predecessors(block).filter(|from| rank(*from) != NONE));
                    }
                }
            }
        }
        let depth = |head: usize| bodies.values().filter(|body| body.contains(&head)).count();
        let loops = bodies.iter().map(|(head, body)| {
            let instructions = code.flow.blocks.instructions(*head);
            let token = TokenId::new(code.ir.token[instructions.end - 1]);
            let is_for = class(code.ir.op[instructions.start]) == Class::Loop;
            let place = (subject.token)(token);
            RegionLoop { head: *head, body: body.clone(), token, place, is_for, depth: depth(*head) }
        });
        let mut loops: Vec<RegionLoop> = loops.collect();
        loops.sort_by_key(|own| rank(own.head));
        Some(Routine { subject, code, loops, unrolled: 0, peeled: None })
    }

    /// The slot of the `for` loop with this number.
    pub fn slot(&self, number: usize) -> Option<u32> {
        let first = self.code.flow.blocks.instructions(self.loops[number].head).start;
        self.loops[number].is_for.then(|| self.code.ir.arg[first])
    }

    /// Whether a variable of a state has a value at the head of a loop on every path, and may be read later.
    pub fn matters(&self, number: usize, variable: u32) -> bool {
        let RegionLoop { head, .. } = self.loops[number];
        if variable & OPERAND != 0 {
            return true;
        }
        let names = |own: &RegionLoop, is_next: bool| {
            let mut instructions = own.body.iter().flat_map(|block| self.code.flow.blocks.instructions(*block));
            instructions.any(|i| {
                let op = self.code.ir.op[i];
                let begins =
                    matches!(op, number::RANGE_ITER | number::RANGE_ITER_INCLUSIVE | number::LIST_ITER);
                let names = if is_next { class(op) == Class::Loop } else { begins };
                names && self.code.ir.arg[i] | LOOP == variable
            })
        };
        match variable & LOOP {
            0 => self.code.is_live(head, variable),
            // What a loop around has left.
            _ => {
                self.loops.iter().any(|own| own.body.contains(&head) && names(own, true) && !names(own, false))
            }
        }
    }

    /// The constants that ranges of `for` loops end at.
    pub fn range_ends(&self) -> Vec<u32> {
        let pairs = self.code.ir.op.windows(2).zip(&self.code.ir.arg);
        let ends = pairs.filter(|(pair, _)| **pair == [Op::LoadConst as u32, Op::RangeIter as u32]);
        ends.map(|(_, end)| *end).collect()
    }

    /// The state where the routine begins.
    pub fn entry(&self, terms: &mut Terms) -> EquivalenceState {
        Analysis { subject: self.subject, terms, code: &self.code }.entry()
    }

    /// Executes the region that begins with a block.
    pub fn run(
        &self,
        terms: &mut Terms,
        start: usize,
        state: EquivalenceState,
        watch: &dyn Watch,
    ) -> Option<Stops> {
        let mut rounds = self.unrolled;
        let mut stops = Stops::default();
        let mut endings: Vec<Ending> = Vec::new();
        let mut arrived: BTreeMap<usize, Vec<(Term, EquivalenceState)>> = BTreeMap::new();
        let mut at_heads: BTreeMap<usize, Vec<(Term, EquivalenceState)>> = BTreeMap::new();
        let always = terms.constant(1);
        let rank = |block: usize| self.code.order.rank[block] as usize;
        arrived.insert(rank(start), vec![(always, state)]);
        while let Some((place, states)) = arrived.pop_first() {
            let block = *self.code.order.blocks.get(place)? as usize;
            if watch.cancelled() || terms.len() > TERMS {
                return None;
            }
            let (mut guard, state) = merged(terms, states)?;
            let left = Analysis { subject: self.subject, terms, code: &self.code }.run(block, state)?;
            for effect in &left.effects {
                let (traps, code) = trap(terms, effect)?;
                let trapped = both(terms, guard, traps);
                if terms.value_of(trapped) != Some(0) {
                    endings.push(Ending { guard: trapped, code, value: None });
                }
                let passes = terms.not(traps);
                guard = both(terms, guard, passes);
            }
            match left.end {
                EndForm::Return(value) | EndForm::ReturnList(value, _) => {
                    let code = terms.constant(0);
                    endings.push(Ending { guard, code, value: Some(value) });
                }
                _ => {}
            }
            for (to, state) in left.next {
                let way = match left.end {
                    EndForm::Branch { condition, nonzero, .. } if nonzero as usize == to => condition,
                    EndForm::Branch { condition, .. } => terms.not(condition),
                    _ => always,
                };
                let guard = both(terms, guard, way);
                if terms.value_of(guard) == Some(0) {
                    continue;
                }
                let peeled = self.peeled.and_then(|number| self.loops.get(number));
                let begins = peeled.is_some_and(|own| own.head == to && !own.body.contains(&block));
                let is_head = !begins && self.loops.iter().any(|own| own.head == to);
                let unrolls = is_head && rounds > 0 && self.is_decided(terms, to, &state);
                rounds -= u32::from(unrolls);
                if is_head && !unrolls {
                    at_heads.entry(to).or_default().push((guard, state));
                } else {
                    // A way back that is not a loop's has no place in the order.
                    (unrolls || rank(to) > place).then_some(())?;
                    arrived.entry(rank(to)).or_default().push((guard, state));
                }
            }
        }
        for (head, states) in at_heads {
            stops.heads.insert(head, merged(terms, states)?);
        }
        stops.ending = endings.into_iter().rev().reduce(|rest, first| {
            let guard = either(terms, first.guard, rest.guard);
            let code = choose(terms, first.guard, first.code, rest.code);
            let value = match (first.value, rest.value) {
                (Some(own), Some(other)) => Some(choose(terms, first.guard, own, other)),
                (own, other) => own.or(other),
            };
            Ending { guard, code, value }
        });
        Some(stops)
    }

    /// Returns whether the state decides if a loop has another round.
    fn is_decided(&self, terms: &mut Terms, head: usize, state: &EquivalenceState) -> bool {
        let left = Analysis { subject: self.subject, terms, code: &self.code }.run(head, state.clone());
        match left.map(|left| left.end) {
            Some(EndForm::Branch { condition, .. }) => terms.value_of(condition).is_some(),
            Some(EndForm::To(_)) => self.code.flow.blocks.successors(head).count() == 2,
            _ => false,
        }
    }
}

/// Merges the states of paths that meet. Each value becomes a choice by the conditions of the paths.
fn merged(terms: &mut Terms, mut states: Vec<(Term, EquivalenceState)>) -> Option<(Term, EquivalenceState)> {
    let (mut guard, mut state) = states.pop()?;
    while let Some((other, its)) = states.pop() {
        let mut join = |own: TermValue, its: TermValue| TermValue {
            term: choose(terms, other, its.term, own.term),
            known: own.known.union(its.known),
        };
        if state.stack.len() != its.stack.len() {
            return None;
        }
        let stack = state.stack.iter().zip(&its.stack).map(|(own, its)| join(*own, *its)).collect();
        let variables = state
            .variables
            .iter()
            .filter_map(|(variable, own)| Some((*variable, join(*own, *its.variables.get(variable)?))));
        let variables = variables.collect();
        state = EquivalenceState { stack, variables };
        guard = either(terms, guard, other);
    }
    Some((guard, state))
}

/// Returns the condition of a trap and its code: its kind and its place.
pub fn trap(terms: &mut Terms, effect: &EquivalenceEffect) -> Option<(Term, Term)> {
    let kind = match effect.op {
        Op::Div => Trap::DivideByZero,
        Op::LoadIndex | Op::Slice => Trap::IndexOutOfBounds,
        Op::StoreList | Op::JoinList => Trap::CapacityExceeded,
        Op::Call => Trap::None,
        _ => return None,
    };
    let code = terms.constant(((effect.token << 3) | kind as u32) as i32);
    let zero = terms.constant(0);
    let limit = terms.constant(effect.limit as i32);
    Some(match (effect.op, &effect.operands[..]) {
        (Op::Div, [is_zero]) => (*is_zero, code),
        (Op::LoadIndex, [index, length]) => {
            let (below, within) = (less(terms, *index, zero), less(terms, *index, *length));
            let beyond = terms.not(within);
            (either(terms, below, beyond), code)
        }
        (Op::Slice, [from, to, length]) => {
            let conditions = [less(terms, *from, zero), less(terms, *to, *from), less(terms, *length, *to)];
            let [a, b, c] = conditions;
            let any = either(terms, b, c);
            (either(terms, a, any), code)
        }
        (Op::StoreList, [length]) => (less(terms, limit, *length), code),
        (Op::JoinList, [a, b]) => {
            let sum = terms.binary(Op::Add, any(*a), any(*b));
            (less(terms, limit, sum), code)
        }
        (Op::Call, [call]) => (terms.apply(Head::Traps, &[*call]), terms.apply(Head::TrapOf, &[*call, code])),
        _ => return None,
    })
}
