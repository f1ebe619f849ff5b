//! What an edit puts in, as it is written in a source.

use crate::lang::token::{STR_CODES, STR_OTHER, TokenKind};
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
            Piece::New(TokenKind::Str, value) => string(view.text(edit.lo), value),
            Piece::New(kind, _) => match (kind, kind.spelling().unwrap_or("")) {
                (TokenKind::Plus | TokenKind::Minus, sign) if !alone => format!(" {sign} "),
                (TokenKind::Semicolon, sign) => format!("{sign} "),
                (_, sign) => sign.into(),
            },
        })
        .collect()
}

/// A string literal with no more than its first codes, the first of them perhaps another.
fn string(literal: &str, value: u32) -> String {
    let mut inside = literal.char_indices().skip(1);
    let (mut begin, mut end) = (1, 1);
    for n in 0..value & STR_CODES {
        let Some((at, c)) = inside.next() else { break };
        // A backslash takes the next character with it.
        let last = if c == '\\' { inside.next() } else { Some((at, c)) };
        end = last.map_or(end, |(at, c)| at + c.len_utf8());
        if n == 0 && value & STR_OTHER != 0 {
            begin = end;
        }
    }
    let first = match literal.get(1..begin) {
        None | Some("") => "",
        Some("a") => "b",
        Some(_) => "a",
    };
    format!("\"{first}{}\"", literal.get(begin..end).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_lose_codes_from_their_end() {
        let of = |codes| string(r#""a\"\\b""#, codes);
        assert_eq!([0, 1, 2, 3].map(of), [r#""""#, r#""a""#, r#""a\"""#, r#""a\"\\""#]);
    }

    #[test]
    fn the_first_code_of_a_string_becomes_another() {
        let of = |literal, codes: u32| string(literal, codes | STR_OTHER);
        assert_eq!(of(r#""ab""#, 2), r#""bb""#);
        assert_eq!(of(r#""x""#, 1), r#""a""#);
        assert_eq!(of(r#""\n\"c""#, 3), r#""a\"c""#);
        assert_eq!(of(r#""""#, 0), r#""""#);
    }
}
