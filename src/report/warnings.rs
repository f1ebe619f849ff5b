//! Warnings: code that compiles but is probably not intended. Reported only for programs without errors.

use std::collections::HashSet;
use std::iter::successors;
use std::ops::{Deref, Range};

use super::names::nearest;
use crate::compiler::program::{Children, Compiled, Program};
use crate::compiler::variants::{IGNORE, IgnoreError, Ignored, Wanted};
use crate::lang::diagnostic::Code;
use crate::lang::index::TokenId;
use crate::lang::mutation::Operator;
use crate::lang::role::Role;
use crate::lang::token::{NAME_LEN, TokenKind};

/// A warning before its line and column are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub code: Code,
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

/// Returns all warnings of a program without errors, unsorted.
pub fn warnings(c: &Compiled) -> Vec<Warning> {
    if c.checked.decl.len() != c.tree.role.len() {
        return vec![];
    }
    let reader = Reader { program: c.program(), children: c.view().children() };
    let mut found = reader.unused_names();
    let ignored = Ignored::new(c);
    found.extend(reader.comments(&ignored));
    found.extend(ignored.idle(c).into_iter().map(|span| {
        let message = "this comment ignores no change of a line".to_string();
        let help = "it belongs on the line whose changes are ignored, or alone on the line before";
        reader.warning(Code::IgnoresNoChange, span, message, help)
    }));
    for t in reader.nodes() {
        match reader.role(t) {
            Role::Binary => found.extend(reader.one_outcome(t)),
            Role::Index => found.extend(reader.always_outside(t)),
            Role::Test => found.extend(reader.calls_nothing(t)),
            Role::Prop => found.extend(reader.empty_domain(t)),
            _ => {}
        }
    }
    found
}

struct Reader<'a> {
    program: Program<'a>,
    children: Children,
}

impl<'a> Deref for Reader<'a> {
    type Target = Program<'a>;

    fn deref(&self) -> &Program<'a> {
        &self.program
    }
}

impl Reader<'_> {
    fn extent_span(&self, t: TokenId) -> Range<usize> {
        self.program.extent_span(t).unwrap_or_default()
    }

    fn warning(&self, code: Code, span: Range<usize>, message: String, help: &str) -> Warning {
        Warning { code, span, message, help: Some(help.to_string()) }
    }

    /// Finds declared names that are never read. Assigning to a variable does not count as reading. What is written in place
    /// of a `?` may read any name that is visible there.
    fn unused_names(&self) -> Vec<Warning> {
        let is_overwritten = |t: TokenId| {
            let parent = self.parent(t).filter(|parent| self.is(*parent, Role::Assign));
            self.slot(t) == 0 && parent.is_some_and(|assign| self.kind(assign) == TokenKind::Equal)
        };
        let uses = self.nodes().filter(|t| matches!(self.role(*t), Role::Var | Role::Call));
        let read: HashSet<TokenId> =
            uses.filter(|t| !is_overwritten(*t)).filter_map(|t| self.declaration(t)).collect();
        let holes: Vec<TokenId> = self.holes().collect();
        let may_be_read = |t: TokenId| {
            let item = successors(Some(t), |t| self.parent(*t)).last().map(|item| self.extent(item));
            let is_everywhere = matches!(self.role(t), Role::FnName | Role::ConstName);
            holes.iter().any(|hole| is_everywhere || item.is_some_and(|item| item.contains(*hole)))
        };
        let unused = self.nodes().filter(|t| self.role(*t).declares() && !read.contains(t) && !may_be_read(*t));
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
                let may_be = format!("begin the name with `_` if it is meant to be unused: `_{name}`");
                let help = if what == "function" { format!("write a test of it, or {may_be}") } else { may_be };
                self.warning(Code::UnusedName, self.span(t).unwrap_or_default(), message, &help)
            })
            .collect()
    }

    /// Warns of comparisons of a variable with itself, of a length with 0, and with the bounds of int.
    fn one_outcome(&self, t: TokenId) -> Option<Warning> {
        use TokenKind::*;
        let operator = self.kind(t);
        let (left, right) = (self.children.at(t, 0)?, self.children.at(t, 1)?);
        let comparison = matches!(operator, EqualEqual | BangEqual | Less | LessEqual | Greater | GreaterEqual);
        if !comparison {
            return None;
        }
        let same = self.role(left) == Role::Var
            && self.role(right) == Role::Var
            && self.declaration(left) == self.declaration(right);
        let outcome = if same {
            Some(matches!(operator, EqualEqual | LessEqual | GreaterEqual))
        } else {
            self.outcome(left, operator, right).or_else(|| self.outcome(right, mirrored(operator), left))
        };
        outcome.map(|outcome| {
            self.warning(
                Code::OneOutcome,
                self.extent_span(t),
                format!("this comparison is always {outcome}"),
                "its result is the same for all values of the operands",
            )
        })
    }

    /// Returns the outcome of `x operator bound`, if the range of x decides it.
    fn outcome(&self, x: TokenId, operator: TokenKind, bound: TokenId) -> Option<bool> {
        use TokenKind::*;
        let (low, high) = if self.role(x) == Role::Call && self.value(x) == NAME_LEN {
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

    /// Returns the value of an int literal, with an optional minus.
    fn literal(&self, t: TokenId) -> Option<i64> {
        match self.role(t) {
            Role::Int => Some(i64::from(self.value(t) as i32)),
            Role::Unary if self.kind(t) == TokenKind::Minus => {
                let inner = self.literal(self.children.at(t, 0)?)?;
                Some(i64::from((inner as i32).wrapping_neg()))
            }
            _ => None,
        }
    }

    /// Warns of an index that is negative, or not below the capacity of its list.
    fn always_outside(&self, t: TokenId) -> Option<Warning> {
        let (list, index) = (self.children.at(t, 0)?, self.children.at(t, 1)?);
        let value = self.literal(index)?;
        let capacity = i64::from(self.ty(list).capacity());
        let is_outside = value < 0 || capacity > 0 && value >= capacity;
        let help = match value {
            ..0 => format!("indices begin at 0; the last element is `{0}[len({0}) - 1]`", self.source_of(list)),
            _ => format!("the list holds at most {capacity} values"),
        };
        let message = format!("the index {value} is always out of bounds");
        is_outside.then(|| self.warning(Code::AlwaysOutside, self.extent_span(index), message, &help))
    }

    /// Returns the text of a node if it is a name, else `xs`.
    fn source_of(&self, t: TokenId) -> &str {
        if self.role(t) == Role::Var { self.text(t) } else { "xs" }
    }

    /// Warns of comments that are meant to ignore mutants but have an unknown word.
    fn comments(&self, ignored: &Ignored) -> Vec<Warning> {
        let warning = |fault: &IgnoreError| {
            let word = self.program.source.get(fault.span.clone()).unwrap_or("");
            let (message, help) = match fault.wanted {
                Wanted::Operator => {
                    let names: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
                    let help = match nearest(word, &names) {
                        Some(name) => format!("did you mean `{name}`? A reason follows a colon"),
                        None => format!(
                            "`myriad mutate --operators help` lists the operators; a reason follows a colon: `{IGNORE}: {word}`"
                        ),
                    };
                    (format!("there is no mutation operator `{word}`, so this comment ignores nothing"), help)
                }
                // Other comments may begin with the program's name, so only a likely typo of `ignore` is reported.
                Wanted::Ignore => {
                    let meant = nearest(word, &[IGNORE])?;
                    (
                        format!("`{word}` is not a known word here, so this comment ignores nothing"),
                        format!("did you mean `{meant}`?"),
                    )
                }
            };
            Some(self.warning(Code::IgnoresNothing, fault.span.clone(), message, &help))
        };
        ignored.faults().iter().filter_map(warning).collect()
    }

    fn calls_nothing(&self, t: TokenId) -> Option<Warning> {
        let calls = self.extent(t).iter().any(|i| self.is(i, Role::Call) && self.declaration(i).is_some());
        (!calls).then(|| {
            self.warning(
                Code::TestCallsNothing,
                self.extent_span(t),
                "this test calls no function of the program".into(),
                "it can never find a fault in a function",
            )
        })
    }

    fn empty_domain(&self, t: TokenId) -> Option<Warning> {
        for binder in self.children.of(t).filter(|child| self.is(*child, Role::Binder)) {
            let (Some(lo), Some(hi)) = (self.children.at(binder, 0), self.children.at(binder, 1)) else {
                continue;
            };
            let (low, high) = (self.constant(lo) as i32, self.constant(hi) as i32);
            if self.children.at(binder, 2).is_none() && low >= high {
                return Some(self.warning(
                    Code::EmptyDomain,
                    self.extent_span(binder),
                    format!("the domain of `{}` is empty, so the property is never tested", self.text(binder)),
                    "the upper bound is exclusive",
                ));
            }
        }
        None
    }
}

/// Returns the comparison operator for exchanged operands.
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
