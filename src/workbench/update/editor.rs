//! The editor's commands.

use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index, MutantId};
use crate::report::diagnostics::Diagnostic;
use crate::report::format::format;
use crate::session::Survivors;
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::event::Effect;
use crate::workbench::example::NoTest;
use crate::workbench::key::Key;
use crate::workbench::keys::Command;
use crate::workbench::panels::mutant::SEARCHING;
use crate::workbench::panels::{CHOOSE, Chosen, Panel};
use crate::workbench::state::{State, Tone};
use crate::workbench::text::{EditKind, Motion, Selection};

impl State {
    /// Returns the editor's rows less one, so that paging keeps one line in view.
    fn editor_page(&self) -> usize {
        self.layout().content(Panel::EDITOR).map_or(1, |area| usize::from(area.height).saturating_sub(1).max(1))
    }

    pub(super) fn edit(&mut self, command: Command, extend: bool, effects: &mut Vec<Effect>) {
        match command {
            Command::Move(motion) => return self.go(motion, extend),
            Command::PageUp => return self.go(Motion::Up(self.editor_page()), extend),
            Command::PageDown => return self.go(Motion::Down(self.editor_page()), extend),
            Command::SoftWrap => return self.toggle_wrap(),
            Command::Values => return self.toggle_values(),
            Command::Round { is_next } => return self.say_refused(|state| state.choose_round(is_next)),
            Command::CallOfValues { is_next } => return self.say_refused(|state| state.choose_call(is_next)),
            _ => {}
        }
        let buffer = &mut self.document.buffer;
        match command {
            Command::SelectAll => buffer.select_all(),
            Command::NewLine => buffer.new_line(),
            Command::Indent => buffer.indent(),
            Command::Unindent => buffer.unindent(),
            Command::Comment => buffer.toggle_comment(),
            Command::Format => self.format(),
            Command::Erase(motion) => buffer.erase(motion),
            Command::DeleteLine => buffer.delete_lines(),
            Command::MoveLines { is_down } => {
                let is_done = buffer.move_lines(is_down);
                self.say_unless(is_done, "the lines are at the end of the text");
            }
            Command::DuplicateLines => buffer.duplicate_lines(),
            Command::AddCursor => {
                if let Err(why) = buffer.add_caret_at_next() {
                    self.say(Tone::Plain, why);
                }
            }
            Command::AddCursorOnLine { is_below } => {
                let is_done = buffer.add_caret_on_next_line(is_below);
                self.say_unless(is_done, "no cursor added: the text ends there, or there are 1,000 cursors");
            }
            Command::JumpBack => drop(buffer.jump_back()),
            Command::JumpAhead => drop(buffer.jump_ahead()),
            Command::Complete => self.ask_for_completion(),
            Command::Rename => self.ask_for_name(),
            Command::Describe => self.describe(),
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

    /// Writes the example of an empty text if the key is tab; any other key removes it. Returns whether it was written.
    pub(super) fn take_example(&mut self, key: Key) -> bool {
        let example = self.document.example();
        self.document.offers_example = false;
        let takes = self.screen.focus == Panel::EDITOR && Key::parse("tab") == Some(key);
        let Some(example) = example.filter(|_| takes) else { return false };
        self.document.buffer.replace(0..0, example, EditKind::Other);
        self.begin_at(None);
        self.say(Tone::Plain, "alt-7 lists the changes of it that its test does not notice");
        true
    }

    /// Says why a command did nothing, unless it was done.
    fn say_unless(&mut self, is_done: bool, why: &str) {
        if !is_done {
            self.say(Tone::Plain, why);
        }
    }

    /// Moves the cursors; up and down by rows if lines are wrapped.
    fn go(&mut self, motion: Motion, extend: bool) {
        let (cells, buffer) = (self.wrap_width(), &mut self.document.buffer);
        match (motion, cells) {
            (Motion::Up(count), Some(cells)) => buffer.go_rows(count, false, extend, cells),
            (Motion::Down(count), Some(cells)) => buffer.go_rows(count, true, extend, cells),
            _ => buffer.go(motion, extend),
        }
    }

    fn toggle_wrap(&mut self) {
        let wraps = !self.document.options.soft_wrap;
        self.document.options.soft_wrap = wraps;
        self.say(Tone::Plain, if wraps { "long lines continue on the next row" } else { "long lines are cut" });
        self.screen.show_cursor();
    }

    fn toggle_values(&mut self) {
        let shows = !self.document.options.values;
        self.document.options.values = shows;
        let said =
            if shows { "each line shows its values in the run of a test" } else { "lines show no values" };
        self.say(Tone::Plain, said);
    }

    /// Makes a choice; says why not if it cannot be made.
    fn say_refused(&mut self, choose: impl FnOnce(&mut State) -> Result<(), &'static str>) {
        if let Err(why) = choose(self) {
            self.say(Tone::Plain, why);
        }
    }

    /// Inserts pasted text where typed text would go.
    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.prompts.overlay {
            Some(overlay) => {
                if let Some(field) = overlay.field() {
                    field.insert(text);
                    self.overlay_edited();
                }
            }
            None => {
                self.focus_on(Panel::EDITOR);
                self.document.buffer.paste(text);
            }
        }
    }

    /// Writes the value of the other side in place of the `?` that a test on the cursor's line is compared with, or a test
    /// in place of a probe. Returns whether there is one.
    pub(super) fn write_value(&mut self) -> bool {
        let current = self.shown().filter(|shown| shown.revision == self.document.revision);
        let Some(shown) = current else { return false };
        let (buffer, view) = (&self.document.buffer, shown.compiled.view());
        let line = buffer.line_of(buffer.head());
        let range = buffer.line_start(line)..buffer.line_end(line);
        let probe = self.results.probe(buffer.byte_of(range.start), buffer.line_text(line).trim_end());
        if let Some(test) = probe.filter(|(_, is_old)| !is_old).and_then(|(probe, _)| probe.test()) {
            self.document.buffer.replace(range, &test, EditKind::Other);
            self.say(Tone::Good, format!("{test} is what it returns now: make sure that it is right"));
            return true;
        }
        if self.results.has_old_details {
            return false;
        }
        let found = EntryId::all().zip(self.results.entries()).find_map(|(id, result)| {
            let value = self.results.detail(id)?.left.filter(|_| result.outcome.is_unfinished())?;
            let test = view.extent(shown.compiled.entry(id)?.head());
            let bytes = view.span(view.holes().filter(|hole| test.contains(*hole)).last()?)?;
            let [start, end] = [bytes.start, bytes.end].map(|byte| buffer.position_of_byte(byte));
            (buffer.line_of(start) == line).then_some((start..end, value))
        });
        let Some((range, value)) = found else { return false };
        self.document.buffer.replace(range, &value, EditKind::Other);
        self.say(Tone::Good, format!("{value} is its value now: make sure that it is right"));
        true
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
            Ok(test) => self.add_test_of(self.chosen_mutant().map(|(id, _)| id), test),
            Err(SEARCHING) => {
                self.mutants.wanted_test = self.chosen_mutant().map(|(id, _)| (self.document.revision, id));
                self.say(Tone::Plain, "the test is added as soon as it is found, unless the text changes");
            }
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    fn add_test_of(&mut self, survivor: Option<MutantId>, test: String) {
        self.mutants.left = survivor;
        self.write_test(self.document.revision, Ok(test));
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
                self.add_test_of(Some(id), test);
            }
            return;
        };
        self.mutants.wanted_test = None;
        match &*answer {
            QuestionAnswer::Found(question) => self.add_test_of(Some(id), question.test.clone()),
            QuestionAnswer::Alike { .. } => {
                self.say(Tone::Plain, format!("no test is added: {}", answer.text()))
            }
        }
    }

    /// Applies the chosen repair, or adds the chosen answer as a test.
    pub(super) fn apply_repair(&mut self) {
        let repair = match self.chosen_repair() {
            Ok(Chosen::Repair(repair)) => repair.clone(),
            Ok(Chosen::Answer(test)) => {
                let test = test.to_string();
                self.document.buffer.append_item(&test);
                return self.say(Tone::Good, format!("{test} decides: repairs with other results are gone"));
            }
            // The first answer follows the question.
            Err(CHOOSE) if self.asks_here() => {
                let row = self.list(Panel::REPAIRS).selected;
                self.screen.select(Panel::REPAIRS, row + 1);
                return self.say(Tone::Plain, "choose the answer that is right, then enter adds it as a test");
            }
            Err(why) => return self.say(Tone::Bad, why),
        };
        let place = |byte: usize| self.document.buffer.position_of_byte(byte);
        let edits: Vec<_> = { &repair.changes }
            .iter()
            .map(|change| (place(change.lo)..place(change.hi), change.replacement.clone()))
            .collect();
        let first = edits.first().map_or(0, |(range, _)| range.start);
        // A text in the standard layout stays in it.
        let text = self.document.buffer.text().clone();
        let is_laid_out = format(&text).is_some_and(|laid_out| *laid_out == *text);
        match is_laid_out.then(|| format(&repair.apply(&text))).flatten() {
            Some(repaired) => {
                self.document.buffer.reload(&repaired);
                self.document.buffer.select(Selection::at(first));
            }
            None => self.document.buffer.replace_all(edits, Selection::at(first)),
        }
        let changes = plural(repair.changes.len() as u64, "change");
        self.say(
            Tone::Good,
            format!("repaired by {changes}: make sure that this is what you meant; ctrl-u takes it back"),
        );
    }

    /// Writes the text in the standard layout.
    fn format(&mut self) {
        if self.document.file.is_rules() {
            return self.say(Tone::Bad, "not formatted: rules have no standard layout");
        }
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
        if self.document.options.format_on_save
            && !self.document.file.is_rules()
            && let Some(text) = format(self.document.buffer.text())
        {
            self.document.buffer.lay_out(&text);
        }
    }

    /// Goes to the next diagnostic after the cursor, wrapping around.
    pub(super) fn next_problem(&mut self) {
        let here = self.document.buffer.byte_of(self.document.buffer.head());
        let at = |p: &Diagnostic| self.results.place_of(p);
        let problems = &self.results.problems;
        let next = problems.iter().find(|p| at(p) > here).or(problems.first());
        if let Some((byte, code, message)) = next.map(|p| (at(p), p.code, p.message.clone())) {
            self.focus_on(Panel::EDITOR);
            self.document.buffer.leave();
            self.document.buffer.select(Selection::at(self.document.buffer.position_of_byte(byte)));
            self.say(Tone::Bad, format!("{} {message}", code.code()));
        }
    }
}
