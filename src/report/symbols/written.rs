//! Names and types in statements with an error: the tree has no rows for them, so they are read from the tokens.

use super::{builtin, scope};
use crate::compiler::program::View;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// Returns whether a token is a name that the tree has no row for.
fn is_loose(view: View, t: TokenId) -> bool {
    view.kind(t) == TokenKind::Name && matches!(view.role(t), Role::None | Role::Broken)
}

/// Returns whether a token is the name of a function that is called, a built-in's included.
pub fn is_call(view: View, t: TokenId) -> bool {
    let can_call = || is_loose(view, t) || view.kind(t) == TokenKind::IntType;
    view.is(t, Role::Call)
        || view.kind(t.next()) == TokenKind::LeftParen && can_call() && !follows_keyword(view, t)
}

/// Returns whether a token is where a new name would be.
fn follows_keyword(view: View, t: TokenId) -> bool {
    let before = t.previous().map(|before| view.kind(before));
    matches!(before, Some(TokenKind::Fn | TokenKind::Const | TokenKind::Let | TokenKind::For))
}

/// Returns the declaration of a name that the tree has no row for.
pub fn declaration(view: View, t: TokenId) -> Option<TokenId> {
    if !is_loose(view, t) || follows_keyword(view, t) {
        return None;
    }
    let is_call = is_call(view, t);
    let is_builtin = is_call && builtin(view.text(t)).is_some();
    (!is_builtin).then(|| scope::resolve(view, t, is_call))?
}

/// Returns a declared name's type, or else the type that the text has for it; `?` if neither is known.
pub fn type_of(view: View, declared: TokenId) -> String {
    match view.ty(declared) {
        Type::UNKNOWN => written(view, declared).unwrap_or_else(|| Type::UNKNOWN.to_string()),
        known => known.to_string(),
    }
}

/// Returns the type after a declared name, or that of the result after the name of a function.
fn written(view: View, declared: TokenId) -> Option<String> {
    let mark = match view.is(declared, Role::FnName) {
        true => view.rest_of_statement(declared).find(|t| view.kind(*t) == TokenKind::Arrow)?,
        false => Some(declared.next()).filter(|t| view.kind(*t) == TokenKind::Colon)?,
    };
    let is_element = |t: TokenId| matches!(view.kind(t), TokenKind::IntType | TokenKind::BoolType);
    let first = mark.next();
    if is_element(first) {
        return Some(view.text(first).to_string());
    }
    let element =
        Some(first.next()).filter(|t| view.kind(first) == TokenKind::LeftBracket && is_element(*t))?;
    let capacity = (view.kind(element.next()) == TokenKind::Semicolon)
        .then(|| element + 2)
        .filter(|t| view.kind(*t) == TokenKind::Int);
    let capacity = capacity.map_or(String::new(), |capacity| format!("; {}", view.text(capacity)));
    Some(format!("[{}{capacity}]", view.text(element)))
}
