//! The corpus: an unlimited stream of programs that resemble those that people write.
//!
//! [`generate`] returns program `index` of the stream `seed`: one function to be learned, with the functions
//! and constants that it uses. There are two sources. *Templates* (`idioms/`) are idioms written in the
//! language with holes, which `fill` replaces by free expressions. *Free functions* (`functions`,
//! `statements`, `expressions`) follow plans and intentions. Each may call functions of the other source. The
//! results are well-typed except in rare cases, which the caller finds by compiling them.

// A path begins with its room, in every member.
extern crate self as corpus;
use {::compiler, ::lang, ::network};

mod draft;
mod expressions;
mod fill;
mod functions;
pub mod normal_form;
mod print;
mod read;
mod rewrite;
mod scope;
mod sense;
mod statements;
mod templates;
#[cfg(test)]
mod tests;
mod tree;
mod vary;

use crate::lang::random::Rng;
pub use rewrite::augment;
use tree::{Block, Expr, Function, Program, Stmt};

/// The difficulty of the programs, for a curriculum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Level {
    /// At most one loop and 40 source words.
    Simple,
    /// Up to about 90 words.
    Medium,
    /// All programs, including long ones.
    Full,
}

/// A program, and the function to be learned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    pub source: String,
    /// Its index among the program's functions, in source order.
    pub function: usize,
}

/// Maximum number of programs drawn until one fits the level.
const TRIES: usize = 40;

/// Returns program `index` of the stream `seed`.
pub fn generate(seed: u64, index: u64, level: Level) -> Generated {
    let mut rng = Rng::new(seed, index);
    let mut last = None;
    for _ in 0..TRIES {
        let (mut program, function) = draft::program(level, &mut rng);
        let percent = [0, 10, 30][rng.weighted(&[30, 45, 25])];
        rewrite::function(&mut program, function, percent, &mut rng);
        if fits(&program, function, level) {
            return Generated { source: print::program(&program), function };
        }
        last = Some((program, function));
    }
    let (program, function) = last.unwrap_or_default();
    Generated { source: print::program(&program), function }
}

fn fits(program: &Program, function: usize, level: Level) -> bool {
    let Some(function) = program.functions.get(function) else { return false };
    let words = function_words(function);
    match level {
        Level::Simple => words <= 40 && loops(&function.body) <= 1,
        Level::Medium => (8..=100).contains(&words),
        Level::Full => (8..=240).contains(&words),
    }
}

/// Returns the approximate number of source words of a function.
fn function_words(function: &Function) -> usize {
    4 + 2 * function.params.len() + words(&function.body)
}

fn loops(block: &Block) -> usize {
    let own = |s: &Stmt| usize::from(matches!(s, Stmt::While(..) | Stmt::For(..)));
    block.iter().map(|s| own(s) + s.blocks().into_iter().map(loops).sum::<usize>()).sum()
}

/// Returns the approximate number of source words of a block.
fn words(block: &Block) -> usize {
    let own = |s: &Stmt| match s {
        Stmt::Let(_, Some(_), _) => 5,
        Stmt::Let(..) | Stmt::For(..) => 4,
        Stmt::Block(_) => 0,
        Stmt::If(arms, otherwise) => 2 * arms.len() - 1 + usize::from(otherwise.is_some()),
        Stmt::While(..) => 1,
        _ => 2,
    };
    let one = |s: &Stmt| {
        let inside: usize = s.expressions().into_iter().map(expression_words).sum();
        own(s) + inside + s.blocks().into_iter().map(|b| 2 + words(b)).sum::<usize>()
    };
    block.iter().map(one).sum()
}

fn expression_words(e: &Expr) -> usize {
    let children = e.children();
    let own = match e {
        Expr::Call(..) => 2 + children.len().max(1),
        Expr::List(_) => 1 + children.len().max(1),
        Expr::Str(codes) => 1 + 2 * codes.len(),
        Expr::Index(..) | Expr::Group(_) => 2,
        Expr::Slice(..) | Expr::Repeat(..) => 3,
        _ => 1,
    };
    own + children.into_iter().map(expression_words).sum::<usize>()
}
