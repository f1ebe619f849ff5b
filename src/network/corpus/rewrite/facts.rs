//! What a rewriting must know: what may trap, what is read and what is written.

use crate::lang::token::TokenKind;
use crate::network::corpus::scope::Scope;
use crate::network::corpus::tree::{Block, Expr, Over, Stmt};

/// Whether evaluating it can neither trap nor take long.
pub fn calm(e: &Expr, scope: &Scope) -> bool {
    let itself = match e {
        Expr::Index(..) | Expr::Slice(..) => false,
        Expr::Call(name, _) => scope.function(name).is_none(),
        Expr::Binary(TokenKind::Slash | TokenKind::Percent, _, by) => matches!(**by, Expr::Int(n) if n != 0),
        Expr::Binary(TokenKind::Plus, left, right) => !scope.ty(left).is_list() && !scope.ty(right).is_list(),
        _ => true,
    };
    itself && e.children().into_iter().all(|child| calm(child, scope))
}

/// Whether it is one number or truth value, whatever happens between two evaluations.
pub fn fixed(e: &Expr) -> bool {
    matches!(e, Expr::Int(_) | Expr::Bool(_))
}

/// The variable that a simple statement gives a value to.
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

/// Whether the block, or anything in it, gives the variable a new value. Changing an element of a list does not change its length, which `length`
/// says is all that matters.
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

/// Whether a `continue` of the loop with this body stands in it.
pub fn continues(block: &Block) -> bool {
    block.iter().any(|s| match s {
        Stmt::Continue => true,
        Stmt::While(..) | Stmt::For(..) => false,
        other => other.blocks().into_iter().any(continues),
    })
}

/// How often the variable is read or written in a statement and all in it.
pub fn mentions(statement: &Stmt, name: &str) -> usize {
    let own = statement.expressions().into_iter().map(|e| uses(e, name)).sum::<usize>();
    let declares = match statement {
        Stmt::Let(n, ..) | Stmt::For(n, ..) => usize::from(&**n == name),
        _ => 0,
    };
    let inside = statement.blocks().into_iter().flatten().map(|s| mentions(s, name)).sum::<usize>();
    own + declares + inside
}

/// How often the variable stands in an expression.
pub fn uses(e: &Expr, name: &str) -> usize {
    let own = usize::from(matches!(e, Expr::Var(n) if &**n == name));
    own + e.children().into_iter().map(|child| uses(child, name)).sum::<usize>()
}

/// Puts `value` where the variable stands.
pub fn replace(e: &mut Expr, name: &str, value: &Expr) {
    if matches!(e, Expr::Var(n) if &**n == name) {
        *e = value.clone();
        return;
    }
    for child in e.children_mut() {
        replace(child, name, value);
    }
}

/// The same in a statement and all in it.
pub fn replace_in(statement: &mut Stmt, name: &str, value: &Expr) {
    for e in statement.expressions_mut() {
        replace(e, name, value);
    }
    for s in statement.blocks_mut().into_iter().flatten() {
        replace_in(s, name, value);
    }
}

/// The bounds of a range.
pub fn bounds(over: &Over) -> Option<(&Expr, &Expr, bool)> {
    match over {
        Over::Below(lo, hi) => Some((lo, hi, false)),
        Over::UpTo(lo, hi) => Some((lo, hi, true)),
        Over::List(_) => None,
    }
}
