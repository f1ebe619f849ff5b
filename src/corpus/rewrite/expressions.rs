//! Rewrites expressions without changing their values: swaps operands, mirrors or negates comparisons,
//! applies De Morgan's laws.

use super::Rewriter;
use super::facts::is_pure;
use crate::corpus::tree::{Expr, Ty, binary, call, unary};
use crate::lang::token::TokenKind::{self, *};

/// Returns the comparison that is equivalent after its sides are exchanged.
fn mirrored(op: TokenKind) -> Option<TokenKind> {
    Some(match op {
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
        EqualEqual => EqualEqual,
        BangEqual => BangEqual,
        _ => return None,
    })
}

/// Returns the negated comparison.
fn opposite(op: TokenKind) -> Option<TokenKind> {
    Some(match op {
        Less => GreaterEqual,
        LessEqual => Greater,
        Greater => LessEqual,
        GreaterEqual => Less,
        EqualEqual => BangEqual,
        BangEqual => EqualEqual,
        _ => return None,
    })
}

/// Returns `!condition`, simplified by one step if possible.
pub fn negated(condition: Expr) -> Expr {
    match condition {
        Expr::Bool(b) => Expr::Bool(!b),
        Expr::Group(inside) => negated(*inside),
        Expr::Unary(Bang, inside) => match *inside {
            Expr::Group(inside) => *inside,
            other => other,
        },
        Expr::Binary(op, left, right) => match opposite(op) {
            Some(opposite) => Expr::Binary(opposite, left, right),
            None => unary(Bang, Expr::Group(Box::new(Expr::Binary(op, left, right)))),
        },
        other => unary(Bang, other),
    }
}

fn is_empty(e: &Expr) -> bool {
    matches!(e, Expr::List(list) if list.is_empty())
}

impl Rewriter<'_> {
    /// Rewrites an expression and its subexpressions.
    pub fn expr(&mut self, e: &mut Expr) {
        for child in e.children_mut() {
            self.expr(child);
        }
        let old = std::mem::replace(e, Expr::Bool(false));
        *e = self.node(old);
    }

    fn node(&mut self, e: Expr) -> Expr {
        match e {
            Expr::Group(inside) if self.should_apply(150) => *inside,
            Expr::Binary(op, left, right) => self.infix(op, *left, *right),
            Expr::Call(name, mut arguments) if matches!(&*name, "min" | "max") && arguments.len() == 2 => {
                if self.should_apply(100) && arguments.iter().any(|a| is_pure(a, &self.scope)) {
                    arguments.swap(0, 1);
                }
                Expr::Call(name, arguments)
            }
            Expr::Unary(Bang, inside) if self.should_apply(100) => match *inside {
                Expr::Group(inside) => self.not_of(*inside),
                other => unary(Bang, other),
            },
            Expr::Unary(Minus, inside) if self.should_apply(6) => binary(Minus, Expr::Int(0), *inside),
            other => other,
        }
    }

    /// Returns another form of `!(inside)`.
    fn not_of(&mut self, inside: Expr) -> Expr {
        match inside {
            Expr::Binary(op @ (AmpersandAmpersand | BarBar), left, right) => {
                let other = if op == BarBar { AmpersandAmpersand } else { BarBar };
                binary(other, negated(*left), negated(*right))
            }
            other => negated(other),
        }
    }

    fn infix(&mut self, op: TokenKind, left: Expr, right: Expr) -> Expr {
        let either_is_pure = is_pure(&left, &self.scope) || is_pure(&right, &self.scope);
        match op {
            Plus if !self.scope.ty(&left).is_list() && !is_empty(&left) => {
                if either_is_pure && self.should_apply(70) {
                    return binary(op, right, left);
                }
                if left == right && matches!(left, Expr::Var(_)) && self.should_apply(20) {
                    return binary(Star, left, Expr::Int(2));
                }
            }
            Star | Ampersand | Bar | Caret if either_is_pure && self.should_apply(70) => {
                return binary(op, right, left);
            }
            Star if right == Expr::Int(2) && matches!(left, Expr::Var(_)) && self.should_apply(30) => {
                return if self.rng.chance(60) {
                    binary(Plus, left.clone(), left)
                } else {
                    binary(ShiftLeft, left, Expr::Int(1))
                };
            }
            Percent if right == Expr::Int(2) => {}
            EqualEqual | BangEqual | Less | LessEqual | Greater | GreaterEqual => {
                return self.compared(op, left, right, either_is_pure);
            }
            AmpersandAmpersand | BarBar if self.should_apply(8) => {
                let other = if op == BarBar { AmpersandAmpersand } else { BarBar };
                let inside = binary(other, negated(left), negated(right));
                return unary(Bang, Expr::Group(Box::new(inside)));
            }
            // Neither side can trap, so their order does not matter.
            AmpersandAmpersand | BarBar
                if super::facts::is_pure(&left, &self.scope)
                    && super::facts::is_pure(&right, &self.scope)
                    && self.should_apply(40) =>
            {
                return binary(op, right, left);
            }
            _ => {}
        }
        binary(op, left, right)
    }

    fn compared(&mut self, op: TokenKind, left: Expr, right: Expr, either_is_pure: bool) -> Expr {
        if let (Expr::Binary(parity, x, two), Expr::Int(0)) = (&left, &right)
            && matches!(op, EqualEqual | BangEqual)
            && self.should_apply(80)
        {
            match (parity, &**two) {
                (Percent, Expr::Int(2)) => {
                    let bit = Expr::Binary(Ampersand, x.clone(), Box::new(Expr::Int(1)));
                    return match self.rng.below(2) {
                        0 => binary(op, bit, Expr::Int(0)),
                        _ => binary(if op == EqualEqual { BangEqual } else { EqualEqual }, bit, Expr::Int(1)),
                    };
                }
                (Ampersand, Expr::Int(1)) => {
                    return binary(op, Expr::Binary(Percent, x.clone(), Box::new(Expr::Int(2))), Expr::Int(0));
                }
                _ => {}
            }
        }
        if matches!(left, Expr::Var(_))
            && is_empty(&right)
            && matches!(op, EqualEqual | BangEqual)
            && self.should_apply(150)
        {
            return binary(op, call("len", vec![left]), Expr::Int(0));
        }
        if let (Expr::Call(len, of), Expr::Int(0)) = (&left, &right)
            && &**len == "len"
            && matches!(op, EqualEqual | BangEqual)
            && self.should_apply(60)
            && let Some(Expr::Var(list)) = of.first()
        {
            return binary(op, Expr::Var(list.clone()), Expr::List(vec![]));
        }
        if self.should_apply(10)
            && self.scope.ty(&left) == Ty::Int
            && let Some(opposite) = opposite(op)
        {
            return unary(Bang, Expr::Group(Box::new(binary(opposite, left, right))));
        }
        // An empty list takes its type from the other side, on either side.
        match mirrored(op) {
            Some(mirrored) if either_is_pure && self.should_apply(60) => binary(mirrored, right, left),
            _ => self.by_one(op, left, right),
        }
    }

    /// Rewrites `x < 5` as `x <= 4`, and the reverse.
    fn by_one(&mut self, op: TokenKind, left: Expr, right: Expr) -> Expr {
        let Expr::Int(n) = right else { return binary(op, left, right) };
        if !self.should_apply(25) {
            return binary(op, left, right);
        }
        let other = match op {
            Less => n.checked_sub(1).map(|n| (LessEqual, n)),
            GreaterEqual => n.checked_sub(1).map(|n| (Greater, n)),
            LessEqual => n.checked_add(1).map(|n| (Less, n)),
            Greater => n.checked_add(1).map(|n| (GreaterEqual, n)),
            _ => None,
        };
        let (op, n) = other.unwrap_or((op, n));
        binary(op, left, Expr::Int(n))
    }
}
