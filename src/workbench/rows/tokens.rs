//! Tokens: what lex leaves, one row a token.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::facts;
use super::super::state::State;
use super::super::text::visible;
use crate::lang::token::TokenKind;

pub fn count(state: &State) -> usize {
    state.shown().map_or(0, |s| s.compiled.tokens.kind.len())
}

pub fn token(state: &State, row: usize) -> Option<u32> {
    (row < count(state)).then_some(row as u32)
}

pub fn line(state: &State, row: usize, theme: &Theme) -> Line<'static> {
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
