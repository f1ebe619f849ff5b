//! Statements and blocks where a value is expected.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind::*;

/// `let x = if c { 1 } else { 2 };`, `x = a if c else b;`, `let xs = {1, 2};`
pub fn statement_as_value(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
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

/// `[i * 2 for i in 0..n]`: a loop inside of a list.
pub fn comprehension(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    if fault.code != Code::NeverClosed || outline.kind(fault.at) != LeftBracket {
        return None;
    }
    let line = outline.view.line(fault.at);
    let rest = || (fault.at + 1).up_to(outline.end()).iter().take_while(|t| outline.view.line(*t) == line);
    let loops = rest().find(|t| outline.kind(*t) == For)?;
    let closer = rest().find(|t| *t > loops && outline.kind(*t) == RightBracket && outline.has_error(*t))?;
    let message = "a `for` is a statement, not a value";
    let end = closer + 1 + u32::from(outline.is(closer + 1, Semicolon));
    let mistake =
        Mistake::new(Code::UnexpectedToken, outline.bytes(loops), message, fault.statement.first..end);
    Some(mistake.help("declare a list, and append to it in a loop: `xs += [x];`"))
}

/// `if let x = n {`: a declaration as a condition.
pub fn declared_condition(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let head = fault.statement.first;
    let is_condition =
        matches!(outline.kind(head), If | While) && fault.at == head + 1 && outline.is(fault.at, Let);
    let own = outline.statement_of(fault.at).filter(|_| is_condition)?;
    let (message, end) = ("a condition is a bool, not a declaration", outline.statements[own].end);
    let mistake = Mistake::new(Code::UnexpectedToken, outline.bytes(fault.at), message, head..end);
    Some(mistake.help("declare the variable before: `let x = …;`"))
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
