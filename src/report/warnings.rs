//! Warnings: what compiles but is probably not meant. Told for programs without errors only.

use std::ops::Range;

use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::{NAME_LEN, TokenKind};
use crate::program::Compiled;

/// A warning before it has places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub code: Code,
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

/// All warnings of a program that has no errors, in no order.
pub fn warnings(c: &Compiled) -> Vec<Warning> {
    if c.checked.decl.len() != c.tree.role.len() {
        return vec![];
    }
    let view = View { c, children: children(c) };
    let mut found = view.unused_names();
    for t in 0..c.tree.role.len() {
        match view.role(t) {
            Role::Binary => found.extend(view.one_outcome(t)),
            Role::Test => found.extend(view.calls_nothing(t)),
            Role::Prop => found.extend(view.empty_domain(t)),
            _ => {}
        }
    }
    found
}

struct View<'a> {
    c: &'a Compiled,
    /// Token and slot of each node's children, by the parent's token.
    children: Vec<Vec<(usize, u32)>>,
}

fn children(c: &Compiled) -> Vec<Vec<(usize, u32)>> {
    let mut children = vec![vec![]; c.tree.role.len()];
    for t in 0..c.tree.role.len() {
        if c.tree.role[t] != Role::None as u32
            && let Some(list) = children.get_mut(c.tree.parent[t] as usize)
        {
            list.push((t, c.tree.slot[t]));
        }
    }
    children
}

impl View<'_> {
    fn role(&self, t: usize) -> Role {
        Role::from_u32(self.c.tree.role[t]).unwrap_or(Role::None)
    }

    fn kind(&self, t: usize) -> Option<TokenKind> {
        TokenKind::from_u32(self.c.tokens.kind[t])
    }

    fn child(&self, t: usize, slot: u32) -> Option<usize> {
        self.children[t].iter().find(|(_, s)| *s == slot).map(|(child, _)| *child)
    }

    fn text(&self, t: usize) -> &str {
        self.c.text.get(self.span(t, t + 1)).unwrap_or("")
    }

    fn span(&self, lo: usize, hi: usize) -> Range<usize> {
        self.c.tokens.lo[lo] as usize..self.c.tokens.hi[hi.max(lo + 1) - 1] as usize
    }

    fn extent(&self, t: usize) -> Range<usize> {
        self.span(self.c.tree.lo[t] as usize, self.c.tree.hi[t] as usize)
    }

    fn warning(&self, code: Code, span: Range<usize>, message: String, help: &str) -> Warning {
        Warning { code, span, message, help: Some(help.to_string()) }
    }

    /// Declared names that nothing reads. Assigning to a variable is no reading.
    fn unused_names(&self) -> Vec<Warning> {
        let mut read = vec![false; self.c.tree.role.len()];
        for t in 0..read.len() {
            let decl = self.c.checked.decl[t];
            let role = self.role(t);
            if decl == NONE || !matches!(role, Role::Var | Role::Call) {
                continue;
            }
            let parent = self.c.tree.parent[t] as usize;
            let overwritten = self.c.tree.slot[t] == 0
                && parent < read.len()
                && self.role(parent) == Role::Assign
                && self.kind(parent) == Some(TokenKind::Equal);
            if !overwritten && let Some(read) = read.get_mut(decl as usize) {
                *read = true;
            }
        }
        let unused = (0..read.len()).filter(|t| self.role(*t).declares() && !read[*t]);
        unused
            .filter(|t| !self.text(*t).starts_with('_'))
            .map(|t| {
                let what = match self.role(t) {
                    Role::FnName => "function",
                    Role::Param => "parameter",
                    Role::ConstName => "constant",
                    Role::Binder => "binder",
                    Role::LoopVar => "loop variable",
                    _ => "variable",
                };
                let name = self.text(t);
                let message = format!("the {what} `{name}` is never used");
                self.warning(
                    Code::UnusedName,
                    self.span(t, t + 1),
                    message,
                    &format!("a name that begins with `_`, such as `_{name}`, may be unused"),
                )
            })
            .collect()
    }

    /// Comparisons of a variable with itself, of a length with 0, and with the ends of the range of int.
    fn one_outcome(&self, t: usize) -> Option<Warning> {
        use TokenKind::*;
        let operator = self.kind(t)?;
        let (left, right) = (self.child(t, 0)?, self.child(t, 1)?);
        let comparison = matches!(operator, EqualEqual | BangEqual | Less | LessEqual | Greater | GreaterEqual);
        if !comparison {
            return None;
        }
        let same = self.role(left) == Role::Var
            && self.role(right) == Role::Var
            && self.c.checked.decl[left] == self.c.checked.decl[right];
        let outcome = if same {
            Some(matches!(operator, EqualEqual | LessEqual | GreaterEqual))
        } else {
            self.outcome(left, operator, right).or_else(|| self.outcome(right, mirrored(operator), left))
        };
        outcome.map(|outcome| {
            self.warning(
                Code::OneOutcome,
                self.extent(t),
                format!("this comparison is always {outcome}"),
                "no value of the operands makes it come out otherwise",
            )
        })
    }

    /// The outcome of `x operator bound`, if the least or greatest value of x decides it.
    fn outcome(&self, x: usize, operator: TokenKind, bound: usize) -> Option<bool> {
        use TokenKind::*;
        let (low, high) = if self.role(x) == Role::Call && self.c.tokens.value[x] == NAME_LEN {
            (0, 64)
        } else if matches!(self.role(x), Role::Var) {
            (i64::from(i32::MIN), i64::from(i32::MAX))
        } else {
            return None;
        };
        let bound = self.literal(bound)?;
        match operator {
            Less if low >= bound => Some(false),
            Less if high < bound => Some(true),
            GreaterEqual if low >= bound => Some(true),
            GreaterEqual if high < bound => Some(false),
            Greater if high <= bound => Some(false),
            Greater if low > bound => Some(true),
            LessEqual if high <= bound => Some(true),
            LessEqual if low > bound => Some(false),
            EqualEqual if bound < low || bound > high => Some(false),
            BangEqual if bound < low || bound > high => Some(true),
            _ => None,
        }
    }

    /// The value of an int literal, perhaps behind a minus.
    fn literal(&self, t: usize) -> Option<i64> {
        match self.role(t) {
            Role::Int => Some(i64::from(self.c.tokens.value[t] as i32)),
            Role::Unary if self.kind(t) == Some(TokenKind::Minus) => {
                let inner = self.literal(self.child(t, 0)?)?;
                Some(i64::from((inner as i32).wrapping_neg()))
            }
            _ => None,
        }
    }

    fn calls_nothing(&self, t: usize) -> Option<Warning> {
        let (lo, hi) = (self.c.tree.lo[t] as usize, self.c.tree.hi[t] as usize);
        let calls = (lo..hi).any(|i| self.role(i) == Role::Call && self.c.checked.decl[i] != NONE);
        (!calls).then(|| {
            self.warning(
                Code::TestCallsNothing,
                self.extent(t),
                "this test calls no function of the program".into(),
                "it can never find a fault in one",
            )
        })
    }

    fn empty_domain(&self, t: usize) -> Option<Warning> {
        let binders =
            self.children[t].iter().map(|(child, _)| *child).filter(|c| self.role(*c) == Role::Binder);
        for binder in binders {
            let (Some(lo), Some(hi)) = (self.child(binder, 0), self.child(binder, 1)) else { continue };
            let (low, high) = (self.c.checked.constant[lo] as i32, self.c.checked.constant[hi] as i32);
            if self.child(binder, 2).is_none() && low >= high {
                return Some(self.warning(
                    Code::EmptyDomain,
                    self.extent(binder),
                    format!(
                        "the domain of `{}` is empty, so the property holds for nothing",
                        self.text(binder)
                    ),
                    "the upper bound is excluded",
                ));
            }
        }
        None
    }
}

/// The comparison that says the same with its sides exchanged.
fn mirrored(operator: TokenKind) -> TokenKind {
    use TokenKind::*;
    match operator {
        Less => Greater,
        LessEqual => GreaterEqual,
        Greater => Less,
        GreaterEqual => LessEqual,
        other => other,
    }
}
