//! Rewrites statements without changing their effect: inverts or unfolds branches, changes compound
//! assignments, introduces temporaries, exchanges neighbours.

use super::Rewriter;
use super::expressions::negated;
use super::facts::{is_pure, mentions, replace, uses, written};
use crate::corpus::scope::Property;
use crate::corpus::tree::{Block, Expr, Stmt, Ty, binary, block_ends};
use crate::lang::token::TokenKind::{self, *};

/// Returns whether a compound assignment with this operator exists.
fn compound(op: TokenKind) -> bool {
    matches!(op, Plus | Minus | Star | Slash | Percent | Ampersand | Bar | Caret | ShiftLeft | ShiftRight)
}

impl Rewriter<'_> {
    /// Rewrites one statement, whose parts are rewritten already, into one or more.
    pub fn single(&mut self, statement: Stmt, out: &mut Block) {
        match statement {
            Stmt::Assign(target, Some(op), value) if self.should_apply(200) && self.repeatable(&target) => {
                out.push(Stmt::Assign(target.clone(), None, binary(op, target, value)));
            }
            Stmt::Assign(target, None, Expr::Binary(op, left, right))
                if compound(op) && *left == target && self.repeatable(&target) && self.should_apply(300) =>
            {
                out.push(Stmt::Assign(target, Some(op), *right));
            }
            Stmt::Assign(target, op, value) => {
                let value = self.named(value, out);
                out.push(Stmt::Assign(target, op, value));
            }
            Stmt::Return(value) => self.returned(value, out),
            Stmt::If(arms, otherwise) => {
                let statement = self.branch(arms, otherwise);
                out.push(statement);
            }
            Stmt::For(name, over, body) if self.should_apply(60) => self.as_while(name, over, body, out),
            Stmt::While(condition, mut body) if self.should_apply(8) && condition != Expr::Bool(true) => {
                body.insert(0, Stmt::If(vec![(negated(condition), vec![Stmt::Break])], None));
                out.push(Stmt::While(Expr::Bool(true), body));
            }
            other => out.push(other),
        }
    }

    /// Returns whether a target may be evaluated twice.
    fn repeatable(&self, target: &Expr) -> bool {
        match target {
            Expr::Index(_, at) => is_pure(at, &self.scope),
            _ => true,
        }
    }

    /// Sometimes introduces a temporary for a value that is not a leaf.
    fn named(&mut self, value: Expr, out: &mut Block) -> Expr {
        let plain = matches!(value, Expr::Binary(..) | Expr::Call(..) | Expr::Index(..));
        if !plain || self.scope.ty(&value).is_list() || !is_pure(&value, &self.scope) || !self.should_apply(25)
        {
            return value;
        }
        self.temporary(value, out)
    }

    fn temporary(&mut self, value: Expr, out: &mut Block) -> Expr {
        let name = self.fresh();
        let ty = self.scope.ty(&value);
        self.scope.declare(&name, ty, Property::Nothing);
        out.push(Stmt::Let(name.clone(), None, value));
        Expr::Var(name)
    }

    fn returned(&mut self, value: Expr, out: &mut Block) {
        let leaf = matches!(value, Expr::Var(_) | Expr::Int(_) | Expr::Bool(_));
        if leaf || self.result.is_list() {
            out.push(Stmt::Return(value));
        } else if self.result == Ty::Bool && self.should_apply(50) {
            // Return a condition through a branch.
            let (first, last) = (vec![Stmt::Return(Expr::Bool(true))], Stmt::Return(Expr::Bool(false)));
            if self.rng.chance(50) {
                out.push(Stmt::If(vec![(value, first)], None));
                out.push(last);
            } else {
                out.push(Stmt::If(vec![(value, first)], Some(vec![last])));
            }
        } else if self.should_apply(50) {
            let name = self.temporary(value, out);
            out.push(Stmt::Return(name));
        } else {
            out.push(Stmt::Return(value));
        }
    }

    fn branch(&mut self, mut arms: Vec<(Expr, Block)>, mut otherwise: Option<Block>) -> Stmt {
        if arms.len() > 1 && self.should_apply(30) {
            // Nest the remaining arms in the `else`.
            let rest = arms.split_off(1);
            return Stmt::If(arms, Some(vec![Stmt::If(rest, otherwise)]));
        }
        if let [(condition, body)] = &mut arms[..] {
            match &mut otherwise {
                Some(other) if self.should_apply(60) => {
                    std::mem::swap(body, other);
                    *condition = negated(std::mem::replace(condition, Expr::Bool(false)));
                }
                Some(other)
                    if other.len() == 1 && matches!(other[0], Stmt::If(..)) && self.should_apply(100) =>
                {
                    if let Some(Stmt::If(rest, last)) = other.pop() {
                        arms.extend(rest);
                        otherwise = last;
                    }
                }
                None if self.should_apply(40) => match (&mut *condition, &mut body[..]) {
                    (Expr::Binary(AmpersandAmpersand, a, b), _) => {
                        let inner = Stmt::If(vec![((**b).clone(), std::mem::take(body))], None);
                        *body = vec![inner];
                        *condition = (**a).clone();
                    }
                    (_, [Stmt::If(inner, None)]) if inner.len() == 1 => {
                        let (b, statements) = inner.remove(0);
                        *body = statements;
                        let a = std::mem::replace(condition, Expr::Bool(false));
                        *condition = binary(AmpersandAmpersand, a, b);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        Stmt::If(arms, otherwise)
    }

    /// Applies the rewrites that involve several statements of a block.
    pub fn whole(&mut self, block: &mut Block) {
        self.swap_neighbours(block);
        self.inline(block);
        self.fold_return(block);
        self.unfold(block);
    }

    /// Exchanges neighbours that do not depend on each other.
    fn swap_neighbours(&mut self, block: &mut Block) {
        for i in 1..block.len() {
            let (before, behind) = block.split_at_mut(i);
            let (a, b) = (&mut before[i - 1], &mut behind[0]);
            let (Some(x), Some(y)) = (written(a), written(b)) else { continue };
            // A store to a list may trap, and so may an expression that is not calm.
            let safe = |s: &Stmt| {
                let list = match s {
                    Stmt::Let(_, ty, value) => {
                        ty.as_ref().map_or_else(|| self.scope.ty(value), |ty| ty.ty).is_list()
                    }
                    Stmt::Assign(Expr::Index(..), ..) => true,
                    Stmt::Assign(_, op, value) => {
                        *op == Some(Slash)
                            || *op == Some(Percent)
                            || matches!(value, Expr::List(_) | Expr::Str(_))
                            || self.scope.ty(value).is_list()
                    }
                    _ => true,
                };
                !list && s.expressions().into_iter().all(|e| is_pure(e, &self.scope))
            };
            let apart = mentions(b, x) == 0 && mentions(a, y) == 0;
            if apart && safe(a) && safe(b) && self.should_apply(200) {
                std::mem::swap(a, b);
            }
        }
    }

    /// Replaces the only use of a temporary by its value, if the next statement contains it.
    fn inline(&mut self, block: &mut Block) {
        let mut i = 0;
        while i + 1 < block.len() {
            let (before, behind) = block.split_at_mut(i + 1);
            if let (Stmt::Let(name, None, value), Some(next)) = (&before[i], behind.first_mut())
                && !self.scope.ty(value).is_list()
                && !matches!(value, Expr::List(_) | Expr::Str(_) | Expr::Slice(..) | Expr::Repeat(..))
                && matches!(next, Stmt::Let(..) | Stmt::Assign(Expr::Var(_), ..) | Stmt::Return(_))
                && written(next).is_none_or(|w| w != &**name)
                && next.expressions().into_iter().map(|e| uses(e, name)).sum::<usize>() == 1
                && is_pure(value, &self.scope)
                && self.should_apply(60)
            {
                let (name, value) = (name.clone(), value.clone());
                if behind[1..].iter().all(|s| mentions(s, &name) == 0) {
                    for e in behind[0].expressions_mut() {
                        replace(e, &name, &value);
                    }
                    block.remove(i);
                    continue;
                }
            }
            i += 1;
        }
    }

    /// Rewrites `if C { return true; } return false;` as `return C;`.
    fn fold_return(&mut self, block: &mut Block) {
        if let [.., Stmt::If(arms, None), Stmt::Return(Expr::Bool(last))] = &block[..]
            && let [(condition, body)] = &arms[..]
            && let [Stmt::Return(Expr::Bool(first))] = &body[..]
            && first != last
            && self.should_apply(150)
        {
            let value = if *first { condition.clone() } else { negated(condition.clone()) };
            block.truncate(block.len() - 2);
            block.push(Stmt::Return(value));
        }
    }

    /// Moves the statements after branches that all leave into an `else`, or the reverse.
    fn unfold(&mut self, block: &mut Block) {
        let at = block
            .iter()
            .position(|s| matches!(s, Stmt::If(arms, _) if arms.iter().all(|(_, b)| block_ends(b))));
        let Some(at) = at else { return };
        let last = at + 1 == block.len();
        match &mut block[at] {
            Stmt::If(_, None) if !last && self.should_apply(40) => {
                let rest = block.split_off(at + 1);
                if block_ends(&rest) {
                    if let Stmt::If(_, otherwise) = &mut block[at] {
                        *otherwise = Some(rest);
                    }
                } else {
                    block.extend(rest);
                }
            }
            Stmt::If(_, otherwise @ Some(_)) if last && self.should_apply(100) => {
                let declares = |b: &Block| b.iter().any(|s| matches!(s, Stmt::Let(..)));
                if let Some(rest) = otherwise.take_if(|b| !declares(b) && !b.is_empty()) {
                    block.extend(rest);
                }
            }
            _ => {}
        }
    }
}
