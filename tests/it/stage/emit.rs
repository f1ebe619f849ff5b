//! Bytecode.

use myriad::compiler::program::{Bytecode, Ir, Routines};
use myriad::compiler::stage::emit::{EmitScratch, fits_operand, run};
use myriad::lang::opcode::{Op, word};

#[test]
fn the_operand_holds_24_signed_bits() {
    for (value, fits) in [(0, true), (-1, true), (0x7f_ffff, true), (0x80_0000, false), (i32::MIN, false)] {
        assert_eq!(fits_operand(value as u32), fits, "{value}");
    }
    assert!(fits_operand(-0x80_0000i32 as u32) && !fits_operand(-0x80_0001i32 as u32));
}

#[test]
fn forward_jumps_get_their_target_address() {
    let mut ir = Ir::default();
    for (op, arg, aux) in
        [(Op::LoadConst, 1 << 30, 0), (Op::JumpIfFalse, 3, 0), (Op::Nop, 0, 0), (Op::ForRange, 4, 1)]
    {
        ir.op.push(op as u32);
        ir.arg.push(arg);
        ir.aux.push(aux);
        ir.token.push(7);
    }
    let mut code = Bytecode::default();
    run(&ir, &mut Routines::default(), &mut code, &mut EmitScratch::default());
    let expected = [word(Op::LoadConstWide, 0), 1 << 30, word(Op::JumpIfFalse, 3), word(Op::ForRange, 4), 2];
    assert_eq!(code.word, expected);
    assert_eq!(code.token, [7; 5]);
}
