//! Determines what a syntax error expected, from the preceding tokens of its statement.

use crate::lang::token::TokenKind::{self, *};

/// Describes an unexpected token.
pub fn found(kind: TokenKind, text: &str) -> String {
    match kind {
        Str => "a string".into(),
        Int | Char => format!("the literal `{text}`"),
        Name => format!("the name `{text}`"),
        kind if kind.spelling().is_some_and(|s| s.as_bytes()[0].is_ascii_alphabetic()) => {
            format!("the keyword `{text}`")
        }
        _ => format!("`{text}`"),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    Params,
    Type,
    Domain,
    Call,
    Group,
    List,
    Index,
}

/// Returns what could follow the tokens `before`, which start at the first token of their statement.
pub fn expected(before: &[TokenKind]) -> &'static str {
    let (Some(&head), Some(&previous)) = (before.first(), before.last()) else { return ITEM };
    // The open brackets, each with the last separator in it. `outer` is the last separator of the statement
    // itself.
    let mut open = vec![];
    let mut outer = None;
    for (i, kind) in before.iter().enumerate() {
        match kind {
            LeftParen | LeftBracket => open.push((bracket(before, i, open.len()), None)),
            RightParen | RightBracket => {
                open.pop();
            }
            Comma | Semicolon | Colon | Arrow | FatArrow | DotDot | DotDotEqual | In => match open.last_mut() {
                Some((_, separator)) => *separator = Some(*kind),
                None => outer = Some(*kind),
            },
            // The condition of a property; `if` never occurs inside correct brackets.
            If if head == Prop => outer = Some(If),
            kind if kind.is_assignment() && open.is_empty() => outer = Some(Equal),
            _ => {}
        }
    }
    match open.last() {
        Some((bracket, separator)) => in_bracket(*bracket, *separator, previous),
        None => in_statement(head, before.len(), outer, previous),
    }
}

pub const ITEM: &str = "an item: `fn`, `const`, `test` or `prop`";
const EXPRESSION: &str = "an expression";

fn bracket(before: &[TokenKind], i: usize, depth: usize) -> Bracket {
    let head = before[0];
    let previous = if i > 0 { before[i - 1] } else { Semicolon };
    match before[i] {
        LeftParen if head == Fn && i == 2 => Bracket::Params,
        LeftParen if matches!(previous, Name | IntType) => Bracket::Call,
        LeftParen => Bracket::Group,
        _ if matches!(previous, Colon | Arrow) && matches!(head, Let | Fn) => Bracket::Type,
        _ if previous == In && head == Prop && depth == 0 => Bracket::Domain,
        _ if previous.ends_operand() => Bracket::Index,
        _ => Bracket::List,
    }
}

fn in_bracket(bracket: Bracket, separator: Option<TokenKind>, previous: TokenKind) -> &'static str {
    match (bracket, separator, previous) {
        (Bracket::Params, _, LeftParen | Comma) => "a parameter or `)`",
        (Bracket::Params, _, Name) => "`:` and a type",
        (Bracket::Params, _, Colon) => "a type",
        (Bracket::Params, ..) => "`,` or `)`",
        (Bracket::Type, None, LeftBracket) => "`int` or `bool`",
        (Bracket::Type, None, _) => "`;` or `]`",
        (Bracket::Call, _, LeftParen | Comma) => "an argument or `)`",
        (Bracket::List, None | Some(Comma), LeftBracket | Comma) => "an element or `]`",
        (_, _, previous) if !previous.ends_operand() => EXPRESSION,
        (Bracket::Call, ..) => "an operator, `,` or `)`",
        (Bracket::Group, ..) => "an operator or `)`",
        (Bracket::List, None, _) => "an operator, `,`, `;` or `]`",
        (Bracket::List, Some(Comma), _) => "an operator, `,` or `]`",
        (Bracket::Index, None, _) => "an operator, `..` or `]`",
        (Bracket::Domain, None, _) => "an operator or `..`",
        (Bracket::Domain, Some(DotDot), _) => "an operator, or `;` and the greatest length",
        _ => "an operator or `]`",
    }
}

/// `separator` is the last one of the statement itself, `length` the number of preceding tokens.
fn in_statement(
    head: TokenKind,
    length: usize,
    separator: Option<TokenKind>,
    previous: TokenKind,
) -> &'static str {
    match (head, length, separator) {
        (Let | Const | For | Fn, 1, _) => return "a name",
        (Let, 2, _) => return "`:` or `=`",
        (Const, 2, _) => return "`=`",
        (For, 2, _) => return "`in`",
        (Fn, 2, _) => return "`(`",
        (Let, _, Some(Colon)) if previous == Colon => return "a type",
        (Let, _, Some(Colon)) => return "`=`",
        (Fn, _, Some(Arrow)) if previous == Arrow => return "a type",
        (Fn, _, Some(Arrow)) => return "`{`",
        (Fn, ..) => return "`->` and the type of the result",
        (Break | Continue, ..) => return "`;`",
        (Else, 1, _) => return "`{` or `if`",
        (Prop, 2, _) if previous == Str => return "`:`",
        (Prop, _, None | Some(Comma | Colon)) if previous == Name => return "`in`",
        (Prop, _, None | Some(Comma | Colon)) => return "a binder, as in `a in 0..10`",
        (Prop, _, Some(In)) if previous == RightBracket => return "`,`, `if` or `=>`",
        _ => {}
    }
    if !previous.ends_operand() {
        return EXPRESSION;
    }
    match (head, separator) {
        (Prop, Some(In)) => "an operator or `..`",
        (Prop, Some(DotDot)) => "an operator, `,`, `if` or `=>`",
        (Prop, Some(If)) => "an operator or `=>`",
        (For, Some(In)) => "an operator, `..`, `..=` or `{`",
        (If | While | Else | For, _) => "an operator or `{`",
        _ => "an operator or `;`",
    }
}
