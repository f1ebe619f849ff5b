//! Statements and blocks where a value is expected.

use super::super::outline::{Fault, Outline};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::TokenId;
use crate::lang::token::TokenKind::*;

/// `let x = if c { 1 } else { 2 };`, `x = a if c else b;`, `let xs = {1, 2};`
pub fn statement_as_value(outline: &Outline, fault: &Fault) -> Option<Mistake> {
    let (at, before) = (fault.at + u32::from(fault.is_after_token), fault.before());
    let is_header = matches!(outline.kind(fault.statement.first), If | While | For | Else | Fn);
    let expects_operand =
        !fault.is_after_token && !outline.kind(before).ends_operand() && at > fault.statement.first;
    let (end, is_list) = match outline.kind(at) {
        If if expects_operand => (chain_end(outline, at)?, false),
        If if fault.code == Code::MissingSemicolon && outline.view.line(at) == outline.view.line(before) => {
            let own = outline.statement_of(at)?;
            let other = outline.statements.get(own + 1)?;
            let is_chosen = outline.kind(other.first) == Else && outline.kind(other.first - 1) != RightBrace;
            (if is_chosen { other.end } else { return None }, false)
        }
        LeftBrace if expects_operand && !is_header => {
            let closer = outline.partner(at)?;
            (closer + 1 + u32::from(outline.is(closer + 1, Semicolon)), true)
        }
        _ => return None,
    };
    let (message, help) = match is_list {
        true => ("a block is a statement, not a value", "a list is written `[1, 2, 3]`"),
        false => ("an `if` is a statement, not a value", "`let x = 1; if … { x = 2; }`"),
    };
    let covers = fault.at..end;
    Some(Mistake::new(Code::UnexpectedToken, outline.bytes(at), message, covers).help(help))
}

/// Returns the end of an `if` with all its branches, and of a `;` that follows.
fn chain_end(outline: &Outline, first: TokenId) -> Option<TokenId> {
    let mut t = first;
    loop {
        let own = outline.statements[outline.statement_of(t)?];
        let closer = outline.partner(own.end - 1).filter(|_| outline.kind(own.end - 1) == LeftBrace)?;
        if !outline.is(closer + 1, Else) {
            return Some(closer + 1 + u32::from(outline.is(closer + 1, Semicolon)));
        }
        t = closer + 1;
    }
}
