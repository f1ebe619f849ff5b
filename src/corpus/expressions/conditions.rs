//! Free conditions: comparisons, and common tests of ints, lists and flags.

use super::{Expressions, ORDERS};
use crate::corpus::tree::{Expr, Ty, binary, call, index, unary};
use crate::lang::token::TokenKind::*;

impl Expressions<'_> {
    /// Draws a comparison of two ints.
    pub fn comparison(&mut self, room: usize) -> Expr {
        let op = match self.rng.below(10) {
            0..=2 => EqualEqual,
            3 => BangEqual,
            n => ORDERS[n % 4],
        };
        let room = room.min(4);
        match self.rng.below(10) {
            0..=4 => binary(op, self.int_side(room.saturating_sub(1)), self.threshold()),
            5..=8 => {
                let left = self.rng.below(room.max(1));
                let (left, right) = (self.int_side(left), self.int(room.saturating_sub(left + 1)));
                self.pair(op, left, right)
            }
            _ => binary(op, self.threshold(), self.int_side(room.saturating_sub(1))),
        }
    }

    /// Draws a literal to compare with, usually a small number.
    fn threshold(&mut self) -> Expr {
        if self.rng.chance(35) { self.literal() } else { Expr::Int(self.rng.within(0, 12)) }
    }

    /// Draws an int that is not a bare literal.
    fn int_side(&mut self, room: usize) -> Expr {
        if room == 0 { self.int_var() } else { self.operand(room) }
    }

    pub fn bool(&mut self, room: usize) -> Expr {
        // If bools are in scope, people combine them.
        let bools = self.scope.of(Ty::Bool).len() + self.focus.len();
        if (bools > 0 && room <= 1 && self.rng.chance(50))
            && let Some(b) = self.leaf(Ty::Bool)
        {
            return if self.rng.chance(30) { unary(Bang, b) } else { b };
        }
        let compares = self.has_ints();
        if room <= 1 || !compares && self.rng.chance(25) {
            return match self.leaf(Ty::Bool) {
                Some(b) if !compares => {
                    if self.rng.chance(30) {
                        unary(Bang, b)
                    } else {
                        b
                    }
                }
                _ => self.comparison(room),
            };
        }
        if let Some(e) = self.maybe_call(Ty::Bool, room) {
            return e;
        }
        let left = self.rng.below(room);
        let right = room - 1 - left;
        match if compares { self.rng.below(100) } else { 38 + self.rng.below(49) } {
            0..=29 => self.comparison(room),
            30..=37 => {
                let x = self.int_side(room.saturating_sub(3).min(1));
                self.generate_test(x)
            }
            n @ 38..=75 => {
                let op = if n < 58 { AmpersandAmpersand } else { BarBar };
                let (left, mut right) = (self.bool(left), self.bool(right));
                if left == right {
                    right = self.bool(2);
                }
                binary(op, left, right)
            }
            76..=80 => unary(Bang, Expr::Group(Box::new(self.bool(room - 1)))),
            81 => self.leaf(Ty::Bool).map_or_else(|| self.comparison(room), |b| unary(Bang, b)),
            82..=84 => {
                let op = if self.rng.chance(50) { EqualEqual } else { BangEqual };
                match (self.leaf(Ty::Bool), self.rng.below(3)) {
                    (Some(a), 0) => binary(op, a, Expr::Bool(self.rng.chance(50))),
                    (Some(a), _) => binary(op, a, Expr::Group(Box::new(self.bool(room - 1)))),
                    (None, _) => {
                        let (a, b) = (self.bool(left), self.bool(right));
                        binary(op, Expr::Group(Box::new(a)), Expr::Group(Box::new(b)))
                    }
                }
            }
            85..=90 => self.list_test().unwrap_or_else(|| self.comparison(room)),
            91..=96 => self.user_call(Ty::Bool, room).unwrap_or_else(|| self.bool(room - 1)),
            97 => Expr::Group(Box::new(self.bool(room))),
            98 => self.boolean_element().unwrap_or_else(|| self.bool(room - 1)),
            _ => self.boolean_element().unwrap_or_else(|| self.comparison(room)),
        }
    }

    /// Draws one of the common tests of an int.
    fn generate_test(&mut self, x: Expr) -> Expr {
        let one = Expr::Int(1);
        match self.rng.below(8) {
            0 | 1 => binary(EqualEqual, binary(Percent, x, self.count()), Expr::Int(0)),
            2 => binary(BangEqual, binary(Percent, x, Expr::Int(2)), Expr::Int(0)),
            3 => binary(
                EqualEqual,
                binary(Ampersand, x, one.clone()),
                if self.rng.chance(50) { one } else { Expr::Int(0) },
            ),
            4 | 5 => {
                let lo = self.rng.within(-10, 60);
                let hi = lo + self.rng.within(1, 60);
                let below = if self.rng.chance(50) { Less } else { LessEqual };
                binary(
                    AmpersandAmpersand,
                    binary(GreaterEqual, x.clone(), Expr::Int(lo)),
                    binary(below, x, Expr::Int(hi)),
                )
            }
            6 => {
                let (a, b) = (self.literal(), self.literal());
                binary(BarBar, binary(EqualEqual, x.clone(), a), binary(EqualEqual, x, b))
            }
            _ => binary(EqualEqual, binary(Percent, x, self.count()), Expr::Int(1)),
        }
    }

    fn list_test(&mut self) -> Option<Expr> {
        let ty = if self.rng.chance(85) { Ty::Ints } else { Ty::Bools };
        let xs = self.leaf(ty)?;
        let op = if self.rng.chance(60) { EqualEqual } else { BangEqual };
        Some(match self.rng.below(6) {
            0 => binary(op, xs, Expr::List(vec![])),
            1 | 2 => binary(op, call("len", vec![xs]), Expr::Int(0)),
            3 => binary(op, xs, self.list(ty, 1)),
            4 => binary(ORDERS[self.rng.below(4)], call("len", vec![xs]), self.count()),
            _ => {
                let other = self.leaf(ty)?;
                binary(op, xs, other)
            }
        })
    }

    fn boolean_element(&mut self) -> Option<Expr> {
        let flags = self.leaf(Ty::Bools)?;
        Some(match self.rng.below(2) {
            0 => index(flags, Expr::Int(0)),
            _ => index(flags.clone(), binary(Minus, call("len", vec![flags]), Expr::Int(1))),
        })
    }
}
