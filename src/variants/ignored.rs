//! Comments that take changes out of the count: `// myriad: ignore`, `// myriad: ignore constant: any seed does`.
//!
//! Such a comment is of the line that it stands on, or, alone on its line, of the next line that has code. Behind `ignore` may stand
//! names of operators, which are then the only ones that are ignored, and a reason.

use std::ops::Deref;

use super::{Operator, Variants};
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::program::{Compiled, View};

/// The comments of a program that ignore changes, by their lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    rules: Vec<Rule>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The line whose changes it ignores, from 1.
    pub line: u32,
    /// Whose changes; all if none is named.
    pub operators: Vec<Operator>,
    /// In the words of the comment; empty if it gives none.
    pub reason: String,
}

impl Ignored {
    pub fn new(program: &Compiled) -> Ignored {
        let view = program.view();
        let mut rules = Vec::new();
        let mut start = 0;
        // Hardly any program has such a comment, and every keystroke asks.
        if !program.text.contains("myriad:") {
            return Ignored::default();
        }
        for (line, text) in (1..).zip(program.text.split('\n')) {
            let words = comment(view, text, start);
            start += text.len() + 1;
            let Some(words) = words.and_then(|words| words.trim_start().strip_prefix("myriad:")) else {
                continue;
            };
            let Some(rest) = words.trim_start().strip_prefix("ignore") else { continue };
            if rest.starts_with(|c: char| c.is_alphanumeric()) {
                continue;
            }
            let (operators, reason) = parts(rest);
            rules.extend(line_of(view, line).map(|line| Rule { line, operators, reason }));
        }
        Ignored { rules }
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What ignores a variant, if anything does: one of its changes is enough.
    pub fn rule<P: Deref<Target = Compiled>>(&self, variants: &Variants<P>, id: u32) -> Option<&Rule> {
        let (first, second) = (!self.is_empty()).then(|| variants.edits(id))??;
        let view = variants.program.view();
        let mut edits = [Some(first), second].into_iter().flatten();
        edits.find_map(|edit| {
            let ignores = |rule: &&Rule| {
                let named = rule.operators.is_empty() || rule.operators.contains(&edit.operator);
                named && rule.line == view.line(edit.lo)
            };
            self.rules.iter().find(ignores)
        })
    }

    /// Marks those verdicts that do not count, of variants from one on.
    pub fn apply<P: Deref<Target = Compiled>>(
        &self,
        variants: &Variants<P>,
        first: u32,
        verdicts: &mut [Verdict],
    ) {
        let judged = |verdict: &Verdict| verdict.status != MutantStatus::Pending;
        for (id, verdict) in (first..).zip(verdicts).filter(|(_, verdict)| judged(verdict)) {
            if self.rule(variants, id).is_some() {
                *verdict = Verdict { status: MutantStatus::Ignored, killer: NONE, original: NONE };
            }
        }
    }
}

/// What a line's comment says; the line begins at this byte.
fn comment<'a>(view: View, line: &'a str, start: usize) -> Option<&'a str> {
    let in_token = |at: usize| {
        let token = view.token_at(start + at);
        let span = token.and_then(|token| view.span(token..token + 1));
        span.is_some_and(|span| span.contains(&(start + at)))
    };
    let (at, _) = line.match_indices("//").find(|(at, _)| !in_token(*at))?;
    line.get(at + 2..)
}

/// The operators that are named first, and what follows.
fn parts(mut rest: &str) -> (Vec<Operator>, String) {
    const BETWEEN: [char; 3] = [',', ':', ' '];
    let mut operators = Vec::new();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || BETWEEN.contains(&c));
        let word = rest.split(|c: char| c.is_whitespace() || BETWEEN.contains(&c)).next().unwrap_or("");
        let Some(operator) = Operator::from_name(word) else { return (operators, rest.trim_end().into()) };
        operators.push(operator);
        rest = &rest[word.len()..];
    }
}

/// The line that a comment on this one is of: itself where it has code, else the next that has.
fn line_of(view: View, line: u32) -> Option<u32> {
    let tokens = 0..view.len();
    tokens.map(|token| view.line(token)).find(|of_token| *of_token >= line)
}
