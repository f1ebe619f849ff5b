//! Expressions of optimized code: which instructions compute a value from variables alone, and which of them
//! are equal. Used by the expansions that compute a value once.

use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::{Class, Op, class, has_slot};
use crate::lang::{NONE, arithmetic};

/// The maximum number of instructions of an expression.
pub const EXPRESSION: usize = 32;
/// The least number of steps that a call takes: its own, one that loads a value, and the return.
pub const LEAST_CALL_STEPS: u32 = 3;

#[derive(Default)]
pub struct Expressions {
    /// The first instruction of the expression that ends here, or `NONE`. All its instructions are in one block.
    pub first: Vec<u32>,
    operands: Vec<u32>,
    /// The hash of each listed expression. Equal expressions have equal hashes.
    hash: Vec<u32>,
    /// The last expression in each bucket, and the one before it in the same bucket.
    buckets: Vec<u32>,
    before: Vec<u32>,
}

/// The number of operands that an instruction takes if it may be part of an expression.
fn takes(ir: &Ir, routines: &Routines, i: usize) -> Option<u32> {
    let effect = Op::from_u32(ir.op[i])?.effect();
    match class(ir.op[i]) {
        Class::Load | Class::Unary | Class::Binary | Class::List if !effect.varies => Some(effect.takes),
        Class::List => Some(ir.arg[i]),
        Class::Call => routines.params.get(ir.arg[i] as usize).copied(),
        _ => None,
    }
}

/// Whether an instruction's result depends on its operands and variables alone, and it cannot trap.
pub fn is_safe(ir: &Ir, i: usize) -> bool {
    match class(ir.op[i]) {
        Class::Load | Class::Unary => true,
        Class::Binary if arithmetic::may_trap(ir.op[i]) => {
            let divisor =
                i.checked_sub(1).filter(|d| ir.op[*d] == Op::LoadConst as u32 && ir.block[*d] == ir.block[i]);
            divisor.is_some_and(|d| ir.arg[d] != 0)
        }
        Class::Binary => true,
        _ => false,
    }
}

/// Whether an instruction reads a variable.
pub fn reads(op: u32) -> bool {
    has_slot(op) && !matches!(class(op), Class::Store | Class::Loop)
}

/// Whether an instruction changes the variable that it names.
pub fn writes(op: u32) -> bool {
    has_slot(op) && matches!(class(op), Class::Store | Class::Loop)
}

impl Expressions {
    /// Finds the expressions of instructions for which `allowed` holds, with an abstract operand stack.
    pub fn find(&mut self, ir: &Ir, routines: &Routines, allowed: impl Fn(usize) -> bool) {
        let Expressions { first, operands, .. } = self;
        first.clear();
        operands.clear();
        for i in 0..ir.op.len() {
            if i > 0 && ir.block[i] != ir.block[i - 1] {
                operands.clear();
            }
            let taken = if allowed(i) { takes(ir, routines, i) } else { None }.map(|taken| taken as usize);
            let begins = match taken {
                Some(0) => i as u32,
                Some(taken) if taken <= operands.len() => {
                    let deepest = operands.len() - taken;
                    let begins = operands[deepest];
                    operands.truncate(deepest);
                    begins
                }
                _ => NONE,
            };
            if begins == NONE {
                operands.clear();
            } else {
                operands.push(begins);
            }
            let long = begins != NONE && i - begins as usize >= EXPRESSION;
            first.push(if long { NONE } else { begins });
        }
    }

    pub fn clear_list(&mut self) {
        self.buckets.clear();
        self.buckets.resize((self.first.len() / 2).next_power_of_two().max(16), NONE);
        self.before.resize(self.first.len(), NONE);
        self.hash.resize(self.first.len(), 0);
    }

    /// Lists an expression, and returns the last listed one that is equal and ends at `since` or later.
    pub fn list(&mut self, ir: &Ir, i: usize, since: usize) -> Option<usize> {
        let mix = |hash: u32, word: u32| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9);
        let code = self.first[i] as usize..=i;
        self.hash[i] = code.fold(0, |hash, at| mix(mix(hash, ir.op[at]), ir.arg[at]));
        let bucket = (self.hash[i] >> 8) as usize & (self.buckets.len() - 1);
        let last = std::mem::replace(&mut self.buckets[bucket], i as u32);
        self.before[i] = last;
        let mut at = last;
        while at != NONE && at as usize >= since {
            if self.equal(ir, at as usize, i) {
                return Some(at as usize);
            }
            at = self.before[at as usize];
        }
        None
    }

    /// Whether two expressions consist of the same instructions.
    fn equal(&self, ir: &Ir, a: usize, b: usize) -> bool {
        let (from, to) = (self.first[a] as usize, self.first[b] as usize);
        let same = |column: &[u32]| column[from..=a] == column[to..=b];
        a - from == b - to && self.hash[a] == self.hash[b] && same(&ir.op) && same(&ir.arg) && same(&ir.aux)
    }

    /// The number of instructions of the expression that ends here.
    pub fn size(&self, i: usize) -> u32 {
        i as u32 + 1 - self.first[i]
    }

    /// The least number of steps of the expression that ends here.
    pub fn steps(&self, ir: &Ir, i: usize) -> u32 {
        let calls = (self.first[i] as usize..=i).filter(|at| ir.op[*at] == Op::Call as u32).count() as u32;
        self.size(i) + calls * (LEAST_CALL_STEPS - 1)
    }
}
