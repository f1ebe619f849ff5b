//! Edits: a range of a base's tokens is replaced by pieces, which are new tokens or copies of the base's.

use crate::compiler::program::Tokens;
use crate::lang::limits;
use crate::lang::mutation::Operator;
use crate::lang::token::TokenKind;

/// The most pieces that an edit inserts: `if`, a comparison of two list lengths, and a statement in braces.
pub const PIECES: usize = 13;

/// A piece of an edit's insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// A new token with its value.
    New(TokenKind, u32),
    /// A copy of tokens of the base: the first token, and the number of tokens.
    Copy(u32, u32),
}

impl Piece {
    /// A new token whose value is 0.
    pub const fn sign(kind: TokenKind) -> Piece {
        Piece::New(kind, 0)
    }

    /// A copy of the tokens `lo .. hi` of the base.
    pub const fn copy(lo: u32, hi: u32) -> Piece {
        Piece::Copy(lo, hi - lo)
    }

    /// Number of tokens of the piece.
    pub const fn tokens(self) -> u32 {
        match self {
            Piece::New(..) => 1,
            Piece::Copy(_, tokens) => tokens,
        }
    }

    /// Returns the piece with copied tokens shifted by `by`.
    fn later(self, by: i64) -> Piece {
        match self {
            Piece::Copy(from, tokens) => Piece::Copy((i64::from(from) + by) as u32, tokens),
            new => new,
        }
    }
}

/// A change of the base: the tokens `lo .. hi` are replaced by pieces, or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub operator: Operator,
    /// The token that the edit belongs to.
    pub site: u32,
    pub lo: u32,
    /// `lo` for an insertion before token `lo`.
    pub hi: u32,
    /// In order; the unused ones at the end are `None`.
    pieces: [Option<Piece>; PIECES],
}

impl Edit {
    /// Creates an edit that replaces tokens `lo .. hi` by at most [`PIECES`] pieces.
    pub fn new(operator: Operator, site: u32, (lo, hi): (u32, u32), put: &[Piece]) -> Edit {
        debug_assert!(put.len() <= PIECES);
        let mut pieces = [None; PIECES];
        pieces.iter_mut().zip(put).for_each(|(piece, put)| *piece = Some(*put));
        Edit { operator, site, lo, hi, pieces }
    }

    /// The inserted pieces.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + use<> {
        self.pieces.into_iter().flatten()
    }

    /// Returns the new token if the edit inserts nothing else.
    pub fn new_token(&self) -> Option<(TokenKind, u32)> {
        match self.pieces {
            [Some(Piece::New(kind, value)), None, ..] => Some((kind, value)),
            _ => None,
        }
    }

    /// Number of inserted tokens.
    pub fn inserted_tokens(&self) -> u32 {
        self.pieces().map(Piece::tokens).sum()
    }

    /// Number of tokens that the edit adds to the program; may be negative.
    pub fn growth(&self) -> i64 {
        i64::from(self.inserted_tokens()) - i64::from(self.hi - self.lo)
    }

    /// One past the last covered token. The other edit of a pair must not cover the same tokens.
    pub fn end(&self) -> u32 {
        self.hi.max(self.lo + 1)
    }

    /// Returns the same edit for a program in which all affected tokens are shifted by `by`.
    pub fn later(self, by: i64) -> Edit {
        let moved = |token: u32| (i64::from(token) + by) as u32;
        let pieces = self.pieces.map(|piece| piece.map(|piece| piece.later(by)));
        Edit { lo: moved(self.lo), hi: moved(self.hi), pieces, ..self }
    }
}

/// Writes the tokens of a variant. Returns false if the edits overlap or the variant has too many tokens.
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
        place(base, b, a.lo + a.inserted_tokens() + (b.lo - a.hi), out);
    }
    out.kind.len() <= limits::TOKENS
}

/// Appends an edit's pieces to a column, with 0 for new tokens.
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

/// Fills in the new tokens of an edit. Their span is that of the replaced tokens, or of the token that they
/// precede.
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
