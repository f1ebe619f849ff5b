//! The blocks of a routine's code.

use crate::compiler::program::Ir;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Class, Op};

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub op: Op,
    pub arg: u32,
    pub aux: u32,
    pub token: TokenId,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The next block follows, or the target of a jump.
    To(usize),
    /// The value on top decides: blocks for another value than 0, and for 0. `keeps` is the value for which it
    /// stays on the stack.
    Branch {
        nonzero: usize,
        zero: usize,
        keeps: Option<bool>,
    },
    /// A loop over the state in this slot: the body's block, and that after the loop.
    Loop {
        slot: u32,
        body: usize,
        exit: usize,
    },
    Return,
    /// A list of at most this many elements is returned.
    ReturnList(u32),
}

/// Instructions that are executed in order, and their end.
#[derive(Clone, Debug)]
pub struct Block {
    pub code: Vec<Instruction>,
    pub end: End,
    /// The token of the last instruction.
    pub token: TokenId,
}

/// Divides the instructions `lo .. hi` into blocks. Returns `None` if they jump elsewhere.
pub fn blocks(ir: &Ir, lo: usize, hi: usize) -> Option<Vec<Block>> {
    let at = |i: usize| {
        let op = Op::from_u32(*ir.op.get(i)?)?;
        Some(Instruction { op, arg: ir.arg[i], aux: ir.aux[i], token: TokenId::new(ir.token[i]) })
    };
    let target = |instruction: Instruction| match instruction.op.class() {
        Class::Jump | Class::Branch { .. } => Some(instruction.arg as usize),
        Class::Loop => Some(instruction.aux as usize),
        _ => None,
    };
    let mut leads = vec![false; hi.checked_sub(lo)? + 1];
    *leads.first_mut()? = true;
    for i in lo..hi {
        let instruction = at(i)?;
        if let Some(target) = target(instruction) {
            *leads.get_mut(target.checked_sub(lo)?).filter(|_| target < hi)? = true;
        }
        if target(instruction).is_some() || instruction.op.class() == Class::Return {
            leads[i + 1 - lo] = true;
        }
    }
    // The number of the block that begins at or contains each instruction.
    let mut numbers = Vec::with_capacity(leads.len());
    let mut count = 0;
    for leads in &leads {
        count += usize::from(*leads);
        numbers.push(count - 1);
    }
    let number = |i: usize| numbers.get(i - lo).copied().filter(|_| i < hi);
    let mut blocks: Vec<Block> = Vec::new();
    let mut code = Vec::new();
    for i in lo..hi {
        let instruction = at(i)?;
        let next = i + 1;
        let end = match (instruction.op, target(instruction)) {
            (Op::Return, _) => End::Return,
            (Op::ReturnList, _) => End::ReturnList(instruction.arg),
            (Op::Jump, Some(target)) => End::To(number(target)?),
            (Op::ForRange | Op::ForList, Some(exit)) => {
                End::Loop { slot: instruction.arg, body: number(next)?, exit: number(exit)? }
            }
            (Op::NextRange | Op::NextList, Some(body)) => {
                End::Loop { slot: instruction.arg, body: number(body)?, exit: number(next)? }
            }
            (op, Some(target)) => {
                let (on, keeps) = op.condition()?;
                let (jumps, falls) = (number(target)?, number(next)?);
                let (nonzero, zero) = if on { (jumps, falls) } else { (falls, jumps) };
                End::Branch { nonzero, zero, keeps: keeps.then_some(on) }
            }
            (op, None) => {
                match op {
                    Op::Nop | Op::Element => {}
                    // As if its elements were pushed one by one.
                    Op::LoadListConst => {
                        for element in next..=i + instruction.arg as usize {
                            code.push(Instruction { op: Op::LoadConst, ..at(element)? });
                        }
                        code.push(Instruction { op: Op::BuildList, ..instruction });
                    }
                    _ => code.push(instruction),
                }
                if !leads[next - lo] {
                    continue;
                }
                End::To(number(next)?)
            }
        };
        blocks.push(Block { code: std::mem::take(&mut code), end, token: instruction.token });
    }
    Some(blocks)
}
