//! Tokens: what lex leaves, one row a token.

use ratatui::text::{Line, Span};

use crate::lang::token::TokenKind;
use crate::workbench::facts;
use crate::workbench::panels::List;
use crate::workbench::state::{Link, State};
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

pub struct Tokens;

impl List for Tokens {
    fn count(&self, state: &State) -> usize {
        state.shown().map_or(0, |s| s.compiled.tokens.kind.len())
    }

    fn token(&self, state: &State, row: usize) -> Option<u32> {
        (row < self.count(state)).then_some(row as u32)
    }

    fn line(&self, state: &State, row: usize, _: usize, theme: &Theme) -> Line<'static> {
        let Some(shown) = state.shown() else { return Line::default() };
        let tokens = &shown.compiled.tokens;
        let kind = tokens.kind.get(row).and_then(|k| TokenKind::from_u32(*k));
        let (line, column) = shown.place(tokens.lo.get(row).copied().unwrap_or(0));
        let text = visible(facts::token_text(&shown.compiled, row as u32));
        let look = match kind {
            Some(TokenKind::Error) => Look::Bad,
            Some(TokenKind::Int | TokenKind::Char) => Look::Number,
            Some(TokenKind::Str) => Look::Str,
            Some(TokenKind::Name) => Look::Text,
            Some(k) if k.spelling().is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphabetic())) => {
                Look::Keyword
            }
            _ => Look::Operator,
        };
        Line::from(vec![
            Span::styled(format!("{row:>4} "), theme.style(Look::Dim)),
            Span::styled(format!("{:<13} ", kind.map_or("?", |k| k.ident())), theme.style(Look::Text)),
            Span::styled(format!("{:<6} ", format!("{line}:{column}")), theme.style(Look::Dim)),
            Span::styled(text, theme.style(look)),
        ])
    }

    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        Some(link.token as usize).filter(|row| *row < self.count(state))
    }
}
