//! lex: converts text to tokens.
//!
//! The GPU twin is `shaders/lex.wgsl`. This one walks once over the bytes and takes the longest match. Every
//! byte outside of whitespace and comments belongs to exactly one token. Bytes that form no valid token
//! become an `Error` token, whose value is the diagnostic and the error's offset within the token.
//! `docs/stages/lex.md` has the exact rules.

mod literal;
mod names;

use std::cmp::Reverse;
use std::sync::LazyLock;

use crate::compiler::program::{Facts, Tokens};
use crate::lang::diagnostic::Code;
use crate::lang::limits;
use crate::lang::token::{FIRST_NAME, TokenKind, spellings};
pub use literal::{codes, ends_line};

/// Scratch memory, kept between programs.
#[derive(Clone, Debug, Default)]
pub struct LexScratch {
    names: names::LexNames,
}

type Spelling = (&'static [u8], TokenKind);

/// The spellings that begin with each byte, longest first.
static BY_FIRST: LazyLock<Vec<Vec<Spelling>>> = LazyLock::new(|| {
    let mut table = vec![Vec::new(); 256];
    for (spelling, kind) in spellings() {
        table[spelling.as_bytes()[0] as usize].push((spelling.as_bytes(), kind));
    }
    table.iter_mut().for_each(|row| row.sort_by_key(|(spelling, _)| Reverse(spelling.len())));
    table
});

/// Lexes `text`. `out` and `facts` are overwritten.
pub fn run(text: &str, out: &mut Tokens, facts: &mut Facts, scratch: &mut LexScratch) {
    out.clear();
    *facts = Facts { names: FIRST_NAME, holes: facts.holes, ..Facts::default() };
    let bytes = text.as_bytes();
    if bytes.len() > limits::SOURCE_BYTES {
        facts.fatal = Code::SourceTooLong as u32;
        facts.fatal_count = bytes.len() as u32;
        facts.errors = 1;
        return;
    }
    scratch.names.start();
    let table = &*BY_FIRST;
    let mut total = 0;
    let mut line = 0;
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    while at < bytes.len() {
        let byte = bytes[at];
        match byte {
            b'\n' => {
                line += 1;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - at);
                continue;
            }
            _ => {}
        }
        let rest = &bytes[at..];
        let (len, kind, value) = match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                word(rest, out.kind.len(), &table[byte as usize], &mut scratch.names)
            }
            b'0'..=b'9' => {
                let len = word_len(rest);
                let (kind, value) = literal::number(&rest[..len], is_behind_prefix_minus(&out.kind));
                (len, kind, value)
            }
            b'"' | b'\'' => literal::quoted(rest),
            // As in `a ? b : c` of other languages.
            b'?' if out.kind.last().is_some_and(|kind| ends_operand(*kind)) => {
                (1, TokenKind::Error, Code::UnexpectedCharacter as u32)
            }
            _ => match table[byte as usize].iter().find(|(spelling, _)| rest.starts_with(spelling)) {
                Some((spelling, kind)) => (spelling.len(), *kind, 0),
                None => (unexpected_len(rest), TokenKind::Error, Code::UnexpectedCharacter as u32),
            },
        };
        total += 1;
        if total <= limits::TOKENS + 1 {
            out.kind.push(kind as u32);
            out.lo.push(at as u32);
            out.hi.push((at + len) as u32);
            out.value.push(value);
            out.line.push(line);
        }
        at += len;
    }
    facts.names = FIRST_NAME + out.kind.len() as u32;
    if total > limits::TOKENS {
        facts.fatal = Code::TooManyTokens as u32;
        facts.fatal_token = limits::TOKENS as u32;
        facts.fatal_count = total as u32;
        facts.errors = 1;
    } else {
        facts.errors = out.kind.iter().filter(|kind| **kind == TokenKind::Error as u32).count() as u32;
    }
}

/// Lexes a keyword or name at the start of `rest`, as token number `index`.
fn word(
    rest: &[u8],
    index: usize,
    keywords: &[Spelling],
    names: &mut names::LexNames,
) -> (usize, TokenKind, u32) {
    let len = word_len(rest);
    let text = &rest[..len];
    match keywords.iter().find(|(spelling, _)| *spelling == text) {
        Some((_, kind)) => (len, *kind, 0),
        None => (len, TokenKind::Name, names.id(text, index)),
    }
}

fn word_len(rest: &[u8]) -> usize {
    rest.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_').unwrap_or(rest.len())
}

/// Length of a run of bytes that begin no token. A lone `.` is a run of its own, as only the next byte
/// distinguishes it from `..`.
fn unexpected_len(rest: &[u8]) -> usize {
    if rest[0] == b'.' {
        return 1;
    }
    rest.iter().position(|b| !is_unexpected(*b)).unwrap_or(rest.len())
}

fn is_unexpected(byte: u8) -> bool {
    match byte {
        b'\t' | b'\n' | b'\r' => false,
        0x00..=0x1f | 0x7f..=0xff => true,
        _ => matches!(byte, b'#' | b'$' | b'@' | b'\\' | b'`'),
    }
}

/// Returns whether an operand may end with a token. An Error counts as one, so that the kind of one token never
/// depends on that of another.
fn ends_operand(kind: u32) -> bool {
    TokenKind::from_u32(kind).is_some_and(|kind| kind.ends_operand() || kind == TokenKind::Error)
}

/// Returns whether the last token is a prefix `-`.
fn is_behind_prefix_minus(kinds: &[u32]) -> bool {
    match kinds {
        [.., before, last] => *last == TokenKind::Minus as u32 && !ends_operand(*before),
        [last] => *last == TokenKind::Minus as u32,
        [] => false,
    }
}
