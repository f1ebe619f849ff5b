//! Codes of operations with a branch or an immediate value, which the interpreter loop matches.

use super::{IMMEDIATE, LOAD_INDEX_REFERENCE};
use crate::lang::opcode::number::*;

/// Declares the codes of comparisons that branch, with a register or an immediate value on the right.
macro_rules! branches {
    ($($name:ident),*) => {
        pub mod branch {
            use crate::lang::opcode::number;
            $(pub const $name: u32 = number::$name | super::super::BRANCH;)*
        }
        pub mod branch_immediate {
            use crate::lang::opcode::number;
            $(pub const $name: u32 = number::$name | super::super::BRANCH | super::super::IMMEDIATE;)*
        }
    };
}
branches!(COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE);

pub const LOAD_INDEX_IMMEDIATE: u32 = LOAD_INDEX_VAR | IMMEDIATE;
pub const LOAD_INDEX_REFERENCE_IMMEDIATE: u32 = LOAD_INDEX_REFERENCE | IMMEDIATE;
pub const STORE_INDEX_IMMEDIATE: u32 = STORE_INDEX | IMMEDIATE;
pub const RANGE_IMMEDIATE: u32 = RANGE_ITER | IMMEDIATE;
pub const RANGE_INCLUSIVE_IMMEDIATE: u32 = RANGE_ITER_INCLUSIVE | IMMEDIATE;
pub const RETURN_IMMEDIATE: u32 = RETURN | IMMEDIATE;
