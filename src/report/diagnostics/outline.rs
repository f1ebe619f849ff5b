//! Statements and layout of a program with errors, for rules that look at several tokens.

use std::ops::Range;

use crate::compiler::program::View;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::token::TokenKind::{self, *};

/// The tokens of a statement, and whether it contains a reported error.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub first: TokenId,
    pub end: TokenId,
    pub is_broken: bool,
    /// Whether it is inside of braces.
    pub is_inside: bool,
}

/// The first error of lex or parse in a statement, or at the token after it.
#[derive(Clone, Copy, Debug)]
pub struct OutlineFault {
    pub statement: Statement,
    pub at: TokenId,
    pub code: Code,
    /// Whether the error's position is just after the token.
    pub is_after_token: bool,
}

impl OutlineFault {
    /// Returns the last correct token.
    pub fn before(&self) -> TokenId {
        if self.is_after_token { self.at } else { self.at - 1 }
    }
}

/// A program's tokens split into statements.
pub struct Outline<'a> {
    pub view: View<'a>,
    pub statements: Vec<Statement>,
    /// For each brace, the matching one, if they match between two items.
    braces: Vec<Option<TokenId>>,
}

impl<'a> Outline<'a> {
    pub fn new(view: View<'a>) -> Self {
        let mut statements: Vec<Statement> = vec![];
        let mut braces = vec![None; view.len() as usize];
        let mut open = vec![];
        for t in view.rows() {
            let Some(own) = view.statement(t) else { break };
            let is_broken = !own.is_muted && own.is_broken || error_at(view, t).is_some();
            match statements.last_mut().filter(|last| last.first == own.first) {
                Some(last) => {
                    last.end = t + 1;
                    last.is_broken |= is_broken;
                }
                None => {
                    let is_inside = !open.is_empty() && !view.kind(t).begins_item();
                    statements.push(Statement { first: t, end: t + 1, is_broken, is_inside });
                }
            }
            match view.kind(t) {
                LeftBrace => open.push(t),
                RightBrace => {
                    if let Some(opener) = open.pop() {
                        braces[opener.position()] = Some(t);
                        braces[t.position()] = Some(opener);
                    }
                }
                kind if kind.begins_item() => open.clear(),
                _ => {}
            }
        }
        Outline { view, statements, braces }
    }

    /// Returns the first error of a statement, or that at the token after it.
    pub fn fault(&self, statement: Statement) -> Option<OutlineFault> {
        let at = statement.first.up_to(statement.end + 1).iter().find(|t| error_at(self.view, *t).is_some())?;
        let (code, is_after_token) = error_at(self.view, at)?;
        Some(OutlineFault { statement, at, code, is_after_token })
    }

    /// Returns whether lex or parse reports an error at this token.
    pub fn has_error(&self, t: TokenId) -> bool {
        error_at(self.view, t).is_some()
    }

    /// One past the last token.
    pub fn end(&self) -> TokenId {
        self.view.all().end()
    }

    pub fn kind(&self, t: TokenId) -> TokenKind {
        self.view.kind(t)
    }

    pub fn text(&self, t: TokenId) -> &'a str {
        self.view.text(t)
    }

    /// Returns whether `t` exists and is of this kind.
    pub fn is(&self, t: TokenId, kind: TokenKind) -> bool {
        self.view.has(t) && self.kind(t) == kind
    }

    pub fn bytes(&self, tokens: impl Into<Indices<TokenId>>) -> Range<usize> {
        self.view.span(tokens).unwrap_or_default()
    }

    pub fn source(&self, tokens: impl Into<Indices<TokenId>>) -> &'a str {
        let tokens = tokens.into();
        if tokens.is_empty() {
            return "";
        }
        self.view.source.get(self.bytes(tokens)).unwrap_or("")
    }

    /// Returns the index of the statement that contains a token.
    pub fn statement_of(&self, t: TokenId) -> Option<usize> {
        let after = self.statements.partition_point(|statement| statement.first <= t);
        after.checked_sub(1).filter(|index| t < self.statements[*index].end)
    }

    /// Returns the brace that matches the one at `t`, within the same item.
    pub fn partner(&self, t: TokenId) -> Option<TokenId> {
        self.braces.get(t.position()).copied().flatten()
    }

    /// Returns whether no blank is between `t` and the next token.
    pub fn adjoins_next(&self, t: TokenId) -> bool {
        self.view.has(t + 1) && self.bytes(t).end == self.bytes(t + 1).start
    }

    pub fn begins_line(&self, t: TokenId) -> bool {
        t.previous().is_none_or(|before| self.view.line(before) < self.view.line(t))
    }

    /// Returns the blanks before the first token of the line of `t`.
    pub fn indentation(&self, t: TokenId) -> &'a str {
        let start = self.bytes(t).start;
        let before = self.view.source.get(..start).unwrap_or("");
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let line = self.view.source.get(line..).unwrap_or("").trim_start_matches('\u{feff}');
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns whether the line of `t` is indented deeper than that of `other`. Lines with different kinds of
    /// blanks are not comparable, so the result is then false.
    pub fn is_deeper(&self, t: TokenId, other: TokenId) -> bool {
        let (own, other) = (self.indentation(t), self.indentation(other));
        own.len() > other.len() && own.starts_with(other)
    }

    /// Returns whether the lines of two tokens have the same indentation.
    pub fn is_level(&self, t: TokenId, other: TokenId) -> bool {
        self.indentation(t) == self.indentation(other)
    }

    /// Returns the text from the end of a token to the end of its line.
    pub fn rest_of_line(&self, t: TokenId) -> &'a str {
        let rest = self.view.source.get(self.bytes(t).end..).unwrap_or("");
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }
}

/// Returns the error of lex or parse at a token, and whether its position is just after the token.
fn error_at(view: View, t: TokenId) -> Option<(Code, bool)> {
    view.lexical_error(t).map(|(code, _)| (code, false)).or_else(|| view.syntax_error(t))
}
