//! Arithmetic on ints and bools.

use myriad::lang::arithmetic::{binary, unary};
use myriad::lang::opcode::number::*;
use myriad::lang::opcode::{Class, Op};
use myriad::lang::trap::Trap;

#[test]
fn every_operation_is_evaluated() {
    for &op in Op::ALL {
        let n = op as u32;
        match op.class() {
            // No operation returns its operand for all operands.
            Class::Unary => assert!([0, 1, u32::MAX].iter().any(|&x| unary(n, x) != x), "{}", op.name()),
            Class::Binary => {
                assert!([(3, 2), (0, 1)].iter().any(|&(x, y)| binary(n, x, y) != Ok(x)), "{}", op.name())
            }
            _ => assert_eq!((unary(n, 7), binary(n, 7, 2)), (7, Ok(7)), "{}", op.name()),
        }
    }
}

#[test]
fn operations_wrap_or_trap_at_the_edges() {
    const LEAST: u32 = 1 << 31;
    const MINUS_ONE: u32 = u32::MAX;
    for (op, a, b, value) in [
        (BINARY_DIV, LEAST, MINUS_ONE, Ok(LEAST)),
        (BINARY_MOD, LEAST, MINUS_ONE, Ok(0)),
        (BINARY_DIV, 7, 0, Err(Trap::DivideByZero)),
        (BINARY_MOD, 7, 0, Err(Trap::DivideByZero)),
        (BINARY_MOD, 7u32.wrapping_neg(), 2, Ok(MINUS_ONE)),
        (BINARY_SHL, 1, 33, Ok(2)),
        (BINARY_SHR, LEAST, 31, Ok(MINUS_ONE)),
        (COMPARE_LT, LEAST, 0, Ok(1)),
        (INT_MAX, LEAST, 0, Ok(0)),
    ] {
        assert_eq!(binary(op, a, b), value, "{op}: {a}, {b}");
    }
    assert_eq!((unary(UNARY_NEGATIVE, LEAST), unary(INT_ABS, LEAST)), (LEAST, LEAST));
    assert_eq!((unary(UNARY_NOT, 0), unary(UNARY_NOT, 2)), (1, 0));
}
