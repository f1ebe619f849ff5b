//! Semantic tokens: the kind of each token and comment, for highlighting.

use super::document::Document;
use super::positions::PositionRange;
use crate::lang::index::TokenId;
use crate::lang::token::TokenKind;
use crate::report::symbols::{self, SymbolKind};

/// The types, in the order of their numbers.
pub const TYPES: [&str; 8] =
    ["keyword", "function", "parameter", "variable", "number", "string", "operator", "type"];

/// Returns the type of a token; `None` for punctuation.
fn kind(document: &Document, t: TokenId) -> Option<&'static str> {
    let view = document.program.view();
    Some(match view.kind(t) {
        TokenKind::Int | TokenKind::Char => "number",
        TokenKind::Str => "string",
        TokenKind::IntType | TokenKind::BoolType if !symbols::is_call(view, t) => "type",
        TokenKind::Name | TokenKind::IntType => {
            match symbols::declaration(view, t).and_then(|t| symbols::kind(view, t)) {
                Some(SymbolKind::Function) => "function",
                Some(SymbolKind::Parameter) => "parameter",
                Some(_) => "variable",
                None if symbols::is_call(view, t) => "function",
                None => return None,
            }
        }
        kind if kind.is_operator() || kind == TokenKind::Question => "operator",
        kind if kind.spelling()?.chars().all(|c| c.is_ascii_alphabetic()) => "keyword",
        _ => return None,
    })
}

/// Returns all tokens, each as five numbers: lines and columns from the one before it, its length, its type, and no modifiers.
pub fn semantic_tokens(document: &Document) -> Vec<u32> {
    let (view, positions) = (document.program.view(), &document.positions);
    let mut tokens = Vec::new();
    let (mut line, mut column) = (0, 0);
    for t in view.all() {
        let (Some(kind), Some(span)) = (kind(document, t), view.span(t)) else { continue };
        let Some(number) = TYPES.iter().position(|ty| *ty == kind) else { continue };
        let PositionRange { start, end } = positions.range(&span);
        if end.line != start.line {
            continue;
        }
        let right = if start.line == line { start.character - column } else { start.character };
        tokens.extend([start.line - line, right, end.character - start.character, number as u32, 0]);
        (line, column) = (start.line, start.character);
    }
    tokens
}
