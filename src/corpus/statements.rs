//! Free statements on the variables in scope.
//!
//! Each kind has an intention: to name a value, to update a variable, to guard, to iterate over a list, to
//! count down. Loops terminate: only the loop itself assigns to its counter.

mod loops;

use super::expressions::Expressions;
use super::scope::{Property, Scope};
use super::tree::{Block, Expr, Name, Stmt, Ty, TypeNode, binary, call, index, unary, var};
use crate::lang::random::Rng;
use crate::lang::token::TokenKind::{self, *};

pub struct Statements<'a> {
    pub rng: &'a mut Rng,
    pub scope: &'a mut Scope,
    /// Maximum nesting depth of compound statements.
    pub depth: usize,
    /// The type of `return` values; `None` if no `return` is allowed.
    pub result: Option<Ty>,
    /// Whether `break` and `continue` are allowed.
    pub looping: bool,
    /// The variable, and its type, that the next loop must build up.
    pub accumulator: Option<(Name, Ty)>,
}

impl Statements<'_> {
    pub fn expr(&mut self, ty: Ty, room: usize) -> Expr {
        self.about(ty, room, &[])
    }

    /// Draws an expression whose leaves come mostly from `focus`.
    pub fn about(&mut self, ty: Ty, room: usize, focus: &[Expr]) -> Expr {
        Expressions { rng: self.rng, scope: self.scope, focus }.expr(ty, room)
    }

    /// Draws a small number of operators.
    fn room(&mut self) -> usize {
        self.rng.weighted(&[10, 35, 28, 15, 8, 4])
    }

    fn condition(&mut self) -> Expr {
        let room = self.rng.weighted(&[2, 40, 25, 20, 8, 5]);
        self.expr(Ty::Bool, room)
    }

    /// Draws `count` statements, none of which always leaves the block.
    pub fn some(&mut self, count: usize, out: &mut Block) {
        for _ in 0..count {
            self.statement(out);
        }
    }

    /// Draws a block, which has a scope of its own.
    pub fn block(&mut self, count: usize) -> Block {
        let outer = self.scope.variables.len();
        let mut out = vec![];
        self.some(count, &mut out);
        self.scope.variables.truncate(outer);
        out
    }

    /// Draws the block of a branch or loop.
    fn inner(&mut self) -> Block {
        self.depth -= 1;
        let count = 1 + self.rng.weighted(&[60, 28, 12]);
        let block = self.block(count);
        self.depth += 1;
        block
    }

    fn statement(&mut self, out: &mut Block) {
        let compound = if self.depth > 0 { 1 } else { 0 };
        let leaving = u32::from(self.result.is_some());
        let looping = u32::from(self.looping);
        let kind = self.rng.weighted(&[
            20,
            28,
            compound * 12,
            compound * 11,
            compound * 7,
            9,
            leaving * 5,
            looping * 4,
            2,
            compound,
            8,
        ]);
        match kind {
            0 => self.declare(out),
            1 => self.update(out),
            2 => self.branch(out),
            3 => self.for_loop(out),
            4 => self.while_loop(out),
            5 => self.list_change(out),
            6 => self.guard(out),
            7 => {
                let jump = if self.rng.chance(50) { Stmt::Continue } else { Stmt::Break };
                out.push(Stmt::If(vec![(self.condition(), vec![jump])], None));
            }
            8 => self.swap(out),
            9 => {
                let block = self.shadowing();
                out.push(Stmt::Block(block));
            }
            _ => self.append(out),
        }
    }

    /// Draws a `let` and adds its variable to the scope.
    pub fn declare(&mut self, out: &mut Block) {
        let ty = [Ty::Int, Ty::Bool, Ty::Ints, Ty::Bools][self.rng.weighted(&[64, 12, 20, 4])];
        let room = self.room();
        let value = self.expr(ty, room);
        self.declare_as(ty, value, out);
    }

    /// Adds a `let` of this value under a fresh name.
    pub fn declare_as(&mut self, ty: Ty, value: Expr, out: &mut Block) -> Name {
        let name = self.scope.fresh();
        let empty = matches!(&value, Expr::List(list) if list.is_empty());
        let node = (empty || self.rng.chance(if ty.is_list() { 40 } else { 8 })).then(|| TypeNode {
            ty,
            capacity: ty.is_list().then(|| Box::new(Expr::Int(*self.rng.pick(&[32, 40, 64]).unwrap_or(&64)))),
        });
        self.scope.declare(&name, ty, Property::Nothing);
        out.push(Stmt::Let(name.clone(), node, value));
        name
    }

    /// Draws a variable that may be assigned to.
    fn assignable(&mut self, ty: Ty) -> Option<Name> {
        let of: Vec<Name> = self
            .scope
            .of(ty)
            .into_iter()
            .filter(|v| v.known == Property::Nothing)
            .map(|v| v.name.clone())
            .collect();
        let near = &of[of.len().saturating_sub(3)..];
        let some = if self.rng.chance(60) { near } else { &of };
        self.rng.pick(some).cloned()
    }

    /// Draws an assignment to an int or bool.
    pub fn update(&mut self, out: &mut Block) {
        let ty = if self.rng.chance(85) { Ty::Int } else { Ty::Bool };
        let Some(name) = self.assignable(ty) else { return self.declare(out) };
        let room = self.room();
        out.push(self.assignment(&name, ty, room));
    }

    fn assignment(&mut self, name: &Name, ty: Ty, room: usize) -> Stmt {
        let me = var(name);
        if ty != Ty::Int {
            let value = match self.rng.below(5) {
                0 => unary(Bang, me.clone()),
                1 => binary(AmpersandAmpersand, me.clone(), self.expr(ty, 1)),
                2 => binary(BarBar, me.clone(), self.expr(ty, 1)),
                3 => Expr::Bool(self.rng.chance(50)),
                _ => self.expr(ty, room),
            };
            return Stmt::Assign(me, None, value);
        }
        match self.rng.below(20) {
            0..=9 => {
                let op = self.compound();
                let value = match op {
                    Slash | Percent => Expr::Int(self.rng.within(2, 10)),
                    ShiftLeft | ShiftRight => Expr::Int(self.rng.within(1, 4)),
                    _ => self.expr(Ty::Int, room.min(2)),
                };
                Stmt::Assign(me, Some(op), value)
            }
            10..=12 => {
                let value = self.expr(Ty::Int, room.min(2));
                Stmt::Assign(
                    me.clone(),
                    None,
                    binary(*self.rng.pick(&[Plus, Plus, Minus, Star]).unwrap_or(&Plus), me, value),
                )
            }
            13 => {
                let (a, b) = (self.literal(2, 31), self.expr(Ty::Int, 1));
                Stmt::Assign(me.clone(), None, binary(Plus, binary(Star, me, a), b))
            }
            14 => Stmt::Assign(me.clone(), None, unary(Minus, me)),
            15 | 16 => {
                let (name, value) = (if self.rng.chance(50) { "min" } else { "max" }, self.expr(Ty::Int, 1));
                Stmt::Assign(me.clone(), None, call(name, vec![me, value]))
            }
            _ => Stmt::Assign(me, None, self.expr(Ty::Int, room)),
        }
    }

    fn compound(&mut self) -> TokenKind {
        const OPERATORS: &[TokenKind] =
            &[Plus, Minus, Star, Slash, Percent, Ampersand, Bar, Caret, ShiftLeft, ShiftRight];
        OPERATORS[self.rng.weighted(&[44, 18, 9, 6, 5, 3, 4, 5, 2, 3])]
    }

    fn literal(&mut self, lo: i32, hi: i32) -> Expr {
        Expr::Int(self.rng.within(lo, hi))
    }

    fn branch(&mut self, out: &mut Block) {
        let mut arms = vec![(self.condition(), self.inner())];
        let mut otherwise = None;
        match self.rng.below(10) {
            0..=4 => {}
            5..=7 => otherwise = Some(self.inner()),
            _ => {
                for _ in 0..1 + self.rng.below(2) {
                    arms.push((self.condition(), self.inner()));
                }
                if self.rng.chance(70) {
                    otherwise = Some(self.inner());
                }
            }
        }
        out.push(Stmt::If(arms, otherwise));
    }

    /// Draws `if … { return …; }`.
    pub fn guard(&mut self, out: &mut Block) {
        let Some(ty) = self.result else { return };
        let condition = self.condition();
        let value = self.early(ty);
        out.push(Stmt::If(vec![(condition, vec![Stmt::Return(value)])], None));
    }

    /// Draws the value of an early return, which is usually short.
    pub fn early(&mut self, ty: Ty) -> Expr {
        match ty {
            Ty::Bool if self.rng.chance(60) => Expr::Bool(self.rng.chance(50)),
            Ty::Int if self.rng.chance(45) => self.literal(-1, 2),
            Ty::Ints | Ty::Bools if self.rng.chance(25) => Expr::List(vec![]),
            _ => {
                let room = self.rng.weighted(&[40, 35, 25]);
                self.expr(ty, room)
            }
        }
    }

    fn swap(&mut self, out: &mut Block) {
        let (Some(a), Some(b)) = (self.assignable(Ty::Int), self.assignable(Ty::Int)) else { return };
        if a == b {
            return self.update(out);
        }
        let t = self.declare_as(Ty::Int, var(&a), out);
        let value = match self.rng.below(3) {
            0 => var(&b),
            1 => binary(Plus, var(&a), var(&b)),
            _ => binary(Minus, var(&b), var(&a)),
        };
        out.push(Stmt::Assign(var(&a), None, value));
        out.push(Stmt::Assign(var(&b), None, var(&t)));
    }

    /// Draws a block that shadows an outer variable.
    fn shadowing(&mut self) -> Block {
        self.depth -= 1;
        let outer = self.scope.variables.len();
        let mut out = vec![];
        if let Some(name) = self.assignable(Ty::Int) {
            let value = self.expr(Ty::Int, 2);
            self.scope.declare(&name, Ty::Int, Property::Nothing);
            out.push(Stmt::Let(name, None, value));
        }
        self.update(&mut out);
        self.scope.variables.truncate(outer);
        self.depth += 1;
        out
    }

    /// Draws an assignment to an element, at a known index or at the first or last one.
    fn list_change(&mut self, out: &mut Block) {
        let indices: Vec<(Name, Name)> = self
            .scope
            .of(Ty::Int)
            .into_iter()
            .filter_map(|v| match &v.known {
                Property::IndexOf(list) => Some((v.name.clone(), list.clone())),
                _ => None,
            })
            .collect();
        let (list, at) = match self.rng.pick(&indices) {
            Some((i, list)) => (list.clone(), var(i)),
            None => match self.assignable(Ty::Ints) {
                Some(list) => {
                    let last = binary(Minus, call("len", vec![var(&list)]), Expr::Int(1));
                    let at = if self.rng.chance(60) { Expr::Int(0) } else { last };
                    (list, at)
                }
                None => return self.update(out),
            },
        };
        let ty = self.scope.find(&list).map_or(Ty::Int, |v| v.ty.element());
        let target = index(var(&list), at);
        let room = self.room().min(3);
        if ty == Ty::Int && self.rng.chance(50) {
            let op = self.compound();
            let value = match op {
                Slash | Percent => self.literal(2, 10),
                _ => self.expr(Ty::Int, room.min(1)),
            };
            out.push(Stmt::Assign(target, Some(op), value));
        } else {
            let value = self.expr(ty, room);
            out.push(Stmt::Assign(target, None, value));
        }
    }

    /// Draws an assignment that makes a list longer.
    fn append(&mut self, out: &mut Block) {
        let ty = if self.rng.chance(85) { Ty::Ints } else { Ty::Bools };
        let Some(xs) = self.assignable(ty) else { return self.update(out) };
        let room = self.room().min(2);
        let e = Expr::List(vec![self.expr(ty.element(), room)]);
        out.push(match self.rng.below(4) {
            0 => Stmt::Assign(var(&xs), None, binary(Plus, var(&xs), e)),
            1 => Stmt::Assign(var(&xs), None, binary(Plus, e, var(&xs))),
            _ => Stmt::Assign(var(&xs), Some(Plus), e),
        });
    }
}
