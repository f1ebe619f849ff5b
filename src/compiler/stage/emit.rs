//! emit: encodes instructions as words.
//!
//! Jumps need the addresses of later instructions. So a first pass computes addresses, and a second one
//! writes words.

use crate::compiler::program::{Bytecode, Compiled, Executable, Ir, Routines};
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Op, Shape, word};

/// Scratch memory, kept between programs.
#[derive(Default)]
pub struct EmitScratch {
    /// Address of each instruction, and of the end of the code.
    address: Vec<u32>,
}

/// Writes the bytecode of `ir`, and the addresses of the routines.
pub fn run(ir: &Ir, routines: &mut Routines, out: &mut Bytecode, scratch: &mut EmitScratch) {
    out.clear();
    let address = &mut scratch.address;
    address.clear();
    let mut next = 0;
    for i in 0..ir.op.len() {
        address.push(next);
        next += match emitted(ir, i) {
            Op::Nop => 0,
            op => op.shape().words(),
        };
    }
    address.push(next);
    out.word.reserve(next as usize);
    out.token.reserve(next as usize);
    for i in 0..ir.op.len() {
        let op = emitted(ir, i);
        if op == Op::Nop {
            continue;
        }
        let (arg, aux) = (ir.arg[i], ir.aux[i]);
        let (operand, second) = match op.shape() {
            Shape::Plain => (0, None),
            Shape::Value | Shape::Slot | Shape::Function | Shape::Count => (arg, None),
            Shape::Wide => (0, Some(arg)),
            Shape::SlotCapacity => (arg, Some(aux)),
            Shape::SlotTarget => (arg, Some(address[aux as usize])),
            Shape::Target => (address[arg as usize], None),
        };
        out.word.push(word(op, operand));
        out.token.push(ir.token[i]);
        if let Some(second) = second {
            out.word.push(second);
            out.token.push(ir.token[i]);
        }
    }
    for (row, &first) in routines.ir.iter().enumerate() {
        routines.address[row] = address[first as usize];
    }
}

/// Returns the bytecode of a program without optimization, which keeps the token of each step.
pub fn emit_unoptimized(c: &Compiled) -> Executable {
    let Executable { mut code, mut routines } = c.executable.clone();
    // The routines hold indices into the optimized code. In the lowered code a routine begins at the first
    // instruction of its tokens.
    let mut first = vec![u32::MAX; c.tokens.kind.len()];
    for (token, i) in c.lowered.token.iter().zip(0..) {
        if let Some(first) = first.get_mut(*token as usize) {
            *first = i.min(*first);
        }
    }
    for (ir, head) in routines.ir.iter_mut().zip(&routines.token) {
        let extent = c.view().extent(TokenId::new(*head)).numbers();
        let own = first.get(extent.start as usize..extent.end as usize).unwrap_or_default();
        *ir = own.iter().min().copied().filter(|i| *i != u32::MAX).unwrap_or(0);
    }
    run(&c.lowered, &mut routines, &mut code, &mut EmitScratch::default());
    Executable { code, routines }
}

/// The operation as which instruction `i` is emitted.
fn emitted(ir: &Ir, i: usize) -> Op {
    let op = Op::from_u32(ir.op[i]).unwrap_or(Op::Nop);
    if op == Op::LoadConst && !fits_operand(ir.arg[i]) { Op::LoadConstWide } else { op }
}

/// Returns whether a value, as an i32, fits in the 24 operand bits of an instruction.
pub const fn fits_operand(value: u32) -> bool {
    let value = value as i32;
    -(1 << 23) <= value && value < 1 << 23
}
