//! Why a test or property of the base does not pass: both sides of its comparison, the least input that shows it,
//! and the place that trapped.
//!
//! This is for one program and a few tests, so it runs on the CPU's stack machine whatever engine judged. The two
//! sides are read off the operand stack of the *unoptimized* code just before the comparison, which optimize may have
//! folded away.

mod shrink;

use crate::engine::EntryResult;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::lang::ty::{KIND_BOOL, KIND_BOOL_LIST, Type};
use crate::lang::verdict::Outcome;
use crate::lang::{NONE, limits};
use crate::program::Bytecode;
use crate::program::Compiled;
use crate::stage::emit;
use crate::stage::execute::{Domain, Machine, Program, Record};

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

/// Explains the entry with this index (tests and properties counted together). Nothing for one that passes.
pub fn explain(c: &Compiled, entry: usize, result: &EntryResult) -> Explanation {
    let routine = c.facts.functions + entry as u32;
    if result.outcome == Outcome::Pass || routine as usize >= c.routines.token.len() {
        return Explanation::default();
    }
    let mut case = Case::new(c, routine);
    let mut input = case.input(result.failing_input);
    if result.failing_input != NONE {
        input = shrink::shrink(&mut case, input, result.outcome);
    }
    let record = case.run(&input);
    let trapped = record.trap != Trap::None;
    let sides = if trapped { None } else { case.sides(&input) };
    let (left, right) = sides.map_or((None, None), |(left, right)| (Some(left), Some(right)));
    let line = trapped.then(|| trap_line(c, record.address)).flatten();
    Explanation { left, right, counterexample: case.named(&input), trap_line: line }
}

/// The line, from 1, of the instruction at an address.
pub fn trap_line(c: &Compiled, address: u32) -> Option<u32> {
    let token = *c.code.token.get(address as usize)?;
    c.tokens.line.get(token as usize).map(|line| line + 1)
}

/// One entry of a program, to be run on inputs of our choosing.
struct Case<'a> {
    c: &'a Compiled,
    routine: u32,
    machine: Machine,
    domain: Domain,
    binders: Vec<usize>,
}

impl<'a> Case<'a> {
    fn new(c: &'a Compiled, routine: u32) -> Self {
        let mut machine = Machine::default();
        machine.load(Program { code: &c.code, routines: &c.routines });
        let r = routine as usize;
        let domain = Domain::new(&c.routines, &c.binders, r, limits::SAMPLES);
        let first = c.routines.binders[r] as usize;
        let binders = (first..first + c.routines.params[r] as usize).collect();
        Case { c, routine, machine, domain, binders }
    }

    /// The values of an input of the domain.
    fn input(&mut self, index: u32) -> Vec<Words> {
        if index == NONE {
            return vec![];
        }
        // Room of its own, as the frame may be larger than the machine's memory.
        let mut frame = vec![0; self.c.routines.frame[self.routine as usize] as usize + 1];
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
        let program = Program { code: &self.c.code, routines: &self.c.routines };
        self.machine.run(program, self.routine, limits::STEPS, 0)
    }

    fn named(&self, input: &[Words]) -> Vec<(String, Value)> {
        let row = |row: usize, words: &Words| {
            let token = self.c.binders.token[row] as usize;
            let (lo, hi) = (self.c.tokens.lo[token] as usize, self.c.tokens.hi[token] as usize);
            let name = self.c.text.get(lo..hi).unwrap_or("").to_string();
            (name, Value::from_words(Type(self.c.checked.ty[token]), words))
        };
        self.binders.iter().zip(input).map(|(r, words)| row(*r, words)).collect()
    }

    /// Both sides of the comparison on top of the entry's expression, if there is one.
    fn sides(&mut self, input: &[Words]) -> Option<(Value, Value)> {
        let (left, right) = self.compared()?;
        let mut routines = self.c.routines.clone();
        let mut code = Bytecode::default();
        lowered_code(self.c, &mut routines, &mut code);
        let program = Program { code: &code, routines: &routines };
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
        let child = |parent: u32, slot: u32| {
            let tree = &self.c.tree;
            (0..tree.role.len()).find(|t| {
                Role::from_u32(tree.role[*t]).is_some_and(Role::is_expression)
                    && tree.parent[*t] == parent
                    && tree.slot[*t] == slot
            })
        };
        let mut node = child(self.c.routines.token[self.routine as usize], 1)?;
        while self.c.tree.role[node] == Role::Group as u32 {
            node = child(node as u32, 0)?;
        }
        let kind = TokenKind::from_u32(self.c.tokens.kind[node])?;
        if self.c.tree.role[node] != Role::Binary as u32 || !kind.is_comparison() {
            return None;
        }
        let ty = |slot| child(node as u32, slot).map(|t| Type(self.c.checked.ty[t]));
        Some((ty(0)?, ty(1)?))
    }
}

/// The bytecode of the program as lowered, without any optimization.
fn lowered_code(c: &Compiled, routines: &mut crate::program::Routines, code: &mut Bytecode) {
    // Routines hold the optimized code's places: each begins where the code of its tokens does.
    for (row, token) in routines.token.iter().enumerate() {
        let (lo, hi) = (c.tree.lo[*token as usize], c.tree.hi[*token as usize]);
        let first = c.lowered.token.iter().position(|t| (lo..hi.max(lo + 1)).contains(t));
        routines.ir[row] = first.unwrap_or(0) as u32;
    }
    emit::run(&c.lowered, routines, code, &mut emit::Scratch::default());
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
