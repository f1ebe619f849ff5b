//! Why a test or property of the base does not pass: both sides of its comparison, the least input that shows it,
//! and the place that trapped.
//!
//! This is for one program and a few tests, so it runs on the CPU's stack machine whatever engine judged. The two
//! sides are read off the operand stack of the *unoptimized* code just before the comparison, which optimize may have
//! folded away.

mod bounds;
mod neighbour;
mod shrink;

use std::ops::Range;

use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::emit::as_lowered;
use crate::compiler::stage::execute::{self, Domain, Machine, Record};
use crate::engine::EntryResult;
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::lang::ty::{KIND_BOOL, KIND_BOOL_LIST, Type};
use crate::lang::{NONE, limits};
use bounds::Bounds;
pub use neighbour::neighbour;

/// A value of the language; as JSON a number, `true` or `false`, or an array of these.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    Int(i32),
    Bool(bool),
    Ints(Vec<i32>),
    Bools(Vec<bool>),
}

impl Value {
    /// The value of a type in these words: one, or a list's elements.
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
    /// As the language writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Ints(list) => f.debug_list().entries(list).finish(),
            Value::Bools(list) => f.debug_list().entries(list).finish(),
        }
    }
}

/// What there is to say about an entry that did not pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Of a test that fails with a comparison on top, its sides.
    pub left: Option<Value>,
    pub right: Option<Value>,
    /// Of a property, the shrunk input, in the order of its binders.
    pub counterexample: Vec<(String, Value)>,
    /// Line, from 1, of what trapped.
    pub trap_line: Option<u32>,
}

/// One binder's value: an int as one word, a list as its elements.
type Words = Vec<u32>;

/// Explains the entry with this index (tests and properties counted together). Nothing for one that passes or has no input that
/// meets its condition.
pub fn explain(c: &Compiled, entry: usize, result: &EntryResult) -> Explanation {
    let routine = c.facts.functions + entry as u32;
    if !result.outcome.fails() || c.executable.routine(routine).is_none() {
        return Explanation::default();
    }
    let mut case = Case::new(c, routine, result.samples);
    let mut input = case.input(result.failing_input);
    if result.failing_input != NONE {
        input = shrink::shrink(&mut case, input);
    }
    let record = case.run(&input);
    let trapped = record.trap != Trap::None;
    let sides = if trapped { None } else { case.sides(&input) };
    let (left, right) = sides.map_or((None, None), |(left, right)| (Some(left), Some(right)));
    let line = trapped.then(|| trap_line(c, record.address)).flatten();
    Explanation { left, right, counterexample: case.named(&input), trap_line: line }
}

/// The values of an entry's input, by the names of its binders.
pub fn input(c: &Compiled, entry: usize, index: u32) -> Vec<(String, Value)> {
    let routine = c.facts.functions + entry as u32;
    if c.executable.routine(routine).is_none() {
        return Vec::new();
    }
    let mut case = Case::new(c, routine, limits::SAMPLES);
    let values = case.input(index);
    case.named(&values)
}

/// The first input of an entry that meets its condition; the first of all where none of those that are tried does.
pub fn first_met(c: &Compiled, entry: usize) -> u32 {
    /// Steps after which the search ends.
    const STEPS: u64 = 1_000_000;
    let routine = c.facts.functions + entry as u32;
    let Some(head) = c.executable.routine(routine).map(Routine::head) else { return 0 };
    if !c.view().is(head, Role::Prop) || c.view().child(head, 2).is_none() {
        return 0;
    }
    let mut case = Case::new(c, routine, limits::SAMPLES);
    let mut spent = 0;
    for index in 0..case.domain.inputs() {
        let input = case.input(index);
        let record = case.run(&input);
        spent += u64::from(record.steps);
        match execute::discards(&record) {
            false => return index,
            true if spent > STEPS => break,
            true => {}
        }
    }
    0
}

/// The line, from 1, of the instruction at an address.
pub fn trap_line(c: &Compiled, address: u32) -> Option<u32> {
    c.executable.at(address).map(|(_, token)| c.view().line(token))
}

/// One entry of a program, to be run on inputs of our choosing.
struct Case<'a> {
    c: &'a Compiled,
    routine: u32,
    machine: Machine,
    domain: Domain,
    /// Their rows.
    binders: Range<usize>,
}

impl<'a> Case<'a> {
    /// One whose inputs are numbered as those of so many.
    fn new(c: &'a Compiled, routine: u32, samples: u32) -> Self {
        let mut machine = Machine::default();
        machine.load(&c.executable);
        let r = routine as usize;
        let domain = Domain::new(&c.executable.routines, &c.binders, r, samples);
        let binders = c.executable.routine(routine).map_or(0..0, Routine::binders);
        Case { c, routine, machine, domain, binders }
    }

    /// The values of an input of the domain.
    fn input(&mut self, index: u32) -> Vec<Words> {
        if index == NONE {
            return vec![];
        }
        // Room of its own, as the frame may be larger than the machine's memory.
        let words = self.c.executable.routine(self.routine).map_or(0, Routine::frame);
        let mut frame = vec![0; words as usize + 1];
        self.domain.write(index, &mut frame);
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
            // What lies beyond the memory is never read: the run traps at once.
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
            let (view, token) = (self.c.view(), self.c.binders.token[row]);
            (view.text(token).to_string(), Value::from_words(view.ty(token), words))
        };
        self.binders.clone().zip(input).map(|(r, words)| row(r, words)).collect()
    }

    /// Both sides of the comparison on top of the entry's expression, if there is one.
    fn sides(&mut self, input: &[Words]) -> Option<(Value, Value)> {
        let (left, right) = self.compared()?;
        let program = &as_lowered(self.c);
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

    /// The types of the two sides of the comparison on top.
    fn compared(&self) -> Option<(Type, Type)> {
        let view = self.c.view();
        let operand =
            |parent: u32, slot: u32| view.child(parent, slot).filter(|child| view.role(*child).is_expression());
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

/// Splits the topmost operand, of this type, off a stack.
fn top(operands: &[u32], ty: Type) -> Option<(Value, &[u32])> {
    let (last, rest) = operands.split_last()?;
    if !ty.is_list() {
        return Some((Value::from_words(ty, &[*last]), rest));
    }
    let from = rest.len().checked_sub(*last as usize)?;
    Some((Value::from_words(ty, &rest[from..]), &rest[..from]))
}
