//! Random broken programs: well-typed ones with a few damaged tokens, and plain noise.

use super::rng::Rng;
use super::typed;

/// Tokens that are inserted where they do not belong.
const STRAY: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "->",
    "=>",
    "..",
    "..=",
    "=",
    "+=",
    "+",
    "-",
    "*",
    "<",
    "==",
    "&&",
    "!",
    "~",
    "fn",
    "let",
    "if",
    "else",
    "while",
    "for",
    "in",
    "return",
    "break",
    "continue",
    "test",
    "prop",
    "const",
    "true",
    "int",
    "bool",
    "x",
    "p0",
    "f0",
    "missing",
    "0",
    "1",
    "65",
    "2147483648",
    "0x",
    "12ab",
    "'ab'",
    "'",
    "\"no end",
    "\"\\q\"",
    "$",
    "é",
    "\n",
    "// gone",
    "[]",
    "f0(1)",
    "len",
    "a < b < c",
    "[true; 70]",
    "?",
    "?",
];

/// Characters that are significant for literals and comments, and invalid ones.
const SIGNS: &[char] = &[
    '"', '\'', '\\', '/', '.', '_', '0', 'x', 'é', '€', '𝄞', '\t', '\r', '\n', '\u{0}', '\u{7f}', '\u{feff}',
    '@', '{', '}',
];

/// Returns a program with one to four kinds of damage, determined by the seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::new(seed ^ 0x5eed);
    if rng.one_in(25) {
        return noise(&mut rng);
    }
    let mut tokens = split(&typed::program(seed));
    for _ in 0..1 + rng.below(4) {
        damage(&mut tokens, &mut rng);
    }
    let mut text = tokens.concat();
    if rng.one_in(4) {
        for _ in 0..1 + rng.below(3) {
            let at = boundary(&text, rng.below(text.len() + 1));
            text.insert(at, *rng.pick(SIGNS));
        }
    }
    if rng.one_in(20) {
        let at = boundary(&text, rng.below(text.len() + 1));
        text.truncate(at);
    }
    text
}

/// Returns a well-typed program that lacks one to three of its tokens, which are next to each other.
pub fn without_tokens(seed: u64) -> String {
    lacking(&typed::program(seed), seed)
}

/// Returns a text that lacks one to three of its tokens, which are next to each other.
pub fn lacking(text: &str, seed: u64) -> String {
    let mut tokens = split(text);
    let mut rng = Rng::new(seed ^ 0x7083);
    let (first, count) = (rng.below(tokens.len()), 1 + rng.below(3));
    let ends = first..(first + count).min(tokens.len());
    tokens[ends].iter_mut().for_each(|token| *token = " ".into());
    tokens.concat()
}

/// Returns a well-typed program that lacks one of its brackets.
pub fn without_bracket(seed: u64) -> String {
    let mut tokens = split(&typed::program(seed));
    let brackets: Vec<usize> = (0..tokens.len()).filter(|t| "()[]{}".contains(&tokens[*t])).collect();
    tokens.remove(*Rng::new(seed ^ 0xb4ac).pick(&brackets));
    tokens.concat()
}

/// Returns a well-typed program, and the same text without some of the `;` at the ends of lines in functions and after constants.
pub fn without_semicolons(seed: u64) -> (String, String) {
    let text = typed::program(seed);
    let mut rng = Rng::new(seed ^ 0x3b3b);
    let lines: Vec<&str> = text.lines().collect();
    let mut other = String::new();
    for (i, line) in lines.iter().enumerate() {
        let next = lines.get(i + 1).map_or("", |next| next.trim_start());
        let waits =
            ["test", "prop"].iter().any(|word| line.trim_start().starts_with(word)) || next.starts_with('{');
        let kept = line.strip_suffix(';').filter(|_| !waits && rng.one_in(2)).unwrap_or(line);
        other += kept;
        other.push('\n');
    }
    (text, other)
}

/// Returns the last character boundary at or before a byte offset.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn damage(tokens: &mut Vec<String>, rng: &mut Rng) {
    if tokens.is_empty() {
        return;
    }
    let at = rng.below(tokens.len());
    match rng.below(8) {
        0 | 1 => {
            tokens.remove(at);
        }
        2 => tokens.insert(at, format!(" {} ", rng.pick(STRAY))),
        3 => tokens[at] = format!(" {} ", rng.pick(STRAY)),
        4 => {
            let copy = tokens[at].clone();
            tokens.insert(at, format!("{copy} "));
        }
        5 => {
            // Removes `;` tokens from a stretch.
            let end = (at + 80).min(tokens.len());
            let mut place = 0..;
            tokens.retain(|token| !place.next().is_some_and(|i| (at..end).contains(&i)) || token != ";");
        }
        6 => {
            let other = rng.below(tokens.len());
            tokens.swap(at, other);
        }
        _ => {
            let end = (at + 1 + rng.below(12)).min(tokens.len());
            tokens.drain(at..end);
        }
    }
}

/// Splits a text into words, runs of blanks and single signs; their concatenation is the text.
fn split(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut parts: Vec<String> = vec![];
    let mut last = 2;
    for c in text.chars() {
        match parts.last_mut() {
            Some(part) if class(c) == last && last != 2 => part.push(c),
            _ => parts.push(c.to_string()),
        }
        last = class(c);
    }
    parts
}

fn noise(rng: &mut Rng) -> String {
    let count = rng.below(200);
    (0..count).map(|_| format!("{}{}", rng.pick(STRAY), rng.pick(&["", " ", "\n"]))).collect()
}
