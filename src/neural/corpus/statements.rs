//! Free statements: what people do with the variables that they have.
//!
//! Each kind has an intention: to name a value, to update one, to guard, to go through a list, to count down. Loops end: their counters are
//! assigned to by the loop alone.

use super::expressions::{Expressions, ORDERS};
use super::fill::loop_variable;
use super::rng::Rng;
use super::scope::{Known, Scope};
use super::tree::{Block, Expr, Name, Over, Stmt, Ty, TypeNode, binary, call, index, unary, var};
use crate::lang::token::TokenKind::{self, *};

/// Draws statements.
pub struct Statements<'a> {
    pub rng: &'a mut Rng,
    pub scope: &'a mut Scope,
    /// How deep compound statements may nest.
    pub depth: usize,
    /// What `return` is to give; `None` where there is to be none.
    pub result: Option<Ty>,
    /// Whether `break` and `continue` may stand here.
    pub looping: bool,
    /// What the next loop is to build up.
    pub work: Option<(Name, Ty)>,
}

impl Statements<'_> {
    pub fn expr(&mut self, ty: Ty, room: usize) -> Expr {
        self.about(ty, room, &[])
    }

    /// An expression about these.
    pub fn about(&mut self, ty: Ty, room: usize, focus: &[Expr]) -> Expr {
        Expressions { rng: self.rng, scope: self.scope, focus }.expr(ty, room)
    }

    /// A small number of operators.
    fn room(&mut self) -> usize {
        self.rng.weighted(&[10, 35, 28, 15, 8, 4])
    }

    fn condition(&mut self) -> Expr {
        let room = self.rng.weighted(&[2, 40, 25, 20, 8, 5]);
        self.expr(Ty::Bool, room)
    }

    /// So many statements, none of which leaves.
    pub fn some(&mut self, count: usize, out: &mut Block) {
        for _ in 0..count {
            self.statement(out);
        }
    }

    /// A block with a scope of its own.
    pub fn block(&mut self, count: usize) -> Block {
        let outer = self.scope.variables.len();
        let mut out = vec![];
        self.some(count, &mut out);
        self.scope.variables.truncate(outer);
        out
    }

    /// The block of a branch or loop.
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

    /// `let`, and the variable from then on.
    pub fn declare(&mut self, out: &mut Block) {
        let ty = [Ty::Int, Ty::Bool, Ty::Ints, Ty::Bools][self.rng.weighted(&[64, 12, 20, 4])];
        let room = self.room();
        let value = self.expr(ty, room);
        self.declare_as(ty, value, out);
    }

    /// `let` of this value under a fresh name.
    pub fn declare_as(&mut self, ty: Ty, value: Expr, out: &mut Block) -> Name {
        let name = self.scope.fresh();
        let empty = matches!(&value, Expr::List(list) if list.is_empty());
        let node = (empty || self.rng.chance(if ty.is_list() { 40 } else { 8 })).then(|| TypeNode {
            ty,
            capacity: ty.is_list().then(|| Box::new(Expr::Int(*self.rng.pick(&[32, 40, 64]).unwrap_or(&64)))),
        });
        self.scope.declare(&name, ty, Known::Nothing);
        out.push(Stmt::Let(name.clone(), node, value));
        name
    }

    /// A variable that may be assigned to.
    fn assignable(&mut self, ty: Ty) -> Option<Name> {
        let of: Vec<Name> = self
            .scope
            .of(ty)
            .into_iter()
            .filter(|v| v.known == Known::Nothing)
            .map(|v| v.name.clone())
            .collect();
        let near = &of[of.len().saturating_sub(3)..];
        let some = if self.rng.chance(60) { near } else { &of };
        self.rng.pick(some).cloned()
    }

    /// An assignment to an int or bool.
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

    /// `if … { return …; }`, now and then with something done before.
    pub fn guard(&mut self, out: &mut Block) {
        let Some(ty) = self.result else { return };
        let condition = self.condition();
        let value = self.early(ty);
        out.push(Stmt::If(vec![(condition, vec![Stmt::Return(value)])], None));
    }

    /// What an early return gives: mostly something short.
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

    /// Runs `body` with the variable in scope, as a loop.
    fn looped(&mut self, name: &Name, ty: Ty, known: Known) -> Block {
        let (outer, looping) = (self.scope.variables.len(), self.looping);
        self.scope.declare(name, ty, known);
        self.looping = true;
        let block = self.round(name);
        self.looping = looping;
        self.scope.variables.truncate(outer);
        block
    }

    /// What a loop does each time: what it has to build up, and more.
    fn round(&mut self, name: &Name) -> Block {
        let Some((total, ty)) = self.work.take() else { return self.inner() };
        self.depth = self.depth.saturating_sub(1);
        let outer = self.scope.variables.len();
        let mut block = vec![];
        let count = self.rng.weighted(&[50, 30, 20]);
        let before = self.rng.below(count + 1);
        self.some(before, &mut block);
        let focus = match self.scope.find(name).map(|v| (v.ty, v.known.clone())) {
            Some((_, Known::IndexOf(list))) if self.rng.chance(85) => vec![index(var(&list), var(name))],
            _ => vec![var(name)],
        };
        let change = self.gather(&total, ty, &focus);
        block.push(change);
        self.some(count - before, &mut block);
        self.scope.variables.truncate(outer);
        self.depth += 1;
        block
    }

    /// How a round of a loop works on what it builds.
    fn gather(&mut self, total: &Name, ty: Ty, focus: &[Expr]) -> Stmt {
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

    /// A loop over the places of a list, its elements, or numbers.
    pub fn for_loop(&mut self, out: &mut Block) {
        let lists: Vec<(Name, Ty)> = [Ty::Ints, Ty::Bools]
            .into_iter()
            .flat_map(|ty| self.scope.of(ty))
            .map(|v| (v.name.clone(), v.ty))
            .collect();
        let name = self.scope.fresh();
        let list = self.rng.pick(&lists).cloned();
        let over = match (list, self.rng.below(10)) {
            (Some((xs, _)), 0..=3) => Over::List(var(&xs)),
            (Some((xs, _)), 4..=6) => {
                let lo = Expr::Int(*self.rng.pick(&[0, 0, 0, 0, 1]).unwrap_or(&0));
                Over::Below(lo, call("len", vec![var(&xs)]))
            }
            (_, n) => {
                let lo = match self.rng.below(8) {
                    0..=4 => Expr::Int(0),
                    5 => self.expr(Ty::Int, 0),
                    _ => Expr::Int(1),
                };
                let hi = self.bound();
                if n % 3 == 0 { Over::UpTo(lo, hi) } else { Over::Below(lo, hi) }
            }
        };
        let (ty, known) = loop_variable(&over, self.scope);
        let body = self.looped(&name, ty, known);
        out.push(Stmt::For(name, over, body));
    }

    /// A loop with a counter or a value that shrinks.
    pub fn while_loop(&mut self, out: &mut Block) {
        match self.rng.below(4) {
            0 => self.counted(out),
            1 => self.through_list(out),
            _ => self.shrinking(out),
        }
    }

    /// `let i = 0; while i < n { …; i += 1; }`, or downwards.
    fn counted(&mut self, out: &mut Block) {
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
        let mut body = self.loop_body(&name, Known::Counter);
        let step = Stmt::Assign(
            var(&name),
            Some(if down { Minus } else { Plus }),
            Expr::Int(self.rng.weighted(&[0, 85, 10, 5]) as i32),
        );
        self.step(step, &mut body);
        out.push(Stmt::While(condition, body));
        self.scope.declare(&name, Ty::Int, Known::Nothing);
    }

    /// A loop's body without `continue`, which would skip its step.
    fn loop_body(&mut self, name: &Name, known: Known) -> Block {
        let looping = self.looping;
        let outer = self.scope.variables.len();
        self.scope.declare(name, Ty::Int, known);
        self.looping = false;
        let body = self.round(name);
        self.looping = looping;
        self.scope.variables.truncate(outer);
        body
    }

    /// Puts a loop's step at its end, or now and then at its beginning.
    fn step(&mut self, step: Stmt, body: &mut Block) {
        let at = if self.rng.chance(12) { 0 } else { body.len() };
        body.insert(at, step);
    }

    fn through_list(&mut self, out: &mut Block) {
        let lists: Vec<Name> = self.scope.of(Ty::Ints).into_iter().map(|v| v.name.clone()).collect();
        let Some(xs) = self.rng.pick(&lists).cloned() else { return self.counted(out) };
        let i = self.scope.fresh();
        out.push(Stmt::Let(i.clone(), None, Expr::Int(0)));
        let mut condition = binary(Less, var(&i), call("len", vec![var(&xs)]));
        if self.rng.chance(35) {
            let x = index(var(&xs), var(&i));
            let more = Expressions { rng: self.rng, scope: self.scope, focus: &[x] }.comparison(1);
            condition = binary(AmpersandAmpersand, condition, more);
        }
        let mut body = if self.rng.chance(20) { vec![] } else { self.loop_body(&i, Known::IndexOf(xs)) };
        body.push(Stmt::Assign(var(&i), Some(Plus), Expr::Int(1)));
        out.push(Stmt::While(condition, body));
        self.scope.declare(&i, Ty::Int, Known::Nothing);
    }

    /// A loop that takes a variable apart.
    fn shrinking(&mut self, out: &mut Block) {
        let Some(n) = self.assignable(Ty::Int) else { return self.counted(out) };
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
        let known = Known::Counter;
        let mut body = self.loop_body(&n, known);
        self.step(step, &mut body);
        out.push(Stmt::While(condition, body));
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

    /// A block that hides an outer variable.
    fn shadowing(&mut self) -> Block {
        self.depth -= 1;
        let outer = self.scope.variables.len();
        let mut out = vec![];
        if let Some(name) = self.assignable(Ty::Int) {
            let value = self.expr(Ty::Int, 2);
            self.scope.declare(&name, Ty::Int, Known::Nothing);
            out.push(Stmt::Let(name, None, value));
        }
        self.update(&mut out);
        self.scope.variables.truncate(outer);
        self.depth += 1;
        out
    }

    /// A change of an element, where an index is known or the list surely has one.
    fn list_change(&mut self, out: &mut Block) {
        let indices: Vec<(Name, Name)> = self
            .scope
            .of(Ty::Int)
            .into_iter()
            .filter_map(|v| match &v.known {
                Known::IndexOf(list) => Some((v.name.clone(), list.clone())),
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

    /// A list that grows.
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
