//! The list of suggested tests, and the removal of tests that add nothing.

use std::ops::Range;

use crossterm::event::KeyCode;

use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index};
use crate::lang::role::Role;
use crate::lang::verdict::MutantStatus;
use crate::session::{Filled, Survivors};
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::field::Field;
use crate::workbench::key::Key;
use crate::workbench::state::{Overlay, State, Tone};
use crate::workbench::suggested::{SuggestedView, Suggestion, UNCONFIRMED};
use crate::workbench::text::Selection;

impl State {
    /// Returns the tests found for survivors, each once, in the order of the list.
    pub fn suggestions(&self) -> Vec<Suggestion> {
        let mut all: Vec<Suggestion> = Vec::new();
        if !self.is_text_judged() || self.predict.is_some() {
            return all;
        }
        let found = self.results.findings.current::<Survivors>();
        let mutants = &self.results.mutants;
        for id in mutants.singles().iter().take(mutants.singles().ranked()) {
            let survives =
                mutants.verdicts.get(id.position()).is_some_and(|one| one.status == MutantStatus::Survived);
            let test = match found.and_then(|found| found.answer(id)) {
                Some(QuestionAnswer::Found(question)) => Some(&*question.test),
                _ => self.unproved(id).and_then(|(_, test)| test),
            };
            let Some(new) = test.filter(|_| survives).and_then(Suggestion::of) else { continue };
            match all.iter_mut().find(|known| known.call == new.call) {
                Some(known) => known.mutants += 1,
                None => all.push(new),
            }
        }
        all
    }

    pub(super) fn list_suggestions(&mut self) {
        let rows = self.suggestions();
        let view = SuggestedView { revision: self.document.revision, rows, ..SuggestedView::default() };
        self.prompts.overlay = Some(Overlay::Suggested(view));
    }

    /// Handles a key in the list. Returns false if the key closes it.
    pub(super) fn suggested_key(&mut self, view: &mut SuggestedView, key: Key) -> bool {
        let last = view.rows.len().saturating_sub(1);
        let Some(chosen) = view.rows.get_mut(view.chosen) else { return false };
        if let Some(field) = &mut view.field {
            match key.code {
                KeyCode::Esc => view.field = None,
                KeyCode::Enter => {
                    view.refused = !chosen.correct(&field.text);
                    if !view.refused {
                        view.field = None;
                        view.chosen = (view.chosen + 1).min(last);
                    }
                }
                _ => view.refused &= !field.key(key),
            }
            return true;
        }
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return false,
            KeyCode::Up | KeyCode::Char('k') => view.chosen = view.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => view.chosen = (view.chosen + 1).min(last),
            KeyCode::Char(' ') => chosen.kept = !chosen.kept,
            KeyCode::Char('y') => {
                (chosen.kept, chosen.confirmed) = (true, true);
                view.chosen = (view.chosen + 1).min(last);
            }
            KeyCode::Enter => (view.field, view.refused) = (Some(Field::new(&chosen.value)), false),
            KeyCode::Char('a') => {
                self.add_suggestions(view);
                return false;
            }
            _ => {}
        }
        true
    }

    /// Adds the kept tests in one undo step.
    fn add_suggestions(&mut self, view: &SuggestedView) {
        if view.revision != self.document.revision {
            return self.say(Tone::Bad, "no test added: the text changed meanwhile");
        }
        let kept: Vec<&Suggestion> = view.rows.iter().filter(|row| row.kept).collect();
        if kept.is_empty() {
            return self.say(Tone::Plain, "no test added: all are dropped");
        }
        let lines: Vec<String> = kept.iter().map(|row| row.line()).collect();
        self.document.buffer.append_item(&lines.join("\n"));
        let open = kept.iter().filter(|row| !row.confirmed).count();
        let marked = match open {
            0 => String::new(),
            open => format!(", {open} marked `{UNCONFIRMED}`: make sure that their values are right"),
        };
        self.say(
            Tone::Good,
            format!("{} added{marked}; ctrl-u takes this back", plural(kept.len() as u64, "test")),
        );
    }

    /// Returns the tests that add nothing, or why none is known. Properties always stay.
    pub fn superfluous_tests(&self) -> Result<Vec<EntryId>, &'static str> {
        let judged = self.results.judged.as_ref().filter(|_| self.is_text_judged());
        let shown = judged.ok_or("the text on screen is not judged yet")?;
        let Some(Filled::All(noticed)) = self.results.findings.current::<Filled>() else {
            return Err("the matrix is not filled yet");
        };
        let is_test = |entry: &EntryId| {
            let head = shown.compiled.entry(*entry).map(|entry| entry.head());
            head.is_some_and(|head| shown.compiled.view().is(head, Role::Test))
        };
        let tests: Vec<EntryId> = noticed.matrix.oracles.iter().copied().filter(is_test).collect();
        let found = noticed.matrix.superfluous(&tests);
        if found.is_empty() {
            Err("every test adds something: without it, more mutants survive")
        } else {
            Ok(found)
        }
    }

    /// Removes the tests that add nothing in one undo step.
    pub(super) fn remove_superfluous_tests(&mut self) {
        let found = match self.superfluous_tests() {
            Ok(found) => found,
            Err(why) => return self.say(Tone::Bad, why),
        };
        let Some(shown) = self.results.judged.clone() else { return };
        let text = &*shown.compiled.text;
        let range =
            |entry: &EntryId| Some(whole_line(text, shown.extent(shown.compiled.entry(*entry)?.head())?));
        let mut ranges: Vec<Range<usize>> = found.iter().filter_map(range).collect();
        ranges.sort_by_key(|range| range.start);
        let place = |byte: usize| self.document.buffer.position_of_byte(byte);
        let edits: Vec<_> =
            ranges.iter().map(|range| (place(range.start)..place(range.end), String::new())).collect();
        let first = edits.first().map_or(0, |(range, _)| range.start);
        let count = plural(edits.len() as u64, "test");
        self.document.buffer.replace_all(edits, Selection::at(first));
        self.say(
            Tone::Good,
            format!("{count} removed: the others notice the same mutants; ctrl-u takes this back"),
        );
    }
}

/// Extends an item's range to its `;`, and to the whole line if nothing but a comment follows.
fn whole_line(text: &str, item: Range<usize>) -> Range<usize> {
    let rest = &text[item.end..];
    let semicolon = rest.trim_start().starts_with(';').then(|| rest.find(';')).flatten();
    let item = item.start..item.end + semicolon.map_or(0, |at| at + 1);
    let start = text[..item.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[item.end..].find('\n').map_or(text.len(), |at| item.end + at + 1);
    let (before, after) = (text[start..item.start].trim(), text[item.end..end].trim());
    if before.is_empty() && (after.is_empty() || after.starts_with("//")) { start..end } else { item }
}
