//! Diagnostics, made from the output of the stages.
//!
//! A stage reports a code at a token and one word of detail. This module turns these into a span, a message
//! and, where helpful, a second span or a suggestion, so that the messages of both engines are the same.
//!
//! One mistake yields one diagnostic. Where a stage reports several errors for one mistake, [`mistakes`]
//! recognizes it, and [`consequences`] drops errors of check that follow from a statement that could not be
//! parsed.

mod brief;
mod consequences;
mod expected;
mod mistakes;
mod outline;
mod syntax;

use std::ops::Range;

use crate::compiler::program::{Compiled, Facts, View};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

pub use self::brief::{Mend, brief};
use self::consequences::{Consequences, is_assigned};
use self::mistakes::Mistake;
use self::outline::Outline;
use super::places::{Lines, ReportPlace};
use super::symbols;
use crate::host::measure::numbers::plural;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// Byte range in the text.
    pub span: Range<usize>,
    pub start: ReportPlace,
    /// Exclusive.
    pub end: ReportPlace,
    pub message: String,
    pub help: Option<String>,
    /// A second span that explains the first, with its label.
    pub secondary: Option<(Range<usize>, String)>,
    /// The end of an earlier line, where something is missing that the first token of a later line shows. Editors show the
    /// diagnostic there.
    pub lacks: Option<usize>,
}

/// Returns all errors or, if there are none, all warnings of a program, sorted by line, column and code.
pub fn diagnostics(program: &Compiled) -> Vec<Diagnostic> {
    let view = program.view();
    let outline = Outline::new(view);
    let teller =
        DiagnosticBuilder { facts: program.facts, view, lines: Lines::new(&program.text), outline: &outline };
    let mut found = vec![];
    if program.facts.stopped() {
        found.extend(teller.fatal());
    } else {
        found.extend(teller.errors());
        if found.is_empty() {
            for warning in super::warnings::warnings(program) {
                found.push(teller.diagnostic(warning.code, warning.span, warning.message, warning.help));
            }
        }
    }
    found.sort_by(|a, b| (a.start, a.code.code()).cmp(&(b.start, b.code.code())));
    found
}

/// A message, an optional help, and an optional second span with its label.
type MessageParts = (String, Option<String>, Option<(Range<usize>, String)>);

struct DiagnosticBuilder<'a> {
    facts: Facts,
    view: View<'a>,
    lines: Lines<'a>,
    outline: &'a Outline<'a>,
}

impl DiagnosticBuilder<'_> {
    /// Returns all errors except those that follow from a mistake.
    fn errors(&self) -> Vec<Diagnostic> {
        let tokens = self.view.all();
        if tokens.iter().all(|t| {
            self.view.lexical_error(t).is_none()
                && self.view.syntax_error(t).is_none()
                && self.view.checked_error(t).is_none()
        }) {
            return vec![];
        }
        let mistakes = mistakes::find(self.outline);
        let consequences = Consequences::new(self.outline, &mistakes);
        let mut found: Vec<Diagnostic> = mistakes.into_iter().map(|mistake| self.mistake(mistake)).collect();
        for t in tokens {
            if !consequences.explains(t) {
                found.extend(self.lexical(t));
                found.extend(self.syntax(t));
            }
            let checked = self.view.checked_error(t);
            if checked.is_some_and(|(code, detail)| !consequences.follows(t, code, detail)) {
                found.extend(self.checked(t));
            }
        }
        found
    }

    fn mistake(&self, mistake: Mistake) -> Diagnostic {
        let Mistake { code, span, message, help, secondary, covers: _ } = mistake;
        Diagnostic { secondary, ..self.diagnostic(code, span, message, help) }
    }

    fn diagnostic(&self, code: Code, span: Range<usize>, message: String, help: Option<String>) -> Diagnostic {
        let (start, end) = (self.lines.place(span.start), self.lines.place(span.end));
        let lacks = if code == Code::UnexpectedToken { self.lacking_end(&span) } else { None };
        Diagnostic { code, span, start, end, message, help, secondary: None, lacks }
    }

    fn bytes(&self, t: TokenId) -> Range<usize> {
        self.view.span(t).unwrap_or_default()
    }

    /// Returns the byte range of the node headed by token `t`, or of the token if it heads none.
    fn extent(&self, t: TokenId) -> Range<usize> {
        self.view.extent_span(t).unwrap_or_default()
    }

    fn fatal(&self) -> Option<Diagnostic> {
        let facts = self.facts;
        let code = Code::from_u32(facts.fatal)?;
        let (limit, what) = match code {
            Code::SourceTooLong => (limits::SOURCE_BYTES, "bytes of source"),
            Code::TooManyTokens => (limits::TOKENS, "tokens"),
            _ => (limits::NESTING, "nested brackets"),
        };
        let span = if code == Code::SourceTooLong { 0..0 } else { self.bytes(TokenId::new(facts.fatal_token)) };
        let message = format!("{} {what}, but the limit is {limit}", facts.fatal_count);
        Some(self.diagnostic(code, span, message, None))
    }

    fn checked(&self, t: TokenId) -> Option<Diagnostic> {
        let (code, detail) = self.view.checked_error(t)?;
        let span = match code {
            Code::TypeMismatch | Code::NotAList | Code::NotConstant | Code::CapacityOutOfRange => {
                self.extent(t)
            }
            _ => self.bytes(t),
        };
        let (message, help, secondary) = self.names_and_types(code, t, detail);
        let mut told = self.diagnostic(code, span, message, help);
        told.secondary = secondary;
        Some(told)
    }

    fn names_and_types(&self, code: Code, t: TokenId, detail: u32) -> MessageParts {
        let name = self.view.text(t);
        let plain = |message: &str, help: &str| (message.to_string(), Some(help.to_string()), None);
        match code {
            Code::UnknownVariable => {
                let help =
                    mistakes::variable_hint(name).map(String::from).or_else(|| self.similar_name(t, false));
                let help = help.or_else(|| self.missing_let(t));
                (format!("there is no variable or constant `{name}` here"), help, None)
            }
            Code::UnknownFunction => {
                let help = mistakes::function_hint(name)
                    .map(String::from)
                    .or_else(|| self.similar_name(t, true))
                    .or_else(|| mistakes::misspelt_function_hint(name).map(String::from));
                (format!("there is no function `{name}`"), help, None)
            }
            Code::AlreadyDeclared => {
                let first = TokenId::from_word(detail).filter(|first| self.view.has(*first) && *first != t);
                match first {
                    None => {
                        (format!("`{name}` is a built-in function"), Some("choose another name".into()), None)
                    }
                    Some(first) => (
                        format!("`{name}` is already declared here"),
                        self.view.is(t, Role::LetName).then(|| format!("`{name} = …;` changes it")),
                        Some((self.bytes(first), "first declared here".into())),
                    ),
                }
            }
            Code::AssignToConstant => plain(
                &format!("`{name}` is a constant"),
                "the value of a constant cannot change; declare a variable with `let`",
            ),
            Code::TypeMismatch => self.mismatch(t, Type(detail)),
            Code::OperatorUndefined => {
                (self.undefined_operator(t), self.other_operator(t).map(String::from), None)
            }
            Code::ArgumentCount => {
                let given = self.view.nodes().filter(|node| self.view.parent(*node) == Some(t)).count();
                let wanted = plural(detail.into(), "argument");
                let nests = matches!(name, "min" | "max") && given > 2;
                let help = nests
                    .then(|| format!("nest the calls: `{name}(a, {name}(b, c))`"))
                    .or_else(|| self.called(t).map(|signature| format!("it is `{signature}`")));
                (format!("`{name}` takes {wanted}, but {given} given"), help, None)
            }
            Code::EmptyListType if self.view.is(t, Role::Hole) => plain(
                "the type of this `?` cannot be inferred here",
                "put it in a variable first: `let xs: [int] = ?;`",
            ),
            Code::EmptyListType => plain(
                "the type of `[]` cannot be inferred here",
                "declare it: `let xs: [int] = [];`, or use `[]` where the other side has a list type",
            ),
            Code::NotAList => (
                format!("only lists can be indexed or sliced; this is {}", article(self.view.ty(t))),
                None,
                None,
            ),
            Code::NotConstant if matches!(self.view.role(t), Role::List | Role::Repeat | Role::Str) => {
                plain("a constant is an int or a bool, not a list", "write a function that returns the list")
            }
            Code::NotConstant => plain(
                "this is not a constant expression",
                "a constant consists of literals, operators and earlier constants, and must not trap",
            ),
            Code::MissingReturn => plain(
                "control can reach the end of the function without a `return`",
                "return a value on every path",
            ),
            Code::Unreachable => {
                plain("this can never run", "the statements before it in the block always leave the block")
            }
            Code::OutsideLoop => (format!("`{name}` outside of a loop"), None, None),
            Code::TooManyLocals if self.view.role(t) == Role::Param => {
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

    /// Returns the signature of the function that a call calls.
    fn called(&self, t: TokenId) -> Option<String> {
        match symbols::declaration(self.view, t) {
            Some(declared) => symbols::signature(self.view, declared),
            None => symbols::builtin(self.view.text(t)).map(|builtin| builtin.signature.to_string()),
        }
    }

    fn mismatch(&self, t: TokenId, expected: Type) -> MessageParts {
        let found = self.view.ty(t);
        let wanted = if expected == Type::UNKNOWN { "a list".to_string() } else { article(expected) };
        let found_text = if found == Type::UNKNOWN { "something else".to_string() } else { article(found) };
        let help = (expected == Type::INT && found == Type::BOOL)
            .then(|| "`int(…)` converts a bool to 0 or 1".to_string())
            .or_else(|| {
                (expected == Type::BOOL && found == Type::INT).then(|| "compare it, as in `… != 0`".into())
            });
        let help = help.or_else(|| self.conversion(t, expected, found).map(String::from));
        (format!("expected {wanted}, found {found_text}"), help, None)
    }

    /// Returns how a value becomes one of the expected type, where a single element or character is confused with a list.
    fn conversion(&self, t: TokenId, expected: Type, found: Type) -> Option<&'static str> {
        let is_in_list = self.view.parent(t).is_some_and(|parent| self.view.is(parent, Role::List));
        match () {
            () if expected.is_list() && expected.element() == found => {
                Some("`[…]` around it makes a list of one element")
            }
            () if found.is_list() && is_in_list => {
                Some("lists do not nest: use one list, and compute the index")
            }
            () if expected == Type::INT && self.view.codes(t) == 1 => {
                Some("a character has single quotes: `'a'`")
            }
            () => None,
        }
    }

    /// Returns how to declare an unknown variable if it is being assigned to.
    fn missing_let(&self, t: TokenId) -> Option<String> {
        is_assigned(self.outline, t).then(|| format!("`let {} = …;` declares it", self.view.text(t)))
    }

    /// Returns the operator that does to this type what the one at `t` does to another.
    fn other_operator(&self, t: TokenId) -> Option<&'static str> {
        let operand = self.view.child(t, 0).map(|child| self.view.ty(child))?;
        match (self.view.kind(t), operand) {
            (TokenKind::Bang, Type::INT) => Some("compare it: `… == 0`"),
            (TokenKind::Tilde, Type::BOOL) => Some("`!` is not"),
            (TokenKind::Ampersand, Type::BOOL) => Some("`&&` is and"),
            (TokenKind::Bar, Type::BOOL) => Some("`||` is or"),
            (TokenKind::Caret, Type::BOOL) => Some("`!=` is exclusive or"),
            (TokenKind::AmpersandAmpersand, Type::INT) => Some("compare it, as in `… != 0`; `&` combines bits"),
            (TokenKind::BarBar, Type::INT) => Some("compare it, as in `… != 0`; `|` combines bits"),
            _ => None,
        }
    }

    fn undefined_operator(&self, t: TokenId) -> String {
        let operand = self.view.child(t, 0).map(|child| self.view.ty(child));
        match operand {
            Some(ty) if ty != Type::UNKNOWN => {
                format!("`{}` is not defined for {}", self.view.text(t), article(ty))
            }
            _ => format!("`{}` is not defined for this type", self.view.text(t)),
        }
    }

    /// Suggests a name similar to that of token `t`: of a function, or of a constant or a variable of the same
    /// item.
    fn similar_name(&self, t: TokenId, functions: bool) -> Option<String> {
        let begins_item = |t: &TokenId| self.view.kind(*t).begins_item();
        let item = (t + 1).before().iter().rev().find(begins_item).unwrap_or(TokenId::new(0));
        let declared = self.view.nodes().filter(|other| {
            let role = self.view.role(*other);
            let is_seen = matches!(role, Role::FnName | Role::ConstName) || item.up_to(t).contains(*other);
            role.declares() && functions == (role == Role::FnName) && is_seen
        });
        let mut candidates: Vec<&str> = declared.map(|t| self.view.text(t)).collect();
        if functions {
            candidates.extend(crate::lang::token::BUILTINS);
        }
        super::names::nearest(self.view.text(t), &candidates).map(|near| format!("did you mean `{near}`?"))
    }
}

/// Returns a type with its article: "an int", "a list `[bool]`".
fn article(ty: Type) -> String {
    if ty == Type::INT {
        "an int".into()
    } else if ty == Type::BOOL {
        "a bool".into()
    } else {
        format!("a list `[{}]`", ty.element())
    }
}
