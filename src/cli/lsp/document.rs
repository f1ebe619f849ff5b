//! An open document: its text as the client has it, and the program that it is.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::positions::{Position, PositionRange, Positions, column};
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::lang::index::TokenId;
use crate::lang::level::OptLevel;

pub struct Document {
    /// The client's version of the text, if that is a number.
    pub version: Option<i64>,
    /// Raised by each edit of any document.
    pub revision: u64,
    pub text: Arc<str>,
    pub positions: Positions,
    pub program: Compiled,
    /// The diagnostics that the client has of this text.
    pub published: Option<Vec<Value>>,
}

/// An edit of the client: a new text for a range, or for all.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct LspChange<'a> {
    range: Option<PositionRange>,
    text: &'a str,
}

impl Document {
    pub fn new(version: Option<i64>, revision: u64, text: &str) -> Document {
        let text: Arc<str> = text.into();
        let (positions, program) = (Positions::new(text.clone()), compile(&text));
        Document { version, revision, positions, program, text, published: None }
    }

    /// Returns the token at a position, or the one that ends there.
    pub fn token(&self, position: Position) -> Option<TokenId> {
        self.program.view().token_at(self.positions.byte(position))
    }
}

/// Applies edits, each to the text that the one before it left. The text is copied once: an edit copies the lines that it
/// touches.
pub fn edited(text: &str, changes: &[LspChange]) -> String {
    let pieces = |text| str::split(text, '\n').map(Cow::Borrowed).collect();
    let mut lines: Vec<Cow<str>> = pieces(text);
    for LspChange { range, text } in changes {
        let Some(range) = range else {
            lines = pieces(text);
            continue;
        };
        let last = lines.len() - 1;
        let place = |at: Position| match lines.get(at.line as usize) {
            Some(line) => (at.line as usize, column(line, at.line as usize == last, at.character)),
            None => (last, lines[last].len()),
        };
        let start = place(range.start);
        let end = place(range.end).max(start);
        let new = [&lines[start.0][..start.1], text, &lines[end.0][end.1..]].concat();
        lines.splice(start.0..=end.0, new.split('\n').map(|line| Cow::Owned(line.into())));
    }
    lines.join("\n")
}

/// Compiles a text on this thread.
pub fn compile(text: &Arc<str>) -> Compiled {
    let mut compiler = Compiler::at(OptLevel::default());
    compiler.compile(text);
    compiler.compiled(text)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn change(from: (u32, u32), to: (u32, u32), text: &str) -> LspChange<'_> {
        let at = |(line, character)| Position { line, character };
        LspChange { range: Some(PositionRange { start: at(from), end: at(to) }), text }
    }

    #[test]
    fn edits_apply_one_after_the_other() {
        let changes =
            [change((0, 10), (0, 11), "23"), change((0, 12), (0, 12), "4"), change((1, 0), (9, 9), "//")];
        assert_eq!(edited("const A = 1;\n", &changes), "const A = 234;\n//");
    }

    /// Many random edits in one pass, against each of them alone by its bytes.
    #[test]
    fn edits_of_one_message_apply_as_they_do_alone() {
        let (inserted, mut seed) = (["", "x", "\n", "\r\n", "ü𝄞", "a\nb\r\nc\n"], 7_u64);
        let mut draw = |below: u32| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32 % below
        };
        for round in 0..300 {
            let start = "fn f() {\r\n\tü𝄞x;\n}\n".repeat(round % 7);
            let mut changes = Vec::new();
            let mut expected = start.clone();
            for _ in 0..20 {
                let mut at = || (draw(9), draw(12));
                let mut one = change(at(), at(), inserted[draw(6) as usize]);
                if draw(40) == 0 {
                    one.range = None;
                }
                match one.range {
                    Some(range) => {
                        let bytes = Positions::new(expected.as_str().into()).bytes(range);
                        expected.replace_range(bytes, one.text);
                    }
                    None => expected = one.text.into(),
                }
                changes.push(one);
            }
            assert_eq!(edited(&start, &changes), expected, "round {round}: {changes:?}");
        }
    }

    #[test]
    fn edits_of_one_message_cost_less_than_a_copy_each() {
        let text = "    let total = total + 1;\n".repeat(2_400);
        let changes: Vec<LspChange> = (0..1_000).map(|line| change((line, 8), (line, 13), "sum")).collect();
        let time = |changes: &[LspChange]| {
            let times = (0..5).map(|_| {
                let started = Instant::now();
                std::hint::black_box(edited(&text, changes));
                started.elapsed()
            });
            times.min().unwrap_or(Duration::MAX)
        };
        let (one, all) = (time(&changes[..1]), time(&changes));
        assert!(all < one * 100, "{all:?} for 1,000 edits, {one:?} for one");
    }
}
