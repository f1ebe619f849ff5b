//! A second machine for bytecode, written from `docs/bytecode.md` and `docs/stages/execute.md`. It shares no code with
//! the program's machines: instructions are decoded here, and a list is one value.

use std::iter::repeat_n;

use myriad::compiler::program::Executable;
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::trap::Trap;

/// The maximum depth of calls, and the maximum length of a joined list.
const DEPTH: usize = 128;
const LONGEST: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Int(i32),
    List(Vec<i32>),
}

/// The remaining rounds of a `for`.
#[derive(Clone, Debug)]
enum Rounds {
    Numbers { next: i32, left: u32 },
    Elements { list: Vec<i32>, at: usize },
}

/// The variables of an active call, by slot.
#[derive(Default)]
struct Frame {
    variables: Vec<Option<Value>>,
    rounds: Vec<Option<Rounds>>,
    back: usize,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Value(Vec<i32>),
    Trap(Trap),
    /// It took all steps.
    OutOfSteps,
}

/// A variable or element that a step has set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The number of the step, counted from 0.
    pub step: u32,
    pub index: Option<i32>,
    /// An int, or the elements of a list.
    pub value: Vec<i32>,
}

struct Run<'a> {
    program: &'a Executable,
    /// What the step has set: the index of an element, and the value.
    stored: Option<(Option<i32>, Vec<i32>)>,
    frames: Vec<Frame>,
    stack: Vec<Value>,
    pc: usize,
}

/// Calls a function with argument words: a list is its length, then its elements. Returns the end and the number of steps.
/// Memory is not bounded.
pub fn call(program: &Executable, function: RoutineId, words: &[u32], fuel: u32) -> (End, u32) {
    call_with_stores(program, function, words, fuel, &mut |_| ())
}

/// Likewise; tells what each step sets.
pub fn call_with_stores(
    program: &Executable,
    function: RoutineId,
    words: &[u32],
    fuel: u32,
    tell: &mut dyn FnMut(Store),
) -> (End, u32) {
    let mut run = Run { program, stored: None, frames: Vec::new(), stack: Vec::new(), pc: 0 };
    let mut words = words.iter().map(|word| *word as i32);
    for capacity in run.capacities(function.position()) {
        let word = words.next().expect("an argument");
        run.stack.push(match capacity {
            0 => Value::Int(word),
            _ => Value::List(words.by_ref().take(word as usize).collect()),
        });
    }
    if let Err(trap) = run.enter(function.position()) {
        return (End::Trap(trap), 0);
    }
    for steps in 1..=fuel {
        let end = run.step();
        if let Some((index, value)) = run.stored.take() {
            tell(Store { step: steps - 1, index, value });
        }
        let end = match end {
            Ok(None) => continue,
            Ok(Some(Value::Int(value))) => End::Value(vec![value]),
            Ok(Some(Value::List(list))) => End::Value(list),
            Err(trap) => End::Trap(trap),
        };
        return (end, steps);
    }
    (End::OutOfSteps, fuel)
}

fn put<T>(places: &mut Vec<Option<T>>, at: usize, value: T) {
    if places.len() <= at {
        places.resize_with(at + 1, || None);
    }
    places[at] = Some(value);
}

fn element(list: &[i32], index: i32) -> Result<i32, Trap> {
    usize::try_from(index).ok().and_then(|at| list.get(at)).copied().ok_or(Trap::IndexOutOfBounds)
}

fn part(list: &[i32], from: i32, to: i32) -> Result<Vec<i32>, Trap> {
    if 0 <= from && from <= to && to as usize <= list.len() {
        Ok(list[from as usize..to as usize].to_vec())
    } else {
        Err(Trap::IndexOutOfBounds)
    }
}

impl Run<'_> {
    /// The capacities of a function's parameters; 0 for an int or bool.
    fn capacities(&self, function: usize) -> Vec<usize> {
        let routines = &self.program.routines;
        let columns = [&routines.caps0, &routines.caps1, &routines.caps2, &routines.caps3];
        let count = routines.params[function] as usize;
        { 0..count }.map(|place| (columns[place / 4][function] >> (8 * (place % 4))) as usize & 0xff).collect()
    }

    /// Begins a call with the operands on top as arguments.
    fn enter(&mut self, function: usize) -> Result<(), Trap> {
        if self.frames.len() == DEPTH {
            return Err(Trap::RecursionTooDeep);
        }
        let capacities = self.capacities(function);
        let arguments = self.stack.split_off(self.stack.len() - capacities.len());
        let fits = |(value, capacity): (&Value, &usize)| match value {
            Value::List(list) => list.len() <= *capacity,
            Value::Int(_) => true,
        };
        if !arguments.iter().zip(&capacities).all(fits) {
            return Err(Trap::CapacityExceeded);
        }
        let mut frame = Frame { back: self.pc, ..Frame::default() };
        let mut slot = 0;
        for (value, capacity) in arguments.into_iter().zip(capacities) {
            put(&mut frame.variables, slot, value);
            slot += 1 + capacity;
        }
        self.frames.push(frame);
        self.pc = self.program.routines.address[function] as usize;
        Ok(())
    }

    /// Ends a call. Returns the value if it was the first one.
    fn leave(&mut self, value: Value) -> Option<Value> {
        let frame = self.frames.pop().expect("an active call");
        self.pc = frame.back;
        if self.frames.is_empty() {
            return Some(value);
        }
        self.stack.push(value);
        None
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an active call")
    }

    fn variable(&mut self, slot: usize) -> &mut Value {
        self.frame().variables[slot].as_mut().expect("a stored variable")
    }

    fn list_in(&mut self, slot: usize) -> &mut Vec<i32> {
        match self.variable(slot) {
            Value::List(list) => list,
            Value::Int(int) => panic!("slot {slot} is {int}, not a list"),
        }
    }

    fn int(&mut self) -> i32 {
        match self.stack.pop() {
            Some(Value::Int(int)) => int,
            other => panic!("{other:?} is not an int"),
        }
    }

    fn list(&mut self) -> Vec<i32> {
        match self.stack.pop() {
            Some(Value::List(list)) => list,
            other => panic!("{other:?} is not a list"),
        }
    }

    fn push(&mut self, value: i32) {
        self.stack.push(Value::Int(value));
    }

    /// Stores the next number or element of a loop. Returns `false` if none is left.
    fn next_round(&mut self, slot: usize) -> bool {
        let value = match self.frame().rounds[slot].as_mut().expect("a loop") {
            Rounds::Numbers { left: 0, .. } => return false,
            Rounds::Numbers { next, left } => {
                *left -= 1;
                let value = *next;
                *next = next.wrapping_add(1);
                value
            }
            Rounds::Elements { list, at } => {
                let Some(value) = list.get(*at) else { return false };
                *at += 1;
                *value
            }
        };
        self.stored = Some((None, vec![value]));
        put(&mut self.frame().variables, slot, Value::Int(value));
        true
    }

    /// Executes an instruction. Returns the value if it ends the run.
    fn step(&mut self) -> Result<Option<Value>, Trap> {
        let code = &self.program.code.word;
        let word = code[self.pc];
        let (arg, value) = ((word >> 8) as usize, word as i32 >> 8);
        let second = code.get(self.pc + 1).copied().unwrap_or(0);
        self.pc += 1;
        match word & 0xff {
            1 => self.push(value),
            2 => {
                self.pc += 1;
                self.push(second as i32);
            }
            3 => match self.variable(arg).clone() {
                Value::Int(int) => self.push(int),
                Value::List(list) => self.push(list.len() as i32),
            },
            4 => {
                let int = self.int();
                self.stored = Some((None, vec![int]));
                put(&mut self.frame().variables, arg, Value::Int(int));
            }
            5 => {
                let list = self.list_in(arg).clone();
                self.stack.push(Value::List(list));
            }
            6 => {
                self.pc += 1;
                let list = self.list();
                if list.len() > second as usize {
                    return Err(Trap::CapacityExceeded);
                }
                self.stored = Some((None, list.clone()));
                put(&mut self.frame().variables, arg, Value::List(list));
            }
            7 => {
                let top = self.stack.last().expect("an operand").clone();
                self.stack.push(top);
            }
            op @ (8..=23 | 30 | 31) => {
                let (b, a) = (self.int(), self.int());
                self.push(binary(op, a, b)?);
            }
            op @ 24..=25 => {
                let (b, a) = (self.list(), self.list());
                self.push(i32::from((a == b) == (op == 24)));
            }
            op @ 26..=29 => {
                let a = self.int();
                self.push(match op {
                    26 => a.wrapping_neg(),
                    27 => !a,
                    28 => i32::from(a == 0),
                    _ => a.wrapping_abs(),
                });
            }
            32 => self.pc = arg,
            op @ 33..=34 => {
                if (self.int() != 0) == (op == 34) {
                    self.pc = arg;
                }
            }
            op @ 35..=36 => {
                let condition = self.int();
                if (condition != 0) == (op == 36) {
                    self.push(condition);
                    self.pc = arg;
                }
            }
            37 => {
                let mut list: Vec<i32> = { 0..arg }.map(|_| self.int()).collect();
                list.reverse();
                self.stack.push(Value::List(list));
            }
            38 => {
                let value = self.int();
                self.stack.push(Value::List(repeat_n(value, arg).collect()));
            }
            39 => {
                let (b, a) = (self.list(), self.list());
                if a.len() + b.len() > LONGEST {
                    return Err(Trap::CapacityExceeded);
                }
                self.stack.push(Value::List([a, b].concat()));
            }
            40 => {
                let (index, list) = (self.int(), self.list());
                self.push(element(&list, index)?);
            }
            41 => {
                let index = self.int();
                let value = element(self.list_in(arg), index)?;
                self.push(value);
            }
            42 => {
                let (value, index) = (self.int(), self.int());
                let list = self.list_in(arg);
                element(list, index)?;
                list[index as usize] = value;
                self.stored = Some((Some(index), vec![value]));
            }
            43 => {
                let (to, from, list) = (self.int(), self.int(), self.list());
                self.stack.push(Value::List(part(&list, from, to)?));
            }
            44 => {
                let (to, from) = (self.int(), self.int());
                let list = part(self.list_in(arg), from, to)?;
                self.stack.push(Value::List(list));
            }
            45 => {
                let list = self.list();
                self.push(list.len() as i32);
            }
            46 => {
                let length = self.list_in(arg).len() as i32;
                self.push(length);
            }
            op @ 47..=48 => {
                let (b, a) = (i64::from(self.int()), i64::from(self.int()));
                let count = (b - a + i64::from(op == 48)).clamp(0, u32::MAX.into());
                put(&mut self.frame().rounds, arg, Rounds::Numbers { next: a as i32, left: count as u32 });
            }
            49 => {
                self.pc += 1;
                let list = self.list();
                if list.len() > second as usize {
                    return Err(Trap::CapacityExceeded);
                }
                put(&mut self.frame().rounds, arg, Rounds::Elements { list, at: 0 });
            }
            op @ (50 | 51 | 55 | 56) => {
                self.pc += 1;
                if self.next_round(arg) == (op >= 55) {
                    self.pc = second as usize;
                }
            }
            52 => self.enter(arg)?,
            53 => {
                let value = self.int();
                return Ok(self.leave(Value::Int(value)));
            }
            54 => {
                let list = self.list();
                if list.len() > arg {
                    return Err(Trap::CapacityExceeded);
                }
                return Ok(self.leave(Value::List(list)));
            }
            57 => {
                let elements = &code[self.pc..][..arg];
                self.pc += arg;
                self.stack.push(Value::List(elements.iter().map(|word| *word as i32 >> 8).collect()));
            }
            59 => return Err(Trap::Hole),
            op => panic!("instruction {op} at {}", self.pc - 1),
        }
        Ok(None)
    }
}

fn binary(op: u32, a: i32, b: i32) -> Result<i32, Trap> {
    Ok(match op {
        8 => a.wrapping_add(b),
        9 => a.wrapping_sub(b),
        10 => a.wrapping_mul(b),
        11 | 12 if b == 0 => return Err(Trap::DivideByZero),
        11 => a.wrapping_div(b),
        12 => a.wrapping_rem(b),
        13 => a & b,
        14 => a | b,
        15 => a ^ b,
        16 => a.wrapping_shl(b as u32),
        17 => a.wrapping_shr(b as u32),
        18 => i32::from(a == b),
        19 => i32::from(a != b),
        20 => i32::from(a < b),
        21 => i32::from(a <= b),
        22 => i32::from(a > b),
        23 => i32::from(a >= b),
        30 => a.min(b),
        _ => a.max(b),
    })
}
