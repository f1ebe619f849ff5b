//! The values of one call, line by line: what its variables were set to, how its conditions ended, what it returned.
//!
//! The run must be of code of level 0, in which each declaration and assignment has its instruction. A line in a loop
//! has a value in each round. The [focus](ValuesFocus) chooses the round for the lines of the loops around it; for other
//! loops, this is the last round.

mod rounds;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::{Trace, record, record_past_errors};
use crate::compiler::program::{Compiled, ExecutableInstruction, Instructions};
use crate::compiler::stage::BackEnd;
use crate::engine::explain::Value;
use crate::lang::index::{Address, CallId, Index as _, Position, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use rounds::{Loops, Window};
pub use text::{GUESS, MORE, short};

/// The numbers of values that are kept at the beginning and at the end of the rounds.
const FIRST: usize = 4;
const LAST: usize = 4;

/// The part of a run that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValuesFocus {
    pub call: CallId,
    /// The line of the cursor, counted from 1.
    pub line: u32,
    /// The round of the innermost loop around the line, counted from 0; by default the first that reaches the line.
    pub round: Option<u32>,
}

/// The values of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallValues {
    /// The lines of the function's code, ascending, each with its values in the order of their instructions.
    pub lines: Vec<LineValues>,
    /// The chosen round and the number of rounds of the loop around the focus, if there is one.
    pub round: Option<(u32, u32)>,
    /// Whether the call might go another way if no statement with an error were skipped.
    pub is_guess: bool,
    /// Whether the recording ends before the call: counts are of what was recorded.
    pub goes_on: bool,
}

/// The values of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineValues {
    /// Counted from 1.
    pub line: u32,
    /// Whether the call executed an instruction of the line.
    pub reached: bool,
    pub values: Vec<PlaceValues>,
}

/// The values of one place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceValues {
    pub place: ValuePlace,
    /// The number of values in all rounds of the innermost loop around the place, within the chosen round of the next loop.
    pub count: u32,
    /// These values in order; equal ones that follow each other are one. If there are more than eight, the first and
    /// the last four.
    pub seen: Vec<SeenValue>,
    /// Whether `seen` leaves out values.
    pub cut: bool,
    /// The value in the chosen round.
    pub own: Option<SeenValue>,
    /// Whether the text says the value: a literal or the copy of a variable.
    pub plain: bool,
}

/// A place in the text that has values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValuePlace {
    /// A parameter or a variable, by its name.
    Variable(String),
    /// An element of the list with this name.
    Element(String),
    /// The condition of an `if` or `while`.
    Condition,
    /// A recursive call of the function with this name.
    Call(String),
    /// The result of the function.
    Return,
}

/// A value, and the step that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenValue {
    pub step: Position,
    /// The index of the element.
    pub index: Option<u32>,
    /// The arguments of the call.
    pub arguments: Vec<Value>,
    /// `None` for a call that did not return.
    pub value: Option<Value>,
    /// How many times it was seen without another value in between.
    pub times: u32,
    /// Whether it depends on a statement with an error, which was skipped.
    pub is_guess: bool,
}

/// Compiles a checked program to the code whose runs have values.
pub fn program_of_values(checked: &Compiled) -> Arc<Compiled> {
    let mut back = BackEnd::default();
    back.compile_at(checked, OptLevel::Lowered);
    let BackEnd { ir, executable, .. } = back;
    Arc::new(Compiled { ir, executable, level: OptLevel::Lowered, ..Compiled::clone(checked) })
}

/// Records a run of such a program for its values: past its errors if it arrives at one.
pub fn record_for_values(program: &Arc<Compiled>, routine: RoutineId, frame: &[u32], fuel: u32) -> Trace {
    let run = record(program, routine, frame, fuel);
    let is_unfinished = run.record.trap == Trap::Hole;
    if is_unfinished { record_past_errors(program, routine, frame, fuel) } else { run }
}

impl Trace {
    /// Returns whether the recording ends before the run.
    pub fn is_cut(&self) -> bool {
        self.record.trap == Trap::StepLimit && self.len() < limits::STEPS
    }

    /// Returns the first call of the innermost function around a line that executes the line, else the function's first call.
    pub fn call_of_line(&self, line: u32) -> Option<CallId> {
        let around = |id: CallId| {
            let head = self.compiled.executable.routine(self.call(id)?.function)?.head();
            Some(self.compiled.view().lines(head).contains(&line))
        };
        let reaches = self.visits(line).iter().map(|visit| self.call_at(*visit));
        let calls = (0..self.calls.len()).map(CallId::at);
        reaches.chain(calls).find(|id| around(*id) == Some(true))
    }

    /// Returns the words after each line of the functions that run: the values of the first call of each.
    pub fn values_of_first_calls(&self) -> BTreeMap<u32, String> {
        let (mut met, mut found) = (BTreeSet::new(), BTreeMap::new());
        for (call, own) in (0..).map(CallId::at).zip(&self.calls) {
            let is_entry = self.compiled.facts.entry_of(own.function).is_some();
            if !is_entry && met.insert(own.function) {
                let values = self.values(ValuesFocus { call, ..ValuesFocus::default() });
                found.extend(values.texts(|_| true));
            }
        }
        found
    }

    /// Returns the values of a call for a focus. With no focused line, a place's own value is that of the last round.
    pub fn values(&self, focus: ValuesFocus) -> CallValues {
        let Some(call) = self.call(focus.call) else { return CallValues::default() };
        let Some(routine) = self.compiled.executable.routine(call.function) else {
            return CallValues::default();
        };
        let loops = Loops::new(self, focus);
        let is_entry = self.compiled.facts.entry_of(call.function).is_some();
        let mut lines = Lines(Vec::new());
        let view = self.compiled.view();
        let is_guess = self.is_guessed_call(focus.call);
        let begin =
            SeenValue { step: call.start, index: None, arguments: Vec::new(), value: None, times: 1, is_guess };
        let given = self.arguments_and_result(focus.call).0;
        let parameters = self.variables(focus.call).iter().filter(|variable| variable.parameter.is_some());
        for (variable, value) in parameters.zip(given) {
            let own = SeenValue { value: Some(value), ..begin.clone() };
            lines.add(
                view.line(variable.token),
                true,
                Some(PlaceValues {
                    place: ValuePlace::Variable(variable.name.clone()),
                    count: 1,
                    seen: vec![own.clone()],
                    cut: false,
                    own: Some(own),
                    plain: false,
                }),
            );
        }
        for instruction in Instructions::of(routine.words()) {
            let address = routine.address() + instruction.at as u32;
            let Some(token) = self.compiled.executable.at(address).and_then(|(_, token)| token) else {
                continue;
            };
            let window = loops.window(token);
            let reached = self.executions_in(address, call.start, &loops.whole()).next().is_some();
            let place = self.place(&instruction, address, token, focus.call, is_entry);
            lines.add(
                view.line(token),
                reached,
                place.and_then(|place| {
                    self.place_values(focus.call, place, address, &window, self.is_plain(token))
                }),
            );
        }
        let is_guess = self.guesses.ways.get(focus.call.position()).copied().unwrap_or(false);
        let goes_on = self.is_cut() && call.end.is_none();
        CallValues { lines: lines.0, round: loops.chosen(), is_guess, goes_on }
    }

    /// Returns the place that an instruction sets, if a reader wants to see it.
    fn place(
        &self,
        instruction: &ExecutableInstruction,
        address: Address,
        token: TokenId,
        call: CallId,
        is_entry: bool,
    ) -> Option<ValuePlace> {
        let view = self.compiled.view();
        let function = self.call(call)?.function;
        let name = || Some(self.variables.at(function, instruction.slot()?)?.name.clone());
        match instruction.op {
            Op::StoreVar | Op::StoreList | Op::ForRange | Op::ForList => name().map(ValuePlace::Variable),
            Op::StoreIndex => name().map(ValuePlace::Element),
            Op::JumpIfFalse => {
                // The text says how `while true` ends.
                let condition = view.child(token, 0)?;
                let tests = matches!(view.role(token), Role::If | Role::While);
                (tests && !view.is(condition, Role::Bool)).then_some(ValuePlace::Condition)
            }
            Op::Call if instruction.function() == function => {
                Some(ValuePlace::Call(self.compiled.function_name(function).to_string()))
            }
            // A test's value is its verdict.
            Op::Return | Op::ReturnList if !is_entry => {
                let executed = self.executions(address);
                let returned = self.call(call)?.end?.previous()?;
                executed.binary_search(&returned).is_ok().then_some(ValuePlace::Return)
            }
            _ => None,
        }
    }

    /// Whether the text shows the value of the statement around a token.
    fn is_plain(&self, token: TokenId) -> bool {
        let view = self.compiled.view();
        let statement = std::iter::successors(Some(token), |token| view.parent(*token))
            .find(|token| view.role(*token).is_statement());
        let value = statement.and_then(|statement| match view.role(statement) {
            Role::Let => view.child(statement, 2),
            Role::Assign if view.text(statement) == "=" => view.child(statement, 1),
            _ => None,
        });
        value.is_some_and(|value| matches!(view.role(value), Role::Int | Role::Bool | Role::Str))
    }

    /// Returns the executions of an instruction in a part of a call that begins at `start`.
    fn executions_in(
        &self,
        address: Address,
        start: Position,
        part: &Range<Position>,
    ) -> impl DoubleEndedIterator<Item = Position> {
        let depth = self.step(start).map(|step| step.depth);
        let all = self.executions(address);
        let from = all.partition_point(|at| *at < part.start);
        let to = all.partition_point(|at| *at < part.end);
        let own = move |at: &Position| self.step(*at).map(|step| step.depth) == depth;
        all.get(from..to).unwrap_or_default().iter().copied().filter(own)
    }

    fn place_values(
        &self,
        call: CallId,
        place: ValuePlace,
        address: Address,
        window: &Window,
        plain: bool,
    ) -> Option<PlaceValues> {
        let start = self.call(call)?.start;
        let op = self.compiled.executable.at(address)?.0.op;
        let is_done = |at: &Position| place == ValuePlace::Return || self.takes_place_as(op, *at);
        // The text does not show the index of an element.
        let plain = plain && !matches!(place, ValuePlace::Element(_));
        let own = self.executions_in(address, start, &window.own).rfind(is_done);
        let own = own.and_then(|at| self.seen(call, &place, at));
        // The word that a step makes, if the step itself has it.
        let has_word = matches!(op, Op::StoreVar | Op::JumpIfFalse);
        let word = |at: Position| (self.step(at).map(|step| step.top), self.is_guess(at));
        // The steps at which a value begins, and how many times it was seen. There may be a million: no list has them all.
        let mut runs: Vec<(Position, u32)> = Vec::new();
        let (mut count, mut cut) = (0, false);
        for at in self.executions_in(address, start, &window.rounds).filter(is_done) {
            count += 1;
            match runs.last_mut().filter(|run| has_word && word(run.0) == word(at)) {
                Some(run) => run.1 += 1,
                None => {
                    if runs.len() == FIRST + LAST {
                        runs.remove(FIRST);
                        cut = true;
                    }
                    runs.push((at, 1));
                }
            }
        }
        let seen: Vec<SeenValue> = { runs.iter() }
            .filter_map(|(at, times)| Some(SeenValue { times: *times, ..self.seen(call, &place, *at)? }))
            .collect();
        (!seen.is_empty()).then_some(PlaceValues { place, count, seen, cut, own, plain })
    }

    fn seen(&self, call: CallId, place: &ValuePlace, step: Position) -> Option<SeenValue> {
        let is_guess = self.is_guess(step);
        let mut seen = SeenValue { step, index: None, arguments: Vec::new(), value: None, times: 1, is_guess };
        let top = self.step(step)?;
        match place {
            ValuePlace::Variable(_) => seen.value = Some(self.left(step)?),
            ValuePlace::Element(_) => {
                seen.value = Some(self.left(step)?);
                seen.index = Some(top.below.into());
            }
            ValuePlace::Condition => seen.value = Some(Value::from_words(Type::BOOL, &[top.top])),
            ValuePlace::Return => seen.value = Some(self.result(call)?),
            ValuePlace::Call(_) => {
                let made = self.made_call(step)?;
                let returned = self.call(made)?.end.and_then(Position::previous);
                seen.is_guess |= returned.is_some_and(|step| self.is_guess(step));
                (seen.arguments, seen.value) = self.arguments_and_result(made);
            }
        }
        Some(seen)
    }
}

/// Lines in order.
struct Lines(Vec<LineValues>);

impl Lines {
    fn add(&mut self, line: u32, reached: bool, values: Option<PlaceValues>) {
        let at = self.0.binary_search_by_key(&line, |own| own.line).unwrap_or_else(|at| {
            self.0.insert(at, LineValues { line, reached: false, values: Vec::new() });
            at
        });
        self.0[at].reached |= reached;
        self.0[at].values.extend(values);
    }
}
