//! Missing and surplus braces, found by the layout, and items inside of functions.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::token::TokenKind::*;

/// A function whose `{` is never closed: either an item is inside of it, or the indentation shows which inner
/// `{` is open.
pub fn never_closed(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    if fault.code != Code::NeverClosed || outline.kind(fault.at) != LeftBrace {
        return None;
    }
    let next = (fault.at + 1).up_to(outline.end()).iter().find(|t| outline.kind(*t).begins_item());
    let covers = Indices::one(fault.at);
    let (opener, before) = match unclosed(outline, fault.at, next.unwrap_or(outline.end())) {
        Some(found) => found,
        None => return inner_item(outline, fault, next?),
    };
    let mut mistake = Mistake::new(fault.code, outline.bytes(opener), "this `{` is never closed", covers);
    let label = "by the indentation, its block ends before this".to_string();
    mistake.secondary = Some((outline.bytes(before), label));
    Some(mistake)
}

/// The item at `item` is inside of the function with the error.
fn inner_item(outline: &Outline, fault: &OutlineFault, item: TokenId) -> Option<Mistake> {
    let function = fault.statement.first;
    if outline.begins_line(item) && !outline.is_deeper(item, function) && !closes_after(outline, item) {
        return None;
    }
    let is_name = !matches!(outline.kind(item - 1), Semicolon | LeftBrace | RightBrace)
        && outline.view.line(item - 1) == outline.view.line(item)
        && !outline.is(item + 1, LeftParen);
    if is_name {
        let ends = |t: &TokenId| {
            outline.kind(*t).begins_item() && outline.begins_line(*t) && !outline.is_deeper(*t, function)
        };
        let end = item.up_to(outline.end()).iter().find(ends).unwrap_or(outline.end());
        let message = format!("`{}` is a keyword, not a name", outline.text(item));
        let covers = Indices::one(fault.at);
        let mut mistake = Mistake::new(Code::UnexpectedToken, outline.bytes(item), message, covers);
        mistake.covers.push(item.up_to(end));
        return Some(mistake.help("choose another name"));
    }
    let name = outline.text(item + 1);
    let (message, help) = match outline.kind(item) {
        Const => ("a constant is declared outside of functions", format!("`let {name} = …;`")),
        Fn => ("a function is declared outside of other functions", "move it out of this one".to_string()),
        _ => ("tests and properties are declared outside of functions", "move it out of this one".to_string()),
    };
    let help = match outline.kind(item) {
        Const => format!("move it out of this one, or declare a variable: {help}"),
        _ => help,
    };
    let mut mistake = Mistake::new(Code::UnexpectedToken, outline.bytes(item), message, fault.at);
    // A function without a name, used as a value.
    if outline.kind(item) == Fn && outline.is(item + 1, LeftParen) {
        mistake.covers.push((item + 1).into());
    }
    Some(mistake.help(help))
}

/// Returns whether an unmatched `}`, which closes the surrounding function, follows an item before the next
/// function.
fn closes_after(outline: &Outline, item: TokenId) -> bool {
    let ends = |t: &TokenId| outline.kind(*t) == Fn;
    let end = (item + 1).up_to(outline.end()).iter().find(ends).unwrap_or(outline.end());
    item.up_to(end).iter().any(|t| outline.kind(t) == RightBrace && outline.partner(t).is_none())
}

/// Finds an inner `{` whose block ends without a `}`, judging by the indentation, in the body that begins at
/// `body`. Also returns the first token after the block.
fn unclosed(outline: &Outline, body: TokenId, end: TokenId) -> Option<(TokenId, TokenId)> {
    let mut open = vec![body];
    for t in (body + 1).up_to(end) {
        let kind = outline.kind(t);
        if outline.begins_line(t) && open.len() > 1 && kind != LeftBrace {
            let top = *open.last()?;
            let begins = outline.statement_of(t).is_some_and(|index| outline.statements[index].first == t);
            let ends_block = match kind {
                RightBrace => outline.is_deeper(top, t) && open.iter().any(|lower| outline.is_level(*lower, t)),
                _ => begins && !outline.is_deeper(t, top),
            };
            if ends_block && outline.begins_line(top + 1) && outline.is_deeper(top + 1, top) {
                return Some((top, t));
            }
        }
        match kind {
            LeftBrace => open.push(t),
            RightBrace => {
                open.pop();
            }
            _ => {}
        }
    }
    None
}

/// A stray token after a function that was closed by a surplus `}`, judging by the indentation.
pub fn closed_early(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let is_stray = fault.at == fault.statement.first
        && !fault.statement.is_inside
        && matches!(fault.code, Code::UnexpectedToken | Code::NeverOpened);
    let function =
        fault.at.before().iter().rev().find(|t| outline.kind(*t).begins_item()).filter(|_| is_stray)?;
    let body = function.up_to(fault.at).iter().find(|t| outline.kind(*t) == LeftBrace)?;
    let closer = outline.partner(body).filter(|closer| *closer + 1 == fault.at)?;
    let is_surplus = outline.kind(function) == Fn
        && outline.begins_line(closer)
        && outline.is_deeper(closer, function)
        && outline.is_deeper(fault.at, function);
    if !is_surplus {
        return None;
    }
    let message = format!("this `}}` closes the function `{}`", outline.text(function + 1));
    let mut mistake = Mistake::new(Code::NeverOpened, outline.bytes(closer), message, fault.at);
    mistake.secondary = Some((outline.bytes(body), "opened here".to_string()));
    Some(mistake.help("remove it, or add the `{` that it closes"))
}

/// `if (n > 0) return 1;`, `while n > 0: n -= 1;`: a header whose block has no braces.
pub fn lacking(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let statement = fault.statement;
    let head = statement.first;
    let is_header = matches!(outline.kind(head), If | While | For | Else);
    let ends_in_brace = outline.kind(statement.end - 1) == LeftBrace;
    if !is_header || ends_in_brace || fault.code != Code::UnexpectedToken || fault.is_after_token {
        return None;
    }
    let begins_body = match outline.kind(fault.at) {
        Return | Break | Continue | Let | While | For => true,
        If => outline.kind(fault.before()) != Else,
        Name => fault.at.up_to(statement.end).iter().any(|t| outline.kind(t).is_assignment()),
        Colon => true,
        _ => false,
    };
    let is_whole = outline.kind(fault.before()).ends_operand() || outline.kind(fault.before()) == Else;
    if !begins_body || !is_whole {
        return None;
    }
    let word = outline.text(head);
    let head_text = outline.source(head..fault.at);
    let help = if head_text.len() <= 40 && !head_text.contains('\n') {
        format!("`{head_text} {{ … }}`")
    } else {
        format!("`{word} … {{ … }}`")
    };
    let message = format!("the block of this `{word}` has no braces");
    let covers = head..fault.at + 1;
    let mut mistake = Mistake::new(Code::UnexpectedToken, outline.bytes(fault.at), message, covers).help(help);
    // A following `else` is part of the same mistake.
    let mut last = outline.statement_of(fault.at).filter(|_| fault.at < outline.end());
    while let Some(next) = last.and_then(|index| outline.statements.get(index + 1)) {
        let Some(again) = outline.fault(*next).filter(|_| outline.kind(next.first) == Else) else { break };
        if outline.kind(next.end - 1) == LeftBrace || !matches!(again.code, Code::UnexpectedToken) {
            break;
        }
        mistake.covers.push(next.first.up_to(again.at + 1));
        last = outline.statement_of(again.at);
    }
    Some(mistake)
}
