//! The outcomes of tests and properties on their lines in the editor.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::lang::index::{EntryId, Index};
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::workbench::marks::{self, Mark};
use crate::workbench::results::Results;
use crate::workbench::state::State;

/// The outcome of a line's test.
#[derive(Debug)]
pub struct LineOutcome {
    pub mark: &'static Mark,
    /// The difference in words, the longest text first; empty if it passes.
    pub said: Vec<String>,
    /// Whether it belongs to an older text, or to older values.
    pub is_old: bool,
}

impl Results {
    /// Returns the values of a failing test in words, with and without its input: `9, not 8 with n = 3`.
    pub fn values(&self, id: EntryId) -> [String; 2] {
        let Some(detail) = self.detail(id) else { return Default::default() };
        let sides = match (&detail.left, &detail.right) {
            (Some(left), Some(right)) => format!("{left}, not {right}"),
            _ => String::new(),
        };
        let named: Vec<String> =
            detail.counterexample.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if named.is_empty() { String::new() } else { format!("with {}", named.join(", ")) };
        let both = [sides.as_str(), with.as_str()].into_iter().filter(|part| !part.is_empty());
        [both.collect::<Vec<_>>().join(" "), sides]
    }
}

impl State {
    /// Returns the outcomes of the tests that begin in a part of the text on screen, by line. Of several on one line, the
    /// first that does not pass.
    pub fn outcomes_by_line(&self, window: &Range<usize>) -> BTreeMap<usize, LineOutcome> {
        let (mut found, results) = (BTreeMap::new(), &self.results);
        let Some((shown, latest)) = self.shown().zip(results.latest.as_ref()) else { return found };
        // A text with errors has results of the tests that reach none of them.
        let is_partial = !Arc::ptr_eq(shown, latest) && !latest.entries.is_empty();
        let (of, entries, drift, is_old) = match is_partial {
            true => (latest, &latest.entries[..], results.latest_drift, false),
            false => (shown, results.entries(), results.shown_drift, self.stale()),
        };
        let line = |byte: usize| self.document.buffer.line_of(self.document.buffer.position_of_byte(byte));
        for (id, result) in EntryId::all().zip(entries) {
            let start = of.compiled.entry(id).and_then(|entry| of.span(entry.head())).map(|span| span.start);
            // A test that is no longer in the text has no place.
            let Some(start) = start.filter(|start| drift.back(drift.forward(*start)) == Some(*start)) else {
                continue;
            };
            let byte = drift.forward(start);
            if !window.contains(&byte) {
                continue;
            }
            let is_hidden = self.hides_outcome(id);
            let mark = if is_hidden { &marks::HIDDEN } else { marks::of_outcome(result.outcome) };
            let said = match result.outcome {
                Outcome::Pass => Vec::new(),
                _ if is_hidden => Vec::new(),
                // Values are explained for programs without errors.
                Outcome::Fail if is_partial => vec!["fails".to_string()],
                Outcome::Trap(trap) if is_partial && trap != Trap::Hole => vec![trap.ident().to_string()],
                Outcome::Trap(Trap::Hole) => {
                    let left = results.detail(id).and_then(|detail| detail.left.clone());
                    let value = left.filter(|_| !is_partial).map(|left| format!("the other side is {left}"));
                    let place = if is_partial { "an error" } else { "a `?`" };
                    let more = ["unfinished: reaches ".to_string() + place, "unfinished".to_string()];
                    value.into_iter().chain(more).collect()
                }
                Outcome::Fail => results.values(id).to_vec(),
                Outcome::Trap(trap) => {
                    let [values, _] = results.values(id);
                    vec![format!("{} {values}", trap.ident()).trim_end().to_string(), trap.ident().to_string()]
                }
                Outcome::Discarded => vec!["no input meets the condition".to_string()],
            };
            let own = LineOutcome { mark, said, is_old: is_old || (!is_partial && results.has_old_details) };
            let line = line(byte);
            if found.get(&line).is_none_or(|known: &LineOutcome| known.mark == &marks::PASSES) {
                found.insert(line, own);
            }
        }
        // Tests that no engine has run, because the text does not compile.
        if !Arc::ptr_eq(shown, latest) {
            let view = latest.compiled.view();
            for token in
                view.all().iter().filter(|token| matches!(view.kind(*token), TokenKind::Test | TokenKind::Prop))
            {
                let byte = view.span(token).map_or(usize::MAX, |span| results.latest_drift.forward(span.start));
                if window.contains(&byte) {
                    let own = LineOutcome { mark: &marks::UNFINISHED, said: Vec::new(), is_old };
                    found.entry(line(byte)).or_insert(own);
                }
            }
        }
        found
    }
}
