//! Rewriting without a change of meaning: the same function as another person would have written it.
//!
//! Each rewriting is local, and made where it applies with a small probability. What a function returns stays the same on every input, and so
//! does the trap in which it ends, but for those that count resources.

mod expressions;
mod facts;
mod loops;
mod statements;

use super::fill::loop_variable;
use super::rng::Rng;
use super::scope::{Known, Scope};
use super::tree::{Block, Function, Name, Program, Stmt, Ty};
use super::{print, read};

/// Rewrites one function of a program, given by its index among the functions. `None` if the text cannot be read, or nothing was changed. The
/// answer has the same functions in the same order; tests, properties and comments are left out.
pub fn augment(source: &str, function: usize, rng: &mut Rng) -> Option<String> {
    let mut program = read::program(source)?;
    let before = program.functions.get(function)?.clone();
    self::function(&mut program, function, 20, rng);
    (program.functions[function] != before).then(|| print::program(&program))
}

/// Rewrites a function of a program at about so many percent of the places where that is possible.
pub fn function(program: &mut Program, function: usize, percent: u32, rng: &mut Rng) {
    let mut scope = Scope::of_functions(&program.functions);
    for (name, value) in &program.constants {
        let ty = scope.ty(value);
        scope.declare(name, ty, Known::Constant);
    }
    let Some(Function { params, result, body, .. }) = program.functions.get_mut(function) else { return };
    for (name, ty) in params.iter() {
        scope.declare(name, ty.ty, Known::Nothing);
    }
    let fresh = body.iter().map(greatest).max().unwrap_or(0);
    Rewriter { rng, scope, percent, result: result.ty, fresh }.block(body);
}

/// How names begin that rewriting gives.
const FRESH: &str = "t_";

/// The greatest number of a name in a statement that rewriting could have given.
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
    /// Whether to do what can be done here; `share` is how many percent of the usual.
    fn now(&mut self, share: u32) -> bool {
        self.rng.below(10_000) < (self.percent * share) as usize
    }

    /// A name that nothing in the function bears.
    fn fresh(&mut self) -> Name {
        self.fresh += 1;
        format!("{FRESH}{}", self.fresh).into()
    }

    /// A block with a scope of its own.
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

    /// Rewrites what a statement is made of.
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
            self.scope.declare(name, ty, Known::Nothing);
        }
    }
}
