//! Comments of other languages, and `//` where a division is meant.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::token::TokenKind::{Error, LeftBrace, RightBrace, Slash};

const FORM: &str = "a comment begins with `//` and ends with its line";

/// Finds comments of other languages: `/* … */`, and `# …` on its own line. All errors inside a comment are one
/// mistake.
pub fn foreign(outline: &Outline) -> Vec<Mistake> {
    let source = outline.view.source;
    let tokens = outline.end();
    let mut found: Vec<Mistake> = vec![];
    let mut t = TokenId::new(0);
    while t < tokens {
        let bytes = outline.bytes(t);
        let rest = source.get(bytes.start..).unwrap_or("");
        let (opener, length) = match outline.kind(t) {
            Slash if rest.starts_with("/*") => ("/*", rest[2..].find("*/").map_or(rest.len(), |at| at + 4)),
            Error if rest.starts_with('#') && outline.begins_line(t) => {
                ("#", rest.find('\n').unwrap_or(rest.len()))
            }
            _ => {
                t = t.next();
                continue;
            }
        };
        let end = bytes.start + length;
        let first = t;
        while t < tokens && outline.bytes(t).start < end {
            t = t.next();
        }
        let span = bytes.start..bytes.start + opener.len();
        let code = if opener == "#" { Code::UnexpectedCharacter } else { Code::UnexpectedToken };
        let message = format!("`{opener}` does not begin a comment");
        let help = if opener == "#" { directive(rest).unwrap_or(FORM) } else { FORM };
        let mut mistake = Mistake::new(code, span, message, first..t).help(help);
        // A brace or an item's keyword in the comment causes an error of the surrounding function.
        let upsets =
            |t: TokenId| matches!(outline.kind(t), LeftBrace | RightBrace) || outline.kind(t).begins_item();
        if first.up_to(t).iter().any(upsets)
            && let Some(item) = first.before().iter().rev().find(|t| outline.kind(*t).begins_item())
            && let Some(body) = item.up_to(first).iter().find(|t| outline.kind(*t) == LeftBrace)
        {
            mistake.covers.push(body.into());
        }
        found.push(mistake);
    }
    found
}

/// Returns the hint for a directive of another language that begins with `#`.
fn directive(line: &str) -> Option<&'static str> {
    let word: String =
        line[1..].chars().skip_while(|c| *c == '[').take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "include" | "import" | "pragma" | "use" => Some("a program is one file"),
        "define" => Some("a constant is declared outside of functions: `const NAME = …;`"),
        "test" if line.starts_with("#[") => Some("a test is an item of its own: `test f(1) == 2;`"),
        _ => None,
    }
}

/// `n // 2;`: the rest of the line is a comment.
pub fn division(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let last = match fault.code {
        // The closing bracket may be in the comment of any line.
        Code::NeverClosed => fault.at.up_to(fault.statement.end).iter().find(|t| divides(outline, *t))?,
        _ => fault.before(),
    };
    if !divides(outline, last) || fault.code == Code::MissingSemicolon && is_remark(outline, last) {
        return None;
    }
    let start = outline.view.source.get(outline.bytes(last).end..)?.find("//")?;
    let start = outline.bytes(last).end + start;
    let code = if fault.code == Code::MissingSemicolon { fault.code } else { Code::UnexpectedToken };
    let mistake = Mistake::new(code, start..start + 2, "`//` begins a comment", fault.at);
    Some(mistake.help("`/` divides, and drops the remainder"))
}

/// Returns whether the comment after the token is one word that is neither a number nor a name of the program.
fn is_remark(outline: &Outline, t: TokenId) -> bool {
    let word = outline.rest_of_line(t).trim().trim_start_matches('/').trim();
    let begins = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    begins && is_word && !outline.view.all().iter().any(|t| outline.text(t) == word)
}

/// Returns whether a comment after the token reads like the rest of an expression.
fn divides(outline: &Outline, t: TokenId) -> bool {
    let Some((_, comment)) =
        outline.rest_of_line(t).split_once("//").filter(|(blank, _)| blank.trim().is_empty())
    else {
        return false;
    };
    let operand = comment.split("//").next().unwrap_or("").trim();
    let begins = operand.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '(');
    let is_word = operand.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    outline.kind(t).ends_operand() && begins && (is_word || operand.ends_with([';', '{', ')', ']', ',']))
}
