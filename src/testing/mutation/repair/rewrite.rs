//! A rewrite of a program: a stretch of its tokens becomes others, copied from it or new.

use std::ops::Range;

use super::rules::Rule;
use crate::compiler::program::{Tokens, View};
use crate::compiler::stage::mutate::Piece;
use crate::compiler::variants::written;
use crate::engine::Hunk;
use crate::lang::limits;
use crate::lang::token::TokenKind;

/// The tokens `lo .. hi` become these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub rule: Rule,
    /// Its number, if it is an edit that mutants make.
    pub number: Option<u32>,
    pub lo: u32,
    /// `lo` for what is put before token `lo`.
    pub hi: u32,
    pub pieces: Vec<Piece>,
}

impl Rewrite {
    /// One past the last token that it covers.
    pub fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }

    /// As an engine validates it.
    pub fn hunk(&self) -> Hunk<'_> {
        Hunk { number: self.number, lo: self.lo, hi: self.hi, pieces: &self.pieces }
    }

    /// By how many tokens it makes the program longer.
    pub fn growth(&self) -> i64 {
        let put: u32 = self.pieces.iter().map(|piece| piece.tokens()).sum();
        i64::from(put) - i64::from(self.hi - self.lo)
    }

    /// Whether all that it changes and copies is among some tokens.
    pub fn stays_in(&self, tokens: &Range<u32>) -> bool {
        let inside = |lo: u32, hi: u32| tokens.start <= lo && hi <= tokens.end;
        let copies = |piece: &Piece| match *piece {
            Piece::Copy(first, count) => inside(first, first + count),
            Piece::New(..) => true,
        };
        inside(self.lo, self.end()) && self.pieces.iter().all(copies)
    }

    pub fn overlaps(&self, other: &Rewrite) -> bool {
        self.lo < other.end() && other.lo < self.end()
    }
}

/// Writes tokens with some rewrites in their order, of which none overlaps the next; what they are about stands so many tokens later
/// here. False if there are too many tokens.
pub fn apply(base: &Tokens, rewrites: &[&Rewrite], later: i64, out: &mut Tokens) -> bool {
    let place_of = |token: u32| (i64::from(token) + later) as u32;
    out.columns_mut().into_iter().for_each(Vec::clear);
    let mut at = 0;
    for rewrite in rewrites {
        let (lo, hi) = (place_of(rewrite.lo), place_of(rewrite.hi));
        copy(base, at, lo, out);
        for piece in &rewrite.pieces {
            match *piece {
                Piece::Copy(first, tokens) => {
                    copy(base, place_of(first), place_of(first + tokens), out);
                }
                Piece::New(kind, value) => place(base, lo, (kind, value), out),
            }
        }
        at = hi;
    }
    copy(base, at, base.kind.len() as u32, out);
    out.kind.len() <= limits::TOKENS
}

/// The token of the base that a token of the program with a rewrite is or stands in the place of.
pub fn unmoved(rewrite: &Rewrite, token: u32) -> u32 {
    let behind = i64::from(rewrite.hi) + rewrite.growth();
    match i64::from(token) {
        _ if token < rewrite.lo => token,
        now if now < behind => rewrite.lo,
        now => (now - rewrite.growth()) as u32,
    }
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
    // Statements keep to their lines: what is moved or copied is statements, a guard that returns is one of many pieces.
    let lines = matches!(rewrite.rule, Rule::Order | Rule::Copy);
    let text = written::pieces(view, rewrite.lo, pieces(), lines);
    if rewrite.hi > rewrite.lo {
        return (lo, hi, text);
    }
    match written::before(view, rewrite.lo, pieces(), lines || rewrite.rule == Rule::Return) {
        // A prefix is read with what it stands before.
        none if none.is_empty() => {
            let next = view.text(rewrite.lo);
            (lo, lo + next.len(), text + next)
        }
        // What else is put before a token stands apart from it.
        apart => (lo, hi, text + &apart),
    }
}
