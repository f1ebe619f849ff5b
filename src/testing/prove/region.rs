//! Executes the code between the heads of loops on terms.
//!
//! A region begins where the routine begins or at the head of a loop. It ends at heads of loops and at the routine's
//! end. It has no loops, so one pass in topological order executes all its paths at once: where paths meet, a value is
//! a choice between those of the paths (King, "Symbolic execution", 1976; Hansen et al., "State joining", 2009).

use std::collections::{BTreeMap, BTreeSet};

use super::logic::{any, both, choose, either, less};
use crate::compiler::program::Watch;
use crate::lang::index::TokenId;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::testing::equivalence::Subject;
use crate::testing::equivalence::blocks::{Block, End};
use crate::testing::equivalence::form::{Analysis, EndForm, blocks_of};
use crate::testing::equivalence::state::{Effect, Operand, Origin, State};
use crate::testing::equivalence::terms::{Head, Term, Terms, Value};

/// The maximum number of terms of a proof.
const TERMS: usize = 1 << 18;

/// A routine, divided into regions.
pub struct Routine<'a> {
    pub subject: &'a Subject<'a>,
    blocks: Vec<Block>,
    /// The facts at the beginning of each block; `None` for a block that is not reached.
    pub facts: Vec<Option<State>>,
    /// The place of each block in topological order.
    order: Vec<usize>,
    pub loops: Vec<Loop>,
    /// The maximum number of rounds of loops that one region executes.
    pub unrolled: u32,
    /// The loop whose first round belongs to the region before it.
    pub peeled: Option<usize>,
}

/// A loop of a routine.
pub struct Loop {
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

/// The ends of a region.
#[derive(Default)]
pub struct Stops {
    /// By head: the condition under which the region ends there, and the state.
    pub heads: BTreeMap<usize, (Term, State)>,
    pub ending: Option<Ending>,
}

impl<'a> Routine<'a> {
    /// Divides a routine. Returns `None` if its code is too large or not understood.
    pub fn new(subject: &'a Subject<'a>, terms: &mut Terms) -> Option<Routine<'a>> {
        let blocks = blocks_of(subject)?;
        let facts = Analysis { subject, terms, blocks: &blocks }.facts()?;
        let mut routine =
            Routine { subject, blocks, facts, order: Vec::new(), loops: Vec::new(), unrolled: 0, peeled: None };
        routine.sort();
        Some(routine)
    }

    fn next(&self, block: usize) -> Vec<usize> {
        match self.blocks[block].end {
            End::To(next) => vec![next],
            End::Branch { nonzero, zero, .. } => vec![nonzero, zero],
            End::Loop { body, exit, .. } => vec![body, exit],
            End::Return | End::ReturnList(_) => vec![],
        }
    }

    /// Sorts the blocks and finds the loops.
    fn sort(&mut self) {
        let count = self.blocks.len();
        let (mut visited, mut ended) = (vec![false; count], Vec::new());
        let mut open = vec![(0, self.next(0))];
        visited[0] = true;
        while let Some((block, left)) = open.last_mut() {
            match left.pop() {
                Some(next) if !visited[next] => {
                    visited[next] = true;
                    let after = self.next(next);
                    open.push((next, after));
                }
                Some(_) => {}
                None => {
                    ended.push(*block);
                    open.pop();
                }
            }
        }
        self.order = vec![usize::MAX; count];
        for (place, block) in ended.iter().rev().enumerate() {
            self.order[*block] = place;
        }
        let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for block in (0..count).filter(|block| visited[*block]) {
            self.next(block).into_iter().for_each(|next| before[next].push(block));
        }
        for block in (0..count).filter(|block| visited[*block]) {
            for head in self.next(block).into_iter().filter(|next| self.order[*next] <= self.order[block]) {
                let body = bodies.entry(head).or_insert_with(|| [head].into());
                let mut open = vec![block];
                while let Some(block) = open.pop() {
                    if body.insert(block) {
                        open.extend(&before[block]);
                    }
                }
            }
        }
        let depth = |head: usize| bodies.values().filter(|body| body.contains(&head)).count();
        let place = |block: usize| (self.subject.token)(self.blocks[block].token);
        let is_for = |head: usize| matches!(self.blocks[head].end, End::Loop { .. });
        let loops = bodies.iter().map(|(head, body)| Loop {
            head: *head,
            body: body.clone(),
            token: self.blocks[*head].token,
            place: place(*head),
            is_for: is_for(*head) && self.blocks[*head].code.is_empty(),
            depth: depth(*head),
        });
        let mut loops: Vec<Loop> = loops.collect();
        loops.sort_by_key(|own| self.order[own.head]);
        self.loops = loops;
    }

    /// The constants that ranges of `for` loops end at.
    pub fn range_ends(&self) -> Vec<u32> {
        let pairs = self.blocks.iter().flat_map(|block| block.code.windows(2));
        let ends = pairs.filter(|pair| (pair[0].op, pair[1].op) == (Op::LoadConst, Op::RangeIter));
        ends.map(|pair| pair[0].arg).collect()
    }

    /// The state where the routine begins.
    pub fn entry(&self, terms: &mut Terms) -> State {
        Analysis { subject: self.subject, terms, blocks: &self.blocks }.entry()
    }

    /// Executes the region that begins with a block.
    pub fn run(&self, terms: &mut Terms, start: usize, state: State, watch: &dyn Watch) -> Option<Stops> {
        let mut rounds = self.unrolled;
        let mut stops = Stops::default();
        let mut endings: Vec<Ending> = Vec::new();
        let mut arrived: BTreeMap<usize, Vec<(Term, State)>> = BTreeMap::new();
        let mut at_heads: BTreeMap<usize, Vec<(Term, State)>> = BTreeMap::new();
        let always = terms.constant(1);
        arrived.insert(self.order[start], vec![(always, state)]);
        let block_at: BTreeMap<usize, usize> =
            self.order.iter().enumerate().map(|(block, place)| (*place, block)).collect();
        while let Some((place, states)) = arrived.pop_first() {
            let block = *block_at.get(&place)?;
            if watch.cancelled() || terms.len() > TERMS {
                return None;
            }
            let (mut guard, state) = merged(terms, states)?;
            let state = self.limited(block, state);
            let left =
                Analysis { subject: self.subject, terms, blocks: &self.blocks }.run(block, state, true)?;
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
                    arrived.entry(self.order[to]).or_default().push((guard, state));
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
    fn is_decided(&self, terms: &mut Terms, head: usize, state: &State) -> bool {
        let state = self.limited(head, state.clone());
        let left = Analysis { subject: self.subject, terms, blocks: &self.blocks }.run(head, state, true);
        match (&self.blocks[head].end, left) {
            (End::Loop { .. } | End::Branch { .. }, Some(left)) => match left.end {
                EndForm::Branch { condition, .. } => terms.value_of(condition).is_some(),
                EndForm::To(_) => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Adds the facts at the beginning of a block to a state.
    fn limited(&self, block: usize, mut state: State) -> State {
        let Some(facts) = &self.facts[block] else { return state };
        for (variable, value) in state.variables.iter_mut() {
            if let Some(known) = facts.variables.get(variable).and_then(|fact| value.known.meet(fact.known)) {
                value.known = known;
            }
        }
        state
    }
}

/// Merges the states of paths that meet. Each value becomes a choice by the conditions of the paths.
fn merged(terms: &mut Terms, mut states: Vec<(Term, State)>) -> Option<(Term, State)> {
    let (mut guard, mut state) = states.pop()?;
    while let Some((other, its)) = states.pop() {
        let mut join = |own: Value, its: Value| Value {
            term: choose(terms, other, its.term, own.term),
            known: own.known.join(its.known),
        };
        if state.stack.len() != its.stack.len() {
            return None;
        }
        let stack = state.stack.iter().zip(&its.stack);
        let stack = stack
            .map(|(own, its)| Operand { value: join(own.value, its.value), origin: Origin::None })
            .collect();
        let variables = state
            .variables
            .iter()
            .filter_map(|(variable, own)| Some((*variable, join(*own, *its.variables.get(variable)?))));
        let variables = variables.collect();
        state = State { stack, variables };
        guard = either(terms, guard, other);
    }
    Some((guard, state))
}

/// Returns the condition of a trap and its code: its kind and its place.
pub fn trap(terms: &mut Terms, effect: &Effect) -> Option<(Term, Term)> {
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
