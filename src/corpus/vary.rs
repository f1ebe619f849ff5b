//! Varies idioms with small changes of meaning: another comparison, constant or operator, or exchanged
//! operands.
//!
//! There are few idioms. A function that almost equals one looks familiar, so the model must attend to every
//! word of it.

use super::scope::{Property, Scope, loop_variable};
use super::tree::{Block, Expr, Function, Program, Stmt, Ty};
use crate::lang::random::Rng;
use crate::lang::token::TokenKind::{self, *};

const ORDERS: &[TokenKind] = &[Less, LessEqual, Greater, GreaterEqual, EqualEqual, BangEqual];
const SUMS: &[TokenKind] = &[Plus, Plus, Minus, Star];
const BITS: &[TokenKind] = &[Ampersand, Bar, Caret];
const LOGIC: &[TokenKind] = &[AmpersandAmpersand, BarBar];

/// Changes a function of a program at about `changes` places.
pub fn function(program: &mut Program, function: usize, changes: usize, rng: &mut Rng) {
    let mut scope = Scope::of_functions(&program.functions);
    for (name, value) in &program.constants {
        let ty = scope.ty(value);
        scope.declare(name, ty, Property::Constant);
    }
    let Some(Function { params, body, .. }) = program.functions.get_mut(function) else { return };
    for (name, ty) in params.iter() {
        scope.declare(name, ty.ty, Property::Nothing);
    }
    let size = count(body);
    Vary { rng, scope, one_in: size / changes.max(1) + 1, looping: false }.block(body);
}

fn count(block: &Block) -> usize {
    fn nodes(e: &Expr) -> usize {
        1 + e.children().into_iter().map(nodes).sum::<usize>()
    }
    let one = |s: &Stmt| {
        s.expressions().into_iter().map(nodes).sum::<usize>() + s.blocks().into_iter().map(count).sum::<usize>()
    };
    block.iter().map(one).sum()
}

struct Vary<'a> {
    rng: &'a mut Rng,
    scope: Scope,
    one_in: usize,
    /// Whether the statements are in a `while` loop, whose length they may control.
    looping: bool,
}

impl Vary<'_> {
    fn should_apply(&mut self) -> bool {
        self.rng.below(self.one_in) == 0
    }

    fn block(&mut self, block: &mut Block) {
        let outer = self.scope.variables.len();
        for statement in block.iter_mut() {
            self.statement(statement);
        }
        self.scope.variables.truncate(outer);
    }

    fn statement(&mut self, statement: &mut Stmt) {
        // Loop headers and the assignments to variables in a loop are kept, so that loops terminate.
        let kept = matches!(statement, Stmt::While(..) | Stmt::For(..));
        let stepping = matches!(statement, Stmt::Assign(Expr::Var(_), ..)) && self.looping;
        match &mut *statement {
            _ if kept || stepping => {}
            Stmt::Assign(_, _, value) => self.expr(value),
            other => other.expressions_mut().into_iter().for_each(|e| self.expr(e)),
        }
        let outer = self.scope.variables.len();
        if let Stmt::For(name, over, _) = &*statement {
            let (ty, known) = loop_variable(over, &self.scope);
            self.scope.declare(name, ty, known);
        }
        let looping = self.looping;
        self.looping |= matches!(statement, Stmt::While(..));
        for block in statement.blocks_mut() {
            self.block(block);
        }
        self.looping = looping;
        self.scope.variables.truncate(outer);
        match &mut *statement {
            Stmt::Let(name, ty, value) => {
                let ty = ty.as_ref().map_or_else(|| self.scope.ty(value), |ty| ty.ty);
                self.scope.declare(name, ty, Property::Nothing);
            }
            Stmt::Assign(_, Some(op), value) if !self.looping && self.should_apply() => {
                if let (Plus | Minus | Star, Ty::Int) = (*op, self.scope.ty(value)) {
                    *op = self.one(SUMS);
                }
            }
            _ => {}
        }
    }

    fn one(&mut self, of: &[TokenKind]) -> TokenKind {
        *self.rng.pick(of).unwrap_or(&Plus)
    }

    fn expr(&mut self, e: &mut Expr) {
        // Indices, bounds and arguments are kept, so that they stay in bounds.
        let inside = !matches!(e, Expr::Index(..) | Expr::Slice(..) | Expr::Repeat(..) | Expr::Call(..));
        if inside {
            for child in e.children_mut() {
                self.expr(child);
            }
        }
        if !self.should_apply() {
            return;
        }
        match e {
            Expr::Int(n) if *n < 10_000 => {
                *n = match self.rng.below(4) {
                    0 => n.wrapping_add(1),
                    1 => n.wrapping_sub(1).max(0),
                    2 => self.rng.within(0, 20),
                    _ => self.rng.within(1, 10),
                };
            }
            Expr::Bool(b) => *b = !*b,
            Expr::Var(name) => {
                let Some(v) = self.scope.find(name) else { return };
                let (ty, of) = (v.ty, self.scope.of(v.ty));
                if !ty.is_list()
                    && let Some(v) = self.rng.pick(&of)
                {
                    *name = v.name.clone();
                }
            }
            Expr::Binary(op, left, right) => {
                let ints = self.scope.ty(left) == Ty::Int && self.scope.ty(right) == Ty::Int;
                let of = match op {
                    Less | LessEqual | Greater | GreaterEqual | EqualEqual | BangEqual if ints => ORDERS,
                    Plus | Minus | Star if ints => SUMS,
                    Ampersand | Bar | Caret => BITS,
                    AmpersandAmpersand | BarBar => LOGIC,
                    _ => return,
                };
                if ints && self.rng.chance(20) {
                    std::mem::swap(left, right);
                } else {
                    *op = *self.rng.pick(of).unwrap_or(op);
                }
            }
            Expr::Call(name, _) if matches!(&**name, "min" | "max") => {
                *name = if &**name == "min" { "max".into() } else { "min".into() };
            }
            _ => {}
        }
    }
}
