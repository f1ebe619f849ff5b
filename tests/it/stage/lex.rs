//! Small inputs, one rule each.

use myriad::compiler::program::{Facts, Tokens};
use myriad::compiler::stage::lex::{LexScratch, codes, run};
use myriad::lang::diagnostic::Code;
use myriad::lang::token::TokenKind;

fn lexed(text: &str) -> (Tokens, Facts) {
    let (mut tokens, mut facts) = (Tokens::default(), Facts::default());
    run(text, &mut tokens, &mut facts, &mut LexScratch::default());
    (tokens, facts)
}

/// Formats each token as `kind text value`, an error as its code and offset.
fn show(text: &str) -> String {
    let (tokens, _) = lexed(text);
    let token = |i: usize| {
        let (kind, value) = (TokenKind::from_u32(tokens.kind[i]).unwrap(), tokens.value[i]);
        let text = &text[tokens.lo[i] as usize..tokens.hi[i] as usize];
        match kind {
            TokenKind::Error => {
                format!("{}+{} {text}", Code::from_u32(value & 0xffff).unwrap().code(), value >> 16)
            }
            TokenKind::Int | TokenKind::Char | TokenKind::Str | TokenKind::Name => format!("{kind:?} {value}"),
            _ => text.to_string(),
        }
    };
    (0..tokens.kind.len()).map(token).collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(show(text), expected, "{text:?}");
}

#[test]
fn names_keywords_and_punctuation_are_split() {
    check("fn f_1 in inn len max f_1", "fn | Name 5 | in | Name 7 | Name 0 | Name 3 | Name 5");
    check("a<<=b..=c..d", "Name 4 | <<= | Name 6 | ..= | Name 8 | .. | Name 10");
    check("&&&===!", "&& | &= | == | !");
    check("\u{feff}a // é {\n\tb\r\n", "Name 4 | Name 5");
}

#[test]
fn number_literals_are_read_or_rejected() {
    check("0 1_000_ 0x_fF 0b1_0", "Int 0 | Int 1000 | Int 255 | Int 2");
    check("0xFFFF_FFFF 0x1_0000_0000", "Int 4294967295 | E0104+0 0x1_0000_0000");
    check("0x 0x_ 12ab 0b2 0X1", "E0103+0 0x | E0103+0 0x_ | E0103+0 12ab | E0103+0 0b2 | E0103+0 0X1");
    check("2147483647 2147483648", "Int 2147483647 | E0104+0 2147483648");
    check("-2147483648", "- | Int 2147483648");
    check("1 -2147483648", "Int 1 | - | E0104+0 2147483648");
    check("$ -2147483648", "E0101+0 $ | - | E0104+0 2147483648");
    check("= - 2147483648 - 2147483648", "= | - | Int 2147483648 | - | E0104+0 2147483648");
}

#[test]
fn string_and_character_literals_are_read_or_rejected() {
    check(r#""a\n\"" 'x' '\'' '\0'"#, "Str 3 | Char 120 | Char 39 | Char 0");
    check("\"abc\nx", "E0102+0 \"abc | Name 5");
    check("\"a {\r\n'", "E0102+1 \"a { | E0102+0 '");
    check(r#""a\" b"#, r#"E0102+0 "a\" b"#);
    check(r#""ab\qc\x" "#, r#"E0105+3 "ab\qc\x""#);
    check("'' 'ab' 'é' 'éa' '\\q'", "E0105+0 '' | E0105+0 'ab' | E0101+1 'é' | E0105+0 'éa' | E0105+1 '\\q'");
    check("\"a\u{1}é\" \"\t\"", "E0101+2 \"a\u{1}é\" | Str 1");
    // A lone `\r` does not end a line.
    check("\"a\rb\" x", "E0101+2 \"a\rb\" | Name 5");
    check("'\r' \"\\\r\"", "E0101+1 '\r' | E0105+1 \"\\\r\"");
    check("\"a\r\r\n\"\r", "E0102+0 \"a\r | E0102+0 \"");
    check("a // b\rc\nd\re", "Name 4 | Name 5 | Name 6");
    assert_eq!(codes(r#""a\n\\""#).collect::<Vec<_>>(), [97, 10, 92]);
}

#[test]
fn unexpected_characters_yield_error_tokens() {
    check("a $@é b", "Name 4 | E0101+0 $@é | Name 6");
    check("a.b $.$ ...", "Name 4 | E0101+0 . | Name 6 | E0101+0 $ | E0101+0 . | E0101+0 $ | .. | E0101+0 .");
}

#[test]
fn exceeded_limits_report_the_count() {
    let (tokens, facts) = lexed(&" ".repeat(65_537));
    assert_eq!((tokens.kind.len(), facts.fatal, facts.fatal_count), (0, Code::SourceTooLong as u32, 65_537));
    let (tokens, facts) = lexed(&"a ".repeat(9_000));
    assert_eq!((tokens.kind.len(), facts.fatal, facts.fatal_token), (8_193, Code::TooManyTokens as u32, 8_192));
    assert_eq!(facts.fatal_count, 9_000);
    let (tokens, facts) = lexed(&"a ".repeat(8_192));
    assert_eq!((tokens.kind.len(), facts.fatal), (8_192, 0));
}
