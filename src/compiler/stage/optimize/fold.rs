//! fold: folds constants, identities and double negations, in one forward pass.
//!
//! The `start` links locate the end of each operand. For a value that ends at instruction i,
//! `Scratch::value[i]` holds the instruction that now pushes the value (an earlier one if an identity was
//! removed) and flags.

use super::branch::condition;
use super::{NOP, OptimizeScratch};
use crate::compiler::program::{Ir, Routines};
use crate::lang::opcode::{Class, Op, class};
use crate::lang::{NONE, arithmetic};

/// A value: the index of the instruction that pushes it, and flags in the upper bits.
#[derive(Clone, Copy)]
struct FoldValue(u32);

/// Flag: the value depends on a jump inside of its expression, so the instruction that pushes it does not
/// determine it.
const CONDITIONAL: u32 = 1 << 31;
/// Flag: evaluating the value can neither trap nor call.
const PURE: u32 = 1 << 30;
const INDEX: u32 = PURE - 1;

impl FoldValue {
    fn conditional(end: usize) -> FoldValue {
        FoldValue(end as u32 | CONDITIONAL)
    }
    fn last(self) -> usize {
        (self.0 & INDEX) as usize
    }
    fn is_plain(self) -> bool {
        self.0 & CONDITIONAL == 0
    }
    fn is_pure(self) -> bool {
        self.0 & (CONDITIONAL | PURE) == PURE
    }
}

/// The result of a rule for `x op c` or `c op x` with constant c.
enum Simplification {
    /// x itself.
    Operand,
    /// A constant; applies only if x is pure.
    Constant(u32),
    /// A unary operation on x.
    Unary(Op),
}

pub fn run(ir: &mut Ir, _: &mut Routines, scratch: &mut OptimizeScratch) -> bool {
    let len = ir.op.len();
    let pure = |op: u32| if class(op) == Class::Load { PURE } else { 0 };
    scratch.value.clear();
    scratch.value.extend((0..).zip(&ir.op).map(|(i, op)| i | pure(*op)));
    scratch.erase.clear();
    let (value, erase, leaves_zero) = (&mut scratch.value, &mut scratch.erase, scratch.leaves_zero);
    let mut fold = Fold { ir, value, erase, leaves_zero, changed: false };
    // In the order of the code: operands precede their instruction, so their values are known here.
    for i in 0..len {
        match class(fold.ir.op[i]) {
            Class::Binary => fold.binary(i),
            Class::Unary => fold.unary(i),
            Class::Copy => fold.duplicate(i),
            _ => {}
        }
    }
    let changed = fold.changed;
    // After the sweep, because rules look at operands of code that is erased.
    if !scratch.erase.is_empty() {
        erase_ranges(ir, &scratch.erase);
    }
    changed
}

/// Drops the instructions in `erase[i] .. i` for all i. Ranges are nested or disjoint, so the least start to
/// the right decides.
fn erase_ranges(ir: &mut Ir, erase: &[u32]) {
    let mut least = NONE;
    for i in (0..ir.op.len()).rev() {
        if i as u32 >= least {
            ir.op[i] = NOP;
        }
        least = least.min(erase.get(i).copied().unwrap_or(NONE));
    }
}

struct Fold<'a> {
    ir: &'a mut Ir,
    value: &'a mut Vec<u32>,
    erase: &'a mut Vec<u32>,
    /// Whether comparisons with zero are left alone.
    leaves_zero: bool,
    changed: bool,
}

impl Fold<'_> {
    /// Returns the value that ends at `end`, as an operand of instruction `by`. If the two are in different
    /// blocks, a jump may have provided the value. It is then conditional, so that no rule looks beyond a
    /// block, nor beyond the code of an inlined call.
    fn operand(&self, end: usize, by: usize) -> FoldValue {
        let known = self.ir.block[end] == self.ir.block[by] && self.ir.start[end] != NONE;
        if known { FoldValue(self.value[end]) } else { FoldValue::conditional(end) }
    }

    fn constant(&self, value: FoldValue) -> Option<u32> {
        (value.is_plain() && self.ir.op[value.last()] == Op::LoadConst as u32)
            .then(|| self.ir.arg[value.last()])
    }

    fn drop(&mut self, i: usize) {
        self.ir.op[i] = NOP;
        self.changed = true;
    }

    fn make(&mut self, i: usize, op: Op, arg: u32) {
        self.ir.op[i] = op as u32;
        self.ir.arg[i] = arg;
        self.ir.aux[i] = 0;
        self.changed = true;
    }

    /// Makes `i` load a constant, which is the value that ends at `i`.
    fn make_constant(&mut self, i: usize, value: u32) {
        self.make(i, Op::LoadConst, value);
        self.value[i] = i as u32 | PURE;
    }

    /// Drops `i` and makes `value` the value that ends at `i`.
    fn make_operand(&mut self, i: usize, value: FoldValue) {
        self.drop(i);
        if value.is_plain() {
            self.value[i] = value.0;
            self.ir.start[value.last()] = self.ir.start[i];
        } else {
            self.value[i] = FoldValue::conditional(i).0;
        }
    }

    fn duplicate(&mut self, i: usize) {
        if i == 0 {
            return;
        }
        let value = self.operand(i - 1, i);
        let op = self.ir.op[value.last()];
        if value.is_plain() && (op == Op::LoadConst as u32 || op == Op::LoadVar as u32) {
            self.ir.op[i] = op;
            self.ir.arg[i] = self.ir.arg[value.last()];
            self.value[i] |= PURE;
            self.changed = true;
        }
    }

    fn unary(&mut self, i: usize) {
        if i == 0 {
            return;
        }
        let x = self.operand(i - 1, i);
        let (inner, op) = (x.last(), self.ir.op[i]);
        let inner_op = self.ir.op[inner];
        if let Some(value) = self.constant(x) {
            self.drop(inner);
            self.make_constant(i, arithmetic::unary(op, value));
        // `abs` is no inverse of itself.
        } else if x.is_plain() && inner_op == op && op != Op::Abs as u32 && inner > 0 && self.ir.aux[inner] == 0
        {
            let operand = self.operand(inner - 1, inner);
            self.drop(inner);
            self.make_operand(i, operand);
        } else if x.is_plain()
            && op == Op::Not as u32
            && let Some(opposite) = Op::from_u32(inner_op).and_then(Op::opposite)
        {
            self.ir.op[inner] = opposite as u32;
            self.make_operand(i, x);
        } else if x.is_pure() {
            self.value[i] |= PURE;
        }
    }

    fn binary(&mut self, i: usize) {
        // If the last operand comes from another block, its start may be out of date.
        if i == 0 || self.ir.block[i - 1] != self.ir.block[i] || matches!(self.ir.start[i - 1], 0 | NONE) {
            return;
        }
        let b = self.operand(i - 1, i);
        let a = self.operand(self.ir.start[i - 1] as usize - 1, i);
        let (op, of_bools) = (self.ir.op[i], self.ir.aux[i] == 1);
        let (left, right) = (self.constant(a), self.constant(b));
        if let (Some(c), Some(d)) = (left, right) {
            // A division by the constant 0 stays, because it must trap.
            if let Ok(value) = arithmetic::binary(op, c, d) {
                self.drop(a.last());
                self.drop(b.last());
                self.make_constant(i, value);
            }
            return;
        }
        let compares = self.leaves_zero && matches!(Op::from_u32(op), Some(Op::Eq | Op::Ne));
        let rule = match (left, right) {
            _ if compares => None,
            // A jump tests an int as well as a bool, so it needs no comparison with 0.
            (None, Some(0)) | (Some(0), None) if op == Op::Ne as u32 && self.decides(i) => {
                Some(Simplification::Operand)
            }
            (None, Some(d)) => with_constant_right(op, d, of_bools),
            (Some(c), None) => with_constant_left(op, c, of_bools),
            _ => None,
        };
        let (x, c) = if right.is_some() { (a, b) } else { (b, a) };
        match rule {
            Some(Simplification::Operand) => {
                self.drop(c.last());
                return self.make_operand(i, x);
            }
            // Only a value with a known start can be erased.
            Some(Simplification::Constant(value)) if x.is_pure() && self.ir.start[i] != NONE => {
                self.erase.resize(self.ir.op.len(), NONE);
                self.erase[i] = self.ir.start[i];
                return self.make_constant(i, value);
            }
            Some(Simplification::Unary(unary)) => {
                self.drop(c.last());
                self.make(i, unary, 0);
                // `!!x` is not x if x is an int, and aux tells `unary` so.
                self.ir.aux[i] = (unary == Op::Not && !of_bools) as u32;
                self.value[i - 1] = if x.is_plain() { x.0 } else { FoldValue::conditional(i - 1).0 };
                return self.unary(i);
            }
            _ => {}
        }
        if self.both_load_one_variable(a, b) && self.same_operands(i, a, b) {
            return;
        }
        // Only the right operand decides whether the operation traps.
        let safe = || right.is_some_and(|d| arithmetic::binary(op, 0, d).is_ok());
        if a.is_pure() && b.is_pure() && (!arithmetic::may_trap(op) || safe()) {
            self.value[i] |= PURE;
        }
    }

    /// Whether the value of `i` decides a jump and nothing else.
    fn decides(&self, i: usize) -> bool {
        self.ir.op.get(i + 1).is_some_and(|&op| matches!(condition(op), Some((_, false))))
    }

    fn both_load_one_variable(&self, a: FoldValue, b: FoldValue) -> bool {
        let load = Op::LoadVar as u32;
        let (x, y) = (a.last(), b.last());
        a.is_plain()
            && b.is_plain()
            && (self.ir.op[x], self.ir.op[y]) == (load, load)
            && self.ir.arg[x] == self.ir.arg[y]
    }

    /// Applies the rules for `x op x`. Returns whether one applied.
    fn same_operands(&mut self, i: usize, a: FoldValue, b: FoldValue) -> bool {
        use Op::*;
        match Op::from_u32(self.ir.op[i]) {
            Some(op @ (Sub | Xor | Ne | Lt | Gt | Eq | Le | Ge)) => {
                self.drop(a.last());
                self.drop(b.last());
                self.make_constant(i, matches!(op, Eq | Le | Ge) as u32);
            }
            Some(And | Or | Min | Max) => {
                self.drop(b.last());
                self.make_operand(i, a);
            }
            _ => return false,
        }
        true
    }
}

/// Rules for `x op c`.
fn with_constant_right(op: u32, c: u32, of_bools: bool) -> Option<Simplification> {
    use Op::*;
    const MINUS_ONE: u32 = u32::MAX;
    Some(match (Op::from_u32(op)?, c) {
        (Add | Sub | Or | Xor, 0) | (Mul | Div, 1) | (And, MINUS_ONE) => Simplification::Operand,
        // Counts are taken modulo 32.
        (Shl | Shr, _) if c & 31 == 0 => Simplification::Operand,
        (Eq, 1) | (Ne, 0) if of_bools => Simplification::Operand,
        (Mul | And, 0) | (Mod, 1 | MINUS_ONE) => Simplification::Constant(0),
        (Or, MINUS_ONE) => Simplification::Constant(MINUS_ONE),
        (Mul | Div, MINUS_ONE) => Simplification::Unary(Neg),
        (Xor, MINUS_ONE) => Simplification::Unary(Invert),
        (Eq, 0) => Simplification::Unary(Not),
        (Ne, 1) if of_bools => Simplification::Unary(Not),
        _ => return None,
    })
}

/// Rules for `c op x`.
fn with_constant_left(op: u32, c: u32, of_bools: bool) -> Option<Simplification> {
    match (Op::from_u32(op)?, c) {
        (commuting, _) if commuting.commutes() => with_constant_right(op, c, of_bools),
        (Op::Sub, 0) => Some(Simplification::Unary(Op::Neg)),
        _ => None,
    }
}
