//! Literals (numbers, characters, strings) and their errors.

use crate::lang::diagnostic::Code;
use crate::lang::token::TokenKind;

/// The value of an Error token: a diagnostic and the error's byte offset within the token.
fn error(code: Code, offset: usize) -> u32 {
    code as u32 | (offset as u32) << 16
}

/// Returns a number's kind and value. `behind_minus` says that it follows a prefix `-`; only then may it be
/// 2147483648.
pub fn number(text: &[u8], behind_minus: bool) -> (TokenKind, u32) {
    let (radix, digits) = match text {
        [b'0', b'x', digits @ ..] => (16, digits),
        [b'0', b'b', digits @ ..] => (2, digits),
        _ => (10, text),
    };
    let mut value = 0u64;
    let mut count = 0;
    for byte in digits.iter().filter(|byte| **byte != b'_') {
        let Some(digit) = (*byte as char).to_digit(radix) else {
            return (TokenKind::Error, error(Code::MalformedNumber, 0));
        };
        // A value beyond all limits need not be exact, but must stay beyond them.
        value = (value * radix as u64 + digit as u64).min(1 << 40);
        count += 1;
    }
    if count == 0 {
        return (TokenKind::Error, error(Code::MalformedNumber, 0));
    }
    let greatest = match radix {
        10 => i32::MAX as u64 + behind_minus as u64,
        _ => u32::MAX as u64,
    };
    if value > greatest {
        return (TokenKind::Error, error(Code::LiteralOutOfRange, 0));
    }
    (TokenKind::Int, value as u32)
}

/// The code of an escape sequence, given the byte after the backslash.
fn escape(byte: u8) -> Option<u32> {
    Some(match byte {
        b'n' => 10,
        b't' => 9,
        b'\\' => 92,
        b'\'' => 39,
        b'"' => 34,
        b'0' => 0,
        _ => return None,
    })
}

/// Returns whether the line ends at this byte: a `\n`, a `\r` before it, or the end of the text with or
/// without a `\r`.
pub fn ends_line(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at) {
        None | Some(b'\n') => true,
        Some(b'\r') => matches!(bytes.get(at + 1), None | Some(b'\n')),
        Some(_) => false,
    }
}

/// Lexes a string or character at the start of `rest`. Returns its length, kind and value.
pub fn quoted(rest: &[u8]) -> (usize, TokenKind, u32) {
    let quote = rest[0];
    let mut at = 1;
    let mut units = 0;
    let mut offence = None;
    loop {
        if ends_line(rest, at) {
            return unterminated(&rest[..at]);
        }
        match rest[at] {
            byte if byte == quote => break,
            b'\\' if ends_line(rest, at + 1) => return unterminated(&rest[..at + 1]),
            b'\\' => {
                if escape(rest[at + 1]).is_none() {
                    offence = offence.or(Some(error(Code::BadLiteral, at)));
                }
                at += 2;
            }
            byte => {
                if (byte < 0x20 && byte != b'\t') || byte >= 0x7f {
                    offence = offence.or(Some(error(Code::UnexpectedCharacter, at)));
                }
                at += 1;
            }
        }
        units += 1;
    }
    let inside = &rest[1..at];
    let len = at + 1;
    if quote == b'\'' && !is_one_character(inside) {
        return (len, TokenKind::Error, error(Code::BadLiteral, 0));
    }
    match (offence, quote) {
        (Some(value), _) => (len, TokenKind::Error, value),
        (None, b'"') => (len, TokenKind::Str, units),
        (None, _) => (len, TokenKind::Char, codes_of(inside).next().unwrap_or(0)),
    }
}

/// An unterminated literal, reported at its quote. The value says whether it contains a brace, which parse
/// must not miss.
fn unterminated(text: &[u8]) -> (usize, TokenKind, u32) {
    let swallowed = text.iter().any(|byte| matches!(byte, b'{' | b'}'));
    (text.len(), TokenKind::Error, error(Code::Unterminated, swallowed as usize))
}

/// Returns whether the inside of a character literal is one character, possibly escaped.
fn is_one_character(inside: &[u8]) -> bool {
    let character = match inside {
        [b'\\', rest @ ..] => rest,
        _ => inside,
    };
    let continues = |byte: &u8| byte & 0xc0 == 0x80;
    !character.is_empty() && character[1..].iter().all(continues)
}

/// The codes of a well-formed string or character token. `text` includes the quotes.
pub fn codes(text: &str) -> impl Iterator<Item = u32> + '_ {
    let bytes = text.as_bytes();
    codes_of(bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or_default())
}

fn codes_of(inside: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut bytes = inside.iter();
    std::iter::from_fn(move || match *bytes.next()? {
        b'\\' => bytes.next().map(|byte| escape(*byte).unwrap_or(*byte as u32)),
        byte => Some(byte as u32),
    })
}
