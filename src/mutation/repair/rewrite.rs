//! A rewrite of a program: a stretch of its tokens becomes others, copied from it or new.

use super::rules::Rule;
use crate::lang::limits;
use crate::lang::token::{BUILTINS, TokenKind};
use crate::program::{Tokens, View};

/// A part of what is put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Tokens of the program, from one to before another.
    Copy(u32, u32),
    /// A new token with its value: of a number its bits, of a built-in function its name.
    New(TokenKind, u32),
    /// A new prefix operator.
    Prefix(TokenKind),
}

/// The tokens `lo .. hi` become these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub rule: Rule,
    pub lo: u32,
    /// `lo` for what is put before token `lo`.
    pub hi: u32,
    pub pieces: Vec<Piece>,
}

impl Rewrite {
    /// One past the last token that it covers.
    fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }

    pub fn overlaps(&self, other: &Rewrite) -> bool {
        self.lo < other.end() && other.lo < self.end()
    }
}

/// Writes the tokens of a program with some rewrites; false if they overlap, or there are too many tokens.
pub fn apply(base: &Tokens, rewrites: &[&Rewrite], out: &mut Tokens) -> bool {
    let mut order: Vec<&Rewrite> = rewrites.to_vec();
    order.sort_by_key(|rewrite| rewrite.lo);
    if order.windows(2).any(|pair| pair[0].overlaps(pair[1])) {
        return false;
    }
    out.columns_mut().into_iter().for_each(Vec::clear);
    let mut at = 0;
    for rewrite in order {
        copy(base, at, rewrite.lo, out);
        for piece in &rewrite.pieces {
            match *piece {
                Piece::Copy(lo, hi) => copy(base, lo, hi, out),
                Piece::New(kind, value) => place(base, rewrite.lo, (kind, value), out),
                Piece::Prefix(kind) => place(base, rewrite.lo, (kind, 0), out),
            }
        }
        at = rewrite.hi;
    }
    copy(base, at, base.kind.len() as u32, out);
    out.kind.len() <= limits::TOKENS
}

fn copy(base: &Tokens, lo: u32, hi: u32, out: &mut Tokens) {
    for (to, from) in out.columns_mut().into_iter().zip(base.columns()) {
        to.extend_from_slice(from.get(lo as usize..hi as usize).unwrap_or_default());
    }
}

/// A new token, with the place of the one that it stands before.
fn place(base: &Tokens, at: u32, (kind, value): (TokenKind, u32), out: &mut Tokens) {
    let at = (at as usize).min(base.kind.len().saturating_sub(1));
    let of = |column: &[u32]| column.get(at).copied().unwrap_or(0);
    out.kind.push(kind as u32);
    out.value.push(value);
    out.lo.push(of(&base.lo));
    out.hi.push(of(&base.hi));
    out.line.push(of(&base.line));
}

/// What a rewrite does to the text: these bytes become that.
pub fn in_text(view: View, rewrite: &Rewrite) -> (usize, usize, String) {
    let lo = view.span(rewrite.lo..rewrite.lo + 1).map_or(view.source.len(), |span| span.start);
    let hi = if rewrite.hi > rewrite.lo { view.span(rewrite.lo..rewrite.hi).map_or(lo, |s| s.end) } else { lo };
    let mut text = String::new();
    let mut before = None;
    for piece in &rewrite.pieces {
        match before {
            // Statements keep to their lines.
            Some(_) if rewrite.rule == Rule::Order => text.push_str(&line_break(view.source, lo)),
            Some(before) if apart(before, *piece) => text.push(' '),
            _ => {}
        }
        match *piece {
            Piece::Copy(lo, hi) => {
                let span = view.span(lo..hi).filter(|_| hi > lo).unwrap_or_default();
                text.push_str(view.source.get(span).unwrap_or(""));
            }
            Piece::New(TokenKind::Int, value) => text.push_str(&(value as i32).to_string()),
            Piece::New(TokenKind::Name, value) => {
                text.push_str(BUILTINS.get(value as usize).copied().unwrap_or(""));
            }
            Piece::New(kind, _) | Piece::Prefix(kind) => text.push_str(kind.spelling().unwrap_or("")),
        }
        before = Some(*piece);
    }
    if rewrite.hi > rewrite.lo {
        return (lo, hi, text);
    }
    match rewrite.pieces.last() {
        // A prefix is read with what it stands before.
        Some(Piece::Prefix(_)) => {
            text.push_str(view.text(rewrite.lo));
            (lo, lo + view.text(rewrite.lo).len(), text)
        }
        // What else is put before a token stands apart from it.
        _ => (lo, hi, text + " "),
    }
}

/// The end of a line and the indentation of the line that a byte is in, where nothing else stands before that; else a space.
fn line_break(source: &str, at: usize) -> String {
    let start = source[..at].rfind('\n').map_or(0, |end| end + 1);
    let indent = &source[start..at];
    if indent.trim().is_empty() { format!("\n{indent}") } else { " ".into() }
}

/// Whether a space stands between two pieces.
fn apart(before: Piece, next: Piece) -> bool {
    use TokenKind::*;
    let opens = match before {
        Piece::Prefix(_) => true,
        Piece::New(kind, _) => matches!(kind, LeftParen | LeftBracket),
        Piece::Copy(..) => false,
    };
    let closes = match next {
        Piece::New(kind, _) => matches!(kind, RightParen | RightBracket | Comma | Semicolon),
        _ => false,
    };
    let calls = matches!(before, Piece::New(Name, _)) && matches!(next, Piece::New(LeftParen, _));
    !(opens || closes || calls)
}
