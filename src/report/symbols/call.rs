//! The call around a place, also one that is not closed yet.

use super::{builtin, declaration, is_call, signature};
use crate::compiler::program::View;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind;

/// A call that contains a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallAround {
    /// The name that is called.
    pub name: TokenId,
    /// The index of the argument at the place.
    pub argument: usize,
}

/// Returns the innermost call whose parentheses contain a byte.
pub fn call_around(view: View, byte: usize) -> Option<CallAround> {
    let last = view.all().iter().take_while(|t| view.span(*t).is_some_and(|span| span.start < byte)).last()?;
    let first = view.statement(last)?.first;
    // The open brackets, each with its index and the commas directly inside of it.
    let mut open: Vec<(TokenId, usize)> = Vec::new();
    for t in first.up_to(last.next()).iter() {
        match view.kind(t) {
            TokenKind::LeftParen | TokenKind::LeftBracket => open.push((t, 0)),
            TokenKind::RightParen | TokenKind::RightBracket => drop(open.pop()),
            kind => match (kind, open.last_mut()) {
                (TokenKind::Comma, Some((_, commas))) => *commas += 1,
                // In a list, it precedes the count.
                (TokenKind::Semicolon, Some((bracket, _))) if view.kind(*bracket) == TokenKind::LeftParen => {
                    open.clear();
                }
                _ => {}
            },
        }
    }
    let call = |(bracket, argument): &(TokenId, usize)| {
        let name = Some(bracket.previous()?)
            .filter(|name| view.kind(*bracket) == TokenKind::LeftParen && is_call(view, *name))?;
        Some(CallAround { name, argument: *argument })
    };
    open.iter().rev().find_map(call)
}

/// Returns the header of a called function, and a sentence or comment about it.
pub fn called(view: View, name: TokenId) -> Option<(String, String)> {
    match declaration(view, name) {
        Some(declared) => Some((signature(view, declared)?, super::comment(view, declared))),
        None => {
            builtin(view.text(name)).map(|builtin| (builtin.signature.to_string(), builtin.does.to_string()))
        }
    }
}
