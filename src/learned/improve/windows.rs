//! Windows: short pieces of code as rules see them, with holes for variables and constants.

use std::collections::HashMap;

use crate::compiler::stage::optimize::learned::code::{Instruction, is_dead, targets};
use crate::compiler::stage::optimize::learned::rule::{
    CONSTANTS, Constant, Operand, Rule, RulePiece, SLOTS, apply, is_word_op,
};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op};

pub const LENGTHS: std::ops::RangeInclusive<usize> = 2..=5;

/// A window that occurs in code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    pub pieces: Vec<RulePiece>,
    /// Holes for variables that the window stores and no later code reads.
    pub dead: Vec<u8>,
}

/// Adds the windows of a routine, each as often as it occurs there.
pub fn harvest(code: &[Instruction], found: &mut HashMap<Window, u64>) {
    let targeted = targets(code);
    for at in 0..code.len() {
        for length in LENGTHS {
            let Some(window) = code.get(at..at + length) else { break };
            let (last, inner) = (window[length - 1], &window[..length - 1]);
            let jumps = |own: &Instruction| own.target().is_some();
            let enters = (at + 1..at + length).any(|i| targeted[i]);
            if enters
                || inner.iter().any(jumps)
                || !is_word_op(last.op)
                || !inner.iter().all(|i| is_word_op(i.op))
            {
                break;
            }
            if let Some(window) = Window::of(code, at, length) {
                *found.entry(window).or_default() += 1;
            }
        }
    }
}

impl Window {
    /// The window of some instructions, with a hole for each variable. Constants are as they are.
    fn of(code: &[Instruction], at: usize, length: usize) -> Option<Window> {
        let (window, after) = (&code[at..at + length], at + length);
        let (mut slots, mut pieces): (Vec<u32>, Vec<RulePiece>) = (Vec::new(), Vec::new());
        let mut stored = Vec::new();
        for own in window {
            let operand = match own.op {
                Op::LoadConst => Operand::Constant(Constant::Value(own.arg as i32)),
                Op::LoadVar | Op::StoreVar => {
                    let hole = slots.iter().position(|slot| *slot == own.arg).unwrap_or_else(|| {
                        slots.push(own.arg);
                        slots.len() - 1
                    });
                    if own.op == Op::StoreVar && !stored.contains(&(hole as u8)) {
                        stored.push(hole as u8);
                    }
                    Operand::Slot(hole as u8)
                }
                op if matches!(op.class(), Class::Branch { .. }) => Operand::Target,
                _ => Operand::None,
            };
            pieces.push(RulePiece { op: own.op, operand });
        }
        let target = window.last().and_then(Instruction::target);
        stored.retain(|hole| {
            let slot = slots[*hole as usize];
            is_dead(code, after, slot) && target.is_none_or(|target| is_dead(code, target as usize, slot))
        });
        (slots.len() <= SLOTS.len()).then_some(Window { pieces, dead: stored })
    }

    /// The same window with a hole for each constant; `None` if it has none or too many.
    pub fn general(&self) -> Option<Window> {
        let mut known: Vec<i32> = Vec::new();
        let mut pieces = self.pieces.clone();
        for piece in &mut pieces {
            if let Operand::Constant(Constant::Value(value)) = piece.operand {
                let hole = known.iter().position(|other| *other == value).unwrap_or_else(|| {
                    known.push(value);
                    known.len() - 1
                });
                piece.operand = Operand::Constant(Constant::Hole(hole as u8));
            }
        }
        let fits = !known.is_empty() && known.len() <= CONSTANTS.len();
        fits.then_some(Window { pieces, dead: self.dead.clone() })
    }

    /// Returns whether a rule applies to a part of the window.
    pub fn is_known<'a>(&self, rules: impl Iterator<Item = &'a Rule> + Clone) -> bool {
        let mut code = Vec::new();
        let mut push = |op, arg| code.push(Instruction { op, arg, aux: 0, token: 0, site: NONE });
        let end = self.pieces.len() as u32;
        for RulePiece { op, operand } in &self.pieces {
            push(
                *op,
                match operand {
                    Operand::None => 0,
                    Operand::Slot(slot) => u32::from(*slot),
                    // Constants that no rule names.
                    Operand::Constant(Constant::Hole(hole)) => 0x5bd1_e995 + u32::from(*hole),
                    Operand::Constant(constant) => constant.value(&[]).unwrap_or(0),
                    Operand::Target => end,
                },
            );
        }
        // All variables but the dead ones are read.
        for slot in (0..SLOTS.len() as u8).filter(|slot| !self.dead.contains(slot)) {
            push(Op::LoadVar, u32::from(slot));
        }
        push(Op::Return, 0);
        apply(rules, &mut code, &mut |_| ())
    }
}
