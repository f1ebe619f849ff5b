//! Recognizes mistakes that explain several errors, or that explain one error better than its token does.
//!
//! The stages report errors by local rules, so one mistake can cause several errors: for them, C's `for (let i
//! = 0; i < n; i++)` is three broken statements. Each rule here recognizes one kind of mistake in a statement
//! with an error, and names the tokens whose errors follow from it. The rules use tokens, text and layout only,
//! so the result is the same for both engines. If no rule applies, the errors are reported as they are.

mod braces;
mod comments;
mod declarations;
mod loops;
mod values;
mod words;

use std::ops::Range;

use super::outline::{Outline, OutlineFault};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, Indices, TokenId};

pub use words::{function_hint, hint, lexical_hint, misspelt_function_hint, statement_hint, variable_hint};

/// A mistake that is reported in place of the errors that follow from it.
#[derive(Debug)]
pub struct Mistake {
    pub code: Code,
    /// Byte range in the text.
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
    /// A second span that explains the first, with its label.
    pub secondary: Option<(Range<usize>, String)>,
    /// Tokens whose errors follow from the mistake.
    pub covers: Vec<Indices<TokenId>>,
}

impl Mistake {
    fn new(
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        covers: impl Into<Indices<TokenId>>,
    ) -> Mistake {
        let covers = vec![covers.into()];
        Mistake { code, span, message: message.into(), help: None, secondary: None, covers }
    }

    fn help(self, help: impl Into<String>) -> Mistake {
        Mistake { help: Some(help.into()), ..self }
    }
}

/// A rule for the error of one statement.
type Rule = fn(&Outline, &OutlineFault) -> Option<Mistake>;

/// The first matching rule wins.
const RULES: [Rule; 14] = [
    comments::division,
    words::characters,
    loops::counting,
    loops::bracketed,
    braces::never_closed,
    braces::closed_early,
    values::comprehension,
    values::declared_condition,
    values::statement_as_value,
    declarations::keyword,
    declarations::declaration,
    words::step,
    words::construct,
    braces::lacking,
];

/// Finds the mistakes of a program. Each explains at least one error of lex or parse.
pub fn find(outline: &Outline) -> Vec<Mistake> {
    let mut found = comments::foreign(outline);
    found.retain(|comment| comment.covers.iter().copied().flatten().any(|t| outline.has_error(t)));
    let mut explained = vec![false; outline.view.len() as usize];
    let explain = |mistake: &Mistake, explained: &mut Vec<bool>| {
        for range in &mistake.covers {
            let end = range.positions().end.min(explained.len());
            explained[range.positions().start.min(end)..end].fill(true);
        }
    };
    found.iter().for_each(|mistake| explain(mistake, &mut explained));
    for statement in outline.statements.iter().filter(|statement| statement.is_broken) {
        let Some(fault) = outline.fault(*statement) else { continue };
        if explained.get(fault.at.position()).copied().unwrap_or(true) {
            continue;
        }
        if let Some(mistake) = RULES.iter().find_map(|rule| rule(outline, &fault)) {
            explain(&mistake, &mut explained);
            found.push(mistake);
        }
    }
    found
}
