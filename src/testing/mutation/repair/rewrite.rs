//! A rewrite of a program replaces a range of tokens with copied or new ones.

use super::rules::Rule;
use crate::compiler::program::{Tokens, View};
use crate::compiler::stage::mutate::Piece;
use crate::compiler::variants::written;
use crate::engine::Hunk;
use crate::lang::index::{EditId, Index, Indices, TokenId};
use crate::lang::limits;
use crate::lang::token::TokenKind;

/// Replaces the tokens `lo .. hi` with `pieces`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub rule: Rule,
    pub number: Option<EditId>,
    pub lo: TokenId,
    /// Equals `lo` for an insertion before token `lo`.
    pub hi: TokenId,
    pub pieces: Vec<Piece>,
}

impl Rewrite {
    /// Returns the index after the last token that the rewrite covers.
    pub fn end(&self) -> TokenId {
        self.hi.max(self.lo + 1)
    }

    /// Returns the rewrite as a hunk for an engine to validate.
    pub fn hunk(&self) -> Hunk<'_> {
        Hunk { number: self.number, lo: self.lo, hi: self.hi, pieces: &self.pieces }
    }

    /// Returns the number of tokens by which the program grows.
    pub fn growth(&self) -> i64 {
        let put: u32 = self.pieces.iter().map(|piece| piece.tokens()).sum();
        i64::from(put) - i64::from(self.hi - self.lo)
    }

    /// Returns whether all tokens that it changes or copies are in a range.
    pub fn stays_in(&self, tokens: Indices<TokenId>) -> bool {
        let inside = |own: Indices<TokenId>| tokens.start() <= own.start() && own.end() <= tokens.end();
        let copies = |piece: &Piece| match *piece {
            Piece::Copy(own) => inside(own),
            Piece::New(..) => true,
        };
        inside(self.lo.up_to(self.end())) && self.pieces.iter().all(copies)
    }

    pub fn overlaps(&self, other: &Rewrite) -> bool {
        self.lo < other.end() && other.lo < self.end()
    }
}

/// Applies sorted rewrites that do not overlap to tokens. `later` is added to the rewrites' token indices. Returns
/// false if the result has too many tokens.
pub fn apply(base: &Tokens, rewrites: &[&Rewrite], later: i64, out: &mut Tokens) -> bool {
    out.columns_mut().into_iter().for_each(Vec::clear);
    let mut at = TokenId::new(0);
    for rewrite in rewrites {
        let (lo, hi) = (rewrite.lo.shifted(later), rewrite.hi.shifted(later));
        copy(base, at.up_to(lo), out);
        for piece in &rewrite.pieces {
            match *piece {
                Piece::Copy(tokens) => copy(base, tokens.shifted(later), out),
                Piece::New(kind, value) => place(base, lo, kind, value, out),
            }
        }
        at = hi;
    }
    copy(base, at.up_to(TokenId::at(base.kind.len())), out);
    out.kind.len() <= limits::TOKENS
}

/// Maps a token of the rewritten program to the base's token that it is, or whose place it takes.
pub fn base_token(rewrite: &Rewrite, token: TokenId) -> TokenId {
    match token {
        _ if token < rewrite.lo => token,
        _ if token < rewrite.hi.shifted(rewrite.growth()) => rewrite.lo,
        _ => token.shifted(-rewrite.growth()),
    }
}

fn copy(base: &Tokens, tokens: Indices<TokenId>, out: &mut Tokens) {
    for (to, from) in out.columns_mut().into_iter().zip(base.columns()) {
        to.extend_from_slice(from.get(tokens.positions()).unwrap_or_default());
    }
}

/// Adds a new token with the source position of the token before which it is inserted.
fn place(base: &Tokens, at: TokenId, kind: TokenKind, value: u32, out: &mut Tokens) {
    let at = at.position().min(base.kind.len().saturating_sub(1));
    let of = |column: &[u32]| column.get(at).copied().unwrap_or(0);
    out.kind.push(kind as u32);
    out.value.push(value);
    out.lo.push(of(&base.lo));
    out.hi.push(of(&base.hi));
    out.line.push(of(&base.line));
}

/// Returns the change of the text: a byte range and its replacement.
pub fn text_change(view: View, rewrite: &Rewrite) -> (usize, usize, String) {
    let lo = view.span(rewrite.lo).map_or(view.source.len(), |span| span.start);
    let hi = if rewrite.hi > rewrite.lo { view.span(rewrite.lo..rewrite.hi).map_or(lo, |s| s.end) } else { lo };
    let pieces = || rewrite.pieces.iter().copied();
    // Statements that are moved or copied keep their own lines. A guard that returns has many pieces.
    let lines = matches!(rewrite.rule, Rule::Order | Rule::Copy | Rule::Loop);
    let text = written::pieces(view, rewrite.lo, pieces(), lines);
    if rewrite.hi > rewrite.lo {
        return (lo, hi, text);
    }
    let breaks = lines || matches!(rewrite.rule, Rule::Return | Rule::Insert);
    match written::before(view, rewrite.lo, pieces(), breaks) {
        // A prefix operator is shown together with its operand.
        none if none.is_empty() => {
            let next = view.text(rewrite.lo);
            (lo, lo + next.len(), text + next)
        }
        // A statement at the end of a block is indented like the block.
        apart if apart.contains('\n') && view.kind(rewrite.lo) == TokenKind::RightBrace => {
            (lo, hi, format!("    {text}{apart}"))
        }
        // Any other insertion is separated from the next token.
        apart => (lo, hi, text + &apart),
    }
}
