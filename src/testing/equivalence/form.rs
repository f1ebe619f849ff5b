//! The normal form of a routine: for each block its effects and its end, with terms of the routine's parameters.
//!
//! Flow finds the blocks, and facts about variables where they begin. One more pass computes terms: a variable that has
//! different terms on the ways into a block is a new term there, as in static single assignment form.
//!
//! Equal forms compute equal values and trap alike: by induction over the steps of a run, both routines are in the same
//! block, with the same values of all terms.

mod joins;

use super::state::{EquivalenceEffect, EquivalenceInstruction, EquivalenceState, EquivalenceStep, LOOP};
use super::terms::{Head, Node, Term, TermValue, Terms};
use crate::compiler::program::{Executable, Ir};
use crate::compiler::stage::flow::ranges::{self, Range};
use crate::compiler::stage::flow::{Alone, Endings};
use crate::compiler::stage::lower::ends_block;
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::opcode::{Class, Op};
use crate::lang::ty::Type;

/// The limit of the pass; beyond it there is no form.
const ROUNDS: usize = 64;

/// The normal form of a routine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    blocks: Vec<BlockForm>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct BlockForm {
    number: u32,
    effects: Vec<EquivalenceEffect>,
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
pub struct FormSubject<'a> {
    pub ir: &'a Ir,
    pub program: &'a Executable,
    pub function: RoutineId,
    /// The types of its parameters, in order.
    pub parameters: &'a [Type],
    /// Names the place of a trap by a token: the same token of the base has the same name.
    pub token: &'a dyn Fn(TokenId) -> u32,
    /// Maps a function that is called to the function of the base that it equals.
    pub callee: &'a dyn Fn(RoutineId) -> RoutineId,
    /// The ends of the program's calls.
    pub endings: &'a Endings,
}

/// A routine as flow finds it. It depends on no rules and no terms.
pub struct Body {
    pub code: Alone,
    /// By block: its number in the form, if it has one; and the blocks by number.
    numbers: Vec<Option<u32>>,
    heads: Vec<usize>,
}

/// A pass over the blocks of a routine.
pub struct Analysis<'a> {
    pub subject: &'a FormSubject<'a>,
    pub terms: &'a mut Terms,
    pub code: &'a Alone,
}

/// A block's effects, and the states in which it leaves, by the next block.
pub struct Left {
    pub effects: Vec<EquivalenceEffect>,
    pub end: EndForm,
    pub next: Vec<(usize, EquivalenceState)>,
}

/// Returns the normal form of a routine, or `None` if its code is too large or not understood.
pub fn form(subject: &FormSubject, terms: &mut Terms) -> Option<Form> {
    Body::new(subject)?.form(subject, terms)
}

/// Analyzes the code of a routine. Returns `None` if it is too large or not understood.
pub fn analyzed(subject: &FormSubject) -> Option<Alone> {
    let routines = &subject.program.routines;
    let first = *routines.ir.get(subject.function.position())? as usize;
    Alone::new(subject.ir, first, routines, subject.parameters)
}

impl Body {
    pub fn new(subject: &FormSubject) -> Option<Body> {
        let code = analyzed(subject)?;
        let (numbers, heads) = numbered(&code);
        Some(Body { code, numbers, heads })
    }

    /// Returns the normal form with these terms. Of the subject, only its program's headers, its parameters and names
    /// are used.
    pub fn form(&self, subject: &FormSubject, terms: &mut Terms) -> Option<Form> {
        Analysis { subject, terms, code: &self.code }.form(self)
    }
}

/// Numbers the blocks that are reached. A block with one block before it, which goes nowhere else, belongs to that block
/// and has no number. Also returns the blocks by number.
fn numbered(code: &Alone) -> (Vec<Option<u32>>, Vec<usize>) {
    let count = code.flow.blocks.len();
    let mut arrivals = vec![0; count];
    for block in 0..count {
        // One that goes elsewhere, too, counts twice.
        let ways = code.ways(block).count();
        code.ways(block).for_each(|to| arrivals[to] += ways);
    }
    let (mut numbers, mut heads) = (vec![None; count], Vec::new());
    for block in (0..count).filter(|block| code.reaches(*block) && (*block == 0 || arrivals[*block] != 1)) {
        numbers[block] = Some(heads.len() as u32);
        heads.push(block);
    }
    (numbers, heads)
}

impl Analysis<'_> {
    /// Returns the state at the beginning of the routine.
    pub fn entry(&mut self) -> EquivalenceState {
        let (mut state, mut slot) = (EquivalenceState::default(), 0);
        for ty in self.subject.parameters {
            let term = self.terms.intern(Node::Parameter(slot));
            state.variables.insert(slot, TermValue { term, known: ranges::of_type(*ty) });
            slot += ty.words();
        }
        state
    }

    /// Executes a block.
    pub fn run(&mut self, number: usize, mut state: EquivalenceState) -> Option<Left> {
        let FormSubject { program, token, callee, endings, .. } = *self.subject;
        let code = self.code;
        let mut step = EquivalenceStep {
            terms: self.terms,
            program,
            token,
            callee,
            endings,
            effects: Vec::new(),
            ends: false,
        };
        let blocks = &code.flow.blocks;
        let instructions = blocks.instructions(number);
        let last = instruction(code, instructions.end - 1)?;
        let inner = instructions.start..instructions.end - usize::from(ends_block(last.op as u32));
        for i in inner {
            execute(code, &mut step, &mut state, i)?;
            if step.ends {
                return Some(Left { effects: step.effects, end: EndForm::Never, next: Vec::new() });
            }
        }
        let block = |to: u32| (to != NONE).then_some(to as usize);
        let (next, target) = (block(blocks.next[number]), block(blocks.target[number]));
        let goes = |to: usize, state: EquivalenceState| match arriving(code, number, to, state) {
            Some(state) => (EndForm::To(to as u32), vec![(to, state)]),
            None => (EndForm::Never, Vec::new()),
        };
        let (end, next) = match (last.op, last.op.class()) {
            (Op::ReturnList, _) => {
                let list = state.stack.pop()?;
                step.check_capacity(list, last.arg, last.token);
                let end = if step.ends { EndForm::Never } else { EndForm::ReturnList(list.term, last.arg) };
                (end, Vec::new())
            }
            (_, Class::Return) => (EndForm::Return(state.stack.pop()?.term), Vec::new()),
            (_, Class::Jump) => goes(target?, state),
            (op, Class::Loop) => {
                let jumps = matches!(op, Op::NextRange | Op::NextList);
                let (body, exit) = if jumps { (target?, next?) } else { (next?, target?) };
                (body != exit).then_some(())?;
                let left = state.variables.get(&(last.arg | LOOP))?.term;
                let mut part = |head| TermValue { term: step.terms.iterated(head, left), known: Range::ANY };
                let more = part(Head::More).term;
                let mut within = state.clone();
                within.variables.insert(last.arg, part(Head::First));
                within.variables.insert(last.arg | LOOP, part(Head::Rest));
                let next = [(body, within), (exit, state)];
                let next = next.map(|(to, state)| Some((to, arriving(code, number, to, state)?)));
                branch(step.terms, more, next)
            }
            (op, Class::Branch { on }) => {
                let (jumps, falls) = (target?, next?);
                let (nonzero, zero) = if on { (jumps, falls) } else { (falls, jumps) };
                let keeps = op.condition().filter(|(_, keeps)| *keeps).map(|(on, _)| on);
                let condition = state.stack.pop()?;
                if nonzero == zero {
                    // A join knows only the numbers of the blocks before it, not which way of a branch led there.
                    keeps.is_none().then(|| goes(zero, state))?
                } else {
                    let next = [(true, nonzero), (false, zero)].map(|(on, to)| {
                        let known = condition.known;
                        let possible = if on { known.value() != Some(0) } else { known.contains(0) };
                        let mut state = possible.then(|| state.clone())?;
                        if keeps == Some(on) {
                            let constant = Range::of(on.into());
                            let decided = !on || Range::BOOL.covers(known);
                            let term = step.terms.constant(on.into());
                            state.stack.push(if decided {
                                TermValue { term, known: constant }
                            } else {
                                condition
                            });
                        }
                        Some((to, arriving(code, number, to, state)?))
                    });
                    let is_zero = step.terms.zero(condition);
                    let [nonzero, zero] = next;
                    branch(step.terms, is_zero, [zero, nonzero])
                }
            }
            _ => goes(next?, state),
        };
        Some(Left { effects: step.effects, end, next })
    }
}

/// Returns instruction `i` of a routine.
fn instruction(code: &Alone, i: usize) -> Option<EquivalenceInstruction> {
    let Ir { op, arg, aux, token, .. } = &code.ir;
    let op = Op::from_u32(*op.get(i)?)?;
    Some(EquivalenceInstruction { op, arg: arg[i], aux: aux[i], token: TokenId::new(token[i]) })
}

/// Executes an instruction that does not end its block.
fn execute(code: &Alone, step: &mut EquivalenceStep, state: &mut EquivalenceState, i: usize) -> Option<()> {
    let own = instruction(code, i)?;
    match own.op {
        Op::Nop | Op::Element => Some(()),
        // As if its elements were pushed one by one.
        Op::LoadListConst => {
            for element in i + 1..=i + own.arg as usize {
                step.run(state, EquivalenceInstruction { op: Op::LoadConst, ..instruction(code, element)? })?;
            }
            step.run(state, EquivalenceInstruction { op: Op::BuildList, ..own })
        }
        _ => step.run(state, own),
    }
}

/// Adds the facts about a block to a state that arrives there. Returns `None` if none can.
fn arriving(code: &Alone, from: usize, to: usize, mut state: EquivalenceState) -> Option<EquivalenceState> {
    code.ways(from).any(|way| way == to).then_some(())?;
    for (variable, value) in state.variables.iter_mut() {
        value.known = value.known.meet(code.variable(to, *variable))?;
    }
    for (place, value) in state.stack.iter_mut().enumerate() {
        value.known = value.known.meet(code.operand(to, place))?;
    }
    Some(state)
}

/// Ends a block by a condition. `next` are the blocks if it is not 0, and if it is, with the states that arrive there.
fn branch(
    terms: &mut Terms,
    condition: Term,
    [mut nonzero, mut zero]: [Option<(usize, EquivalenceState)>; 2],
) -> (EndForm, Vec<(usize, EquivalenceState)>) {
    match terms.value_of(condition) {
        Some(0) => nonzero = None,
        Some(_) => zero = None,
        None => {}
    }
    // The form has conditions without `!`: a negated one exchanges the blocks.
    let (condition, swaps) = match terms.node(condition) {
        Node::Apply(Head::Op(Op::Not), operand) => (operand[0], true),
        _ => (condition, false),
    };
    let end = match (&nonzero, &zero) {
        (None, None) => EndForm::Never,
        (Some((to, _)), None) | (None, Some((to, _))) => EndForm::To(*to as u32),
        (Some((one, _)), Some((other, _))) => {
            let (nonzero, zero) = if swaps { (*other, *one) } else { (*one, *other) };
            EndForm::Branch { condition, nonzero: nonzero as u32, zero: zero as u32 }
        }
    };
    (end, nonzero.into_iter().chain(zero).collect())
}
