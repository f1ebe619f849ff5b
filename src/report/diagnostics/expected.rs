//! What a syntax error expected, told from the token before it and the kind of statement it stands in.

use crate::lang::token::TokenKind::{self, *};

/// How an unexpected token is named.
pub fn found(kind: Option<TokenKind>, text: &str) -> String {
    match kind {
        Some(Str) => "a string".into(),
        Some(Int | Char) => format!("the literal `{text}`"),
        Some(Name) => format!("the name `{text}`"),
        Some(kind) if kind.spelling().is_some_and(|s| s.as_bytes()[0].is_ascii_alphabetic()) => {
            format!("the keyword `{text}`")
        }
        _ => format!("`{text}`"),
    }
}

/// What could have stood behind `previous` in a statement that begins with `statement`.
pub fn expected(previous: Option<TokenKind>, statement: Option<TokenKind>) -> &'static str {
    let item = "an item: `fn`, `const`, `test` or `prop`";
    let Some(previous) = previous else { return item };
    match previous {
        Let | Const | For | Fn => "a name",
        Break | Continue => "`;`",
        Else => "`{` or `if`",
        Arrow | Colon if matches!(statement, Some(Fn | Let)) => "a type",
        RightParen if statement == Some(Fn) => "`->` and a type, or `{`",
        LeftParen | Comma if statement == Some(Fn) => "a parameter",
        IntType | BoolType if statement == Some(Fn) => "`,`, `)` or `{`",
        IntType | BoolType | RightBracket if statement == Some(Let) => "an operator, `=` or `;`",
        Name if matches!(statement, Some(Fn)) => "`(` or `:`",
        Name if statement == Some(Let) => "`:`, `=` or an operator",
        Prop | Comma if statement == Some(Prop) => "a binder, as in `a in 0..10`",
        RightBrace | Semicolon | LeftBrace => "a statement or an item",
        Int | Char | Str | Name | True | False | RightParen | RightBracket => match statement {
            Some(If | While | Else) => "an operator or `{`",
            Some(For) => "`in`, `..`, an operator or `{`",
            Some(Prop) => "an operator, `in`, `..`, `,`, `=>` or `;`",
            _ => "an operator or `;`",
        },
        _ => "an expression",
    }
}
