//! Syntax highlighting of the source, by syntect from `assets/myriad.sublime-syntax`.
//!
//! No token of the language spans lines. Each line therefore begins in the same grammar state, and its
//! colours depend on the line alone. Lines on screen are cached by their text, so one keystroke highlights
//! one line, whatever the file's size.

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;
use std::str::FromStr;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxDefinition, SyntaxSet, SyntaxSetBuilder};

use crate::workbench::theme::Look;

const SYNTAX: &str = include_str!("../../assets/myriad.sublime-syntax");

/// Maps scope prefixes to looks; the innermost matching scope decides.
const LOOKS: &[(&str, Look)] = &[
    ("comment", Look::Comment),
    ("keyword.operator", Look::Operator),
    ("keyword", Look::Keyword),
    ("entity.name.function", Look::Function),
    ("variable.function", Look::Function),
    ("support.function", Look::Type),
    ("storage.type", Look::Type),
    ("constant", Look::Number),
    ("string", Look::Str),
    ("invalid", Look::Bad),
];

/// Coloured pieces of a line, as byte ranges in order.
pub type Pieces = Rc<Vec<(Range<usize>, Look)>>;

/// The number of cached lines; more than any screen shows.
const REMEMBERED: usize = 4096;
/// A line longer than this, in bytes, is neither coloured nor cached.
const LONGEST: usize = 2_000;

pub struct Highlighter {
    grammar: Option<Grammar>,
    lines: HashMap<String, Pieces>,
}

struct Grammar {
    set: SyntaxSet,
    start: ParseState,
    looks: Vec<(Scope, Look)>,
}

impl Default for Highlighter {
    fn default() -> Highlighter {
        Highlighter { grammar: Grammar::load(), lines: HashMap::new() }
    }
}

impl Grammar {
    fn load() -> Option<Grammar> {
        let mut builder = SyntaxSetBuilder::new();
        builder.add(SyntaxDefinition::load_from_str(SYNTAX, false, None).ok()?);
        let set = builder.build();
        // The first line of a text begins in a state of its own; highlight every line as a later one.
        let mut start = ParseState::new(set.syntaxes().first()?);
        start.parse_line("\n", &set).ok()?;
        let looks = LOOKS.iter().filter_map(|(scope, look)| Some((Scope::new(scope).ok()?, *look))).collect();
        Some(Grammar { set, start, looks })
    }

    fn look(&self, stack: &ScopeStack) -> Look {
        let deciding = |scope: &Scope| self.looks.iter().find(|(prefix, _)| prefix.is_prefix_of(*scope));
        stack.as_slice().iter().rev().find_map(deciding).map_or(Look::Text, |(_, look)| *look)
    }

    fn pieces(&self, line: &str) -> Vec<(Range<usize>, Look)> {
        let mut state = self.start.clone();
        let Ok(ops) = state.parse_line(line, &self.set) else { return Vec::new() };
        let mut stack = ScopeStack::from_str("source.myriad").unwrap_or_default();
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, op) in ops {
            if at > from {
                pieces.push((from..at, self.look(&stack)));
                from = at;
            }
            if stack.apply(&op).is_err() {
                break;
            }
        }
        pieces.push((from..line.len(), self.look(&stack)));
        pieces
    }
}

impl Highlighter {
    /// Returns the colours of a line, given without its line end.
    pub fn line(&mut self, line: &str) -> Pieces {
        let Some(grammar) = self.grammar.as_ref().filter(|_| line.len() <= LONGEST) else {
            return Pieces::default();
        };
        if let Some(pieces) = self.lines.get(line) {
            return pieces.clone();
        }
        let pieces = Rc::new(grammar.pieces(line));
        if self.lines.len() >= REMEMBERED {
            self.lines.clear();
        }
        self.lines.insert(line.to_string(), pieces.clone());
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::token::spellings;

    fn look_of(line: &str, part: &str) -> Look {
        let at = line.find(part).expect("the part is in the line");
        let pieces = Highlighter::default().line(line);
        pieces.iter().find(|(range, _)| range.contains(&at)).expect("every byte has a look").1
    }

    #[test]
    fn tokens_are_highlighted_by_kind() {
        let line = "fn gcd(a: [int; 4]) -> bool { return len(a) >= 0x1f; } // done";
        for (part, look) in [
            ("fn", Look::Keyword),
            ("gcd", Look::Function),
            ("int", Look::Type),
            ("4", Look::Number),
            ("->", Look::Operator),
            ("return", Look::Keyword),
            ("len", Look::Type),
            (">=", Look::Operator),
            ("0x1f", Look::Number),
            ("// done", Look::Comment),
        ] {
            assert_eq!(look_of(line, part), look, "{part}");
        }
        for (part, look) in
            [("//?", Look::Operator), ("gcd", Look::Function), ("12", Look::Number), ("// ", Look::Comment)]
        {
            assert_eq!(look_of("//? gcd(12, 18) // a probe", part), look, "{part}");
        }
        assert_eq!(look_of("    //? gcd(12, 18)", "gcd"), Look::Comment, "in a function");
        assert_eq!(look_of(r#"test "a\"b": 1 == 1;"#, "b\""), Look::Str);
        assert_eq!(look_of("let x = 12ab;", "12ab"), Look::Bad);
    }

    #[test]
    fn every_keyword_and_operator_is_highlighted() {
        for (spelling, _) in spellings() {
            let plain = matches!(spelling, "(" | ")" | "[" | "]" | "{" | "}" | "," | ";" | ":");
            let look = look_of(&format!("{spelling} "), spelling);
            assert_eq!(look == Look::Text, plain, "{spelling}");
        }
    }

    /// The cache depends on this: each line leaves the grammar in its start state.
    #[test]
    fn lines_do_not_depend_on_each_other() {
        let grammar = Grammar::load().expect("the syntax loads");
        for line in ["let s = \"abc\n", "'\n", "// \"\n", "fn f(\n", "x /* y\n"] {
            let mut state = grammar.start.clone();
            state.parse_line(line, &grammar.set).expect("the line parses");
            assert_eq!(state, grammar.start, "{line}");
        }
    }
}
