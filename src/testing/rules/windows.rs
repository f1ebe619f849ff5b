//! Values for which the windows of a rule of bytecode differ: those of a model, made smaller, and confirmed by the machine
//! that runs both windows.

use super::smallest::smallest;
use crate::compiler::program::{Executable, Ir};
use crate::compiler::stage::compile;
use crate::compiler::stage::emit::{self, EmitScratch};
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::optimize::learned::rule::{
    CONSTANTS, Constant, Operand, Rule, RulePiece, SLOTS, heights,
};
use crate::lang::NONE;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::opcode::{Class, Op};
use crate::lang::trap::Trap;
use crate::testing::prove::WindowValues;

/// The first slots of the operands below a window, and of those that it leaves, after the slots of its variables.
const BELOW: usize = SLOTS.len();
const LEFT: usize = BELOW + crate::testing::prove::BELOW as usize;
/// The words of the frame, and the steps of a run.
const FRAME: usize = 2 * LEFT + 1;
const FUEL: u32 = 256;

/// Values for which both windows of a rule differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowCounterexample {
    /// The variables and constants of the rule, by name.
    pub values: Vec<(&'static str, i32)>,
    /// The operands that the windows take, the top last.
    pub stack: Vec<i32>,
    /// The ends of the window, and of its replacement.
    pub ends: [WindowEnd; 2],
}

/// The end of a window's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WindowEnd {
    /// The trap, and the number of the instruction of the rule's window that it is of, from 1.
    Trap(Trap, u32),
    Values {
        /// The operands that it leaves, the top last.
        stack: Vec<i32>,
        /// The variables that later code may read, by name.
        variables: Vec<(&'static str, i32)>,
        /// Whether it jumps, if it may.
        jumps: Option<bool>,
    },
}

/// Both windows of a rule, and their values as words: variables, constants, operands.
struct Windows<'a> {
    rule: &'a Rule,
    variables: Vec<u8>,
    constants: Vec<u8>,
    /// The number of operands that they take.
    takes: usize,
    machine: Machine,
    executable: Executable,
}

impl<'a> Windows<'a> {
    fn new(rule: &'a Rule) -> Windows<'a> {
        let (mut variables, mut constants) = (Vec::new(), Vec::new());
        for piece in &rule.pattern {
            let (of, hole) = match piece.operand {
                Operand::Slot(hole) => (&mut variables, hole),
                Operand::Constant(Constant::Hole(hole)) => (&mut constants, hole),
                _ => continue,
            };
            if !of.contains(&hole) {
                of.push(hole);
            }
        }
        let lowest = |pieces: &[RulePiece]| heights(pieces).0.unsigned_abs() as usize;
        let takes = lowest(&rule.pattern).max(lowest(&rule.replacement));
        let mut executable = compile("fn f() -> int { return 0; }\n").executable;
        executable.routines.frame.fill(FRAME as u32);
        Windows { rule, variables, constants, takes, machine: Machine::default(), executable }
    }

    /// Returns the values of a model as words.
    fn words(&self, values: &WindowValues) -> Vec<u32> {
        let of = |all: &[u32], hole: u8| all.get(hole as usize).copied().unwrap_or_default();
        let variables = self.variables.iter().map(|hole| of(&values.variables, *hole));
        let constants = self.constants.iter().map(|hole| of(&values.constants, *hole));
        let stack = &values.stack[values.stack.len().saturating_sub(self.takes)..];
        variables.chain(constants).chain(stack.iter().copied()).collect()
    }

    fn parts<'w>(&self, words: &'w [u32]) -> [&'w [u32]; 3] {
        let (variables, rest) = words.split_at(self.variables.len());
        let (constants, stack) = rest.split_at(self.constants.len());
        [variables, constants, stack]
    }

    /// Runs a window on the machine. `source` returns the place whose name a trap of an instruction has.
    fn run(
        &mut self,
        pieces: &[RulePiece],
        source: &dyn Fn(usize) -> usize,
        words: &[u32],
    ) -> Option<WindowEnd> {
        let [variables, constants, stack] = self.parts(words);
        let mut holes = [None; CONSTANTS.len()];
        self.constants.iter().zip(constants).for_each(|(hole, word)| holes[*hole as usize] = Some(*word));
        let mut ir = Ir::default();
        let mut push = |op: Op, arg: u32, token: u32| {
            let row = [op as u32, arg, 0, token, NONE, NONE, 0];
            ir.columns_mut().into_iter().zip(row).for_each(|(column, word)| column.push(word));
        };
        (0..self.takes).for_each(|place| push(Op::LoadVar, (BELOW + place) as u32, NONE));
        let left = (self.takes as i32 + heights(pieces).1.last().copied().unwrap_or(0)) as usize;
        // The end without a jump has an instruction for each operand that is left, and two more.
        let target = (self.takes + pieces.len() + left + 2) as u32;
        for (place, piece) in pieces.iter().enumerate() {
            let arg = match &piece.operand {
                Operand::None => 0,
                Operand::Slot(hole) => u32::from(*hole),
                Operand::Constant(constant) => constant.value(&holes)?,
                Operand::Target => target,
            };
            push(piece.op, arg, source(place) as u32);
        }
        for jumps in [0, 1] {
            (0..left).rev().for_each(|place| push(Op::StoreVar, (LEFT + place) as u32, NONE));
            push(Op::LoadConst, jumps, NONE);
            push(Op::Return, 0, NONE);
        }
        let Windows { machine, executable, .. } = self;
        emit::run(&ir, &mut executable.routines, &mut executable.code, &mut EmitScratch::default());
        machine.load(executable);
        let frame = machine.frame();
        self.variables.iter().zip(variables).for_each(|(hole, word)| frame[*hole as usize] = *word);
        frame[BELOW..BELOW + stack.len()].copy_from_slice(stack);
        let record = machine.run(executable, RoutineId::FIRST, FUEL, 0);
        if record.trap != Trap::None {
            let token = record.address.and_then(|address| TokenId::of(&executable.code.token, address));
            return Some(WindowEnd::Trap(record.trap, token?.number() + 1));
        }
        let words = machine.words(0, FRAME as u32);
        let alive = self.variables.iter().filter(|hole| !self.rule.dead.contains(hole));
        let is_branch = |piece: &RulePiece| matches!(piece.op.class(), Class::Branch { .. });
        Some(WindowEnd::Values {
            stack: words[LEFT..LEFT + left].iter().map(|word| *word as i32).collect(),
            variables: alive.map(|hole| (SLOTS[*hole as usize], words[*hole as usize] as i32)).collect(),
            jumps: pieces.last().filter(|piece| is_branch(piece)).map(|_| record.value == 1),
        })
    }

    fn both(&mut self, words: &[u32]) -> Option<[WindowEnd; 2]> {
        let rule = self.rule;
        let source = |place: usize| rule.source(&rule.replacement[place]);
        Some([self.run(&rule.pattern, &|place| place, words)?, self.run(&rule.replacement, &source, words)?])
    }
}

impl WindowCounterexample {
    /// Makes the values of a model smaller. Returns `None` if the machine shows no difference.
    pub fn new(rule: &Rule, values: WindowValues) -> Option<WindowCounterexample> {
        let mut windows = Windows::new(rule);
        let words = windows.words(&values);
        let mut differs = |words: &[u32]| windows.both(words).is_some_and(|[own, new]| own != new);
        if !differs(&words) {
            return None;
        }
        let places: Vec<usize> = (0..words.len()).collect();
        let words = smallest(words, &places, &mut differs);
        let ends = windows.both(&words)?;
        let [variables, constants, stack] = windows.parts(&words);
        let named = |names: &[&'static str], holes: &[u8], words: &[u32]| -> Vec<(&'static str, i32)> {
            holes.iter().zip(words).map(|(hole, word)| (names[*hole as usize], *word as i32)).collect()
        };
        let mut values = named(&SLOTS, &windows.variables, variables);
        values.extend(named(&CONSTANTS, &windows.constants, constants));
        Some(WindowCounterexample { values, stack: stack.iter().map(|word| *word as i32).collect(), ends })
    }

    /// Describes it: `x = 1, stack [0]: x = 1, not 0`. The end of the replacement precedes that of the window.
    pub fn text(&self, rule: &Rule) -> String {
        let list =
            |stack: &[i32]| format!("[{}]", stack.iter().map(i32::to_string).collect::<Vec<_>>().join(", "));
        let mut place: Vec<String> =
            self.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        place.extend((!self.stack.is_empty()).then(|| format!("stack {}", list(&self.stack))));
        let [own, new] = &self.ends;
        let said = match (own, new) {
            (
                WindowEnd::Values { stack: own, variables: kept, jumps },
                WindowEnd::Values { stack: new, variables: changed, jumps: now },
            ) => {
                let mut parts = Vec::new();
                parts.extend((own != new).then(|| format!("stack {}, not {}", list(new), list(own))));
                for ((name, own), (_, new)) in kept.iter().zip(changed).filter(|(own, new)| own != new) {
                    parts.push(format!("{name} = {new}, not {own}"));
                }
                let jump = |jumps: &Option<bool>| if *jumps == Some(true) { "jumps" } else { "does not jump" };
                parts.extend((jumps != now).then(|| format!("{}, not: {}", jump(now), jump(jumps))));
                parts.join("; ")
            }
            _ => {
                let end = |end: &WindowEnd| match end {
                    WindowEnd::Trap(trap, number) => {
                        let op = rule.pattern.get(*number as usize - 1).map_or("", |piece| piece.op.name());
                        format!("trap {} of {op} ({number})", trap.ident())
                    }
                    WindowEnd::Values { stack, .. } => format!("stack {}", list(stack)),
                };
                format!("{}, not {}", end(new), end(own))
            }
        };
        if place.is_empty() { said } else { format!("{}: {said}", place.join(", ")) }
    }
}
