//! Keys of modal editing, and its command line.

use crate::host::measure::numbers::plural;
use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::key::Key;
use crate::workbench::keys::Command;
use crate::workbench::modal::{Modal, Pressed, Request, Substitution, select_matches};
use crate::workbench::open::Target;
use crate::workbench::panels::Panel;
use crate::workbench::state::{AfterSave, Ask, Overlay, State, Tone};
use crate::workbench::text::Finder;

impl State {
    /// Handles a key in the editor as modal editing does. Returns false if the key has its meaning from the table of keys.
    pub(super) fn modal_key(&mut self, key: Key, effects: &mut Vec<Effect>) -> bool {
        let request = match self.modal.press(key, &mut self.document.buffer, self.document.id) {
            Pressed::Other => return false,
            Pressed::Done => return true,
            Pressed::Wants(request) => request,
        };
        match request {
            Request::Search => self.start_search(),
            Request::Match { .. } if self.document.search.finder.is_empty() => {
                self.say(Tone::Bad, "nothing searched for yet: press /");
            }
            Request::Match { is_forward, count } => self.go_to_match(is_forward, count),
            Request::SearchWord { is_forward, count } => self.search_word(is_forward, count),
            Request::CommandLine(text) => {
                self.prompts.overlay = Some(Overlay::Ask(Ask::Command, Field::new(&text)));
            }
            Request::SelectMatches { is_split } => {
                self.prompts.overlay = Some(Overlay::Ask(Ask::Matches { is_split }, Field::default()));
            }
            Request::Definition => self.goto_definition(),
            Request::Menu(row) => self.menu(row, effects),
            Request::Copy(text) => {
                self.document.clipboard.clone_from(&text);
                effects.push(Effect::Copy(text));
            }
            Request::Say(why) => self.say(Tone::Plain, why),
        }
        true
    }

    /// Plays the keys of macros that were asked for. Ends at a command that fails, and after a number of keys.
    pub(super) fn play(&mut self, effects: &mut Vec<Effect>) {
        let most = Modal::most_played(self.document.buffer.len());
        let mut played = 0;
        while let Some(key) = self.modal.next_played() {
            if played == most {
                self.modal.stop();
                return self
                    .say(Tone::Bad, format!("the macro is stopped after {}", plural(most as u64, "key")));
            }
            played += 1;
            self.typed(key, effects);
            let is_bad = self.status.message.as_ref().is_some_and(|message| message.tone == Tone::Bad);
            if is_bad || self.modal.has_failed() {
                self.modal.stop();
            }
        }
    }

    fn go_to_match(&mut self, is_forward: bool, count: usize) {
        for _ in 0..count {
            let before = self.document.buffer.selection();
            if is_forward {
                self.modal.step_past_match(&mut self.document.buffer);
                self.find_next();
            } else {
                self.find_previous();
            }
            self.modal.leave_match(&mut self.document.buffer);
            if self.document.search.found.is_none() {
                return self.document.buffer.select(before);
            }
        }
    }

    /// Searches for the whole word at the cursor, or else the next one of the line.
    fn search_word(&mut self, is_forward: bool, count: usize) {
        let buffer = &mut self.document.buffer;
        let (head, end) = (buffer.head(), buffer.line_end(buffer.line_of(buffer.head())));
        let is_word = |at: &usize| buffer.char_at(*at).is_some_and(|c| c.is_alphanumeric() || c == '_');
        let Some(at) = (head..end).find(is_word) else {
            return self.say(Tone::Bad, "no word is at the cursor or after it");
        };
        let word = buffer.word_at(at);
        let name = buffer.slice(word.range());
        self.document.search.finder = Finder::exact(&name, &format!(r"\b{name}\b"), false);
        buffer.leave();
        buffer.select(word);
        if !is_forward {
            self.find_previous();
            self.modal.leave_match(&mut self.document.buffer);
            return self.go_to_match(false, count - 1);
        }
        self.modal.leave_match(&mut self.document.buffer);
        self.go_to_match(true, count);
    }

    /// Runs a row of helix' menu for the space key.
    fn menu(&mut self, row: char, effects: &mut Vec<Effect>) {
        match row {
            'd' => self.run(Command::Go(Panel::DIAGNOSTICS), false, effects),
            'a' => self.run(Command::Go(Panel::REPAIRS), false, effects),
            's' => self.run(Command::Go(Panel::SYMBOLS), false, effects),
            'r' => self.run(Command::Rename, false, effects),
            'p' => self.run(Command::Paste, false, effects),
            _ => self.run(Command::Open, false, effects),
        }
    }

    /// Selects the matches of a regular expression in the selections, or the text between them.
    pub(super) fn select_matches(&mut self, pattern: &str, is_split: bool) {
        let finder = Finder::new(pattern, true);
        match finder.error() {
            Some(error) => self.say(Tone::Bad, format!("not a regular expression: {error}")),
            None if !select_matches(&mut self.document.buffer, &finder, is_split) => {
                self.say(Tone::Bad, format!("not in the selections: {pattern}"));
            }
            None => {}
        }
    }

    fn substitute(&mut self, wanted: &Substitution) {
        let finder = match wanted.pattern.is_empty() {
            true => self.document.search.finder.clone(),
            false => Finder::exact(&wanted.pattern, &wanted.pattern, wanted.is_blind),
        };
        if let Some(error) = finder.error() {
            return self.say(Tone::Bad, format!("not a regular expression: {error}"));
        }
        let buffer = &mut self.document.buffer;
        // An empty line after the last line end does not count.
        let last = buffer.lines() - 1 - usize::from(buffer.lines() > 1 && buffer.text().ends_with('\n'));
        let lines = wanted.lines(buffer.line_of(buffer.head()), last);
        match buffer.substitute(&finder, &wanted.with, lines, wanted.is_global) {
            Ok(0) => self.say(Tone::Bad, format!("not found: {}", finder.query())),
            Ok(count) => {
                self.document.search.finder = finder;
                self.say(Tone::Good, format!("replaced {}; u takes it back", plural(count as u64, "match")));
            }
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    pub(super) fn command_line(&mut self, text: &str, effects: &mut Vec<Effect>) {
        let text = text.trim();
        match Substitution::read(text) {
            Some(Ok(wanted)) => return self.substitute(&wanted),
            Some(Err(why)) => return self.say(Tone::Bad, why),
            None => {}
        }
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (name, rest.trim()) {
            ("", _) => {}
            ("w" | "write", "") => self.save(effects),
            ("w" | "write", path) => self.save_as(path, effects),
            ("e" | "edit", "") => self.ask_what_to_open(),
            ("e" | "edit", path) => self.open(Target::Path(path.to_string()), effects),
            ("noh" | "nohlsearch", "") => self.document.search.found = None,
            // A question protects a text that is not saved, whatever the command.
            ("q" | "q!" | "quit", "") => self.ask_to_quit(effects),
            ("wq" | "x", "") if !self.dirty() => self.ask_to_quit(effects),
            ("wq" | "x", "") => {
                self.prompts.after_save(self.document.id, AfterSave::Quit);
                self.save(effects);
            }
            (number, "") if number.starts_with(|c: char| c.is_ascii_digit()) => self.goto_line(number),
            _ => {
                let known = ":w, :w NAME, :e NAME, :q, :wq, :s/PATTERN/TEXT/g, :%s, :noh and :LINE";
                self.say(Tone::Bad, format!("no command `:{text}`: there are {known}"));
            }
        }
    }
}
