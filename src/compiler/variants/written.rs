//! Inserted pieces of an edit as source text.

use std::borrow::Cow;

use crate::compiler::program::View;
use crate::compiler::stage::mutate::Piece;
use crate::lang::index::{Index, Indices, TokenId};
use crate::lang::token::{BUILTINS, FIRST_NAME, STR_CODES, STR_REPLACED, TokenKind};

/// Writes pieces that are inserted at token `at`. With `lines`, each statement goes on its own line where
/// possible.
pub fn pieces(view: View, at: TokenId, pieces: impl IntoIterator<Item = Piece>, lines: bool) -> String {
    let (mut text, mut before) = (String::new(), None);
    for piece in pieces {
        let written: Cow<str> = match piece {
            Piece::Copy(tokens) => view.source.get(view.span(tokens).unwrap_or_default()).unwrap_or("").into(),
            Piece::New(TokenKind::Int, value) => (value as i32).to_string().into(),
            Piece::New(TokenKind::Char, code) => character(code).into(),
            Piece::New(TokenKind::Str, value) => string(view.text(at), value).into(),
            Piece::New(TokenKind::Name, name) => match BUILTINS.get(name as usize) {
                Some(name) => (*name).into(),
                // A name's id encodes the first token with that name.
                None => view.text(TokenId::new(name - FIRST_NAME)).into(),
            },
            Piece::New(kind, _) => kind.spelling().unwrap_or("").into(),
        };
        let is_prefix = is_prefix(before, piece);
        match before {
            Some(_) if lines => text.push_str(&line_break(view, at)),
            // Only the name of a function precedes a bracket.
            Some((Piece::Copy(tokens), _)) if written == "(" && ends_with_name(view, tokens) => {}
            Some(before) if is_apart(before, &text, &written, piece) => text.push(' '),
            _ => {}
        }
        text.push_str(&written);
        before = Some((piece, is_prefix));
    }
    text
}

/// Returns the text between pieces inserted before token `at` and that token: empty after a prefix operator.
pub fn before(view: View, at: TokenId, pieces: impl IntoIterator<Item = Piece>, lines: bool) -> String {
    let last = pieces.into_iter().fold(None, |before, piece| Some((piece, is_prefix(before, piece))));
    match last {
        Some((_, true)) => String::new(),
        _ if lines => line_break(view, at),
        _ => " ".into(),
    }
}

fn ends_with_name(view: View, tokens: Indices<TokenId>) -> bool {
    tokens.iter().next_back().is_some_and(|last| view.kind(last) == TokenKind::Name)
}

/// Returns whether `piece` is a prefix operator, given the previous piece and whether that is one.
fn is_prefix(before: Option<(Piece, bool)>, piece: Piece) -> bool {
    let Piece::New(kind, _) = piece else { return false };
    let ends_operand = match before {
        None => false,
        Some((Piece::Copy(..), _)) => true,
        Some((Piece::New(before, _), _)) => {
            use TokenKind::{Int, Name, RightBracket, RightParen, Str};
            matches!(before, Int | Name | Str | RightParen | RightBracket)
        }
    };
    kind.is_prefix() && !ends_operand
}

/// Returns whether a space separates two pieces, given the text so far and the next piece's. The flag says whether the
/// first one is a prefix operator.
fn is_apart((before, is_prefix): (Piece, bool), text: &str, written: &str, next: Piece) -> bool {
    use TokenKind::{Comma, IntType, LeftBracket, LeftParen, Name, RightBracket, RightParen, Semicolon};
    let opens = is_prefix || matches!(before, Piece::New(LeftParen | LeftBracket, _));
    let closes = written == "," || matches!(next, Piece::New(RightParen | RightBracket | Comma | Semicolon, _));
    let calls = matches!((before, next), (Piece::New(Name | IntType, _), Piece::New(LeftParen, _)));
    // Copies may begin or end within brackets or ranges.
    let opens = opens || text.ends_with(['(', '[', '!']) || text.ends_with("..");
    let closes = closes || written.starts_with([')', ']', ',', ';']) || written.starts_with("..");
    let ends_operand =
        matches!(before, Piece::Copy(..)) && text.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let indexes = ends_operand && written.starts_with('[');
    !(opens || closes || calls || indexes)
}

/// Returns a newline with the indentation of the line of token `at`, or a space if other text precedes it on
/// that line.
fn line_break(view: View, at: TokenId) -> String {
    let at = view.span(at).map_or(0, |span| span.start);
    let before = view.source.get(..at).unwrap_or("");
    let indent = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    if indent.trim().is_empty() { format!("\n{indent}") } else { " ".into() }
}

/// Writes a character literal, or the code of a character that is not printed.
fn character(code: u32) -> String {
    match u8::try_from(code) {
        Ok(special @ (b'\'' | b'\\')) => format!("'\\{}'", char::from(special)),
        Ok(plain @ b' '..=b'~') => format!("'{}'", char::from(plain)),
        _ => (code as i32).to_string(),
    }
}

/// Writes a string literal with the number of codes in `value`; with `STR_REPLACED`, the first one is replaced.
fn string(literal: &str, value: u32) -> String {
    let mut inside = literal.char_indices().skip(1);
    let (mut begin, mut end) = (1, 1);
    for n in 0..value & STR_CODES {
        let Some((at, c)) = inside.next() else { break };
        // A backslash takes the next character with it.
        let last = if c == '\\' { inside.next() } else { Some((at, c)) };
        end = last.map_or(end, |(at, c)| at + c.len_utf8());
        if n == 0 && value & STR_REPLACED != 0 {
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
    fn string_literals_are_truncated_to_the_given_length() {
        let of = |codes| string(r#""a\"\\b""#, codes);
        assert_eq!([0, 1, 2, 3].map(of), [r#""""#, r#""a""#, r#""a\"""#, r#""a\"\\""#]);
    }

    #[test]
    fn string_replacement_changes_the_first_character() {
        let of = |literal, codes: u32| string(literal, codes | STR_REPLACED);
        assert_eq!(of(r#""ab""#, 2), r#""bb""#);
        assert_eq!(of(r#""x""#, 1), r#""a""#);
        assert_eq!(of(r#""\n\"c""#, 3), r#""a\"c""#);
        assert_eq!(of(r#""""#, 0), r#""""#);
    }
}
