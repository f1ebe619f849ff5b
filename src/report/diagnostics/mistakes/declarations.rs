//! Declarations in the syntax of other languages.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use super::words::{begins_function, declares, type_hint};
use crate::lang::diagnostic::Code;
use crate::lang::index::TokenId;
use crate::lang::token::TokenKind::*;

/// `int x = 1;`, `var x = 1;`, `let mut x = 1;`, `let int x = 1;`; outside of functions `int f(int n) {` and `def f(n):`.
pub fn declaration(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let statement = fault.statement;
    let is_let = outline.kind(statement.first) == Let;
    let first = statement.first + u32::from(is_let);
    // Words on one line, the last of which is the name; a type may be followed by a pair of brackets.
    let mut name = first;
    while name < statement.end && is_word(outline, name) {
        let after = match outline.is(name + 1, LeftBracket) && outline.is(name + 2, RightBracket) {
            true => name + 3,
            false => name + 1,
        };
        if !is_word(outline, after) || outline.view.line(after) > outline.view.line(first) {
            break;
        }
        name = after;
    }
    if name == first || name >= statement.end || outline.kind(name) != Name {
        return None;
    }
    let (word, shown) = (outline.text(first), outline.text(name));
    let is_type = matches!(outline.kind(first), IntType | BoolType) || type_hint(word).is_some();
    let follows = outline.kind(name + 1);
    let end = statement.end;
    let span = outline.bytes(first);
    let new =
        |message: String| Mistake::new(Code::UnexpectedToken, span.clone(), message, statement.first..end);
    let is_function = begins_function(word) || is_type || outline.kind(end - 1) == LeftBrace;
    if !statement.is_inside && !is_let && follows == LeftParen && is_function {
        let message = format!("a function begins with `fn`, not with `{word}`");
        return Some(new(message).help(format!("`fn {shown}(n: int) -> int {{ … }}`")));
    }
    let is_declared = name + 1 < end && follows == Equal || is_let || is_type || declares(word);
    if !is_declared {
        return None;
    }
    let ty = match outline.text(first) {
        "int" | "bool" if name == first + 1 => format!(": {word}"),
        _ => String::new(),
    };
    let keyword = if statement.is_inside || is_let { "let" } else { "const" };
    let ty = if keyword == "let" { ty } else { String::new() };
    let form = match follows {
        LeftBracket if keyword == "let" && outline.is(name + 2, Int) => {
            format!("`let {shown} = [0; {}];`", outline.text(name + 2))
        }
        _ => format!("`{keyword} {shown}{ty} = …;`"),
    };
    Some(match () {
        _ if is_let && word == "mut" => new("there is no `mut`: every variable can change".into()).help(form),
        _ if is_let => new(format!("`let` is followed by the name, here `{shown}`")).help(form),
        _ if keyword == "let" => new("a variable is declared with `let`".into()).help(form),
        _ => new("a constant is declared with `const`".into()).help(form),
    })
}

/// `let if = 1;`: a keyword used as a name.
pub fn keyword(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let head = fault.statement.first;
    let (at, word) = (head + 1, outline.text(head + 1));
    let is_declared =
        matches!(outline.kind(head), Let | For | Const | Fn) && fault.at == at && !fault.is_after_token;
    let is_keyword = word.starts_with(|c: char| c.is_ascii_alphabetic()) && outline.kind(at) != Name;
    let is_named = matches!(outline.kind(at + 1), Equal | Colon | In | LeftParen) && at + 1 < outline.end();
    if !is_declared || !is_keyword || !is_named || matches!(outline.kind(at), IntType | BoolType) {
        return None;
    }
    let end = outline.statement_of(at).map_or(at + 1, |index| outline.statements[index].end);
    let message = format!("`{word}` is a keyword, not a name");
    Some(Mistake::new(Code::UnexpectedToken, outline.bytes(at), message, at..end).help("choose another name"))
}

fn is_word(outline: &Outline, t: TokenId) -> bool {
    t < outline.end() && matches!(outline.kind(t), Name | IntType | BoolType)
}
