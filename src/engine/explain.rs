//! Explains why a test or property of the base fails: both sides of its comparison, the smallest failing
//! input and the line that trapped.
//!
//! Explanations always run on the CPU's stack machine, whichever engine judged, because they concern one
//! program and a few tests. Both sides of the comparison are read from the operand stack of the *unoptimized*
//! code, since the optimizer may fold the comparison away.

mod bounds;
mod neighbour;
mod shrink;

use std::iter::successors;
use std::ops::Range;

use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::emit::emit_unoptimized;
use crate::compiler::stage::execute::{self, Domain, Machine, Record};
use crate::engine::EntryResult;
use crate::lang::index::{Address, EntryId, Index, InputId, RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::lang::ty::{KIND_BOOL, KIND_BOOL_LIST, Type};
use bounds::Bounds;
pub use neighbour::neighbour;

/// A value of the language. In JSON it is a number, `true`, `false` or an array of these.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Int(i32),
    Bool(bool),
    Ints(Vec<i32>),
    Bools(Vec<bool>),
}

impl Value {
    /// Returns the number of words of a literal that makes the value.
    pub fn size(&self) -> usize {
        match self {
            Value::Int(_) | Value::Bool(_) => 1,
            Value::Ints(list) => list.len() + 1,
            Value::Bools(list) => list.len() + 1,
        }
    }

    /// Decodes a value of type `ty` from its words: one word, or the elements of a list.
    pub fn from_words(ty: Type, words: &[u32]) -> Value {
        match ty.kind() {
            KIND_BOOL => Value::Bool(words.first().is_some_and(|w| *w != 0)),
            KIND_BOOL_LIST => Value::Bools(words.iter().map(|w| *w != 0).collect()),
            _ if ty.is_list() => Value::Ints(words.iter().map(|w| *w as i32).collect()),
            _ => Value::Int(words.first().copied().unwrap_or(0) as i32),
        }
    }
}

impl std::fmt::Display for Value {
    /// Formats the value in the language's syntax.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Ints(list) => f.debug_list().entries(list).finish(),
            Value::Bools(list) => f.debug_list().entries(list).finish(),
        }
    }
}

/// The explanation of an entry that does not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Both sides of the outermost comparison, for a failing test.
    pub left: Option<Value>,
    pub right: Option<Value>,
    /// The shrunk input of a property, in the order of its binders.
    pub counterexample: Vec<(String, Value)>,
    /// The line that trapped, counted from 1.
    pub trap_line: Option<u32>,
    /// The hole at which the run ended.
    pub hole: Option<TokenId>,
}

/// The value of one binder: one word for an int, the elements for a list.
type Words = Vec<u32>;

/// Explains the entry with this index (tests and properties counted together). The explanation is empty if
/// the entry passes or none of its inputs meets its condition.
pub fn explain(c: &Compiled, entry: EntryId, result: &EntryResult) -> Explanation {
    let routine = c.facts.entry(entry);
    if !result.outcome.fails() || c.executable.routine(routine).is_none() {
        return Explanation::default();
    }
    let mut case = Case::new(c, routine, result.samples);
    let input = match result.failing_input.map(|input| case.input(input)) {
        Some(input) => shrink::shrink(&mut case, input),
        None => vec![],
    };
    let record = case.run(&input);
    let trapped = record.trap != Trap::None;
    let sides = if trapped { None } else { case.sides(&input) };
    let (mut left, right) = sides.map_or((None, None), |(left, right)| (Some(left), Some(right)));
    let line = record.address.and_then(|address| trap_line(c, address));
    let hole =
        record.address.filter(|_| record.trap == Trap::Hole).and_then(|address| c.executable.at(address)?.1);
    if let Some(hole) = hole {
        left = case.left(&input, hole);
    }
    Explanation { left, right, counterexample: case.named(&input), trap_line: line, hole }
}

/// Returns both sides of the outermost comparison of an entry for an input, if it has one and the run does not trap.
pub fn sides(c: &Compiled, entry: EntryId, input: InputId) -> Option<(Value, Value)> {
    let routine = c.facts.entry(entry);
    c.executable.routine(routine)?;
    let mut case = Case::new(c, routine, limits::SAMPLES);
    let input = case.input(input);
    case.sides(&input)
}

/// Runs a test within a number of steps. Returns the end of the run and, if that is a `?` on the right side of the test's
/// comparison, the value of the left side.
pub fn left_side(c: &Compiled, entry: EntryId, fuel: u32) -> (Record, Option<Value>) {
    let mut case = Case::new(c, c.facts.entry(entry), 1);
    let record = case.machine.run(&c.executable, case.routine, fuel, 0);
    let hole = record.address.filter(|_| record.trap == Trap::Hole);
    let hole = hole.and_then(|address| c.executable.at(address)?.1);
    let value = hole.and_then(|hole| case.left(&[], hole));
    (record, value)
}

/// Returns the values of an entry's input, with the names of its binders.
pub fn input(c: &Compiled, entry: EntryId, input: InputId) -> Vec<(String, Value)> {
    let routine = c.facts.entry(entry);
    if c.executable.routine(routine).is_none() {
        return Vec::new();
    }
    let case = Case::new(c, routine, limits::SAMPLES);
    // The domain of a property with an error may be empty.
    if !case.domain.inputs().contains(input) {
        return Vec::new();
    }
    let values = case.input(input);
    case.named(&values)
}

/// Returns the first input of an entry that meets its condition, or the first input if no tried input does.
pub fn first_met(c: &Compiled, entry: EntryId) -> InputId {
    /// Steps after which the search ends.
    const STEPS: u64 = 1_000_000;
    let routine = c.facts.entry(entry);
    let Some(head) = c.executable.routine(routine).map(Routine::head) else { return InputId::FIRST };
    if !c.view().is(head, Role::Prop) || c.view().child(head, 2).is_none() {
        return InputId::FIRST;
    }
    let mut case = Case::new(c, routine, limits::SAMPLES);
    let mut spent = 0;
    for input in case.domain.inputs() {
        let values = case.input(input);
        let record = case.run(&values);
        spent += u64::from(record.steps);
        match execute::discards(&record) {
            false => return input,
            true if spent > STEPS => break,
            true => {}
        }
    }
    InputId::FIRST
}

/// Returns the line, counted from 1, of the instruction at an address.
pub fn trap_line(c: &Compiled, address: Address) -> Option<u32> {
    c.executable.at(address).map(|(_, token)| token.map_or(0, |token| c.view().line(token)))
}

/// One entry of a program, to be run on chosen inputs.
struct Case<'a> {
    c: &'a Compiled,
    routine: RoutineId,
    machine: Machine,
    domain: Domain,
    binders: Range<usize>,
}

impl<'a> Case<'a> {
    /// Creates a case whose inputs are numbered as for `samples` inputs.
    fn new(c: &'a Compiled, routine: RoutineId, samples: u32) -> Self {
        let mut machine = Machine::default();
        machine.load(&c.executable);
        let domain = Domain::new(&c.executable.routines, &c.binders, routine, samples);
        let binders = c.executable.routine(routine).map_or(0..0, Routine::binders);
        Case { c, routine, machine, domain, binders }
    }

    /// Returns the values of an input of the domain.
    fn input(&self, input: InputId) -> Vec<Words> {
        // Allocates separately, because the frame may be larger than the machine's memory.
        let words = self.c.executable.routine(self.routine).map_or(0, Routine::frame);
        let mut frame = vec![0; words as usize + 1];
        self.domain.write(input, &mut frame);
        let value = |(slot, list): (usize, bool)| match list {
            false => vec![frame[slot]],
            true => frame[slot + 1..][..frame[slot] as usize].to_vec(),
        };
        (0..self.binders.len()).filter_map(|b| self.domain.place(b)).map(value).collect()
    }

    fn write(&mut self, input: &[Words]) {
        for (b, value) in input.iter().enumerate() {
            let Some((slot, list)) = self.domain.place(b) else { continue };
            let words = slot..slot + usize::from(list) + value.len();
            // Words beyond the memory are never read: the run traps first.
            let Some(frame) = self.machine.frame().get_mut(words) else { continue };
            let (length, rest) = frame.split_at_mut(usize::from(list));
            length.fill(value.len() as u32);
            rest.copy_from_slice(value);
        }
    }

    fn run(&mut self, input: &[Words]) -> Record {
        self.write(input);
        let program = &self.c.executable;
        self.machine.run(program, self.routine, limits::STEPS, 0)
    }

    fn named(&self, input: &[Words]) -> Vec<(String, Value)> {
        let row = |row: usize, words: &Words| {
            let (view, token) = (self.c.view(), TokenId::new(self.c.binders.token[row]));
            (view.text(token).to_string(), Value::from_words(view.ty(token), words))
        };
        self.binders.clone().zip(input).map(|(r, words)| row(r, words)).collect()
    }

    /// Returns both sides of the outermost comparison of the entry's expression, if it has one.
    fn sides(&mut self, input: &[Words]) -> Option<(Value, Value)> {
        let (left, right) = self.compared()?;
        let program = &emit_unoptimized(self.c);
        self.machine.load(program);
        self.write(input);
        let whole = self.machine.run(program, self.routine, limits::STEPS, 0);
        // The last two steps are the comparison and the return: stop just before them.
        let fuel = whole.steps.checked_sub(2).filter(|_| whole.trap == Trap::None)?;
        self.write(input);
        self.machine.run(program, self.routine, fuel, 0);
        let operands = self.machine.operands();
        let (right, rest) = top(operands, right)?;
        let (left, _) = top(rest, left)?;
        Some((left, right))
    }

    /// Returns the left side of the outermost comparison if its right side is a hole.
    fn left(&mut self, input: &[Words], hole: TokenId) -> Option<Value> {
        let (left, _) = self.compared()?;
        let (view, routine) = (self.c.view(), self.c.executable.routine(self.routine)?);
        let around = |t: &TokenId| view.parent(*t).filter(|parent| view.is(*parent, Role::Group));
        let side = successors(Some(hole), around).last()?;
        let compares = |t: TokenId| view.slot(side) == 1 && view.kind(t).is_comparison();
        let whole = view.parent(side).filter(|t| compares(*t))?;
        // The comparison is the claim itself, possibly in groups.
        let claim = successors(Some(whole), around).last()?;
        if view.parent(claim) != Some(routine.head()) {
            return None;
        }
        let program = &emit_unoptimized(self.c);
        self.machine.load(program);
        self.write(input);
        let steps = self.machine.run(program, self.routine, limits::STEPS, 0).steps;
        // The last step is the hole: stop just before it.
        self.write(input);
        self.machine.run(program, self.routine, steps.checked_sub(1)?, 0);
        top(self.machine.operands(), left).map(|(left, _)| left)
    }

    /// Returns the types of both sides of the outermost comparison.
    fn compared(&self) -> Option<(Type, Type)> {
        let view = self.c.view();
        let operand = |parent: TokenId, slot: u32| {
            view.child(parent, slot).filter(|child| view.role(*child).is_expression())
        };
        let mut node = operand(self.c.executable.routine(self.routine)?.head(), 1)?;
        while view.is(node, Role::Group) {
            node = operand(node, 0)?;
        }
        if !view.is(node, Role::Binary) || !view.kind(node).is_comparison() {
            return None;
        }
        let ty = |slot| operand(node, slot).map(|t| view.ty(t));
        Some((ty(0)?, ty(1)?))
    }
}

/// Splits the topmost operand, of type `ty`, off a stack.
fn top(operands: &[u32], ty: Type) -> Option<(Value, &[u32])> {
    let (last, rest) = operands.split_last()?;
    if !ty.is_list() {
        return Some((Value::from_words(ty, &[*last]), rest));
    }
    let from = rest.len().checked_sub(*last as usize)?;
    Some((Value::from_words(ty, &rest[from..]), &rest[..from]))
}
