//! Free loops: over lists, over ranges and on shrinking values. A loop can build up a given variable.

use super::Statements;
use crate::corpus::expressions::{Expressions, ORDERS};
use crate::corpus::scope::{Property, loop_variable};
use crate::corpus::tree::{Block, Expr, Iterable, Name, Stmt, Ty, binary, call, index, unary, var};
use crate::lang::token::TokenKind::*;

impl Statements<'_> {
    /// Draws the body of a loop, with the loop variable in scope.
    fn loop_block(&mut self, name: &Name, ty: Ty, known: Property) -> Block {
        let (outer, looping) = (self.scope.variables.len(), self.looping);
        self.scope.declare(name, ty, known);
        self.looping = true;
        let block = self.round(name);
        self.looping = looping;
        self.scope.variables.truncate(outer);
        block
    }

    /// Draws the statements of one iteration, including the one that builds up the given variable.
    fn round(&mut self, name: &Name) -> Block {
        let Some((total, ty)) = self.accumulator.take() else { return self.inner() };
        self.depth = self.depth.saturating_sub(1);
        let outer = self.scope.variables.len();
        let mut block = vec![];
        let count = self.rng.weighted(&[50, 30, 20]);
        let before = self.rng.below(count + 1);
        self.some(before, &mut block);
        let focus = match self.scope.find(name).map(|v| (v.ty, v.known.clone())) {
            Some((_, Property::IndexOf(list))) if self.rng.chance(85) => vec![index(var(&list), var(name))],
            _ => vec![var(name)],
        };
        let change = self.accumulate_step(&total, ty, &focus);
        block.push(change);
        self.some(count - before, &mut block);
        self.scope.variables.truncate(outer);
        self.depth += 1;
        block
    }

    /// Draws the statement by which an iteration builds up the variable.
    fn accumulate_step(&mut self, total: &Name, ty: Ty, focus: &[Expr]) -> Stmt {
        let s = self;
        let room = s.rng.below(3);
        let me = var(total);
        let change = match ty {
            Ty::Int => {
                let e = s.about(Ty::Int, room, focus);
                match s.rng.below(8) {
                    0 => Stmt::Assign(me.clone(), None, call("max", vec![me, e])),
                    1 => Stmt::Assign(
                        me.clone(),
                        None,
                        binary(Plus, binary(Star, me, Expr::Int(s.rng.within(2, 31))), e),
                    ),
                    2 => Stmt::Assign(me, Some(Plus), Expr::Int(1)),
                    3 => Stmt::Assign(me, Some(Caret), e),
                    _ => Stmt::Assign(me, Some(Plus), e),
                }
            }
            Ty::Bool => {
                let e = s.about(Ty::Bool, room, focus);
                match s.rng.below(4) {
                    0 => Stmt::Assign(me.clone(), None, binary(AmpersandAmpersand, me, e)),
                    1 => Stmt::Assign(me.clone(), None, binary(BarBar, me, e)),
                    2 => Stmt::Assign(me.clone(), None, unary(Bang, me)),
                    _ => Stmt::Assign(me, None, e),
                }
            }
            Ty::Ints | Ty::Bools => {
                let e = Expr::List(vec![s.about(ty.element(), room, focus)]);
                match s.rng.below(4) {
                    0 => Stmt::Assign(me.clone(), None, binary(Plus, me, e)),
                    1 => Stmt::Assign(me.clone(), None, binary(Plus, e, me)),
                    _ => Stmt::Assign(me, Some(Plus), e),
                }
            }
        };
        if s.rng.chance(40) {
            let condition = s.about(Ty::Bool, 1, focus);
            return Stmt::If(vec![(condition, vec![change])], None);
        }
        change
    }

    fn bound(&mut self) -> Expr {
        let ints = self.scope.of(Ty::Int);
        match (self.rng.below(10), self.rng.pick(&ints)) {
            (0..=5, Some(v)) => var(&v.name),
            (6, Some(v)) => binary(Plus, var(&v.name), Expr::Int(1)),
            (7, Some(v)) => call("min", vec![var(&v.name), Expr::Int(self.rng.within(5, 20))]),
            _ => Expr::Int(self.rng.within(2, 16)),
        }
    }

    /// Draws a loop over the indices of a list, its elements, or numbers.
    pub fn for_loop(&mut self, out: &mut Block) {
        let lists: Vec<(Name, Ty)> = [Ty::Ints, Ty::Bools]
            .into_iter()
            .flat_map(|ty| self.scope.of(ty))
            .map(|v| (v.name.clone(), v.ty))
            .collect();
        let name = self.scope.fresh();
        let list = self.rng.pick(&lists).cloned();
        let over = match (list, self.rng.below(10)) {
            (Some((xs, _)), 0..=3) => Iterable::List(var(&xs)),
            (Some((xs, _)), 4..=6) => {
                let lo = Expr::Int(*self.rng.pick(&[0, 0, 0, 0, 1]).unwrap_or(&0));
                Iterable::Below(lo, call("len", vec![var(&xs)]))
            }
            (_, n) => {
                let lo = match self.rng.below(8) {
                    0..=4 => Expr::Int(0),
                    5 => self.expr(Ty::Int, 0),
                    _ => Expr::Int(1),
                };
                let hi = self.bound();
                if n % 3 == 0 { Iterable::UpTo(lo, hi) } else { Iterable::Below(lo, hi) }
            }
        };
        let (ty, known) = loop_variable(&over, self.scope);
        let body = self.loop_block(&name, ty, known);
        out.push(Stmt::For(name, over, body));
    }

    /// Draws a loop with a counter or a shrinking value.
    pub fn while_loop(&mut self, out: &mut Block) {
        match self.rng.below(4) {
            0 => self.as_while(out),
            1 => self.through_list(out),
            _ => self.shrinking(out),
        }
    }

    /// Draws `let i = 0; while i < n { …; i += 1; }`, or the reverse direction.
    fn as_while(&mut self, out: &mut Block) {
        let (name, down) = (self.scope.fresh(), self.rng.chance(25));
        let bound = self.bound();
        let first = if down { bound.clone() } else { self.literal(0, 1) };
        out.push(Stmt::Let(name.clone(), None, first));
        let last = if down { Expr::Int(0) } else { bound };
        let condition = match (down, self.rng.chance(70)) {
            (false, true) => binary(Less, var(&name), last),
            (false, false) => binary(LessEqual, var(&name), last),
            (true, _) => binary(Greater, var(&name), last),
        };
        let mut body = self.loop_body(&name, Property::Counter);
        let step = Stmt::Assign(
            var(&name),
            Some(if down { Minus } else { Plus }),
            Expr::Int(self.rng.weighted(&[0, 85, 10, 5]) as i32),
        );
        self.step(step, &mut body);
        out.push(Stmt::While(condition, body));
        self.scope.declare(&name, Ty::Int, Property::Nothing);
    }

    /// Draws the body of a loop without `continue`, which would skip the loop's step.
    fn loop_body(&mut self, name: &Name, known: Property) -> Block {
        let looping = self.looping;
        let outer = self.scope.variables.len();
        self.scope.declare(name, Ty::Int, known);
        self.looping = false;
        let body = self.round(name);
        self.looping = looping;
        self.scope.variables.truncate(outer);
        body
    }

    /// Inserts a loop's step at the end of its body, or sometimes at the beginning.
    fn step(&mut self, step: Stmt, body: &mut Block) {
        let at = if self.rng.chance(12) { 0 } else { body.len() };
        body.insert(at, step);
    }

    fn through_list(&mut self, out: &mut Block) {
        let lists: Vec<Name> = self.scope.of(Ty::Ints).into_iter().map(|v| v.name.clone()).collect();
        let Some(xs) = self.rng.pick(&lists).cloned() else { return self.as_while(out) };
        let i = self.scope.fresh();
        out.push(Stmt::Let(i.clone(), None, Expr::Int(0)));
        let mut condition = binary(Less, var(&i), call("len", vec![var(&xs)]));
        if self.rng.chance(35) {
            let x = index(var(&xs), var(&i));
            let more = Expressions { rng: self.rng, scope: self.scope, focus: &[x] }.comparison(1);
            condition = binary(AmpersandAmpersand, condition, more);
        }
        let mut body = if self.rng.chance(20) { vec![] } else { self.loop_body(&i, Property::IndexOf(xs)) };
        body.push(Stmt::Assign(var(&i), Some(Plus), Expr::Int(1)));
        out.push(Stmt::While(condition, body));
        self.scope.declare(&i, Ty::Int, Property::Nothing);
    }

    /// Draws a loop that reduces a variable until it is small.
    fn shrinking(&mut self, out: &mut Block) {
        let Some(n) = self.assignable(Ty::Int) else { return self.as_while(out) };
        let me = || var(&n);
        let by = self.rng.pick(&[2, 2, 2, 10, 10, 3, 5]).copied().unwrap_or(2);
        let (condition, step) = match self.rng.below(6) {
            0..=2 => (
                binary(Greater, me(), Expr::Int(self.rng.below(2) as i32)),
                Stmt::Assign(me(), Some(Slash), Expr::Int(by)),
            ),
            3 => (binary(Greater, me(), Expr::Int(0)), Stmt::Assign(me(), Some(ShiftRight), Expr::Int(1))),
            4 => {
                let step = self.literal(1, 7);
                (
                    binary(ORDERS[2 + self.rng.below(2)], me(), self.literal(1, 20)),
                    Stmt::Assign(me(), Some(Minus), step),
                )
            }
            _ => (binary(BangEqual, me(), Expr::Int(0)), Stmt::Assign(me(), Some(Slash), Expr::Int(by))),
        };
        let known = Property::Counter;
        let mut body = self.loop_body(&n, known);
        self.step(step, &mut body);
        out.push(Stmt::While(condition, body));
    }
}
