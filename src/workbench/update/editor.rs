//! The editor's commands.

use crate::host::measure::numbers::plural;
use crate::report::diagnostics::Diagnostic;
use crate::report::format::format;
use crate::session::Survivors;
use crate::testing::mutation::Answer;
use crate::workbench::event::Effect;
use crate::workbench::example::NoTest;
use crate::workbench::keys::Command;
use crate::workbench::open::OpenView;
use crate::workbench::panels::mutant::SEARCHING;
use crate::workbench::panels::{Chosen, Panel};
use crate::workbench::state::{HelpView, Overlay, State, Tone};
use crate::workbench::text::{EditKind, Motion, Selection};

impl State {
    /// Returns the editor's rows less one, so that paging keeps one line in view.
    fn editor_page(&self) -> usize {
        self.layout().content(Panel::EDITOR).map_or(1, |area| usize::from(area.height).saturating_sub(1).max(1))
    }

    pub(super) fn edit(&mut self, command: Command, extend: bool, effects: &mut Vec<Effect>) {
        let buffer = &mut self.document.buffer;
        match command {
            Command::Move(motion) => buffer.go(motion, extend),
            Command::PageUp => {
                let page = self.editor_page();
                self.document.buffer.go(Motion::Up(page), extend);
            }
            Command::PageDown => {
                let page = self.editor_page();
                self.document.buffer.go(Motion::Down(page), extend);
            }
            Command::SelectAll => buffer.select_all(),
            Command::NewLine => buffer.new_line(),
            Command::Indent => buffer.indent(),
            Command::Unindent => buffer.unindent(),
            Command::Comment => buffer.toggle_comment(),
            Command::Format => self.format(),
            Command::Erase(motion) => buffer.erase(motion),
            Command::DeleteLine => {
                let line = buffer.line_of(buffer.head());
                let end = if line + 1 < buffer.lines() { buffer.line_start(line + 1) } else { buffer.len() };
                let start = buffer.line_start(line);
                buffer.replace(start..end, "", EditKind::Other);
            }
            Command::Undo => drop(buffer.undo()),
            Command::Redo => drop(buffer.redo()),
            Command::Cut | Command::Copy => {
                let text = buffer.text_to_copy();
                if command == Command::Cut {
                    buffer.remove_copied();
                }
                if !text.is_empty() {
                    self.document.clipboard.clone_from(&text);
                    effects.push(Effect::Copy(text));
                }
            }
            Command::Paste => effects.push(Effect::Paste),
            Command::GotoDefinition => self.goto_definition(),
            _ => {}
        }
    }

    /// Inserts pasted text where typed text would go.
    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.prompts.overlay {
            Some(
                Overlay::Help(HelpView { filter: field, .. })
                | Overlay::Search { query: field, .. }
                | Overlay::GotoLine(field)
                | Overlay::Step(field)
                | Overlay::Run(field)
                | Overlay::Condition { field, .. }
                | Overlay::SaveAs(field)
                | Overlay::Open(OpenView { field, .. }),
            ) => {
                field.insert(text);
                self.overlay_edited();
            }
            Some(_) => {}
            None => {
                self.focus_on(Panel::EDITOR);
                self.document.buffer.paste(text);
            }
        }
    }

    /// Appends a test that was found for the text of a revision.
    pub(super) fn write_test(&mut self, revision: u64, test: Result<String, NoTest>) {
        let test = match test {
            Ok(test) => test,
            Err(NoTest::NoValue) => {
                let said =
                    "no test found: with all arguments that were tried, the function traps or runs too long";
                return self.say(Tone::Bad, said);
            }
            Err(NoTest::Written) => {
                let said = "no test added: the program already tests all arguments that were tried";
                return self.say(Tone::Plain, said);
            }
        };
        if revision != self.document.revision || self.prompts.overlay.is_some() {
            return self.say(Tone::Plain, "the text changed meanwhile; alt-t tries again");
        }
        self.document.buffer.append_item(&test);
        self.say(Tone::Good, format!("{test} is what it returns now: make sure that it is right"));
    }

    /// Adds the test that would kill the chosen mutant.
    pub(super) fn add_offered_test(&mut self) {
        match self.offered_test().map(String::from) {
            Ok(test) => self.write_test(self.document.revision, Ok(test)),
            Err(SEARCHING) => {
                self.mutants.wanted_test = self.chosen_mutant().map(|(id, _)| (self.document.revision, id));
                self.say(Tone::Plain, "the test is added as soon as it is found, unless the text changes");
            }
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    /// Adds the test that was wanted before it was found.
    pub(super) fn add_wanted_test(&mut self) {
        let Some((revision, id)) = self.mutants.wanted_test else { return };
        if revision != self.document.revision {
            self.mutants.wanted_test = None;
            return;
        }
        let found = self.results.findings.current::<Survivors>();
        let Some(answer) = found.and_then(|found| found.answers.get(&id)).cloned() else {
            // The prover may find a test first.
            if let Some(test) = self.unproved(id).and_then(|(_, test)| test).map(String::from) {
                self.mutants.wanted_test = None;
                self.write_test(revision, Ok(test));
            }
            return;
        };
        self.mutants.wanted_test = None;
        match &*answer {
            Answer::Found(question) => self.write_test(revision, Ok(question.test.clone())),
            Answer::Alike { .. } => self.say(Tone::Plain, format!("no test is added: {}", answer.text())),
        }
    }

    /// Applies the chosen repair, or adds the chosen answer as a test.
    pub(super) fn apply_repair(&mut self) {
        let changes = match self.chosen_repair() {
            Ok(Chosen::Repair(repair)) => repair.changes.clone(),
            Ok(Chosen::Answer(test)) => {
                let test = test.to_string();
                self.document.buffer.append_item(&test);
                return self.say(Tone::Good, format!("{test} decides: repairs with other results are gone"));
            }
            Err(why) => return self.say(Tone::Bad, why),
        };
        let place = |byte: usize| self.document.buffer.position_of_byte(byte);
        let edits: Vec<_> = { &changes }
            .iter()
            .map(|change| (place(change.lo)..place(change.hi), change.replacement.clone()))
            .collect();
        let first = edits.first().map_or(0, |(range, _)| range.start);
        self.document.buffer.replace_all(edits, Selection::at(first));
        let changes = plural(changes.len() as u64, "change");
        self.say(
            Tone::Good,
            format!("repaired by {changes}: make sure that this is what you meant; ctrl-u takes it back"),
        );
    }

    /// Writes the text in the standard layout.
    fn format(&mut self) {
        match format(self.document.buffer.text()) {
            Some(text) if *text == **self.document.buffer.text() => {
                self.say(Tone::Plain, "the text is in the standard layout")
            }
            Some(text) => {
                self.document.buffer.lay_out(&text);
                self.say(Tone::Good, "formatted; ctrl-u takes it back");
            }
            None => self.say(Tone::Bad, "not formatted: correct the errors first; F8 goes to the next one"),
        }
    }

    /// Writes the text in the standard layout before a save if the user wants that and it has no errors.
    pub(super) fn format_before_save(&mut self) {
        if self.document.formats_on_save
            && let Some(text) = format(self.document.buffer.text())
        {
            self.document.buffer.lay_out(&text);
        }
    }

    pub(super) fn search_from(&mut self, from: usize) {
        if let Some(Overlay::Search { query, .. }) = &self.prompts.overlay {
            self.document.search.finder.query.clone_from(&query.text);
        }
        self.document.search.found = None;
        if !self.document.search.finder.query.is_empty() {
            self.document.search.found = self.document.buffer.find_forward(&self.document.search.finder, from);
        }
    }
    pub(super) fn find_next(&mut self) {
        let from = self.document.buffer.selection().range().end;
        self.document.search.found = self.document.buffer.find_forward(&self.document.search.finder, from);
        self.say_found();
    }
    pub(super) fn find_previous(&mut self) {
        let from = self.document.buffer.selection().range().start;
        self.document.search.found = self.document.buffer.find_backward(&self.document.search.finder, from);
        self.say_found();
    }
    pub(super) fn say_found(&mut self) {
        match self.document.search.found {
            Some(found) => {
                self.say(Tone::Plain, format!("match {} of {}; F3 for the next", found.index, found.count))
            }
            None => self.say(Tone::Bad, format!("not found: {}", self.document.search.finder.query)),
        }
    }

    /// Goes to the next diagnostic after the cursor, wrapping around.
    pub(super) fn next_problem(&mut self) {
        let here = self.document.buffer.byte_of(self.document.buffer.head());
        let drift = self.results.latest_drift;
        let at = |p: &Diagnostic| drift.forward(p.span.start);
        let problems = &self.results.problems;
        let next = problems.iter().find(|p| at(p) > here).or(problems.first());
        if let Some((byte, code, message)) = next.map(|p| (at(p), p.code, p.message.clone())) {
            self.focus_on(Panel::EDITOR);
            self.document.buffer.select(Selection::at(self.document.buffer.position_of_byte(byte)));
            self.say(Tone::Bad, format!("{} {message}", code.code()));
        }
    }

    /// Goes from a name's use to its declaration.
    pub(super) fn goto_definition(&mut self) {
        let target = self.link().and_then(|link| {
            let shown = self.shown()?;
            let span = shown.span(shown.compiled.view().declaration(link.node)?)?;
            Some(self.results.shown_drift.forward(span.start))
        });
        match target {
            Some(byte) => {
                self.document.buffer.select(Selection::at(self.document.buffer.position_of_byte(byte)))
            }
            None => self.say(Tone::Bad, "no declaration is known for the name under the cursor"),
        }
    }
}
