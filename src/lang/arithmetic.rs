//! Arithmetic of the operations on ints and bools, stated once for check, optimize and execute.
//!
//! The GPU twin is `shaders/shared/arithmetic.wgsl`.

use super::opcode::number::*;
use super::trap::Trap;

/// Passes the operations to a macro: the unary ones, then the binary ones, each with its trap condition if it
/// has one. Operands are signed; a bool is 0 or 1.
#[macro_export]
macro_rules! operations {
    ($then:ident) => {
        $then! {
            (a)
            UNARY_NEGATIVE => a.wrapping_neg();
            UNARY_INVERT => !a;
            UNARY_NOT => a == 0;
            INT_ABS => a.wrapping_abs();
            (a b)
            BINARY_ADD => a.wrapping_add(b);
            BINARY_SUB => a.wrapping_sub(b);
            BINARY_MUL => a.wrapping_mul(b);
            BINARY_DIV => a.wrapping_div(b), DivideByZero if b == 0;
            BINARY_MOD => a.wrapping_rem(b), DivideByZero if b == 0;
            BINARY_AND => a & b;
            BINARY_OR => a | b;
            BINARY_XOR => a ^ b;
            BINARY_SHL => a.wrapping_shl(b as u32);
            BINARY_SHR => a.wrapping_shr(b as u32);
            COMPARE_EQ => a == b;
            COMPARE_NE => a != b;
            COMPARE_LT => a < b;
            COMPARE_LE => a <= b;
            COMPARE_GT => a > b;
            COMPARE_GE => a >= b;
            INT_MIN => a.min(b);
            INT_MAX => a.max(b);
        }
    };
}
pub use operations;

macro_rules! functions {
    (
        ($a:ident) $($unary:ident => $of_one:expr;)*
        ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
    ) => {
        /// Returns the value of unary operation `op`; the operand itself if `op` is not unary.
        pub fn unary(op: u32, operand: u32) -> u32 {
            let $a = operand as i32;
            match op {
                $($unary => ($of_one) as u32,)*
                _ => operand,
            }
        }

        /// Returns the value of binary operation `op`; the left operand if `op` is not binary.
        ///
        /// # Errors
        /// The trap that the operation raises.
        pub fn binary(op: u32, left: u32, right: u32) -> Result<u32, Trap> {
            let ($x, $y) = (left as i32, right as i32);
            Ok(match op {
                $($binary => {
                    $(if $when {
                        return Err(Trap::$trap);
                    })?
                    ($of_two) as u32
                })*
                _ => left,
            })
        }

        /// Returns whether binary operation `op` traps for some operands.
        pub fn may_trap(op: u32) -> bool {
            false $($(|| (op == $binary && Trap::$trap != Trap::None))?)*
        }
    };
}
operations!(functions);
