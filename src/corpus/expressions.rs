//! Free expressions: drawn for a type from the names in scope, in forms that people use.
//!
//! `room` is the approximate number of operators of an expression. Forms that trap on many inputs (a division
//! by a variable, an index without a bound) are rare or have a guard.

mod conditions;
mod lists;

use super::scope::{Property, Scope};
use super::tree::{Expr, Ty, binary, call, index, unary, var};
use crate::lang::random::Rng;
use crate::lang::token::TokenKind::{self, *};

/// Draws expressions. If `focus` is not empty, leaves are usually drawn from it.
pub struct Expressions<'a> {
    pub rng: &'a mut Rng,
    pub scope: &'a Scope,
    pub focus: &'a [Expr],
}

/// Ints that people write, with their weights.
const INTS: &[(i32, u32)] = &[
    (0, 14),
    (1, 22),
    (2, 20),
    (3, 12),
    (4, 7),
    (5, 8),
    (6, 3),
    (7, 6),
    (8, 5),
    (9, 3),
    (10, 12),
    (-1, 5),
    (11, 1),
    (12, 2),
    (13, 2),
    (15, 2),
    (16, 3),
    (17, 1),
    (20, 3),
    (24, 1),
    (25, 1),
    (26, 1),
    (30, 1),
    (31, 2),
    (32, 2),
    (50, 2),
    (60, 2),
    (64, 1),
    (97, 1),
    (99, 1),
    (100, 5),
    (127, 1),
    (128, 1),
    (255, 2),
    (256, 1),
    (1000, 3),
    (-2, 1),
    (-5, 1),
    (-10, 1),
    (9999, 1),
    (10000, 1),
    (65535, 1),
    (2147483647, 1),
];

pub const ORDERS: &[TokenKind] = &[Less, LessEqual, Greater, GreaterEqual];

impl Expressions<'_> {
    pub fn expr(&mut self, ty: Ty, room: usize) -> Expr {
        match ty {
            Ty::Int => self.int(room),
            Ty::Bool => self.bool(room),
            Ty::Ints | Ty::Bools => self.list(ty, room),
        }
    }

    /// Draws an int literal.
    pub fn literal(&mut self) -> Expr {
        if self.rng.chance(12) {
            return Expr::Int(match self.rng.below(4) {
                0 => self.rng.within(0, 127),
                1 => self.rng.within(-20, 200),
                2 => 1 << self.rng.below(31),
                _ => self.rng.within(0, 100_000),
            });
        }
        let weights: Vec<u32> = INTS.iter().map(|(_, w)| *w).collect();
        Expr::Int(INTS[self.rng.weighted(&weights)].0)
    }

    /// Draws a literal that is suitable as a divisor, a factor or a bound.
    fn count(&mut self) -> Expr {
        Expr::Int(*self.rng.pick(&[2, 2, 2, 3, 3, 4, 5, 7, 8, 10, 10, 16, 60, 100]).unwrap_or(&2))
    }

    /// Draws a variable of the type, or an expression of the focus.
    fn leaf(&mut self, ty: Ty) -> Option<Expr> {
        if !self.focus.is_empty() && self.rng.chance(90) {
            let of: Vec<&Expr> = self.focus.iter().filter(|e| self.scope.ty(e) == ty).collect();
            if let Some(e) = self.rng.pick(&of) {
                return Some((*e).clone());
            }
        }
        let all = self.scope.of(ty);
        // The variables declared last are used most.
        let near = all.len().min(3);
        let of = if self.rng.chance(50) { &all[all.len() - near..] } else { &all[..] };
        self.rng.pick(of).map(|v| var(&v.name))
    }

    fn int_leaf(&mut self) -> Expr {
        match self.rng.below(20) {
            0..=13 => self.leaf(Ty::Int),
            14 => self.element(),
            15 => self.leaf(Ty::Ints).map(|xs| call("len", vec![xs])),
            16 => self.leaf(Ty::Bool).map(|b| call("int", vec![b])),
            _ => None,
        }
        .unwrap_or_else(|| self.literal())
    }

    /// Draws an int that is not a literal, if possible.
    fn int_var(&mut self) -> Expr {
        self.leaf(Ty::Int)
            .or_else(|| self.element())
            .or_else(|| self.leaf(Ty::Ints).map(|xs| call("len", vec![xs])))
            .or_else(|| self.leaf(Ty::Bool).map(|b| call("int", vec![b])))
            .or_else(|| self.leaf(Ty::Bools).map(|xs| call("len", vec![xs])))
            .unwrap_or_else(|| self.literal())
    }

    /// Returns whether the scope has ints to compare.
    fn has_ints(&self) -> bool {
        !self.scope.of(Ty::Int).is_empty() || !self.scope.of(Ty::Ints).is_empty()
    }

    /// Builds an operation that is not trivial: not on two literals, nor on two equal operands if the result
    /// is obvious.
    fn pair(&mut self, op: TokenKind, mut left: Expr, mut right: Expr) -> Expr {
        let literal = |e: &Expr| matches!(e, Expr::Int(_) | Expr::Bool(_));
        if literal(&left) && literal(&right) {
            left = self.int_var();
        }
        if left == right && !matches!(op, Plus | Star) {
            right = if self.rng.chance(50) { self.int_var() } else { self.literal() };
            if left == right {
                right = self.count();
            }
        }
        binary(op, left, right)
    }

    /// Draws an int expression that is not a literal.
    fn operand(&mut self, room: usize) -> Expr {
        match self.int(room) {
            Expr::Int(_) => self.int_var(),
            other => other,
        }
    }

    /// Draws an element of a list in scope, at an index that is likely to exist.
    fn element(&mut self) -> Option<Expr> {
        let indices: Vec<_> =
            self.scope.of(Ty::Int).into_iter().filter(|v| matches!(v.known, Property::IndexOf(_))).collect();
        if let Some(v) = self.rng.pick(&indices)
            && let Property::IndexOf(list) = &v.known
            && self.scope.find(list).is_some_and(|l| l.ty == Ty::Ints)
        {
            let (i, xs) = (var(&v.name), var(list));
            return Some(match self.rng.below(8) {
                0 => index(xs.clone(), binary(Minus, binary(Minus, call("len", vec![xs]), Expr::Int(1)), i)),
                _ => index(xs, i),
            });
        }
        let xs = self.leaf(Ty::Ints)?;
        Some(match self.rng.below(6) {
            0 | 1 => index(xs, Expr::Int(0)),
            2 => index(xs.clone(), binary(Minus, call("len", vec![xs]), Expr::Int(1))),
            3 => {
                let at = self.int_var();
                index(xs.clone(), binary(Percent, call("abs", vec![at]), call("len", vec![xs])))
            }
            4 => index(xs, Expr::Int(self.rng.within(0, 3))),
            _ => return None,
        })
    }

    pub fn int(&mut self, room: usize) -> Expr {
        if room == 0 {
            return self.int_leaf();
        }
        if let Some(e) = self.maybe_call(Ty::Int, room) {
            return e;
        }
        let left = self.rng.below(room);
        let right = room - 1 - left;
        match self.rng.below(100) {
            0..=15 => self.int_leaf(),
            16..=27 => {
                let op = *self.rng.pick(&[Plus, Plus, Minus, Minus, Star]).unwrap_or(&Plus);
                binary(op, self.operand(room - 1), self.literal())
            }
            28..=33 => binary(Slash, self.operand(room - 1), self.count()),
            34..=41 => binary(Percent, self.operand(room - 1), self.count()),
            42..=65 => {
                let op = *self.rng.pick(&[Plus, Plus, Plus, Minus, Minus, Star, Star]).unwrap_or(&Plus);
                let (left, right) = (self.int(left), self.int(right));
                self.pair(op, left, right)
            }
            66..=69 => {
                let op = *self.rng.pick(&[Ampersand, Bar, Caret]).unwrap_or(&Caret);
                let (left, right) = (self.int(left), self.int(right));
                self.pair(op, left, right)
            }
            70 => self.element_of_value(room),
            71..=79 => self.bits(room),
            80 => call("abs", vec![self.operand(room - 1)]),
            81..=83 => {
                let name = if self.rng.chance(50) { "min" } else { "max" };
                let (left, mut right) = (self.operand(left), self.int(right));
                if left == right {
                    right = self.literal();
                }
                call(name, if self.rng.chance(15) { vec![right, left] } else { vec![left, right] })
            }
            84..=87 => binary(Minus, self.literal(), self.operand(room - 1)),
            88 => unary(Minus, self.int_var()),
            89 => unary(Minus, Expr::Group(Box::new(self.operand(room - 1)))),
            90 => {
                let op = if self.rng.chance(70) { Tilde } else { Minus };
                unary(
                    op,
                    if self.rng.chance(60) {
                        self.int_var()
                    } else {
                        Expr::Group(Box::new(self.operand(room - 1)))
                    },
                )
            }
            91..=92 => call("int", vec![self.bool(room - 1)]),
            93..=97 => self.user_call(Ty::Int, room).unwrap_or_else(|| self.int(room - 1)),
            98 => {
                let divisor = match self.rng.below(3) {
                    0 => call("max", vec![self.int_var(), Expr::Int(1)]),
                    1 => binary(Plus, call("abs", vec![self.int_var()]), Expr::Int(1)),
                    _ => self.int_var(),
                };
                binary(*self.rng.pick(&[Slash, Percent]).unwrap_or(&Slash), self.operand(left), divisor)
            }
            _ => Expr::Group(Box::new(self.int(room))),
        }
    }

    /// Draws an element or the length of a list that is not a variable.
    fn element_of_value(&mut self, room: usize) -> Expr {
        let at = self.int_var();
        match self.rng.below(4) {
            0 => match self.user_call(Ty::Ints, room) {
                Some(list) if self.rng.chance(50) => call("len", vec![list]),
                Some(list) => index(list, Expr::Int(0)),
                None => self.operand(room - 1),
            },
            1 => {
                let n = self.rng.within(2, 6);
                let list = Expr::List((0..n).map(|_| self.literal()).collect());
                index(list, binary(Percent, call("abs", vec![at]), Expr::Int(n)))
            }
            2 => {
                let (a, b) = (self.int_leaf(), self.int_leaf());
                index(Expr::List(vec![a, b]), call("int", vec![self.comparison(1)]))
            }
            _ => match self.leaf(Ty::Ints) {
                Some(xs) => call("len", vec![binary(Plus, xs, Expr::List(vec![at]))]),
                None => self.operand(room - 1),
            },
        }
    }

    /// Draws shifts and masks.
    fn bits(&mut self, room: usize) -> Expr {
        let x = if room > 2 { self.int(room - 2) } else { self.int_var() };
        let shift = match self.rng.below(3) {
            0 => self.int_var(),
            _ => Expr::Int(self.rng.within(1, 8)),
        };
        match self.rng.below(7) {
            0 => binary(Ampersand, binary(ShiftRight, x, shift), Expr::Int(1)),
            1 => binary(Ampersand, x, Expr::Int((1 << self.rng.within(1, 16)) - 1)),
            2 => binary(Bar, x, binary(ShiftLeft, Expr::Int(1), shift)),
            3 => binary(Caret, x.clone(), binary(ShiftRight, x, shift)),
            4 => binary(ShiftLeft, x, shift),
            5 => binary(Ampersand, x, Expr::Int(1)),
            _ => binary(ShiftRight, x, shift),
        }
    }

    /// Draws a call with a higher probability, if there are functions to call.
    fn maybe_call(&mut self, ty: Ty, room: usize) -> Option<Expr> {
        if self.scope.functions.is_empty() || !self.rng.chance(22) {
            return None;
        }
        self.user_call(ty, room)
    }

    /// Draws a call of a function in scope.
    fn user_call(&mut self, ty: Ty, room: usize) -> Option<Expr> {
        let of: Vec<_> = self.scope.functions.iter().filter(|f| f.result == ty).cloned().collect();
        let f = self.rng.pick(&of)?.clone();
        let share = room.saturating_sub(1) / f.params.len().max(1);
        let arguments = f.params.iter().map(|ty| self.expr(*ty, share.min(2))).collect();
        Some(Expr::Call(f.name, arguments))
    }
}
