//! A run past the errors of a program, for values only and never for verdicts. A statement with an error is skipped, and
//! what may depend on it is a guess.
//!
//! The run is repeated on a shadow of its operands and variables, with a bit for each: whether it is a guess. A skipped
//! statement may set the variables that it names. A branch on a guess, or a skipped statement that may have branches or
//! jumps of its own, makes everything a guess that its call does afterwards: what the other way would have set needs no
//! thought.

use std::sync::Arc;

use super::{Trace, record};
use crate::compiler::program::{Compiled, Instructions};
use crate::lang::index::{Address, CallId, Index as _, Position, RoutineId, TokenId};
use crate::lang::opcode::{Class, Op};
use crate::lang::token::TokenKind;

/// The guesses of a run: the values that its steps leave, set or decide by, and the arguments of its calls.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    pub steps: Vec<bool>,
    pub calls: Vec<bool>,
    /// For each call, whether another way through its code was possible.
    pub ways: Vec<bool>,
}

/// Records a run in which each statement with an error is skipped; it ends at a `?`, whose value is not known. A run that reaches the end of an unfinished function, or
/// a function whose header has an error, ends there.
pub fn record_past_errors(compiled: &Arc<Compiled>, routine: RoutineId, frame: &[u32], fuel: u32) -> Trace {
    let mut program = (**compiled).clone();
    let mut skipped = Vec::new();
    let written: Vec<TokenId> = compiled.view().holes().collect();
    for own in compiled.executable.routines() {
        let (first, words) = (own.address(), own.words());
        let is_written = |at: usize| own.token_at(at).is_some_and(|token| written.contains(&token));
        let holes = Instructions::of(words).filter(|one| one.op == Op::Hole && one.at + 1 < words.len());
        let holes = holes.filter(|hole| !is_written(hole.at));
        skipped.extend(holes.map(|hole| first + hole.at as u32));
    }
    skipped.sort_unstable();
    for address in &skipped {
        program.executable.code.word[address.position()] = Op::Jump as u32 | (address.number() + 1) << 8;
    }
    let mut trace = record(&Arc::new(program), routine, frame, fuel);
    trace.guesses = Guesses::of(&trace, &skipped);
    trace
}

/// The shadow of a call.
struct Shadow {
    call: CallId,
    /// The number of operands below its own.
    base: usize,
    variables: Vec<bool>,
    /// The ranges and lists that loops go through, by the slot of the loop's variable.
    loops: Vec<bool>,
    /// Whether another way was possible.
    ways: bool,
}

impl Shadow {
    fn new(trace: &Trace, call: CallId, base: usize, given: bool, ways: bool) -> Shadow {
        let routine = trace.call(call).and_then(|call| trace.compiled.executable.routine(call.function));
        let slots = routine.map_or(0, |routine| routine.frame() as usize);
        Shadow { call, base, variables: vec![given; slots], loops: vec![false; slots], ways }
    }

    /// Marks what a skipped statement may set.
    fn skip(&mut self, trace: &Trace, hole: TokenId) {
        use TokenKind::{Break, Continue, Else, For, If, LeftBrace, Return, RightBrace, While};
        let view = trace.compiled.view();
        let Some(function) = trace.call(self.call).map(|call| call.function) else { return };
        let own: Vec<TokenId> = view.rest_of_statement(hole).collect();
        let branches = |token: &TokenId| {
            matches!(
                view.kind(*token),
                Break | Continue | Else | For | If | LeftBrace | Return | RightBrace | While
            )
        };
        self.ways |= own.iter().any(branches);
        // Names after the last assignment operator are only read.
        let last = own.iter().rposition(|token| view.kind(*token).is_assignment());
        for token in &own[..last.unwrap_or(own.len())] {
            for variable in trace.variables.of(function).iter().filter(|own| own.name == view.text(*token)) {
                self.set(variable.slot.position(), true);
            }
        }
    }

    fn set(&mut self, slot: usize, guess: bool) {
        if let Some(variable) = self.variables.get_mut(slot) {
            *variable = guess;
        }
    }
}

impl Guesses {
    fn of(trace: &Trace, skipped: &[Address]) -> Guesses {
        let calls = vec![false; trace.calls().len()];
        let mut all = Guesses { steps: Vec::new(), ways: calls.clone(), calls };
        let mut frames = vec![Shadow::new(trace, CallId::default(), 0, false, false)];
        let (mut operands, mut entered) = (Vec::<bool>::new(), CallId::default());
        for position in (0..trace.len()).map(Position::new) {
            let (Some(step), Some((instruction, token))) = (trace.step(position), trace.instruction(position))
            else {
                break;
            };
            let Some(frame) = frames.last_mut() else { break };
            let below = operands.len().saturating_sub(trace.takes(position)).max(frame.base);
            let mut guess = operands.split_off(below.min(operands.len())).contains(&true);
            let slot = instruction.slot().map_or(0, |slot| slot.position());
            let known = |of: &[bool]| of.get(slot).copied().unwrap_or(false);
            match instruction.op {
                Op::LoadVar | Op::LoadList | Op::ListLenVar | Op::LoadIndexVar | Op::SliceVar => {
                    guess |= known(&frame.variables);
                }
                Op::StoreVar | Op::StoreList => frame.set(slot, guess || frame.ways),
                Op::StoreIndex => frame.set(slot, known(&frame.variables) || guess || frame.ways),
                Op::RangeIter | Op::RangeIterInclusive | Op::ListIter => {
                    if let Some(of) = frame.loops.get_mut(slot) {
                        *of = guess || frame.ways;
                    }
                }
                Op::ForRange | Op::ForList => {
                    guess = known(&frame.loops);
                    frame.ways |= guess;
                    frame.set(slot, guess || frame.ways);
                }
                Op::Jump if skipped.binary_search(&step.address()).is_ok() => {
                    token.into_iter().for_each(|hole| frame.skip(trace, hole));
                }
                op if matches!(op.class(), Class::Branch { .. }) => frame.ways |= guess,
                _ => {}
            }
            let own = guess || frame.ways;
            all.steps.push(own);
            all.ways[frame.call.position()] = frame.ways;
            match instruction.op {
                Op::Call => {
                    let ways = frame.ways;
                    entered = entered.next();
                    if let Some(given) = all.calls.get_mut(entered.position()) {
                        *given = own;
                        frames.push(Shadow::new(trace, entered, operands.len(), own, ways));
                    }
                }
                Op::Return | Op::ReturnList => {
                    operands.truncate(frame.base);
                    frames.pop();
                    operands.push(own);
                }
                // Of these, only a jump keeps the operand.
                Op::JumpIfFalseOrPop | Op::JumpIfTrueOrPop => {
                    let keeps = trace.step(position.next()).is_some_and(|next| next.sp == step.sp);
                    operands.extend(keeps.then_some(guess));
                }
                op => operands.extend((0..op.effect().leaves).map(|_| guess)),
            }
        }
        all
    }
}

impl Trace {
    /// Returns whether what a step left, set or decided by depends on a skipped statement.
    pub fn is_guess(&self, position: Position) -> bool {
        self.guesses.steps.get(position.position()).copied().unwrap_or(false)
    }

    /// Returns whether the arguments of a call depend on a skipped statement.
    pub(super) fn is_guessed_call(&self, call: CallId) -> bool {
        self.guesses.calls.get(call.position()).copied().unwrap_or(false)
    }
}
