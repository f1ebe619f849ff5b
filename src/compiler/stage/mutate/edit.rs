//! An edit: a stretch of a base's tokens becomes some pieces, new tokens and copies of the base's.

use crate::compiler::program::Tokens;
use crate::lang::limits;
use crate::lang::mutation::Operator;
use crate::lang::token::TokenKind;

/// The most pieces that an edit puts in: a statement and braces behind `if` and a comparison of the lengths of two lists.
pub const PIECES: usize = 13;

/// A part of what an edit puts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A new token with its value.
    New(TokenKind, u32),
    /// So many tokens of the base, from one on.
    Copy(u32, u32),
}

impl Piece {
    /// A new token that says nothing beside its kind.
    pub const fn sign(kind: TokenKind) -> Piece {
        Piece::New(kind, 0)
    }

    /// The tokens `lo .. hi` of the base.
    pub const fn copy(lo: u32, hi: u32) -> Piece {
        Piece::Copy(lo, hi - lo)
    }

    /// How many tokens it is.
    pub const fn tokens(self) -> u32 {
        match self {
            Piece::New(..) => 1,
            Piece::Copy(_, tokens) => tokens,
        }
    }

    /// With all tokens so much later.
    fn later(self, by: i64) -> Piece {
        match self {
            Piece::Copy(from, tokens) => Piece::Copy((i64::from(from) + by) as u32, tokens),
            new => new,
        }
    }
}

/// A change of the base: tokens `lo .. hi` become pieces, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub operator: Operator,
    /// The token that it belongs to.
    pub site: u32,
    pub lo: u32,
    /// `lo` for an insertion before token `lo`.
    pub hi: u32,
    /// In order; behind the last one there are none.
    pieces: [Option<Piece>; PIECES],
}

impl Edit {
    /// Tokens `lo .. hi` become at most [`PIECES`] pieces.
    pub fn new(operator: Operator, site: u32, (lo, hi): (u32, u32), put: &[Piece]) -> Edit {
        debug_assert!(put.len() <= PIECES);
        let mut pieces = [None; PIECES];
        pieces.iter_mut().zip(put).for_each(|(piece, put)| *piece = Some(*put));
        Edit { operator, site, lo, hi, pieces }
    }

    /// What it puts in.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        self.pieces.into_iter().flatten()
    }

    /// The new token, where it puts in that and nothing else.
    pub fn new_token(&self) -> Option<(TokenKind, u32)> {
        match self.pieces {
            [Some(Piece::New(kind, value)), None, ..] => Some((kind, value)),
            _ => None,
        }
    }

    /// How many tokens it puts in.
    pub fn put_in(&self) -> u32 {
        self.pieces().map(Piece::tokens).sum()
    }

    /// By how many tokens it makes the program longer.
    pub fn growth(&self) -> i64 {
        i64::from(self.put_in()) - i64::from(self.hi - self.lo)
    }

    /// One past the last token that it covers: what no other edit of a pair may cover too.
    pub fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }

    /// The same edit of a program in which all that it is about stands so many tokens later.
    pub fn later(self, by: i64) -> Edit {
        let moved = |token: u32| (i64::from(token) + by) as u32;
        let pieces = self.pieces.map(|piece| piece.map(|piece| piece.later(by)));
        Edit { lo: moved(self.lo), hi: moved(self.hi), pieces, ..self }
    }
}

/// Writes the tokens of a variant; false if it cannot be: its edits overlap, or there are too many tokens.
pub fn apply(base: &Tokens, first: Edit, second: Option<Edit>, out: &mut Tokens) -> bool {
    let (a, b) = match second {
        Some(second) if second.lo < first.lo => (second, Some(first)),
        second => (first, second),
    };
    if b.is_some_and(|b| b.lo < a.end()) {
        return false;
    }
    for (to, from) in out.columns_mut().into_iter().zip(base.columns()) {
        to.clear();
        to.extend_from_slice(&from[..a.lo as usize]);
        put(from, a, to);
        if let Some(b) = b {
            to.extend_from_slice(&from[a.hi as usize..b.lo as usize]);
            put(from, b, to);
            to.extend_from_slice(&from[b.hi as usize..]);
        } else {
            to.extend_from_slice(&from[a.hi as usize..]);
        }
    }
    place(base, a, a.lo, out);
    if let Some(b) = b {
        place(base, b, a.lo + a.put_in() + (b.lo - a.hi), out);
    }
    out.kind.len() <= limits::TOKENS
}

/// Puts an edit's pieces into a column, with room for new tokens.
fn put(from: &[u32], edit: Edit, to: &mut Vec<u32>) {
    for piece in edit.pieces() {
        match piece {
            Piece::New(..) => to.push(0),
            Piece::Copy(first, tokens) => {
                to.extend_from_slice(&from[first as usize..(first + tokens) as usize])
            }
        }
    }
}

/// The new tokens of an edit, with the span of what it replaces or stands before.
fn place(base: &Tokens, edit: Edit, at: u32, out: &mut Tokens) {
    let mut at = at as usize;
    for piece in edit.pieces() {
        if let Piece::New(kind, value) = piece {
            out.kind[at] = kind as u32;
            out.value[at] = value;
            out.lo[at] = base.lo[edit.lo as usize];
            out.hi[at] = base.hi[edit.end() as usize - 1];
            out.line[at] = base.line[edit.lo as usize];
        }
        at += piece.tokens() as usize;
    }
}
