//! Rewrites a `for` over a range as a `while` with a counter.

use super::Rewriter;
use super::facts::{assigns, bounds, continues, is_literal, is_pure, replace_in};
use crate::corpus::tree::{Block, Expr, Iterable, Name, Stmt, binary, block_ends, var};
use crate::lang::token::TokenKind::{Less, LessEqual, Plus};

impl Rewriter<'_> {
    /// Writes the loop with a counter if that is equivalent, or else the unchanged loop.
    pub fn as_while(&mut self, name: Name, over: Iterable, body: Block, out: &mut Block) {
        let same = bounds(&over).is_some_and(|(lo, hi, inclusive)| {
            // The upper bound is then evaluated in each iteration, and the greatest int has no successor.
            self.steady(hi, &body)
                && is_pure(lo, &self.scope)
                && (!inclusive || matches!(hi, Expr::Int(n) if *n < i32::MAX))
        });
        if !same || block_ends(&body) || continues(&body) || assigns(&body, &name, false) {
            out.push(Stmt::For(name, over, body));
            return;
        }
        let counter = self.fresh();
        let mut body = body;
        for statement in &mut body {
            replace_in(statement, &name, &var(&counter));
        }
        body.push(Stmt::Assign(var(&counter), Some(Plus), Expr::Int(1)));
        let (lo, hi, op) = match over {
            Iterable::Below(lo, hi) => (lo, hi, Less),
            Iterable::UpTo(lo, hi) => (lo, hi, LessEqual),
            Iterable::List(list) => return out.push(Stmt::For(name, Iterable::List(list), body)),
        };
        out.push(Stmt::Let(counter.clone(), None, lo));
        out.push(Stmt::While(binary(op, var(&counter), hi), body));
    }

    /// Returns whether an expression keeps its value while the body runs, and cannot trap.
    fn steady(&self, e: &Expr, body: &Block) -> bool {
        match e {
            _ if is_literal(e) => true,
            Expr::Var(name) => !assigns(body, name, false),
            Expr::Call(len, of) if &**len == "len" => match of.first() {
                Some(Expr::Var(list)) => !assigns(body, list, true),
                _ => false,
            },
            Expr::Binary(..) | Expr::Group(_) => {
                is_pure(e, &self.scope) && e.children().into_iter().all(|child| self.steady(child, body))
            }
            _ => false,
        }
    }
}
