//! Facts that rewrites depend on: which expressions may trap, and which variables are read and written.

use crate::corpus::scope::Scope;
use crate::corpus::tree::{Block, Expr, Iterable, Stmt};
use crate::lang::token::TokenKind;

/// Returns whether evaluation can neither trap nor take long.
pub fn is_pure(e: &Expr, scope: &Scope) -> bool {
    let itself = match e {
        Expr::Index(..) | Expr::Slice(..) => false,
        Expr::Call(name, _) => scope.function(name).is_none(),
        Expr::Binary(TokenKind::Slash | TokenKind::Percent, _, by) => matches!(**by, Expr::Int(n) if n != 0),
        Expr::Binary(TokenKind::Plus, left, right) => !scope.ty(left).is_list() && !scope.ty(right).is_list(),
        _ => true,
    };
    itself && e.children().into_iter().all(|child| is_pure(child, scope))
}

/// Returns whether the expression is a literal, whose value cannot change between two evaluations.
pub fn is_literal(e: &Expr) -> bool {
    matches!(e, Expr::Int(_) | Expr::Bool(_))
}

/// Returns the variable that a simple statement writes.
pub fn written(statement: &Stmt) -> Option<&str> {
    match statement {
        Stmt::Let(name, ..) => Some(name),
        Stmt::Assign(target, ..) => match target {
            Expr::Var(name) => Some(name),
            Expr::Index(list, _) => match &**list {
                Expr::Var(name) => Some(name),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether the block, including nested statements, assigns to the variable. With `length`, changes of
/// a list's elements do not count, because they do not change its length.
pub fn assigns(block: &Block, name: &str, length: bool) -> bool {
    block.iter().any(|s| {
        s.any(&mut |s| match s {
            Stmt::Assign(Expr::Index(..), ..) => !length && written(s) == Some(name),
            Stmt::Assign(..) | Stmt::Let(..) => written(s) == Some(name),
            Stmt::For(variable, ..) => &**variable == name,
            _ => false,
        })
    })
}

/// Returns whether the block contains a `continue` of its own loop.
pub fn continues(block: &Block) -> bool {
    block.iter().any(|s| match s {
        Stmt::Continue => true,
        Stmt::While(..) | Stmt::For(..) => false,
        other => other.blocks().into_iter().any(continues),
    })
}

/// Returns how often a statement, including nested ones, reads or writes the variable.
pub fn mentions(statement: &Stmt, name: &str) -> usize {
    let own = statement.expressions().into_iter().map(|e| uses(e, name)).sum::<usize>();
    let declares = match statement {
        Stmt::Let(n, ..) | Stmt::For(n, ..) => usize::from(&**n == name),
        _ => 0,
    };
    let inside = statement.blocks().into_iter().flatten().map(|s| mentions(s, name)).sum::<usize>();
    own + declares + inside
}

/// Returns how often the variable occurs in an expression.
pub fn uses(e: &Expr, name: &str) -> usize {
    let own = usize::from(matches!(e, Expr::Var(n) if &**n == name));
    own + e.children().into_iter().map(|child| uses(child, name)).sum::<usize>()
}

/// Replaces the variable by `value`.
pub fn replace(e: &mut Expr, name: &str, value: &Expr) {
    if matches!(e, Expr::Var(n) if &**n == name) {
        *e = value.clone();
        return;
    }
    for child in e.children_mut() {
        replace(child, name, value);
    }
}

/// Replaces the variable by `value` in a statement, including nested ones.
pub fn replace_in(statement: &mut Stmt, name: &str, value: &Expr) {
    for e in statement.expressions_mut() {
        replace(e, name, value);
    }
    for s in statement.blocks_mut().into_iter().flatten() {
        replace_in(s, name, value);
    }
}

pub fn bounds(over: &Iterable) -> Option<(&Expr, &Expr, bool)> {
    match over {
        Iterable::Below(lo, hi) => Some((lo, hi, false)),
        Iterable::UpTo(lo, hi) => Some((lo, hi, true)),
        Iterable::List(_) => None,
    }
}
