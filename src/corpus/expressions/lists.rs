//! Free lists: joined, sliced and literal ones.

use super::Expressions;
use crate::corpus::tree::{Expr, Ty, binary, call};
use crate::lang::token::TokenKind::*;

impl Expressions<'_> {
    pub fn list(&mut self, ty: Ty, room: usize) -> Expr {
        let xs = self.leaf(ty);
        let element = |s: &mut Self| s.expr(ty.element(), room.saturating_sub(1).min(2));
        let Some(xs) = xs else {
            if room > 0
                && self.rng.chance(40)
                && let Some(e) = self.user_call(ty, room - 1)
            {
                return e;
            }
            return self.list_literal(ty, room);
        };
        let whole = xs.clone();
        let len = || call("len", vec![whole.clone()]);
        if room == 0 {
            return if self.rng.chance(80) { xs } else { self.list_literal(ty, 0) };
        }
        match self.rng.below(20) {
            0..=4 => xs,
            5..=7 => binary(Plus, xs, Expr::List(vec![element(self)])),
            8..=9 => binary(Plus, Expr::List(vec![element(self)]), xs),
            10 => {
                let other = self.leaf(ty).unwrap_or(xs.clone());
                binary(Plus, xs, other)
            }
            11 => Expr::Slice(Box::new(xs), Box::new(Expr::Int(1)), Box::new(len())),
            12 => {
                Expr::Slice(Box::new(xs), Box::new(Expr::Int(0)), Box::new(binary(Minus, len(), Expr::Int(1))))
            }
            13 => {
                Expr::Slice(Box::new(xs), Box::new(Expr::Int(0)), Box::new(binary(Slash, len(), Expr::Int(2))))
            }
            14 => Expr::Slice(Box::new(xs), Box::new(binary(Slash, len(), Expr::Int(2))), Box::new(len())),
            15 => {
                let n = call("min", vec![len(), Expr::Int(self.rng.within(1, 5))]);
                Expr::Slice(Box::new(xs), Box::new(Expr::Int(0)), Box::new(n))
            }
            16 => self.user_call(ty, room).unwrap_or(xs),
            17 => {
                let joined = Expr::Group(Box::new(binary(Plus, xs, Expr::List(vec![element(self)]))));
                let from = self.rng.within(0, 1);
                Expr::Slice(Box::new(joined), Box::new(Expr::Int(from)), Box::new(len()))
            }
            _ => self.list_literal(ty, room),
        }
    }

    pub fn list_literal(&mut self, ty: Ty, room: usize) -> Expr {
        match self.rng.below(10) {
            0..=6 => {
                let n = *self.rng.pick(&[1, 1, 2, 2, 2, 3, 3, 4, 5]).unwrap_or(&2);
                let literals = self.rng.chance(25);
                let elements = (0..n).map(|_| match ty.element() {
                    Ty::Int if literals => self.literal(),
                    element => self.expr(element, (room / n).min(2)),
                });
                Expr::List(elements.collect())
            }
            7..=8 => {
                let element = match ty.element() {
                    Ty::Bool if self.rng.chance(70) => Expr::Bool(self.rng.chance(40)),
                    Ty::Int if self.rng.chance(70) => Expr::Int(self.rng.within(-1, 1)),
                    element => self.expr(element, 0),
                };
                let count = *self.rng.pick(&[2, 3, 4, 5, 8, 10, 16]).unwrap_or(&4);
                Expr::Repeat(Box::new(element), Box::new(Expr::Int(count)))
            }
            _ => Expr::List(vec![]),
        }
    }
}
