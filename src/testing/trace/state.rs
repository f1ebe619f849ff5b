//! The state at a position: the keyframe before it, and the steps since made again.

use super::{KEYFRAME, Setting, Source, Trace, Variable, written};
use crate::compiler::stage::execute::Machine;
use crate::engine::explain::Value;
use crate::lang::NONE;
use crate::lang::opcode::Op;
use crate::lang::ty::{KIND_BOOL, KIND_INT, Type};

/// An operand on the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    pub ty: Type,
    pub value: Value,
    /// The step that left it, and the token that this comes from.
    pub left_by: u32,
    pub token: u32,
    /// Who made it; `None` of what the run began with.
    pub maker: Option<Source>,
}

/// An active call.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame<'a> {
    pub call: u32,
    pub function: u32,
    /// Where it stands: of a caller its `CALL`.
    pub position: u32,
    /// All variables, each with its value if it has one.
    pub variables: Vec<(&'a Variable, Option<Value>, Setting)>,
    /// The topmost first; of a caller without those that it has passed on.
    pub operands: Vec<Operand>,
}

/// The memory at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub position: u32,
    /// All frames and operands, the top last.
    pub words: Vec<u32>,
}

/// A step in a few words.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub line: u32,
    /// What is written there.
    pub written: String,
    /// What it leaves.
    pub left: Option<Value>,
}

/// The value of a variable in a frame.
fn held(variable: &Variable, fp: usize, words: &[u32]) -> Option<Value> {
    let at = fp + variable.slot as usize;
    let words = match variable.ty.is_list() {
        false => words.get(at..=at)?,
        true => words.get(at + 1..)?.get(..*words.get(at)? as usize)?,
    };
    Some(Value::from_words(variable.ty, words))
}

impl Trace {
    /// A step in a few words.
    pub fn said(&self, position: u32) -> Option<Said> {
        let (token, view) = (self.token(position)?, self.compiled.view());
        Some(Said { line: view.line(token), written: written(view, token), left: self.left(position) })
    }

    /// The state at a position; the last one's where there are not so many. Takes [`KEYFRAME`] steps at most.
    pub fn state(&self, position: u32) -> State {
        let position = position.min(self.last());
        let frame = position as usize / KEYFRAME;
        let end = self.ends.get(frame).map_or(0, |end| *end as usize);
        let start = frame.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let words = self.words.get(start..end).unwrap_or_default();
        self.run_on((frame * KEYFRAME) as u32, words, position)
    }

    /// The same where one before it is known, from whatever is nearer.
    pub fn state_behind(&self, known: &State, position: u32) -> State {
        let position = position.min(self.last());
        let keyframe = (position as usize / KEYFRAME * KEYFRAME) as u32;
        match (keyframe..=position).contains(&known.position) {
            true => self.run_on(known.position, &known.words, position),
            false => self.state(position),
        }
    }

    /// Makes the steps from a position whose memory is known.
    fn run_on(&self, from: u32, words: &[u32], position: u32) -> State {
        let Some(step) = self.step(from).filter(|_| position > from) else {
            return State { position, words: words.to_vec() };
        };
        let mut machine = Machine::default();
        machine.load(&self.compiled.executable);
        let mut callers: Vec<(u32, u32)> = { self.active(from) }
            .into_iter()
            .filter_map(|id| self.step(self.call(id)?.start.checked_sub(1)?))
            .map(|caller| (caller.pc + 1, u32::from(caller.fp)))
            .collect();
        callers.reverse();
        let at = (step.pc, u32::from(step.fp), words);
        machine.resume(&self.compiled.executable, at, callers, position - from);
        State { position, words: machine.operands().to_vec() }
    }

    /// The variables of the routine that a call is of.
    pub fn variables(&self, call: u32) -> &[Variable] {
        self.call(call).map_or(&[], |call| self.variables.of(call.function))
    }

    /// The active calls at a state's position with all that they hold, the innermost first.
    pub fn frames(&self, state: &State) -> Vec<Frame<'_>> {
        let mut position = state.position;
        let mut limit = u32::MAX;
        let mut frames = Vec::new();
        for id in self.active(state.position) {
            let Some(call) = self.call(id) else { break };
            frames.push(self.frame(state, id, position, limit));
            // The caller's operands end where the frame begins: what it passed on is part of that.
            limit = self.step(call.start).map_or(0, |first| u32::from(first.fp));
            position = call.start.saturating_sub(1);
        }
        frames
    }

    /// The innermost of them alone.
    pub fn frame(&self, state: &State, call: u32, position: u32, limit: u32) -> Frame<'_> {
        let first = self.call(call).and_then(|call| self.step(call.start));
        let fp = first.map_or(0, |first| usize::from(first.fp));
        let value = |variable: &Variable| held(variable, fp, &state.words);
        // Of a caller what its call sets is not set yet.
        let variables = self.variables(call).iter().map(|variable| {
            let setting = self.set(call, variable, position);
            let known = setting != Setting::Never;
            (variable, known.then(|| value(variable)).flatten(), setting)
        });
        let function = self.call(call).map_or(NONE, |call| call.function);
        let variables = variables.collect();
        Frame { call, function, position, variables, operands: self.operands(state, call, position, limit) }
    }

    /// The operands that a call has on the stack, those below `limit` words.
    fn operands(&self, state: &State, call: u32, position: u32, limit: u32) -> Vec<Operand> {
        let places = self.places(call, position, limit, usize::MAX);
        let operand = |place: super::who::Place| {
            let words = match place.list {
                false => place.start as usize..place.end as usize,
                true => place.start as usize..place.end as usize - 1,
            };
            let ty = self.type_left(call, place.left_by);
            Operand {
                ty,
                value: Value::from_words(ty, state.words.get(words).unwrap_or_default()),
                left_by: place.left_by,
                token: self.token(place.left_by).unwrap_or(NONE),
                maker: self.maker_of(call, place),
            }
        };
        places.into_iter().map(operand).collect()
    }

    /// The type of what a step of a call leaves: its expression's where it stands for one.
    pub fn type_left(&self, call: u32, step: u32) -> Type {
        let Some((instruction, token)) = self.instruction(step) else { return Type::UNKNOWN };
        let view = self.compiled.view();
        let (op, own) = (instruction.op, view.ty(token));
        let variable = || self.variables.at(self.call(call)?.function, instruction.operand);
        match op {
            Op::Call => self.compiled.executable.routine(instruction.operand).map_or(Type::INT, |r| r.result()),
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
            _ if view.role(token).is_expression() && matches!(own.kind(), KIND_INT | KIND_BOOL) => own,
            _ => Type::INT,
        }
    }

    /// The arguments of a call, and what it gave if it ended in a value. Takes two states.
    pub fn told(&self, id: u32) -> (Vec<Value>, Option<Value>) {
        let Some(call) = self.call(id) else { return (Vec::new(), None) };
        let state = self.state(call.start);
        let frame = self.frame(&state, id, call.start, u32::MAX);
        let given = frame.variables.into_iter().filter(|(variable, ..)| variable.parameter.is_some());
        (given.filter_map(|(_, value, _)| value).collect(), self.result(id))
    }

    /// What a call gave, if it ended in a value. A property gives none of an input that it discards.
    pub fn result(&self, id: u32) -> Option<Value> {
        let call = self.call(id).filter(|_| id > 0 || !self.is_discarded())?;
        let returned = call.end.checked_sub(1).filter(|_| call.end != NONE)?;
        let ty = self.compiled.executable.routine(call.function)?.result();
        if !ty.is_list() {
            return Some(Value::from_words(ty, &[self.step(returned)?.top]));
        }
        let state = self.state(returned);
        let (length, rest) = state.words.split_last()?;
        let from = rest.len().checked_sub(*length as usize)?;
        Some(Value::from_words(ty, &rest[from..]))
    }

    /// What the step at a position leaves on the stack or in a variable, if it does and did not trap.
    pub fn left(&self, position: u32) -> Option<Value> {
        let (instruction, _) = self.instruction(position)?;
        let call = self.call_at(position);
        let (step, next) = (self.step(position)?, self.step(position + 1));
        match instruction.op {
            Op::Return | Op::ReturnList
                if next.is_some() || self.record.trap == crate::lang::trap::Trap::None =>
            {
                self.result(call)
            }
            Op::StoreVar => {
                let ty = self.variables.at(self.call(call)?.function, instruction.operand)?.ty;
                next.map(|_| Value::from_words(ty, &[step.top]))
            }
            Op::StoreIndex => {
                let ty = self.variables.at(self.call(call)?.function, instruction.operand)?.ty;
                next.map(|_| Value::from_words(ty.element(), &[step.top]))
            }
            Op::StoreList | Op::ForRange | Op::ForList => {
                next.filter(|_| self.takes_place(position))?;
                let variable = self.variables.at(self.call(call)?.function, instruction.operand)?;
                held(variable, usize::from(step.fp), &self.state(position + 1).words)
            }
            Op::Call => None,
            op if op.effect().leaves == 0 => None,
            _ => {
                let ty = self.type_left(call, position);
                let next = next?;
                if !ty.is_list() {
                    return Some(Value::from_words(ty, &[next.top]));
                }
                let state = self.state(position + 1);
                let (length, rest) = state.words.split_last()?;
                let from = rest.len().checked_sub(*length as usize)?;
                Some(Value::from_words(ty, &rest[from..]))
            }
        }
    }
}
