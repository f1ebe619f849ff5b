//! Messages for the errors of lex and parse.

use std::ops::Range;

use super::mistakes::{hint, lexical_hint, statement_hint};
use super::{Diagnostic, DiagnosticBuilder, expected};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind;
use crate::report::visible::visible;

impl DiagnosticBuilder<'_> {
    pub(super) fn lexical(&self, t: TokenId) -> Option<Diagnostic> {
        let (code, offset) = self.view.lexical_error(t)?;
        let whole = self.bytes(t);
        let text = self.view.text(t);
        let tail = text.get(offset..).unwrap_or("");
        let from = |offset: usize, characters: usize| {
            let length: usize = tail.chars().take(characters).map(char::len_utf8).sum();
            whole.start + offset..whole.start + offset + length
        };
        let (span, message, help) = match code {
            Code::UnexpectedCharacter if offset == 0 => {
                let help = lexical_hint(self.outline, t).map(String::from);
                (whole, format!("unexpected `{}`", visible(text)), help)
            }
            Code::UnexpectedCharacter => (
                from(offset, 1),
                format!("unexpected `{}` in a string", visible(&tail.chars().take(1).collect::<String>())),
                Some("strings hold the ASCII characters from blank to `~` and tabs; a comment may hold any other".into()),
            ),
            Code::Unterminated => {
                let what = if text.starts_with('"') { "string" } else { "character" };
                (
                    whole,
                    format!("this {what} does not end on its line"),
                    Some(format!("end it with `{}`", &text[..1])),
                )
            }
            Code::MalformedNumber => {
                let help = "numbers are `123`, `0xFF` or `0b1010`, with optional `_` between digits";
                (whole, format!("`{text}` is not a number"), Some(help.into()))
            }
            Code::LiteralOutOfRange => {
                let help = if text.replace('_', "") == "2147483648" {
                    "it is allowed only directly after a prefix `-`"
                } else {
                    "an int holds -2147483648 to 2147483647; `0x` and `0b` literals may use all 32 bits"
                };
                (whole, format!("`{text}` does not fit an int"), Some(help.into()))
            }
            _ if tail.starts_with('\\') => {
                let escape: String = tail.chars().take(2).collect();
                let help = r#"the escapes are \n \t \\ \' \" \0"#;
                (from(offset, 2), format!("`{}` is not an escape", visible(&escape)), Some(help.into()))
            }
            _ => {
                let help = "a character literal holds one ASCII character; a string needs double quotes";
                (whole, "this is not one character".into(), Some(help.into()))
            }
        };
        Some(self.diagnostic(code, span, message, help))
    }

    pub(super) fn syntax(&self, t: TokenId) -> Option<Diagnostic> {
        let (code, is_after_token) = self.view.syntax_error(t)?;
        let token = self.bytes(t);
        let span = if is_after_token { token.end..token.end } else { token };
        let shown = self.view.text(t);
        let (message, help) = match code {
            Code::MissingSemicolon => ("a `;` is missing here".to_string(), None),
            Code::NeverClosed => (format!("this `{shown}` is never closed"), None),
            Code::NeverOpened => match self.open_before(t) {
                Some(opener) => {
                    let mut told = self.diagnostic(
                        code,
                        span,
                        format!("`{shown}` does not close `{}`", self.view.text(opener)),
                        None,
                    );
                    told.secondary = Some((self.bytes(opener), "opened here".into()));
                    return Some(told);
                }
                None => (format!("`{shown}` closes nothing"), None),
            },
            Code::ChainedComparison => {
                ("comparisons do not chain".to_string(), Some("compare twice: `a < b && b < c`".to_string()))
            }
            Code::ExpressionStatement => {
                let use_it = "use its value: `let x = …;`, `x = …;` or `return …;`";
                let is_last = self.outline.statement_of(t).is_some_and(|index| {
                    let end = self.outline.statements[index].end;
                    self.outline.is(end, TokenKind::RightBrace)
                });
                let return_it = "a function returns a value only by `return …;`";
                let help = statement_hint(shown).unwrap_or(if is_last { return_it } else { use_it });
                (
                    "an expression is not a statement: functions are pure, so it would have no effect"
                        .to_string(),
                    Some(help.to_string()),
                )
            }
            _ => self.unexpected(t, is_after_token),
        };
        Some(self.diagnostic(code, span, message, help))
    }

    /// Returns the message for an unexpected token. With `is_after_token`, the unexpected token is the end of the file,
    /// after `t`.
    fn unexpected(&self, t: TokenId, is_after_token: bool) -> (String, Option<String>) {
        let found = match is_after_token {
            true => "the end of the file".to_string(),
            false => expected::found(self.view.kind(t), self.view.text(t)),
        };
        let kinds =
            |lo: TokenId, hi: TokenId| lo.up_to(hi).iter().map(|i| self.view.kind(i)).collect::<Vec<_>>();
        match self.reading(t, is_after_token) {
            Some(first) => {
                let before = kinds(first, if is_after_token { t + 1 } else { t });
                let kind = self.view.kind(t);
                let head = before.first().copied().unwrap_or(TokenKind::Error);
                let is_target = !before.iter().any(|kind| kind.is_assignment());
                if !is_after_token
                    && kind.is_assignment()
                    && !head.begins_item()
                    && !head.begins_statement()
                    && head != TokenKind::Else
                    && is_target
                {
                    let help = "only a variable or a list element can be assigned to: `x = …`, `xs[i] = …`";
                    return ("this cannot be assigned to".into(), Some(help.into()));
                }
                let hint = if is_after_token { None } else { hint(self.outline, t, Some(head)) };
                (format!("expected {}, found {found}", expected::expected(&before)), hint.map(String::from))
            }
            None if self.view.kind(t) == TokenKind::Else => (
                "this `else` does not follow an `if`".into(),
                Some("an `else` follows the `}` of its `if`".into()),
            ),
            None => {
                let inside = self.brace_depth(t) > 0;
                let kind_at = self.view.kind(t);
                let what = if inside { "a statement" } else { expected::ITEM };
                let help = match kind_at {
                    TokenKind::Semicolon if inside => Some("a statement ends with one `;`, a block with none"),
                    TokenKind::Semicolon if t.previous().is_some() => {
                        Some("a function has no `;` after its `}`")
                    }
                    _ if inside => None,
                    _ => hint(self.outline, t, None),
                };
                (format!("expected {what}, found {found}"), help.map(String::from))
            }
        }
    }

    /// Returns the first token of the statement that was being parsed when `t` was found wrong; `None` if `t`
    /// begins one. It may be the previous statement, which is then broken without an error inside of it.
    fn reading(&self, t: TokenId, is_after_token: bool) -> Option<TokenId> {
        let own = self.view.statement(t)?.first;
        if is_after_token || own < t {
            return Some(own);
        }
        let previous = self.view.statement(t.previous()?)?;
        let is_clean = previous.first.up_to(t).iter().all(|token| self.view.syntax_error(token).is_none());
        (previous.is_broken && is_clean).then_some(previous.first)
    }

    /// Returns the end of the line before an unexpected token, if the token is the first of its line and the statement
    /// before it has no end. Likewise for the operator of an assignment whose target was read as the missing operand of the
    /// line before.
    pub(super) fn lacking_end(&self, span: &Range<usize>) -> Option<usize> {
        let t = self.view.token_at(span.start).filter(|t| self.bytes(*t).start == span.start)?;
        let first = std::iter::successors(Some(t), |t| t.previous()).find(|t| self.outline.begins_line(*t))?;
        let before = first.previous()?;
        let is_target = self.view.kind(t).is_assignment()
            && self.view.kind(first) == TokenKind::Name
            && !self.view.kind(before).ends_operand();
        let is_in_statement = (first == t || is_target) && self.reading(first, false).is_some();
        is_in_statement.then(|| self.bytes(before).end)
    }

    /// Returns the number of braces open before token `t` since its item began.
    fn brace_depth(&self, t: TokenId) -> usize {
        let mut depth: usize = 0;
        for kind in t.before().iter().map(|i| self.view.kind(i)) {
            match kind {
                TokenKind::LeftBrace => depth += 1,
                TokenKind::RightBrace => depth = depth.saturating_sub(1),
                kind if kind.begins_item() => depth = 0,
                _ => {}
            }
        }
        depth
    }

    /// Returns the innermost round or square bracket that is open before token `t`, within its statement.
    fn open_before(&self, t: TokenId) -> Option<TokenId> {
        let first = self.view.statement(t)?.first;
        let mut open = vec![];
        for i in first.up_to(t) {
            match self.view.kind(i) {
                TokenKind::LeftParen | TokenKind::LeftBracket => open.push(i),
                TokenKind::RightParen | TokenKind::RightBracket => {
                    open.pop();
                }
                _ => {}
            }
        }
        open.pop()
    }
}
