//! The normal form of a routine: for each block its effects and its end, with terms of the routine's parameters.
//!
//! Two passes compute it. The first finds facts about all variables (Kildall, "A unified approach to global program
//! optimization", 1973, with widening and narrowing of intervals: Cousot and Cousot, 1977). The second computes
//! terms: a variable that has different terms on the ways into a block is a new term there, as in static single
//! assignment form.
//!
//! Equal forms compute equal values and trap alike: by induction over the steps of a run, both routines are in the same
//! block, with the same values of all terms.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::blocks::{Block, End, blocks};
use super::known::Known;
use super::state::{Effect, LOOP, OPERAND, Operand, Origin, State, Step, of_type};
use super::terms::{Head, Node, Term, Terms, Value};
use crate::compiler::program::{Executable, Ir};
use crate::lang::index::{Index, RoutineId};
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// Limits of the passes; beyond them there is no form.
const BLOCKS: usize = 256;
const ROUNDS: usize = 64;
/// Changes of a loop's facts before these are widened.
const PATIENCE: u32 = 3;

/// The normal form of a routine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    blocks: Vec<BlockForm>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BlockForm {
    number: u32,
    effects: Vec<Effect>,
    end: EndForm,
    /// For each variable that a term of the form joins here: its terms by the blocks before.
    joins: Vec<(u32, Vec<(u32, Term)>)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EndForm {
    To(u32),
    /// The blocks for a condition that is 0 or not.
    Branch {
        condition: Term,
        nonzero: u32,
        zero: u32,
    },
    Return(Term),
    ReturnList(Term, u32),
    /// The block ends in a trap for certain, or no value is possible.
    Never,
}

/// The routine to analyze.
pub struct Subject<'a> {
    pub ir: &'a Ir,
    pub program: &'a Executable,
    pub function: RoutineId,
    /// The types of its parameters, in order.
    pub parameters: &'a [Type],
    /// Maps a token to the same token of the base.
    pub token: &'a dyn Fn(u32) -> u32,
    /// Maps a function that is called to the function of the base that it equals.
    pub callee: &'a dyn Fn(RoutineId) -> RoutineId,
}

/// A pass over the blocks of a routine.
pub struct Analysis<'a> {
    pub subject: &'a Subject<'a>,
    pub terms: &'a mut Terms,
    pub blocks: &'a [Block],
}

/// A block's effects, and the states in which it leaves, by the next block.
pub struct Left {
    pub effects: Vec<Effect>,
    pub end: EndForm,
    pub next: Vec<(usize, State)>,
}

/// Returns the blocks of a routine, or `None` if its code is too large or not understood.
pub fn blocks_of(subject: &Subject) -> Option<Vec<Block>> {
    let routines = &subject.program.routines;
    let lo = *routines.ir.get(subject.function.position())? as usize;
    let hi = routines.ir.iter().map(|start| *start as usize).filter(|start| *start > lo).min();
    let blocks = blocks(subject.ir, lo, hi.unwrap_or(subject.ir.op.len()))?;
    (blocks.len() <= BLOCKS).then_some(blocks)
}

/// Returns the normal form of a routine, or `None` if its code is too large or not understood.
pub fn form(subject: &Subject, terms: &mut Terms) -> Option<Form> {
    let blocks = blocks_of(subject)?;
    let mut analysis = Analysis { subject, terms, blocks: &blocks };
    let facts = analysis.facts()?;
    analysis.form(&facts)
}

impl Analysis<'_> {
    /// The state at the routine's begin.
    pub fn entry(&mut self) -> State {
        let (mut state, mut slot) = (State::default(), 0);
        for ty in self.subject.parameters {
            let term = self.terms.intern(Node::Parameter(slot));
            state.variables.insert(slot, Value { term, known: of_type(*ty) });
            slot += ty.words();
        }
        state
    }

    /// Executes a block.
    pub fn run(&mut self, number: usize, mut state: State, exact: bool) -> Option<Left> {
        let block = &self.blocks[number];
        let Subject { program, token, callee, .. } = *self.subject;
        let mut step = Step { terms: self.terms, program, token, callee, exact, effects: Vec::new() };
        for instruction in &block.code {
            step.run(&mut state, *instruction)?;
        }
        let (end, next) = match block.end {
            End::To(next) => (EndForm::To(next as u32), vec![(next, state)]),
            End::Return => (EndForm::Return(state.stack.pop()?.value.term), Vec::new()),
            End::ReturnList(capacity) => {
                let list = state.stack.pop()?.value;
                step.check_capacity(list, capacity, block.token);
                (EndForm::ReturnList(list.term, capacity), Vec::new())
            }
            End::Loop { body, exit, .. } if body == exit => return None,
            End::Loop { slot, body, exit } => {
                let range = *state.variables.get(&(slot | LOOP))?;
                let mut part = |head, known| {
                    let term = if exact { step.terms.iterated(head, range.term) } else { range.term };
                    Value { term, known }
                };
                let more = part(Head::More, Known::BOOL);
                let mut within = state.clone();
                within.store(slot, part(Head::First, range.known));
                within.store(slot | LOOP, part(Head::Rest, range.known));
                let end = EndForm::Branch { condition: more.term, nonzero: body as u32, zero: exit as u32 };
                (end, vec![(body, within), (exit, state)])
            }
            End::Branch { nonzero, zero, keeps } if nonzero == zero => {
                state.stack.pop()?;
                // A join knows only the numbers of the blocks before it, not which way of a branch led there.
                keeps.is_none().then_some((EndForm::To(zero as u32), vec![(zero, state)]))?
            }
            End::Branch { nonzero, zero, keeps } => {
                let condition = state.stack.pop()?;
                let mut next = Vec::new();
                for (on, to) in [(true, nonzero), (false, zero)] {
                    let known = condition.value.known;
                    let possible = if on { known.value() != Some(0) } else { known.contains(0) };
                    let mut state = state.clone();
                    if !possible || state.refine(condition.origin, on).is_none() {
                        continue;
                    }
                    if keeps == Some(on) {
                        let mut value = condition.value;
                        if !on || Known::BOOL.covers(value.known) {
                            let constant = i32::from(on);
                            value =
                                Value { term: step.terms.constant(constant), known: Known::constant(constant) };
                        }
                        state.stack.push(Operand { value, origin: Origin::None });
                    }
                    next.push((to, state));
                }
                let zeroness = if exact { step.terms.zero(condition.value) } else { condition.value.term };
                let end = match (&next[..], step.terms.node(zeroness)) {
                    ([], _) => EndForm::Never,
                    ([(to, _)], _) => EndForm::To(*to as u32),
                    (_, Node::Constant(value)) if exact => {
                        let to = if *value == 0 { nonzero } else { zero };
                        next.retain(|(next, _)| *next == to);
                        next.truncate(1);
                        EndForm::To(to as u32)
                    }
                    // The form has conditions without `!`: a negated one exchanges the blocks.
                    (_, Node::Apply(Head::Op(Op::Not), operand)) if exact => {
                        EndForm::Branch { condition: operand[0], nonzero: nonzero as u32, zero: zero as u32 }
                    }
                    _ => EndForm::Branch { condition: zeroness, nonzero: zero as u32, zero: nonzero as u32 },
                };
                (end, next)
            }
        };
        Some(Left { effects: step.effects, end, next })
    }

    /// Returns the facts where each block begins; `None` for a block that is not reached.
    pub fn facts(&mut self) -> Option<Vec<Option<State>>> {
        let count = self.blocks.len();
        let entry = self.entry();
        let mut states: Vec<Option<State>> = vec![None; count];
        states[0] = Some(entry.clone());
        let mut changes = vec![0; count];
        let mut open: BTreeSet<usize> = [0].into();
        let mut budget = ROUNDS * count;
        while let Some(number) = open.pop_first() {
            budget = budget.checked_sub(1)?;
            let Some(state) = states[number].clone() else { continue };
            for (next, state) in self.run(number, state, false)?.next {
                let merged = match &states[next] {
                    None => state,
                    Some(before) => {
                        let widens = next <= number && changes[next] >= PATIENCE;
                        join(before, &state, widens)?
                    }
                };
                if states[next].as_ref().is_none_or(|before| !same(before, &merged)) {
                    changes[next] += 1;
                    states[next] = Some(merged);
                    open.insert(next);
                }
            }
        }
        // Widening went too far: compute all facts from these once more. The result holds if it allows all that
        // follows from it.
        let narrowed = self.step(&entry, &states)?;
        let again = self.step(&entry, &narrowed)?;
        let holds = narrowed.iter().zip(&again).all(|(known, found)| match (known, found) {
            (Some(known), Some(found)) => covers(known, found),
            (_, None) => true,
            (None, Some(_)) => false,
        });
        Some(if holds { narrowed } else { states })
    }

    /// Returns the facts where each block begins that follow from `states` if every block runs once.
    fn step(&mut self, entry: &State, states: &[Option<State>]) -> Option<Vec<Option<State>>> {
        let mut found: Vec<Option<State>> = vec![None; states.len()];
        found[0] = Some(entry.clone());
        for (number, state) in states.iter().enumerate() {
            let Some(state) = state else { continue };
            for (next, state) in self.run(number, state.clone(), false)?.next {
                found[next] = Some(match &found[next] {
                    None => state,
                    Some(before) => join(before, &state, false)?,
                });
            }
        }
        Some(found)
    }

    fn form(&mut self, facts: &[Option<State>]) -> Option<Form> {
        let (numbers, heads) = self.number(facts)?;
        let entry = self.entry();
        // Where each block begins: the terms that arrive, by the block before.
        let mut arriving: Vec<BTreeMap<usize, State>> = vec![BTreeMap::new(); self.blocks.len()];
        let mut joined: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.blocks.len()];
        let mut begins: Vec<Option<State>> = vec![None; self.blocks.len()];
        let mut lefts: Vec<Option<Left>> = (0..self.blocks.len()).map(|_| None).collect();
        let mut open: BTreeSet<usize> = [0].into();
        let mut budget = ROUNDS * heads.len();
        while let Some(head) = open.pop_first() {
            budget = budget.checked_sub(1)?;
            let facts = facts[head].as_ref()?;
            let number = numbers[head]?;
            let mut begin = if head == 0 { entry.clone() } else { State::default() };
            if head != 0 {
                begin = self.merge(number, facts, &arriving[head], &mut joined[head])?;
            } else if !arriving[0].is_empty() {
                // A loop that begins with the routine: parameters may differ there.
                let mut all = arriving[0].clone();
                all.insert(usize::MAX, entry.clone());
                begin = self.merge(number, facts, &all, &mut joined[0])?;
            }
            if begins[head].as_ref().is_some_and(|before| same_terms(before, &begin)) {
                continue;
            }
            begins[head] = Some(begin.clone());
            let left = self.run_chain(head, begin, &numbers)?;
            for (next, state) in &left.next {
                let before = arriving[*next].insert(head, state.clone());
                if before.is_none_or(|before| !same_terms(&before, state)) {
                    open.insert(*next);
                }
            }
            lefts[head] = Some(left);
        }
        self.collect(&numbers, &heads, &arriving, &joined, &entry, lefts)
    }

    /// Numbers the blocks that are reached. A block with one block before it, which goes nowhere else, belongs to
    /// that block and has no number.
    fn number(&mut self, facts: &[Option<State>]) -> Option<(Vec<Option<u32>>, Vec<usize>)> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); facts.len()];
        let mut after = vec![0; facts.len()];
        for (number, state) in facts.iter().enumerate() {
            let Some(state) = state else { continue };
            for (next, _) in self.run(number, state.clone(), false)?.next {
                before[next].push(number);
                after[number] += 1;
            }
        }
        let (mut numbers, mut heads) = (vec![None; facts.len()], Vec::new());
        for number in (0..facts.len()).filter(|number| facts[*number].is_some()) {
            let follows = number != 0 && matches!(before[number][..], [one] if after[one] == 1);
            if !follows {
                numbers[number] = Some(heads.len() as u32);
                heads.push(number);
            }
        }
        Some((numbers, heads))
    }

    /// Executes a block and those that belong to it.
    fn run_chain(&mut self, head: usize, begin: State, numbers: &[Option<u32>]) -> Option<Left> {
        let (mut number, mut state, mut effects) = (head, begin, Vec::new());
        for _ in 0..=self.blocks.len() {
            let mut left = self.run(number, state, true)?;
            for effect in std::mem::take(&mut left.effects) {
                let same = |known: &Effect| {
                    (known.op, &known.operands, known.limit) == (effect.op, &effect.operands, effect.limit)
                };
                if !effects.iter().any(same) {
                    effects.push(effect);
                }
            }
            match &left.next[..] {
                [(next, _)] if numbers[*next].is_none() => {
                    number = *next;
                    state = left.next.pop()?.1;
                }
                _ => return Some(Left { effects, ..left }),
            }
        }
        None
    }

    /// Returns the state where a block begins, from the states that arrive.
    fn merge(
        &mut self,
        block: u32,
        facts: &State,
        arriving: &BTreeMap<usize, State>,
        joined: &mut BTreeSet<u32>,
    ) -> Option<State> {
        let mut begin = State::default();
        let mut term = |terms: &mut Terms, variable: u32, found: &[Term]| {
            let first = *found.first()?;
            if found.iter().any(|other| *other != first) {
                joined.insert(variable);
            }
            Some(match joined.contains(&variable) {
                true => terms.intern(Node::Joined { block, variable }),
                false => first,
            })
        };
        for (place, operand) in facts.stack.iter().enumerate() {
            let found = arriving.values().filter_map(|state| Some(state.stack.get(place)?.value.term));
            let term = term(self.terms, OPERAND | place as u32, &found.collect::<Vec<_>>())?;
            let value = Value { term, known: operand.value.known };
            begin.stack.push(Operand { value, origin: Origin::None });
        }
        for (variable, value) in &facts.variables {
            if arriving.values().any(|state| !state.variables.contains_key(variable)) {
                continue;
            }
            let found = arriving.values().filter_map(|state| Some(state.variables.get(variable)?.term));
            let term = term(self.terms, *variable, &found.collect::<Vec<_>>())?;
            begin.variables.insert(*variable, Value { term, known: value.known });
        }
        Some(begin)
    }

    /// Collects the form of all blocks that are reached, with the joins that their terms consist of.
    fn collect(
        &self,
        numbers: &[Option<u32>],
        heads: &[usize],
        arriving: &[BTreeMap<usize, State>],
        joined: &[BTreeSet<u32>],
        entry: &State,
        lefts: Vec<Option<Left>>,
    ) -> Option<Form> {
        let number = |block: u32| numbers.get(block as usize).copied().flatten();
        let mut forms = Vec::new();
        let mut open: Vec<Term> = Vec::new();
        for (head, left) in lefts.into_iter().enumerate() {
            let Some(Left { effects, end, .. }) = left else { continue };
            open.extend(effects.iter().flat_map(|effect| effect.operands.iter().copied()));
            let end = match end {
                EndForm::To(next) => EndForm::To(number(next)?),
                EndForm::Branch { condition, nonzero, zero } => {
                    open.push(condition);
                    EndForm::Branch { condition, nonzero: number(nonzero)?, zero: number(zero)? }
                }
                EndForm::Return(term) | EndForm::ReturnList(term, _) => {
                    open.push(term);
                    end
                }
                EndForm::Never => end,
            };
            forms.push(BlockForm { number: numbers[head]?, effects, end, joins: Vec::new() });
        }
        let mut seen: HashSet<Term> = HashSet::new();
        let mut used: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut joins: BTreeMap<(u32, u32), Vec<(u32, Term)>> = BTreeMap::new();
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            self.terms.parts(term, |part| open.push(part));
            let Node::Joined { block, variable } = *self.terms.node(term) else { continue };
            let head = *heads.get(block as usize)?;
            if !used.insert((block, variable)) || !joined[head].contains(&variable) {
                continue;
            }
            let mut found = Vec::new();
            let arrive = arriving[head].iter().map(|(from, state)| (numbers[*from], state));
            for (from, state) in arrive.chain((head == 0).then_some((Some(u32::MAX), entry))) {
                let term = match variable & OPERAND {
                    0 => state.variables.get(&variable)?.term,
                    _ => state.stack.get((variable & !OPERAND) as usize)?.value.term,
                };
                open.push(term);
                found.push((from?, term));
            }
            joins.insert((block, variable), found);
        }
        for form in &mut forms {
            let own = joins.range((form.number, 0)..=(form.number, u32::MAX));
            form.joins = own.map(|((_, variable), found)| (*variable, found.clone())).collect();
        }
        Some(Form { blocks: forms })
    }
}

/// The facts of both states; those about variables that one of them lacks are dropped.
fn join(before: &State, other: &State, widens: bool) -> Option<State> {
    let known = |before: Known, other: Known| {
        let joined = before.join(other);
        if widens { joined.widened(before) } else { joined }
    };
    if before.stack.len() != other.stack.len() {
        return None;
    }
    let stack = before.stack.iter().zip(&other.stack).map(|(one, two)| Operand {
        value: Value { known: known(one.value.known, two.value.known), ..one.value },
        origin: Origin::None,
    });
    let variables = before.variables.iter().filter_map(|(variable, value)| {
        let other = other.variables.get(variable)?;
        Some((*variable, Value { known: known(value.known, other.known), ..*value }))
    });
    Some(State { stack: stack.collect(), variables: variables.collect() })
}

fn same(one: &State, other: &State) -> bool {
    covers(one, other) && covers(other, one)
}

/// Whether a state allows all that another does.
fn covers(one: &State, other: &State) -> bool {
    one.stack.len() == other.stack.len()
        && one.stack.iter().zip(&other.stack).all(|(a, b)| a.value.known.covers(b.value.known))
        && one.variables.iter().all(|(variable, value)| {
            other.variables.get(variable).is_some_and(|other| value.known.covers(other.known))
        })
}

fn same_terms(one: &State, other: &State) -> bool {
    let terms = |state: &State| -> Vec<Term> {
        let stack = state.stack.iter().map(|operand| operand.value.term);
        stack.chain(state.variables.values().map(|value| value.term)).collect()
    };
    one.variables.len() == other.variables.len()
        && one.variables.keys().eq(other.variables.keys())
        && terms(one) == terms(other)
}
