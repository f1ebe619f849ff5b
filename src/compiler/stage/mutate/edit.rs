//! Edits: a range of a base's tokens is replaced by pieces, which are new tokens or copies of the base's.

use crate::compiler::program::Tokens;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::limits;
use crate::lang::mutation::Operator;
use crate::lang::token::TokenKind;

/// The most pieces that an edit inserts: `if`, a comparison of two list lengths, and a statement in braces.
pub const PIECES: usize = 13;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    New(TokenKind, u32),
    /// A copy of tokens of the base.
    Copy(Indices<TokenId>),
}

impl Piece {
    /// A new token whose value is 0.
    pub const fn sign(kind: TokenKind) -> Piece {
        Piece::New(kind, 0)
    }

    pub fn tokens(self) -> u32 {
        match self {
            Piece::New(..) => 1,
            Piece::Copy(tokens) => tokens.len(),
        }
    }

    /// Returns the piece with copied tokens shifted by `by`.
    fn shifted(self, by: i64) -> Piece {
        match self {
            Piece::Copy(tokens) => Piece::Copy(tokens.shifted(by)),
            new => new,
        }
    }
}

/// A change of the base: the tokens `lo .. hi` are replaced by pieces, or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    pub operator: Operator,
    /// The token that the edit belongs to.
    pub site: TokenId,
    pub lo: TokenId,
    /// `lo` for an insertion before token `lo`.
    pub hi: TokenId,
    /// In order; the unused ones at the end are `None`.
    pieces: [Option<Piece>; PIECES],
}

impl Edit {
    /// Creates an edit that replaces tokens by at most [`PIECES`] pieces.
    pub fn new(operator: Operator, site: TokenId, tokens: Indices<TokenId>, put: &[Piece]) -> Edit {
        debug_assert!(put.len() <= PIECES);
        let mut pieces = [None; PIECES];
        pieces.iter_mut().zip(put).for_each(|(piece, put)| *piece = Some(*put));
        Edit { operator, site, lo: tokens.start(), hi: tokens.end(), pieces }
    }

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

    pub fn inserted_tokens(&self) -> u32 {
        self.pieces().map(Piece::tokens).sum()
    }

    /// Number of tokens that the edit adds to the program; may be negative.
    pub fn growth(&self) -> i64 {
        i64::from(self.inserted_tokens()) - i64::from(self.hi - self.lo)
    }

    /// One past the last covered token. The other edit of a pair must not cover the same tokens.
    pub fn end(&self) -> TokenId {
        self.hi.max(self.lo + 1)
    }

    /// Returns the same edit for a program in which all affected tokens are shifted by `by`.
    pub fn shifted(self, by: i64) -> Edit {
        let pieces = self.pieces.map(|piece| piece.map(|piece| piece.shifted(by)));
        Edit { lo: self.lo.shifted(by), hi: self.hi.shifted(by), pieces, ..self }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Edits {
    pub first: Edit,
    /// `None` for a first-order variant.
    pub second: Option<Edit>,
}

impl Edits {
    pub fn iter(self) -> impl Iterator<Item = Edit> {
        std::iter::once(self.first).chain(self.second)
    }

    /// Returns the number of tokens that the variant has more than the base.
    pub fn growth(self) -> i64 {
        self.iter().map(|edit| edit.growth()).sum()
    }
}

impl From<Edit> for Edits {
    fn from(first: Edit) -> Edits {
        Edits { first, second: None }
    }
}

/// Writes the tokens of a variant. Returns false if the edits overlap or the variant has too many tokens.
pub fn apply(base: &Tokens, Edits { first, second }: Edits, out: &mut Tokens) -> bool {
    let (a, b) = match second {
        Some(second) if second.lo < first.lo => (second, Some(first)),
        second => (first, second),
    };
    if b.is_some_and(|b| b.lo < a.end()) {
        return false;
    }
    for (to, from) in out.columns_mut().into_iter().zip(base.columns()) {
        to.clear();
        to.extend_from_slice(&from[..a.lo.position()]);
        put(from, a, to);
        if let Some(b) = b {
            to.extend_from_slice(&from[a.hi.position()..b.lo.position()]);
            put(from, b, to);
            to.extend_from_slice(&from[b.hi.position()..]);
        } else {
            to.extend_from_slice(&from[a.hi.position()..]);
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
            Piece::Copy(tokens) => to.extend_from_slice(&from[tokens.positions()]),
        }
    }
}

/// Fills in the new tokens of an edit. Their span is that of the replaced tokens, or of the token that they
/// precede.
fn place(base: &Tokens, edit: Edit, at: TokenId, out: &mut Tokens) {
    let mut at = at.position();
    for piece in edit.pieces() {
        if let Piece::New(kind, value) = piece {
            out.kind[at] = kind as u32;
            out.value[at] = value;
            out.lo[at] = base.lo[edit.lo.position()];
            out.hi[at] = base.hi[edit.end().position() - 1];
            out.line[at] = base.line[edit.lo.position()];
        }
        at += piece.tokens() as usize;
    }
}
