//! A rewrite of a program: a stretch of its tokens becomes others, copied from it or new.

use super::rules::Rule;
use crate::lang::limits;
use crate::lang::token::TokenKind;
use crate::program::{Tokens, View};
use crate::stage::mutate::Piece;
use crate::variants::written;

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
                Piece::Copy(first, tokens) => copy(base, first, first + tokens, out),
                Piece::New(kind, value) => place(base, rewrite.lo, (kind, value), out),
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
    let pieces = || rewrite.pieces.iter().copied();
    // Statements keep to their lines.
    let mut text = written::pieces(view, rewrite.lo, pieces(), rewrite.rule == Rule::Order);
    if rewrite.hi > rewrite.lo {
        (lo, hi, text)
    } else if written::ends_in_prefix(pieces()) {
        // A prefix is read with what it stands before.
        text.push_str(view.text(rewrite.lo));
        (lo, lo + view.text(rewrite.lo).len(), text)
    } else {
        // What else is put before a token stands apart from it.
        (lo, hi, text + " ")
    }
}
