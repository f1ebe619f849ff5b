//! What an edit puts in, as it is written in a source.

use crate::lang::token::TokenKind;
use crate::program::View;
use crate::stage::mutate::{Edit, Piece};

/// The pieces of an edit as text that has their tokens.
pub fn pieces(view: View, edit: &Edit) -> String {
    let alone = edit.pieces().nth(1).is_none();
    edit.pieces()
        .map(|piece| match piece {
            Piece::Copy(first, tokens) => {
                let span = view.span(first..first + tokens).unwrap_or_default();
                let text = view.source.get(span).unwrap_or("");
                // A comma is followed by what it is between.
                if text == "," { ", ".into() } else { text.into() }
            }
            Piece::New(TokenKind::Int, value) => (value as i32).to_string(),
            Piece::New(TokenKind::Str, codes) => shortened(view.text(edit.lo), codes),
            Piece::New(kind, _) => match (kind, kind.spelling().unwrap_or("")) {
                (TokenKind::Plus | TokenKind::Minus, sign) if !alone => format!(" {sign} "),
                (TokenKind::Semicolon, sign) => format!("{sign} "),
                (_, sign) => sign.into(),
            },
        })
        .collect()
}

/// A string literal with no more than its first codes.
fn shortened(literal: &str, codes: u32) -> String {
    let mut inside = literal.char_indices().skip(1);
    let mut end = 1;
    for _ in 0..codes {
        let Some((at, c)) = inside.next() else { break };
        // A backslash takes the next character with it.
        let last = if c == '\\' { inside.next() } else { Some((at, c)) };
        end = last.map_or(end, |(at, c)| at + c.len_utf8());
    }
    format!("{}\"", literal.get(..end).unwrap_or("\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_lose_codes_from_their_end() {
        let of = |codes| shortened(r#""a\"\\b""#, codes);
        assert_eq!([0, 1, 2, 3].map(of), [r#""""#, r#""a""#, r#""a\"""#, r#""a\"\\""#]);
    }
}
