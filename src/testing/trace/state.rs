//! Computes the state at a position: the keyframe before it, plus the repeated steps since.

use super::{KEYFRAME, ProvenanceSource, Setting, Trace, Variable, written};
use crate::compiler::stage::execute::{Continuation, Machine};
use crate::engine::explain::Value;
use crate::lang::index::{CallId, Index, Position, RoutineId, TokenId};
use crate::lang::opcode::Op;
use crate::lang::ty::{KIND_BOOL, KIND_INT, Type};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOperand {
    pub ty: Type,
    pub value: Value,
    /// The step that left the operand, and the source token of that step.
    pub pushed_by: Position,
    pub token: Option<TokenId>,
    /// The step that made the value, or `None` for initial values.
    pub maker: Option<ProvenanceSource>,
}

/// An active call with its variables and operands.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFrame<'a> {
    pub call: CallId,
    /// `None` if there is no such call.
    pub function: Option<RoutineId>,
    /// The position of the call. For a caller, this is its `CALL`.
    pub position: Position,
    pub variables: Vec<(&'a Variable, Option<Value>, Setting)>,
    /// The operands, topmost first. A caller's operands exclude the arguments that it passed.
    pub operands: Vec<TraceOperand>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceState {
    pub position: Position,
    /// All frames and operands, the top last.
    pub words: Vec<u32>,
}

/// A short description of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepText {
    pub line: u32,
    /// The source text of the step.
    pub written: String,
    /// The value that the step leaves.
    pub left: Option<Value>,
}

/// Returns the value of a variable in a frame.
fn held(variable: &Variable, fp: usize, words: &[u32]) -> Option<Value> {
    let at = fp + variable.slot.position();
    let words = match variable.ty.is_list() {
        false => words.get(at..=at)?,
        true => words.get(at + 1..)?.get(..*words.get(at)? as usize)?,
    };
    Some(Value::from_words(variable.ty, words))
}

impl Trace {
    /// Returns a short description of a step.
    pub fn step_text(&self, position: Position) -> Option<StepText> {
        let (token, view) = (self.token(position)?, self.compiled.view());
        Some(StepText { line: view.line(token), written: written(view, token), left: self.left(position) })
    }

    /// Returns the state at a position, or at the last one if the run is shorter. Takes at most [`KEYFRAME`] steps.
    pub fn state(&self, position: Position) -> TraceState {
        let position = position.min(self.last());
        let frame = position.position() / KEYFRAME;
        let end = self.ends.get(frame).map_or(0, |end| *end as usize);
        let start = frame.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let words = self.words.get(start..end).unwrap_or_default();
        self.run_on(Position::at(frame * KEYFRAME), words, position)
    }

    /// Likewise, given a known state. Starts from the nearer of that state and the keyframe.
    pub fn state_after(&self, known: &TraceState, position: Position) -> TraceState {
        let position = position.min(self.last());
        let keyframe = Position::at(position.position() / KEYFRAME * KEYFRAME);
        match (keyframe..=position).contains(&known.position) {
            true => self.run_on(known.position, &known.words, position),
            false => self.state(position),
        }
    }

    /// Repeats the steps from a position whose memory is known.
    fn run_on(&self, from: Position, words: &[u32], position: Position) -> TraceState {
        let Some(step) = self.step(from).filter(|_| position > from) else {
            return TraceState { position, words: words.to_vec() };
        };
        let mut machine = Machine::default();
        machine.load(&self.compiled.executable);
        let mut callers: Vec<Continuation> = { self.active(from) }
            .into_iter()
            .filter_map(|id| self.step(self.call(id)?.start.previous()?))
            .map(|caller| Continuation { pc: caller.address().next(), fp: caller.fp.into() })
            .collect();
        callers.reverse();
        let at = Continuation { pc: step.address(), fp: step.fp.into() };
        machine.resume(&self.compiled.executable, at, words, callers, position - from);
        TraceState { position, words: machine.operands().to_vec() }
    }

    /// Returns whether the block of a variable has ended, or has not begun, at a position of its routine.
    pub fn is_out_of_scope(&self, variable: &Variable, position: Position) -> bool {
        self.token(position).is_some_and(|token| !variable.scope.contains(token))
    }

    pub fn variables(&self, call: CallId) -> &[Variable] {
        self.call(call).map_or(&[], |call| self.variables.of(call.function))
    }

    /// Returns the active calls at a state's position with their variables and operands, innermost first.
    pub fn frames(&self, state: &TraceState) -> Vec<TraceFrame<'_>> {
        let mut position = state.position;
        let mut limit = u32::MAX;
        let mut frames = Vec::new();
        for id in self.active(state.position) {
            let Some(call) = self.call(id) else { break };
            frames.push(self.frame(state, id, position, limit));
            // The caller's operands end where the callee's frame begins: the arguments are part of that frame.
            limit = self.step(call.start).map_or(0, |first| u32::from(first.fp));
            position = call.start.previous().unwrap_or_default();
        }
        frames
    }

    /// Returns one active call with its variables and operands.
    pub fn frame(&self, state: &TraceState, call: CallId, position: Position, limit: u32) -> TraceFrame<'_> {
        let first = self.call(call).and_then(|call| self.step(call.start));
        let fp = first.map_or(0, |first| usize::from(first.fp));
        let value = |variable: &Variable| held(variable, fp, &state.words);
        // In a caller, the variable that the call's result will set is not set yet.
        let variables = self.variables(call).iter().map(|variable| {
            let setting = self.set(call, variable, position);
            let known = setting != Setting::Never;
            (variable, known.then(|| value(variable)).flatten(), setting)
        });
        let function = self.call(call).map(|call| call.function);
        let variables = variables.collect();
        TraceFrame {
            call,
            function,
            position,
            variables,
            operands: self.operands(state, call, position, limit),
        }
    }

    /// Returns the operands of a call on the stack, only those below `limit` words.
    fn operands(&self, state: &TraceState, call: CallId, position: Position, limit: u32) -> Vec<TraceOperand> {
        let places = self.places(call, position, limit, usize::MAX);
        let operand = |place: super::provenance::ProvenancePlace| {
            let words = match place.list {
                false => place.start as usize..place.end as usize,
                true => place.start as usize..place.end as usize - 1,
            };
            let ty = self.type_left(call, place.pushed_by);
            TraceOperand {
                ty,
                value: Value::from_words(ty, state.words.get(words).unwrap_or_default()),
                pushed_by: place.pushed_by,
                token: self.token(place.pushed_by),
                maker: self.maker_of(call, place),
            }
        };
        places.into_iter().map(operand).collect()
    }

    /// Returns the type of the value that a step leaves: the type of its expression, if it has one.
    pub fn type_left(&self, call: CallId, step: Position) -> Type {
        let Some((instruction, token)) = self.instruction(step) else { return Type::UNKNOWN };
        let view = self.compiled.view();
        let (op, own) = (instruction.op, token.map_or(Type::UNKNOWN, |token| view.ty(token)));
        let variable = || self.variables.at(self.call(call)?.function, instruction.slot()?);
        match op {
            Op::Call => {
                self.compiled.executable.routine(instruction.function()).map_or(Type::INT, |r| r.result())
            }
            Op::LoadVar | Op::LoadList => variable().map_or(Type::INT, |variable| variable.ty),
            Op::LoadIndexVar => variable().map_or(Type::INT, |variable| variable.ty.element()),
            Op::ListLen | Op::ListLenVar => Type::INT,
            _ if op.effect().left_lists != 0 => {
                if own.is_list() {
                    own
                } else {
                    Type::list(Type::INT, crate::lang::limits::CAPACITY)
                }
            }
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Not | Op::ListEq | Op::ListNe => {
                Type::BOOL
            }
            _ => {
                let typed = token.is_some_and(|token| view.role(token).is_expression());
                if typed && matches!(own.kind(), KIND_INT | KIND_BOOL) { own } else { Type::INT }
            }
        }
    }

    /// Returns the arguments of a call, and its result if it returned. Computes two states.
    pub fn arguments_and_result(&self, id: CallId) -> (Vec<Value>, Option<Value>) {
        let Some(call) = self.call(id) else { return (Vec::new(), None) };
        let state = self.state(call.start);
        let frame = self.frame(&state, id, call.start, u32::MAX);
        let given = frame.variables.into_iter().filter(|(variable, ..)| variable.parameter.is_some());
        (given.filter_map(|(_, value, _)| value).collect(), self.result(id))
    }

    /// Returns the result of a call if it returned. A property has no result for an input that it discards.
    pub fn result(&self, id: CallId) -> Option<Value> {
        let call = self.call(id).filter(|call| call.parent.is_some() || !self.is_discarded())?;
        let returned = call.end?.previous()?;
        let ty = self.compiled.executable.routine(call.function)?.result();
        if !ty.is_list() {
            return Some(Value::from_words(ty, &[self.step(returned)?.top]));
        }
        let state = self.state(returned);
        let (length, rest) = state.words.split_last()?;
        let from = rest.len().checked_sub(*length as usize)?;
        Some(Value::from_words(ty, &rest[from..]))
    }

    /// Returns the value that the step at a position leaves on the stack or in a variable, unless it traps.
    pub fn left(&self, position: Position) -> Option<Value> {
        let (instruction, _) = self.instruction(position)?;
        let call = self.call_at(position);
        let (step, next) = (self.step(position)?, self.step(position.next()));
        match instruction.op {
            Op::Return | Op::ReturnList
                if next.is_some() || self.record.trap == crate::lang::trap::Trap::None =>
            {
                self.result(call)
            }
            Op::StoreVar => {
                let ty = self.variables.at(self.call(call)?.function, instruction.slot()?)?.ty;
                next.map(|_| Value::from_words(ty, &[step.top]))
            }
            Op::StoreIndex => {
                let ty = self.variables.at(self.call(call)?.function, instruction.slot()?)?.ty;
                next.map(|_| Value::from_words(ty.element(), &[step.top]))
            }
            Op::StoreList | Op::ForRange | Op::ForList | Op::NextRange | Op::NextList => {
                next.filter(|_| self.takes_place(position))?;
                let variable = self.variables.at(self.call(call)?.function, instruction.slot()?)?;
                held(variable, usize::from(step.fp), &self.state(position.next()).words)
            }
            Op::Call => None,
            op if op.effect().leaves == 0 => None,
            _ => {
                let ty = self.type_left(call, position);
                let next = next?;
                if !ty.is_list() {
                    return Some(Value::from_words(ty, &[next.top]));
                }
                let state = self.state(position.next());
                let (length, rest) = state.words.split_last()?;
                let from = rest.len().checked_sub(*length as usize)?;
                Some(Value::from_words(ty, &rest[from..]))
            }
        }
    }
}
