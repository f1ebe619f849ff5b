//! The normal form of a routine: for each block its effects and its end, with terms of the routine's parameters.
//!
//! Two passes compute it. The first finds facts about all variables (Kildall, "A unified approach to global program
//! optimization", 1973, with widening and narrowing of intervals: Cousot and Cousot, 1977). The second computes
//! terms: a variable that has different terms on the ways into a block is a new term there, as in static single
//! assignment form.
//!
//! Equal forms compute equal values and trap alike: by induction over the steps of a run, both routines are in the same
//! block, with the same values of all terms.

mod facts;
mod joins;

use super::blocks::{Block, End, blocks};
use super::known::Known;
use super::state::{Effect, LOOP, Operand, Origin, State, Step, of_type};
use super::terms::{Head, Node, Rules, Term, Terms, Value};
use crate::compiler::program::{Executable, Ir};
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// Limits of the passes; beyond them there is no form.
const BLOCKS: usize = 256;
const ROUNDS: usize = 64;

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
    /// Names the place of a trap by a token: the same token of the base has the same name.
    pub token: &'a dyn Fn(TokenId) -> u32,
    /// Maps a function that is called to the function of the base that it equals.
    pub callee: &'a dyn Fn(RoutineId) -> RoutineId,
}

/// The blocks of a routine with facts about them. They depend on no rules and no terms.
pub struct Flow {
    blocks: Vec<Block>,
    /// By block: the facts where it begins; `None` if it is not reached.
    facts: Vec<Option<State>>,
    /// By block: its number in the form, if it has one; and the blocks by number.
    numbers: Vec<Option<u32>>,
    heads: Vec<usize>,
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
    flow(subject)?.form(subject, terms)
}

/// Returns what the first pass finds, or `None` if the routine's code is too large or not understood.
pub fn flow(subject: &Subject) -> Option<Flow> {
    let blocks = blocks_of(subject)?;
    // This pass computes no terms.
    let mut none = Terms::new(Rules::ALL);
    let mut analysis = Analysis { subject, terms: &mut none, blocks: &blocks };
    let facts = analysis.facts()?;
    let (numbers, heads) = analysis.number(&facts)?;
    Some(Flow { blocks, facts, numbers, heads })
}

impl Flow {
    /// Returns the normal form with these terms. Of the subject, only its program's headers, its parameters and names
    /// are used.
    pub fn form(&self, subject: &Subject, terms: &mut Terms) -> Option<Form> {
        Analysis { subject, terms, blocks: &self.blocks }.form(self)
    }
}

impl Analysis<'_> {
    /// Returns the state at the beginning of the routine.
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
}
