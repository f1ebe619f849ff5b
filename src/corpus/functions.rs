//! Free functions: parameters, a plan for the body, and statements and expressions that follow the plan.

use super::scope::{Property, Scope};
use super::statements::Statements;
use super::tree::{Block, Expr, Function, Name, Stmt, Ty, TypeNode, var};
use crate::lang::random::Rng;

/// The size of a function to be drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Small,
    Medium,
    Large,
}

/// Draws a function of this name that may call the functions in scope. The scope is restored afterwards.
pub fn function(name: &str, size: Size, rng: &mut Rng, scope: &mut Scope) -> Function {
    let outer = scope.variables.len();
    let params = parameters(rng, scope);
    let tys: Vec<Ty> = params.iter().map(|(_, ty)| ty.ty).collect();
    let result = result(&tys, rng);
    let looping = size != Size::Small || rng.chance(35);
    let depth = match size {
        Size::Small => 1,
        Size::Medium => 2,
        Size::Large => 3,
    };
    let statements = Statements {
        rng,
        scope,
        depth: if looping { depth } else { 1 },
        result: Some(result),
        looping: false,
        accumulator: None,
    };
    let body = Body { statements, result, size }.draw();
    scope.variables.truncate(outer);
    let result = TypeNode { ty: result, capacity: result.is_list().then(|| Box::new(Expr::Int(64))) };
    Function { name: name.into(), params, result, body }
}

/// Draws the types of parameters: all of one kind, or mixed.
fn parameters(rng: &mut Rng, scope: &mut Scope) -> Vec<(Name, TypeNode)> {
    let count = rng.weighted(&[2, 30, 33, 20, 9, 4, 2]);
    let theme = rng.weighted(&[36, 10, 36, 18]);
    (0..count)
        .map(|i| {
            let ty = match theme {
                0 => Ty::Int,
                1 => Ty::Bool,
                2 if i == 0 => [Ty::Ints, Ty::Bools][rng.weighted(&[85, 15])],
                2 => [Ty::Int, Ty::Ints][rng.weighted(&[75, 25])],
                _ => [Ty::Int, Ty::Bool, Ty::Ints, Ty::Bools][rng.weighted(&[50, 25, 20, 5])],
            };
            let name = scope.fresh();
            scope.declare(&name, ty, Property::Nothing);
            (name, ty.into())
        })
        .collect()
}

fn result(params: &[Ty], rng: &mut Rng) -> Ty {
    let has = |ty: Ty| params.contains(&ty);
    let bools = !params.is_empty() && params.iter().all(|ty| *ty == Ty::Bool);
    let weights = [
        if bools { 30 } else { 60 },
        if bools { 70 } else { 28 },
        if has(Ty::Ints) { 60 } else { 6 },
        if has(Ty::Bools) { 30 } else { 1 },
    ];
    [Ty::Int, Ty::Bool, Ty::Ints, Ty::Bools][rng.weighted(&weights)]
}

struct Body<'a> {
    statements: Statements<'a>,
    result: Ty,
    size: Size,
}

impl Body<'_> {
    fn draw(&mut self) -> Block {
        let mut out = vec![];
        let s = &mut self.statements;
        match (self.size, s.rng.below(100)) {
            (Size::Small, 0..=29) => self.only_return(&mut out),
            (Size::Small, 30..=39) => self.ladder(&mut out),
            (Size::Small, 40..=51) => self.guards(1, &mut out),
            (Size::Small, 52..=71) => self.accumulate(&mut out),
            (Size::Small, 72..=77) => self.choose(&mut out),
            (Size::Small, _) => self.steps(2, &mut out),
            (Size::Medium, 0..=7) => self.only_return(&mut out),
            (Size::Medium, 8..=15) => self.ladder(&mut out),
            (Size::Medium, 16..=26) => self.guards(3, &mut out),
            (Size::Medium, 27..=54) => self.accumulate(&mut out),
            (Size::Medium, 55..=59) => self.choose(&mut out),
            (Size::Medium, _) => self.steps(4, &mut out),
            (Size::Large, 0..=6) => self.guards(4, &mut out),
            (Size::Large, 7..=12) => self.ladder(&mut out),
            (Size::Large, 13..=49) => self.accumulate(&mut out),
            (Size::Large, _) => self.steps(6, &mut out),
        }
        out
    }

    fn count(&mut self, most: usize) -> usize {
        1 + self.statements.rng.below(most)
    }

    /// Returns a value that uses the results so far.
    fn finish(&mut self, out: &mut Block) {
        let s = &mut self.statements;
        let room = s.rng.weighted(&[25, 25, 25, 15, 10]);
        let all = s.scope.of(self.result);
        let value = match all.last() {
            Some(last) if s.rng.chance(45) => var(&last.name),
            _ => s.expr(self.result, room),
        };
        out.push(Stmt::Return(value));
    }

    fn only_return(&mut self, out: &mut Block) {
        let room = 1 + self.statements.rng.weighted(&[10, 20, 20, 18, 14, 10, 8]);
        let all: Vec<Expr> = self.statements.scope.variables.iter().map(|v| var(&v.name)).collect();
        let value = self.statements.about(self.result, room, &all);
        out.push(Stmt::Return(value));
    }

    /// Draws `if … { return …; } else if …`: every arm returns, and an `else` or a later return covers the
    /// other cases.
    fn ladder(&mut self, out: &mut Block) {
        let most = if self.size == Size::Small { 2 } else { 5 };
        if self.size != Size::Small && self.statements.rng.chance(40) {
            let count = self.count(2);
            self.statements.some(count, out);
        }
        let arms = (0..self.count(most)).map(|_| self.returning_arm()).collect();
        if self.statements.rng.chance(65) {
            let last = self.returning(0);
            out.push(Stmt::If(arms, Some(last)));
        } else {
            out.push(Stmt::If(arms, None));
            self.finish(out);
        }
    }

    fn returning_arm(&mut self) -> (Expr, Block) {
        let room = self.statements.rng.weighted(&[1, 45, 25, 18, 8]);
        let condition = self.statements.expr(Ty::Bool, room);
        (condition, self.returning(0))
    }

    /// Draws a block that returns on one path or on two.
    fn returning(&mut self, level: usize) -> Block {
        let outer = self.statements.scope.variables.len();
        let mut out = vec![];
        if self.statements.rng.chance(15) {
            self.statements.update(&mut out);
        }
        if level < 2 && self.size != Size::Small && self.statements.rng.chance(18) {
            let room = self.statements.rng.below(3);
            let condition = self.statements.expr(Ty::Bool, room);
            let (a, b) = (self.returning(level + 1), self.returning(level + 1));
            if self.statements.rng.chance(50) {
                out.push(Stmt::If(vec![(condition, a)], Some(b)));
            } else {
                out.push(Stmt::If(vec![(condition, a)], None));
                out.extend(b);
            }
        } else {
            let value = self.statements.early(self.result);
            out.push(Stmt::Return(value));
        }
        self.statements.scope.variables.truncate(outer);
        out
    }

    fn guards(&mut self, most: usize, out: &mut Block) {
        for _ in 0..self.count(most) {
            self.statements.guard(out);
        }
        let count = self.statements.rng.below(3);
        self.statements.some(count, out);
        self.finish(out);
    }

    fn steps(&mut self, most: usize, out: &mut Block) {
        let count = self.count(most);
        self.statements.some(count, out);
        self.finish(out);
    }

    /// Draws `let x = A; if C { x = B; } return x;` and similar forms.
    fn choose(&mut self, out: &mut Block) {
        let ty = self.result;
        let s = &mut self.statements;
        let first = s.expr(ty, 1);
        let x = s.declare_as(ty, first, out);
        let mut arms = vec![];
        for _ in 0..1 + s.rng.below(3) {
            let room = 1 + s.rng.below(3);
            let condition = s.expr(Ty::Bool, room);
            let value = s.expr(ty, room.min(2));
            arms.push((condition, vec![Stmt::Assign(var(&x), None, value)]));
        }
        let otherwise = s.rng.chance(40).then(|| vec![Stmt::Assign(var(&x), None, s.expr(ty, 1))]);
        out.push(Stmt::If(arms, otherwise));
        if s.rng.chance(50) {
            out.push(Stmt::Return(var(&x)));
        } else {
            let value = s.about(ty, 2, &[var(&x)]);
            out.push(Stmt::Return(value));
        }
    }

    /// Draws a loop that accumulates a value.
    fn accumulate(&mut self, out: &mut Block) {
        let ty = self.result;
        if self.statements.rng.chance(20) {
            self.statements.guard(out);
        }
        if self.size != Size::Small && self.statements.rng.chance(30) {
            self.statements.declare(out);
        }
        let s = &mut self.statements;
        let first = match ty {
            Ty::Int => Expr::Int(*s.rng.pick(&[0, 0, 0, 0, 1, 1, -1]).unwrap_or(&0)),
            Ty::Bool => Expr::Bool(s.rng.chance(50)),
            Ty::Ints | Ty::Bools => Expr::List(vec![]),
        };
        let total = s.declare_as(ty, first, out);
        s.accumulator = Some((total.clone(), ty));
        if s.rng.chance(70) {
            s.for_loop(out)
        } else {
            s.while_loop(out)
        }
        if s.rng.chance(65) {
            out.push(Stmt::Return(var(&total)));
        } else {
            let value = s.about(ty, 2, &[var(&total)]);
            out.push(Stmt::Return(value));
        }
    }
}
