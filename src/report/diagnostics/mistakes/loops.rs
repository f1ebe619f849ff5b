//! Loops in the syntax of other languages.

use super::super::outline::{Outline, OutlineFault};
use super::Mistake;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::token::TokenKind::*;

/// The header of a `for`: its tokens up to the closing bracket or the `{`, and the positions of its `;`.
struct Header {
    /// The tokens after the `(`, if there is one.
    inside: Indices<TokenId>,
    semicolons: Vec<TokenId>,
    /// The token after the header; a `{` belongs to the header.
    end: TokenId,
}

fn header(outline: &Outline, fault: &OutlineFault) -> Option<Header> {
    let first = fault.statement.first;
    if outline.kind(first) != For {
        return None;
    }
    let is_bracketed = outline.is(first + 1, LeftParen);
    let start = first + 1 + u32::from(is_bracketed);
    let mut depth = 1;
    let mut semicolons = vec![];
    let mut t = start;
    loop {
        if t >= outline.end() {
            return None;
        }
        match outline.kind(t) {
            LeftParen => depth += 1,
            RightParen => depth -= 1,
            Semicolon => semicolons.push(t),
            LeftBrace => break,
            RightBrace => return None,
            kind if kind.begins_item() => return None,
            _ => {}
        }
        if depth == 0 && is_bracketed {
            break;
        }
        t = t.next();
    }
    let after = t + u32::from(outline.kind(t) == RightParen);
    Some(Header { inside: start.up_to(t), semicolons, end: after + u32::from(outline.is(after, LeftBrace)) })
}

/// `for (let i = 0; i < n; i++) {`
pub fn counting(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let Header { inside, semicolons, end } = header(outline, fault)?;
    let (first, [one, ..]) = (fault.statement.first, semicolons.as_slice()) else { return None };
    if semicolons.len() > 2 || first.up_to(*one).iter().any(|t| outline.kind(t) == In) {
        return None;
    }
    // Without a block, the statement extends past the header.
    let end = match outline.kind(end - 1) {
        LeftBrace => end,
        _ => outline.statement_of(end - 1).map_or(end, |index| outline.statements[index].end),
    };
    let range = range(outline, inside, &semicolons);
    let help = match &range {
        Some((name, range)) => format!("`for {name} in {range} {{ … }}`"),
        None => "`for i in 0..n { … }`; a `while` takes any condition".to_string(),
    };
    let span = outline.bytes(first);
    let mistake =
        Mistake::new(Code::UnexpectedToken, span, "a `for` iterates over a range or a list", first..end);
    Some(mistake.help(help))
}

/// Returns the name and the range of a header like `i = A; i < B; i += 1`, in any usual spelling.
fn range(outline: &Outline, inside: Indices<TokenId>, semicolons: &[TokenId]) -> Option<(String, String)> {
    let [one, two] = semicolons else { return None };
    let equal = inside.start().up_to(*one).iter().find(|t| outline.kind(*t) == Equal)?;
    let name = outline.text(equal - 1);
    let from = outline.source(equal + 1..*one);
    let dots = match outline.kind(*one + 2) {
        Less | BangEqual => "..",
        LessEqual => "..=",
        _ => return None,
    };
    let step = outline.source(*two + 1..inside.end());
    let step: String = step.chars().filter(|c| !c.is_whitespace()).collect();
    let is_one = [format!("{name}++"), format!("++{name}"), format!("{name}+=1"), format!("{name}={name}+1")];
    let is_plain = outline.kind(equal - 1) == Name && outline.text(*one + 1) == name && is_one.contains(&step);
    is_plain.then(|| (name.to_string(), format!("{from}{dots}{}", outline.source(*one + 3..*two))))
}

/// `for (x in xs) {`, `for (let x of xs) {`, `for int x in xs {`, `for i in (0..n) {`
pub fn bracketed(outline: &Outline, fault: &OutlineFault) -> Option<Mistake> {
    let Header { inside, semicolons, end } = header(outline, fault)?;
    let first = fault.statement.first;
    let separates = |t: &TokenId| matches!(outline.kind(*t), In | Colon) || outline.text(*t) == "of";
    let separator = inside.iter().find(separates).filter(|t| semicolons.is_empty() && *t > inside.start())?;
    let name = separator - 1;
    if outline.kind(name) != Name || outline.kind(end - 1) != LeftBrace {
        return None;
    }
    let help = format!("`for {} in … {{ … }}`", outline.text(name));
    let is_range = name == first + 1 && outline.kind(separator) == In && outline.kind(fault.at) == DotDot
        || outline.kind(fault.at) == DotDotEqual;
    let message = match () {
        _ if inside.start() > first + 1 => "the header of a `for` has no brackets",
        _ if is_range && outline.is(separator + 1, LeftParen) => "a range has no brackets",
        _ if name > first + 1 => "the variable of a `for` is declared by its name only",
        _ => return None,
    };
    let at = fault.at.max(first + 1);
    Some(Mistake::new(Code::UnexpectedToken, outline.bytes(at), message, first..end).help(help))
}
