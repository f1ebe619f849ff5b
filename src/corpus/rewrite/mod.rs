//! Rewrites functions without changing their meaning, as another person might have written them.
//!
//! Each rewrite is local, and is applied with a small probability where possible. The result of a function
//! stays the same on every input. So does its trap, except for traps that count resources.

mod expressions;
mod facts;
mod loops;
mod statements;

use super::scope::{Property, Scope, loop_variable};
use super::tree::{Block, Function, Name, Program, Stmt, Ty};
use super::{print, read};
use crate::lang::random::Rng;

/// Rewrites one function of a program, given by its index among the functions. Returns `None` if the text
/// cannot be read or nothing was changed. The result has the same functions in the same order, without tests,
/// properties and comments.
pub fn augment(source: &str, function: usize, rng: &mut Rng) -> Option<String> {
    let mut program = read::program(source)?;
    let before = program.functions.get(function)?.clone();
    self::function(&mut program, function, 20, rng);
    (program.functions[function] != before).then(|| print::program(&program))
}

/// Rewrites a function of a program at about `percent` percent of the possible places.
pub fn function(program: &mut Program, function: usize, percent: u32, rng: &mut Rng) {
    let mut scope = Scope::of_functions(&program.functions);
    for (name, value) in &program.constants {
        let ty = scope.ty(value);
        scope.declare(name, ty, Property::Constant);
    }
    let Some(Function { params, result, body, .. }) = program.functions.get_mut(function) else { return };
    for (name, ty) in params.iter() {
        scope.declare(name, ty.ty, Property::Nothing);
    }
    let fresh = body.iter().map(greatest).max().unwrap_or(0);
    Rewriter { rng, scope, percent, result: result.ty, fresh }.block(body);
}

/// The prefix of names that rewrites introduce.
const FRESH: &str = "t_";

/// Returns the greatest number of a name with that prefix in a statement.
fn greatest(statement: &Stmt) -> u32 {
    let own = match statement {
        Stmt::Let(name, ..) | Stmt::For(name, ..) => name.strip_prefix(FRESH).and_then(|n| n.parse().ok()),
        _ => None,
    };
    statement.blocks().into_iter().flatten().map(greatest).max().max(own).unwrap_or(0)
}

struct Rewriter<'a> {
    rng: &'a mut Rng,
    scope: Scope,
    percent: u32,
    result: Ty,
    fresh: u32,
}

impl Rewriter<'_> {
    /// Returns whether to apply a rewrite; `share` is a percentage of the usual probability.
    fn should_apply(&mut self, share: u32) -> bool {
        self.rng.below(10_000) < (self.percent * share) as usize
    }

    /// Returns a name that the function does not use.
    fn fresh(&mut self) -> Name {
        self.fresh += 1;
        format!("{FRESH}{}", self.fresh).into()
    }

    /// Rewrites a block, which has a scope of its own.
    fn block(&mut self, block: &mut Block) {
        let outer = self.scope.variables.len();
        let mut out = Block::with_capacity(block.len());
        for mut statement in std::mem::take(block) {
            self.inside(&mut statement);
            self.single(statement, &mut out);
        }
        *block = out;
        self.whole(block);
        self.scope.variables.truncate(outer);
    }

    fn inside(&mut self, statement: &mut Stmt) {
        for e in statement.expressions_mut() {
            self.expr(e);
        }
        let outer = self.scope.variables.len();
        if let Stmt::For(name, over, _) = &*statement {
            let (ty, known) = loop_variable(over, &self.scope);
            self.scope.declare(name, ty, known);
        }
        for block in statement.blocks_mut() {
            self.block(block);
        }
        self.scope.variables.truncate(outer);
        if let Stmt::Let(name, ty, value) = statement {
            let ty = ty.as_ref().map_or_else(|| self.scope.ty(value), |ty| ty.ty);
            self.scope.declare(name, ty, Property::Nothing);
        }
    }
}
