//! The outcomes of tests, properties and probes on their lines in the editor.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::lang::index::{EntryId, Index, TokenId};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::testing::probes::{self, Probe, Probes};
use crate::testing::rules::ProgramRules;
use crate::workbench::facts;
use crate::workbench::marks::{self, Mark};
use crate::workbench::results::Results;
use crate::workbench::state::State;

/// The outcome of a line's test, probe or rule.
#[derive(Debug)]
pub struct LineOutcome {
    pub mark: &'static Mark,
    /// The difference or the value in words, the longest text first; empty if it passes.
    pub said: Vec<String>,
    /// Whether it belongs to an older text, or to older values.
    pub is_old: bool,
}

impl Results {
    /// Returns the values of a failing test in words, with and without its input: `9, not 8 with n = 3`, `7 < 7 is false`.
    pub fn values(&self, id: EntryId) -> [String; 2] {
        let Some(detail) = self.detail(id) else { return Default::default() };
        let sides = match (&detail.left, &detail.right) {
            (Some(left), Some(right)) => {
                let shown = self.shown().and_then(|shown| {
                    facts::comparison(shown.compiled.view(), shown.compiled.entry(id)?.head())
                });
                match shown.unwrap_or("==") {
                    "==" => format!("{left}, not {right}"),
                    operator => format!("{left} {operator} {right} is false"),
                }
            }
            _ => String::new(),
        };
        let named: Vec<String> =
            detail.counterexample.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if named.is_empty() { String::new() } else { format!("with {}", named.join(", ")) };
        let both = [sides.as_str(), with.as_str()].into_iter().filter(|part| !part.is_empty());
        [both.collect::<Vec<_>>().join(" "), sides]
    }

    /// Returns the probe of a line of the text on screen, which begins at a byte, and whether it belongs to an older text.
    pub fn probe(&self, byte: usize, line: &str) -> Option<(&Probe, bool)> {
        if !line.starts_with(probes::MARK) {
            return None;
        }
        let Some(Probes(current)) = self.findings.current::<Probes>() else {
            let Probes(last) = self.findings.last::<Probes>()?;
            let own = |probe: &&Probe| {
                line.get(probes::MARK.len()..).is_some_and(|text| text.trim() == probe.expression)
            };
            return last.iter().find(own).map(|probe| (probe, true));
        };
        let start = self.shown_drift.back(byte)?;
        let probe = current.iter().find(|probe| probe.span.start == start)?;
        Some((probe, self.shown()?.compiled.text.get(probe.span.clone()) != Some(line)))
    }

    /// Returns where the run of an unfinished test arrives at a place with an error, and in which call, or which function
    /// is missing there; the longest text first.
    pub fn unfinished(&self, id: EntryId) -> Vec<String> {
        let address = self.entries().get(id.position()).and_then(|result| result.trap_address);
        let hole = self.shown().zip(address).and_then(|(shown, address)| {
            let token = TokenId::of(&shown.compiled.executable.code.token, address)?;
            Some((shown.place(shown.span(token)?.start as u32), shown.awaited(token)))
        });
        let word = marks::HOLE.word;
        let Some(((line, column), awaited)) = hole else { return vec![word.to_string()] };
        let place = format!("{word} at {line}:{column}");
        let detail = self.detail(id).unwrap_or_default();
        let other =
            detail.left.map(|left| ["the other side is", "other side:"].map(|says| format!("{says} {left}")));
        let call = detail.cause.map(|call| format!("{place} in {call}"));
        let waits = awaited.map(|name| format!("waits for `{name}`"));
        let long = call.iter().chain([&place]).map(|place| match &waits {
            Some(waits) => format!("{place}: {waits}"),
            None => place.clone(),
        });
        other.into_iter().flatten().chain(long).chain(waits.clone()).chain([word.to_string()]).collect()
    }
}

impl State {
    /// Returns the outcomes of the tests, probes and rules that begin in a part of the text on screen, by line. Where a line has
    /// several tests, the first that does not pass.
    pub fn outcomes_by_line(&self, window: &Range<usize>) -> BTreeMap<usize, LineOutcome> {
        let (mut found, results) = (BTreeMap::new(), &self.results);
        let Some(shown) = self.shown() else { return found };
        let drift = results.shown_drift;
        let line = |byte: usize| self.document.buffer.line_of(self.document.buffer.position_of_byte(byte));
        for (id, result) in EntryId::all().zip(results.entries()) {
            let start = shown.compiled.entry(id).and_then(|entry| shown.span(entry.head()));
            let start = start.map(|span| span.start);
            // A test that the text has lost has no place.
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
                Outcome::Trap(Trap::Hole) => results.unfinished(id),
                Outcome::Fail => results.values(id).to_vec(),
                Outcome::Trap(trap) => {
                    let [values, _] = results.values(id);
                    vec![format!("{} {values}", trap.ident()).trim_end().to_string(), trap.ident().to_string()]
                }
                Outcome::Discarded => vec!["no input meets the condition".to_string()],
            };
            let is_old = self.stale() || results.has_old_details && !said.is_empty();
            let own = LineOutcome { mark, said, is_old };
            let line = line(byte);
            if found.get(&line).is_none_or(|known: &LineOutcome| known.mark == &marks::PASSES) {
                found.insert(line, own);
            }
        }
        let text = self.document.buffer.text().get(window.clone()).unwrap_or_default();
        let (mut byte, is_program) = (window.start, !self.document.file.is_rules());
        for own in text.split_inclusive('\n') {
            if let Some((probe, is_old)) = results.probe(byte, own.trim_end()) {
                let is_old = is_old || self.stale();
                let mark = if is_old { format!(" {}", marks::AWAITED.glyph) } else { String::new() };
                let said = probe.texts().into_iter().map(|text| text + &mark).collect();
                found.insert(line(byte), LineOutcome { mark: &marks::PROBE, said, is_old });
            }
            // A rule of the same text has the same verdict; what it does may belong to an older text.
            let rules = results.findings.last::<ProgramRules>();
            if let Some((is_proved, said)) = rules.and_then(|rules| rules.on_line(own, is_program)) {
                let is_old = results.findings.current::<ProgramRules>().is_none();
                let mark = if is_proved { &marks::PROVED } else { &marks::WRONG };
                found.insert(line(byte), LineOutcome { mark, said, is_old });
            }
            byte += own.len();
        }
        found
    }
}
