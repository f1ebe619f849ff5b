//! Comments that exclude changes from the count: `// myriad: ignore`, `// myriad: ignore constant: any seed
//! does`.
//!
//! A comment applies to its own line, or to the next line with code if it is alone on its line. After
//! `ignore` it may list operators, which restricts it to these, and after a colon a reason. A comment with an
//! unknown operator ignores nothing.

use std::ops::{Deref, Range};

use super::folding::Folding;
use super::{Operator, Variants};
use crate::compiler::program::{Compiled, View};
use crate::compiler::stage::mutate::Plan;
use crate::lang::index::{Index, Indices, MutantId, TokenId};
use crate::lang::mutation::Group;
use crate::lang::verdict::{MutantStatus, Verdict};

/// The first word of these comments.
const MARK: &str = "myriad:";
/// The word that must follow it.
pub const IGNORE: &str = "ignore";

/// The comments of a program that ignore changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored {
    /// Sorted by line.
    rules: Vec<Rule>,
    /// The bytes of comments after which no code follows.
    last: Vec<Range<usize>>,
    faults: Vec<IgnoreError>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The bytes of the comment.
    pub span: Range<usize>,
    /// The line whose changes are ignored, from 1.
    pub line: u32,
    /// The operators whose changes are ignored; empty means all.
    pub operators: Vec<Operator>,
    /// The reason that the comment states; empty if it states none.
    pub reason: String,
}

/// A wrong word in such a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoreError {
    /// The bytes of the word.
    pub span: Range<usize>,
    pub wanted: Wanted,
}

/// The word that is expected in place of a wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// [`IGNORE`]. The comment may not be meant for Myriad.
    Ignore,
    Operator,
}

impl Ignored {
    pub fn new(program: &Compiled) -> Ignored {
        Ignored::of(program.view())
    }

    /// Finds the comments of a text that has been parsed.
    pub fn of(view: View) -> Ignored {
        let mut ignored = Ignored::default();
        // Hardly any program has such a comment, and this runs on every keystroke.
        if !view.source.contains(MARK) {
            return ignored;
        }
        let (mut start, mut token) = (0, TokenId::new(0));
        for (line, text) in (1..).zip(view.source.split('\n')) {
            let words = comment(view, text, start);
            let end = start + text.trim_end().len();
            start += text.len() + 1;
            let Some(words) = words.and_then(|words| words.trim_start().strip_prefix(MARK)) else { continue };
            match read(words) {
                Ok((operators, reason)) => {
                    // The comment's own line if it has code, else the next line that has.
                    while view.has(token) && view.line(token) < line {
                        token = token.next();
                    }
                    let span = end.saturating_sub(words.trim_end().len() + MARK.len())..end;
                    match view.has(token) {
                        true => ignored.rules.push(Rule { span, line: view.line(token), operators, reason }),
                        false => ignored.last.push(span),
                    }
                }
                Err((word, wanted)) => {
                    let from = word.as_ptr() as usize - text.as_ptr() as usize + (start - text.len() - 1);
                    ignored.faults.push(IgnoreError { span: from..from + word.len(), wanted });
                }
            }
        }
        ignored
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The errors in comments that tell the program to ignore changes, or seem to.
    pub fn faults(&self) -> &[IgnoreError] {
        &self.faults
    }

    /// Returns the lines whose changes are ignored, from 1.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        self.rules.iter().map(|rule| rule.line)
    }

    /// Returns the bytes of the comments that ignore no change of a program.
    pub fn idle(&self, program: &Compiled) -> Vec<Range<usize>> {
        let mut idle: Vec<&Rule> = self.rules.iter().collect();
        if idle.is_empty() {
            return self.last.clone();
        }
        let (view, mut plan) = (program.view(), Plan::default());
        plan.build(view, Group::Strong);
        for edit in Indices::first(plan.first_order()).iter().filter_map(|id| plan.variant(view, id)) {
            let edits: Vec<(u32, Operator)> =
                edit.iter().map(|edit| (view.line(edit.lo), edit.operator)).collect();
            idle.retain(|rule| !edits.iter().any(|(line, operator)| rule.covers(*line, *operator)));
        }
        // The operators of repairs make no mutants that are counted.
        idle.retain(|rule| rule.operators.iter().all(|operator| operator.group() <= Group::Strong));
        idle.iter().map(|rule| rule.span.clone()).chain(self.last.iter().cloned()).collect()
    }

    /// Returns the rule that ignores a variant, if any. Ignoring one of its changes is enough.
    pub fn rule<P: Deref<Target = Compiled>>(&self, variants: &Variants<P>, id: MutantId) -> Option<&Rule> {
        let edits = (!self.is_empty()).then(|| variants.edits(id))??;
        let view = variants.program.view();
        edits.iter().find_map(|edit| {
            let line = view.line(edit.lo);
            let from = self.rules.partition_point(|rule| rule.line < line);
            let mut of_line = self.rules.iter().skip(from).take_while(|rule| rule.line == line);
            of_line.find(|rule| rule.covers(line, edit.operator))
        })
    }

    /// Marks the ignored variants among `verdicts`, which start with id `first`, and folds duplicates among
    /// the others. `folding` must have seen all variants before `first`.
    pub fn apply<P: Deref<Target = Compiled>>(
        &self,
        variants: &Variants<P>,
        folding: &mut Folding,
        first: MutantId,
        verdicts: &mut [Verdict],
    ) {
        let judged = |verdict: &Verdict| verdict.status != MutantStatus::Pending;
        let ids = Indices::starting(first, verdicts.len() as u32);
        for (id, verdict) in ids.iter().zip(verdicts).filter(|(_, verdict)| judged(verdict)) {
            let counts = self.rule(variants, id).is_none();
            *verdict = match folding.next(id, *verdict, counts) {
                verdict if counts => verdict,
                _ => Verdict::of(MutantStatus::Ignored),
            };
        }
    }
}

impl Rule {
    /// Returns whether it ignores the changes that an operator makes to a line.
    fn covers(&self, line: u32, operator: Operator) -> bool {
        self.line == line && (self.operators.is_empty() || self.operators.contains(&operator))
    }
}

/// Returns the text of the comment at the end of a line that begins at byte `start`.
fn comment<'a>(view: View, line: &'a str, start: usize) -> Option<&'a str> {
    let in_token = |at: usize| {
        let token = view.token_at(start + at);
        let span = token.and_then(|token| view.span(token));
        span.is_some_and(|span| span.contains(&(start + at)))
    };
    let (at, _) = line.match_indices("//").find(|(at, _)| !in_token(*at))?;
    line.get(at + 2..)
}

/// Parses a comment into its operators and its reason. The error is the first wrong word.
fn read(words: &str) -> Result<(Vec<Operator>, String), (&str, Wanted)> {
    let between = |c: char| c.is_whitespace() || c == ',';
    let ends = |c: char| between(c) || c == ':';
    let cut = |text: &'_ str| text.find(ends).unwrap_or(text.len());
    let words = words.trim_start();
    let (first, mut rest) = words.split_at(cut(words));
    if first != IGNORE {
        return Err((first, Wanted::Ignore));
    }
    let mut operators = Vec::new();
    loop {
        rest = rest.trim_start_matches(between);
        if let Some(reason) = rest.strip_prefix(':') {
            return Ok((operators, reason.trim().into()));
        }
        let (word, after) = rest.split_at(cut(rest));
        if word.is_empty() {
            return Ok((operators, String::new()));
        }
        operators.push(Operator::from_name(word).ok_or((word, Wanted::Operator))?);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignore_comment_lists_operators_then_a_reason() {
        use Operator::*;
        let good = |words: &str| read(words).expect("no fault");
        assert_eq!(good("ignore"), (vec![], "".into()));
        assert_eq!(good(" ignore: a seed: like any "), (vec![], "a seed: like any".into()));
        assert_eq!(good(" ignore : arithmetic"), (vec![], "arithmetic".into()));
        assert_eq!(good("ignore constant, relational : why"), (vec![Constant, Relational], "why".into()));
        assert_eq!(good("ignore constant relational\r"), (vec![Constant, Relational], "".into()));
        let fault = |words: &'static str| read(words).expect_err("a fault");
        assert_eq!(fault(" ignore constants: any would do"), ("constants", Wanted::Operator));
        assert_eq!(fault("ignore constant, arithmetics"), ("arithmetics", Wanted::Operator));
        assert_eq!(fault("ignore constant any seed"), ("any", Wanted::Operator));
        assert_eq!(fault("ignored: x"), ("ignored", Wanted::Ignore));
        assert_eq!(fault("  "), ("", Wanted::Ignore));
    }
}
