//! Semantic tokens: the kind of each token and comment, for highlighting.

use lsp_types::{SemanticToken, SemanticTokenType};

use super::document::Document;
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::report::symbols::{self, SymbolKind};

/// The types, in the order of their numbers.
pub const TYPES: [SemanticTokenType; 8] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::NUMBER,
    SemanticTokenType::STRING,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::TYPE,
];

/// Returns the number of a type.
fn number(of: &SemanticTokenType) -> u32 {
    TYPES.iter().position(|ty| ty == of).unwrap_or(0) as u32
}

/// Returns the type of a token; `None` for punctuation.
fn kind(document: &Document, t: TokenId) -> Option<SemanticTokenType> {
    let view = document.program.view();
    Some(match view.kind(t) {
        TokenKind::Int | TokenKind::Char => SemanticTokenType::NUMBER,
        TokenKind::Str => SemanticTokenType::STRING,
        TokenKind::IntType | TokenKind::BoolType if !view.is(t, Role::Call) => SemanticTokenType::TYPE,
        TokenKind::Name | TokenKind::IntType => {
            match symbols::declaration(view, t).and_then(|t| symbols::kind(view, t)) {
                Some(SymbolKind::Function) => SemanticTokenType::FUNCTION,
                Some(SymbolKind::Parameter) => SemanticTokenType::PARAMETER,
                Some(_) => SemanticTokenType::VARIABLE,
                None if view.is(t, Role::Call) => SemanticTokenType::FUNCTION,
                None => return None,
            }
        }
        kind if kind.is_operator() => SemanticTokenType::OPERATOR,
        kind if kind.spelling()?.chars().all(|c| c.is_ascii_alphabetic()) => SemanticTokenType::KEYWORD,
        _ => return None,
    })
}

/// Returns all tokens, each relative to the one before it as the protocol wants.
pub fn semantic_tokens(document: &Document) -> Vec<SemanticToken> {
    let (view, positions) = (document.program.view(), document.positions());
    let mut tokens = Vec::new();
    let (mut line, mut column) = (0, 0);
    for t in view.all() {
        let (Some(kind), Some(span)) = (kind(document, t), view.span(t)) else { continue };
        let range = positions.range(&span);
        let start = range.start;
        if range.end.line != start.line {
            continue;
        }
        let delta_start = if start.line == line { start.character - column } else { start.character };
        tokens.push(SemanticToken {
            delta_line: start.line - line,
            delta_start,
            length: range.end.character - start.character,
            token_type: number(&kind),
            token_modifiers_bitset: 0,
        });
        (line, column) = (start.line, start.character);
    }
    tokens
}
