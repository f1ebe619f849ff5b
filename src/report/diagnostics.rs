//! Diagnostics for people, made from what the stages leave.
//!
//! A stage says only which code stands at which token and one word of detail. Here that becomes a span, a sentence
//! and, where one helps, a second span or a suggestion; so both engines speak with one voice.

mod expected;
pub mod names;
mod syntax;

use std::ops::Range;

use crate::lang::diagnostic::Code;
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::program::Compiled;

use super::places::{Lines, Place};
use crate::measure::numbers::plural;

/// One finding about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// Bytes of the text that it speaks of.
    pub span: Range<usize>,
    pub start: Place,
    /// Exclusive.
    pub end: Place,
    pub message: String,
    pub help: Option<String>,
    /// A second place that explains the first, and what it shows.
    pub secondary: Option<(Range<usize>, String)>,
}

/// All errors and, where there are none, all warnings of a program, by line, column and code.
pub fn diagnostics(program: &Compiled) -> Vec<Diagnostic> {
    let teller = Teller { c: program, lines: Lines::new(&program.text) };
    let mut found = vec![];
    if program.facts.stopped() {
        found.extend(teller.fatal());
    } else {
        for t in 0..program.tokens.kind.len() {
            found.extend(teller.lexical(t));
            found.extend(teller.syntax(t));
            found.extend(teller.checked(t));
        }
        if found.is_empty() {
            for warning in super::warnings::warnings(program) {
                found.push(teller.told(warning.code, warning.span, warning.message, warning.help));
            }
        }
    }
    found.sort_by(|a, b| (a.start, a.code.code()).cmp(&(b.start, b.code.code())));
    found
}

/// A message with perhaps a help and a second span.
type Told = (String, Option<String>, Option<(Range<usize>, String)>);

struct Teller<'a> {
    c: &'a Compiled,
    lines: Lines<'a>,
}

impl Teller<'_> {
    fn told(&self, code: Code, span: Range<usize>, message: String, help: Option<String>) -> Diagnostic {
        let (start, end) = (self.lines.place(span.start), self.lines.place(span.end));
        Diagnostic { code, span, start, end, message, help, secondary: None }
    }

    /// The bytes of tokens `lo..hi`.
    fn bytes(&self, lo: u32, hi: u32) -> Range<usize> {
        let tokens = &self.c.tokens;
        let last = (hi.max(lo + 1) - 1) as usize;
        match (tokens.lo.get(lo as usize), tokens.hi.get(last)) {
            (Some(lo), Some(hi)) => *lo as usize..*hi as usize,
            _ => 0..0,
        }
    }

    /// The bytes of the node that token `t` heads, or of the token if it heads none.
    fn extent(&self, t: u32) -> Range<usize> {
        let tree = &self.c.tree;
        match (tree.lo.get(t as usize), tree.hi.get(t as usize)) {
            (Some(lo), Some(hi)) if hi > lo => self.bytes(*lo, *hi),
            _ => self.bytes(t, t + 1),
        }
    }

    fn text(&self, t: u32) -> &str {
        self.c.text.get(self.bytes(t, t + 1)).unwrap_or("")
    }

    fn kind(&self, t: u32) -> Option<TokenKind> {
        self.c.tokens.kind.get(t as usize).and_then(|kind| TokenKind::from_u32(*kind))
    }

    fn role(&self, t: u32) -> Role {
        self.c.tree.role.get(t as usize).and_then(|role| Role::from_u32(*role)).unwrap_or(Role::None)
    }

    fn child(&self, parent: u32, slot: u32) -> Option<u32> {
        let tree = &self.c.tree;
        (0..tree.role.len() as u32).find(|t| {
            let i = *t as usize;
            tree.role[i] != Role::None as u32 && tree.parent[i] == parent && tree.slot[i] == slot
        })
    }

    fn fatal(&self) -> Option<Diagnostic> {
        let facts = &self.c.facts;
        let code = Code::from_u32(facts.fatal)?;
        let (limit, what) = match code {
            Code::SourceTooLong => (limits::SOURCE_BYTES, "bytes of source"),
            Code::TooManyTokens => (limits::TOKENS, "tokens"),
            _ => (limits::NESTING, "nested brackets"),
        };
        let span = if code == Code::SourceTooLong {
            0..0
        } else {
            self.bytes(facts.fatal_token, facts.fatal_token + 1)
        };
        let message = format!("{} {what}, but the limit is {limit}", facts.fatal_count);
        Some(self.told(code, span, message, None))
    }

    fn checked(&self, t: usize) -> Option<Diagnostic> {
        let code = Code::from_u32(*self.c.checked.error.get(t)?).filter(|code| *code != Code::None)?;
        let detail = self.c.checked.detail[t];
        let t = t as u32;
        let span = match code {
            Code::TypeMismatch | Code::NotAList | Code::NotConstant | Code::CapacityOutOfRange => {
                self.extent(t)
            }
            _ => self.bytes(t, t + 1),
        };
        let (message, help, secondary) = self.names_and_types(code, t, detail);
        let mut told = self.told(code, span, message, help);
        told.secondary = secondary;
        Some(told)
    }

    fn names_and_types(&self, code: Code, t: u32, detail: u32) -> Told {
        let name = self.text(t);
        let plain = |message: &str, help: &str| (message.to_string(), Some(help.to_string()), None);
        match code {
            Code::UnknownVariable => {
                (format!("there is no variable or constant `{name}` here"), self.like(name, false), None)
            }
            Code::UnknownFunction => (format!("there is no function `{name}`"), self.like(name, true), None),
            Code::AlreadyDeclared if self.c.tokens.kind.len() as u32 <= detail || detail == t => {
                (format!("`{name}` is a built-in function"), Some("choose another name".into()), None)
            }
            Code::AlreadyDeclared => (
                format!("`{name}` is already declared here"),
                None,
                Some((self.bytes(detail, detail + 1), "first declared here".into())),
            ),
            Code::AssignToConstant => plain(
                &format!("`{name}` is a constant"),
                "constants keep their value; declare a variable with `let`",
            ),
            Code::TypeMismatch => self.mismatch(t, Type(detail)),
            Code::OperatorUndefined => (self.undefined_operator(t), None, None),
            Code::ArgumentCount => {
                let given = self.c.tree.parent.iter().zip(&self.c.tree.role);
                let given = given.filter(|(p, role)| **p == t && **role != Role::None as u32).count();
                let wanted = plural(detail.into(), "argument");
                (format!("`{name}` takes {wanted}, but {given} given"), None, None)
            }
            Code::EmptyListType => plain(
                "the type of `[]` cannot be inferred here",
                "say it: `let xs: [int] = [];`, or use it where the other side has a list's type",
            ),
            Code::NotAList => {
                let ty = Type(self.c.checked.ty.get(t as usize).copied().unwrap_or(0));
                (format!("only lists can be indexed or sliced; this is {}", article(ty)), None, None)
            }
            Code::NotConstant => plain(
                "this is not a constant expression",
                "constants are made of literals, operators and earlier constants, and must not trap",
            ),
            Code::MissingReturn => plain(
                "control can reach the end of the function without a `return`",
                "return a value on every path",
            ),
            Code::Unreachable => {
                plain("this can never run", "what stands before it in the block always leaves the block")
            }
            Code::OutsideLoop => (format!("`{name}` outside of a loop"), None, None),
            Code::TooManyLocals if self.role(t) == Role::Param => {
                (format!("{detail} parameters, but the limit is {}", limits::PARAMS), None, None)
            }
            Code::TooManyLocals => {
                (format!("{detail} local variables, but the limit is {}", limits::LOCALS), None, None)
            }
            Code::TooManyFunctions => {
                (format!("{detail} functions, but the limit is {}", limits::FUNCTIONS), None, None)
            }
            Code::TooManyTests => {
                (format!("{detail} tests and properties, but the limit is {}", limits::TESTS), None, None)
            }
            Code::CapacityOutOfRange => (
                format!("a list holds at most {} values", limits::CAPACITY),
                Some(format!("a capacity is 1 to {}", limits::CAPACITY)),
                None,
            ),
            other => (other.title().to_string(), None, None),
        }
    }

    fn mismatch(&self, t: u32, expected: Type) -> Told {
        let found = Type(self.c.checked.ty.get(t as usize).copied().unwrap_or(0));
        let wanted = if expected == Type::UNKNOWN { "a list".to_string() } else { article(expected) };
        let found_text = if found == Type::UNKNOWN { "something else".to_string() } else { article(found) };
        let help = (expected == Type::INT && found == Type::BOOL)
            .then(|| "`int(…)` makes 0 or 1 of a bool".to_string())
            .or_else(|| {
                (expected == Type::BOOL && found == Type::INT).then(|| "compare it, as in `… != 0`".into())
            });
        (format!("expected {wanted}, found {found_text}"), help, None)
    }

    fn undefined_operator(&self, t: u32) -> String {
        let operand =
            self.child(t, 0).and_then(|child| self.c.checked.ty.get(child as usize)).map(|ty| Type(*ty));
        match operand {
            Some(ty) if ty != Type::UNKNOWN => {
                format!("`{}` is not defined for {}", self.text(t), article(ty))
            }
            _ => format!("`{}` is not defined for this type", self.text(t)),
        }
    }

    /// Suggests a declared name that differs little.
    fn like(&self, name: &str, functions: bool) -> Option<String> {
        let declared = (0..self.c.tokens.kind.len() as u32).filter(|t| {
            let role = self.role(*t);
            role.declares() && functions == (role == Role::FnName)
        });
        let mut candidates: Vec<&str> = declared.map(|t| self.text(t)).collect();
        if functions {
            candidates.extend(crate::lang::token::BUILTINS);
        }
        names::nearest(name, &candidates).map(|near| format!("did you mean `{near}`?"))
    }
}

/// A type with its article: "an int", "a list of bool".
fn article(ty: Type) -> String {
    if ty == Type::INT {
        "an int".into()
    } else if ty == Type::BOOL {
        "a bool".into()
    } else {
        format!("a list `[{}]`", ty.element())
    }
}
