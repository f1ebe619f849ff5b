//! Events change the state. Each file handles one kind of change.

mod arrange;
mod command;
mod compare;
mod complete;
mod editor;
mod engine;
mod explain;
mod file;
mod files;
mod filter;
mod follow;
mod help;
mod ladder;
mod lesson;
mod look;
mod modal;
mod mouse;
mod moves;
mod names;
mod open;
mod overlay;
mod panel;
mod paper;
mod predict;
mod present;
mod race;
mod rounds;
mod run;
mod search;
mod suggested;
mod theme;
mod tour;
mod values;
mod waiting;
mod welcome;

use crossterm::event::KeyCode;

use crate::session::Update;
use crate::workbench::event::{Effect, Event, Mouse};
use crate::workbench::key::Key;
use crate::workbench::keys::{Command, Context};
use crate::workbench::panels::layout::clamp_size;
use crate::workbench::panels::{self, Panel};
use crate::workbench::results::TextOrigin;
use crate::workbench::state::{Overlay, State, Tone};
use crate::workbench::update::complete::CompletionEvent;

impl State {
    /// Applies an event to the state. Returns the effects to carry out.
    pub fn apply(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let before = self.document.buffer.text().clone();
        let (head, id) = (self.document.buffer.selection(), self.document.id);
        let row_of_tests = (self.screen.focus, self.list(Panel::TESTS).selected);
        let is_command = matches!(event, Event::Key(_) | Event::Mouse { .. });
        let cause = self.cause(&event);
        let completes = CompletionEvent::of(&event);
        let inserts = self.modal.inserts();
        let is_scan = matches!(event, Event::Scan);
        self.handle(event, &mut effects);
        let switched = id != self.document.id;
        // An edit makes a new text, so comparing pointers is enough; comparing texts would cost every event.
        let edited = switched || !std::sync::Arc::ptr_eq(&before, self.document.buffer.text());
        if edited {
            // A new text comes with its own example.
            self.document.offers_example &= switched;
            self.document.revision += 1;
            self.results.expect(self.document.revision, if switched { TextOrigin::Opened } else { cause });
            if !matches!(self.prompts.overlay, Some(Overlay::Search(_))) {
                self.document.search.found = None;
            }
            let text = self.document.buffer.text().clone();
            self.results.drift(&text);
            if switched && std::mem::take(&mut self.engine.all) {
                effects.push(Effect::JudgeAll(false));
            }
            if switched {
                // The engine records the runs of the file on screen.
                self.send_wish(&mut effects);
            } else {
                self.carry_breakpoints(&before, &mut effects);
            }
            effects.push(Effect::Compile);
        }
        let completes = if edited && inserts || completes != CompletionEvent::Typed {
            completes
        } else {
            CompletionEvent::Key
        };
        if edited {
            self.typing = !switched && cause == TextOrigin::Typed;
        }
        let line = |position: usize| self.document.buffer.line_of(position);
        let has_left = !edited && line(head.head) != line(self.document.buffer.head());
        // Who goes to the diagnostics wants to see them.
        self.typing &= !has_left && self.screen.focus != Panel::DIAGNOSTICS;
        // The steps below run after every event, because any event may change what they show. Their order
        // matters: first the rows of lists, then the rows that filters leave, then the scrolling to the selected
        // row, and last what is derived from the selection.
        self.follow_completion(completes, head.head);
        self.return_undone_text(&mut effects);
        // Before the passes, which show the code of the chosen mutant while it is displayed.
        self.refresh_own();
        self.refresh_rules();
        self.refresh_steps();
        self.refresh_cfg();
        self.refresh_run();
        let is_in_tests = is_command && row_of_tests.0 == Panel::TESTS && self.screen.focus == Panel::TESTS;
        if is_in_tests && row_of_tests.1 != self.list(Panel::TESTS).selected {
            self.choose_test_of_values();
        }
        self.refresh_values();
        self.refresh_unfinished(&mut effects);
        // Filters compare the texts of rows, so the rows are up to date by now.
        self.refresh_filters(!is_scan, &mut effects);
        // Scrolls to selected rows, which filters may just have moved.
        self.settle(edited || head != self.document.buffer.selection());
        self.refresh_ladder();
        // About the selected row of a list, so after filters.
        self.refresh_mutant();
        // Goals of the tour look at the state as it will be drawn.
        self.follow_tour();
        self.follow_waits(&mut effects);
        // Last: the engine works first on what the user looks at after this event.
        effects.extend(self.look_changed());
        effects.extend(self.prompt_wants());
        effects
    }

    /// Returns the origin of the text, if this event changes it.
    fn cause(&self, event: &Event) -> TextOrigin {
        let asked = matches!(self.prompts.overlay, Some(Overlay::Conflict(_) | Overlay::Unsaved(_)));
        match event {
            // Answering these questions loads a file's text.
            Event::Key(_) if asked => TextOrigin::Opened,
            Event::Key(_) | Event::Paste(_) | Event::Burst { .. } | Event::Mouse { .. } => TextOrigin::Typed,
            _ => TextOrigin::Opened,
        }
    }

    fn handle(&mut self, event: Event, effects: &mut Vec<Effect>) {
        match event {
            Event::Key(key) => {
                self.status.refused = false;
                self.modal.record(key);
                self.typed(key, effects);
                self.play(effects);
            }
            Event::Fade(what) => self.fade(what, effects),
            // The race screen has no text and nothing to point at.
            Event::Mouse { what, .. } if self.race.shown().is_some() && self.prompts.overlay.is_none() => {
                if let Mouse::Scroll(by) = what {
                    self.scroll_race(mouse::notches(by));
                }
            }
            Event::Paste(_) if self.race.shown().is_some() && self.prompts.overlay.is_none() => {}
            Event::Mouse { what, column, row, shift } => self.mouse(what, column, row, shift, effects),
            Event::Paste(text) => self.paste(&text),
            Event::Burst { text, is_continuation } => self.burst(&text, is_continuation, effects),
            Event::Resize(width, height) => {
                self.screen.size = clamp_size((width, height));
                self.reveal_choice();
            }
            Event::Engine { update, since } => {
                // Partial verdicts do not affect the goals, and may be frequent.
                let decides = matches!(*update, Update::Base { .. } | Update::Done { .. } | Update::Found(_));
                self.engine_update(*update, since);
                if decides {
                    self.add_wanted_test();
                    self.judge_lesson(effects);
                }
            }
            Event::Details { revision, details } => {
                if self.shown().is_some_and(|s| s.revision == revision) {
                    (self.results.details, self.results.has_old_details) = (details, false);
                }
            }
            Event::EngineStopped(why) => {
                self.engine.stopped = true;
                self.results.forget_sent();
                self.say(Tone::Bad, why);
            }
            Event::FileContents(disk) => self.disk(disk),
            Event::Saved { path, text, note } => self.saved(path, text, note.as_deref(), effects),
            Event::SaveFailed(why) => self.save_failed(why),
            Event::SaveConflict { theirs, bom } => self.save_conflict(theirs, bom),
            Event::SaveExists(path) => self.save_exists(path),
            Event::CopySaved { path, text } => self.put_aside(&path, &text),
            Event::Test { revision, test } => self.write_test(revision, test),
            Event::FileEvent { document, event } => {
                self.in_file(document, |state| state.handle(*event, effects));
            }
            Event::AlreadyOpen { number, document, place } => {
                self.already_open(number, document, place, effects)
            }
            Event::Previewed { path, text } => self.previewed(path, text),
            Event::Listed { folder, entries } => self.listed(folder, entries),
            Event::Opened(opened) => self.opened(*opened, effects),
            Event::OpenedFolder { number, folder } => self.descend(number, &folder),
            Event::OpenFailed { number, why } => self.open_failed(number, why),
            Event::Race { number, news } => self.race_news(number, news, effects),
            Event::Notice(text) => self.say(Tone::Bad, text),
            Event::TapeEnded(why) => {
                self.prompts.tape_ended = true;
                self.say(Tone::Bad, format!("the tape ends here: {why}"));
            }
            Event::Unsaved { texts, more, held, asked } => {
                self.unsaved(texts, held, asked);
                self.prompts.waiting.more = more;
            }
            Event::JournalFailed(why) => self.prompts.journal_error = why,
            Event::Arrangements(kept) => self.know_arrangements(kept),
            // Rows are compared after each event.
            Event::Scan => {}
            // The colours are not part of the state.
            Event::Background(_) => {}
            Event::Recent(files) => self.recent = files,
        }
    }

    /// Handles a key that the user or a macro types.
    fn typed(&mut self, key: Key, effects: &mut Vec<Effect>) {
        if let Some(key) = self.after_prefix(key) {
            self.echo_key(key, effects);
            if !self.complete_key(key) {
                self.key(key, effects);
            }
        }
    }

    /// Handles a key: it goes to the open prompt, or is looked up in the table, or types a character.
    fn key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        self.status.message = None;
        if self.prompts.overlay.is_some() {
            return self.overlay_key(key, effects);
        }
        if self.race.shown().is_some() {
            return self.race_key(key, effects);
        }
        if self.take_example(key) || self.screen.focus == Panel::EDITOR && self.modal_key(key, effects) {
            return;
        }
        for context in self.contexts() {
            if let Some(binding) = self.keymap().binding(context, key) {
                let before = self.acted_on();
                let needs_row = binding.command.moves_in_rows() && panels::count(self, self.screen.focus) == 0;
                match (binding.disabled)(self) {
                    Some(why) => self.say(Tone::Bad, why),
                    None => self.run(binding.command, false, effects),
                }
                let fails = self.status.message.as_ref().is_some_and(|message| message.tone == Tone::Bad);
                self.status.refused = (fails || needs_row) && self.acted_on() == before;
                return;
            }
        }
        // Movement keys with shift select.
        if key.shift
            && self.screen.focus == Panel::EDITOR
            && let Some(binding) = self.keymap().binding(Context::Editor, key.with_shift(false))
            && binding.command.moves()
        {
            return self.run(binding.command, true, effects);
        }
        match (self.screen.focus, key.typed()) {
            (Panel::EDITOR, Some(c)) => {
                self.document.buffer.type_char(c, self.document.options.close_brackets);
            }
            (_, Some(c)) if c.is_ascii_digit() => self.focus_number(c),
            (_, Some(_)) => self.say(Tone::Plain, "enter or esc goes to the editor; ? shows the keys"),
            _ => {
                let said = format!("{key} does nothing here; {} shows the keys", self.spelled("F1"));
                self.status.say(Tone::Plain, said);
            }
        }
    }

    /// Returns what the effect of later keys on the text depends on.
    fn acted_on(&self) -> impl PartialEq + use<> {
        let (buffer, focus) = (&self.document.buffer, self.screen.focus);
        let is_asked = self.prompts.overlay.is_some() || self.race.shown().is_some();
        (self.document.id, buffer.text().clone(), buffer.selection(), focus, self.list(focus), is_asked)
    }

    /// Returns the key that a key acts as: after the prefix key, alt with that key, or the key of the next panel after the
    /// prefix again. Returns `None` for the prefix itself, and for esc after it.
    fn after_prefix(&mut self, key: Key) -> Option<Key> {
        let is_prefix = self.keymap().invokes(Context::Anywhere, key, Command::Prefix);
        if !std::mem::take(&mut self.prompts.prefixed) {
            self.prompts.prefixed = is_prefix;
            self.status.message.take_if(|_| is_prefix);
            return (!is_prefix).then_some(key);
        }
        match key.code {
            _ if is_prefix => {
                self.keymap().of_command(Context::Anywhere, Command::NextPanel).map(|(_, key)| key)
            }
            KeyCode::Esc => None,
            _ => Some(Key { alt: true, ..key }),
        }
    }

    /// Inserts a burst of keys as one piece of text. Outside the editor, for instance in a prompt, each key
    /// is handled separately.
    fn burst(&mut self, text: &str, is_continuation: bool, effects: &mut Vec<Effect>) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if self.screen.focus == Panel::EDITOR
                && !self.prompts.prefixed
                && self.modal.inserts()
                && self.prompts.overlay.is_none()
                && self.race.shown().is_none()
            {
                self.status.message = None;
                rest.chars().for_each(|c| self.modal.record(Key::typing(c)));
                return self.document.buffer.burst(rest, is_continuation && rest.len() == text.len());
            }
            let key = Key::typing(c);
            self.modal.record(key);
            if let Some(key) = self.after_prefix(key) {
                self.key(key, effects);
            }
            self.play(effects);
            rest = &rest[c.len_utf8()..];
        }
    }
}
