//! The search bar: search for a text or a regular expression, and replace the matches.

use crate::host::measure::numbers::plural;
use crate::workbench::field::Field;
use crate::workbench::key::Key;
use crate::workbench::keys::{Command, Context};
use crate::workbench::panels::Panel;
use crate::workbench::state::{Overlay, SearchBar, State, Tone, WorkbenchDocument};
use crate::workbench::text::{Finder, Selection};

impl State {
    /// Opens the search bar, with the selected text or the last query.
    pub(super) fn start_search(&mut self) {
        let selected = self.document.buffer.selected_text();
        let query = match selected.is_empty() || selected.contains('\n') {
            true => self.document.search.finder.query().to_string(),
            false => selected,
        };
        let origin = self.document.buffer.selection().range().start;
        self.search_for(&query, origin);
        self.prompts.overlay = Some(Overlay::Search(SearchBar::new(&query, origin)));
    }

    /// Handles a key of the search bar. Returns false if the key closes it.
    pub(super) fn search_key(&mut self, bar: &mut SearchBar, key: Key) -> bool {
        if let Some(binding) = self.keymap().binding(Context::Search, key) {
            return self.search_command(bar, binding.command);
        }
        let is_query = !bar.replaces;
        if bar.field_mut().key(key) && is_query {
            self.search_for(&bar.query.text, bar.origin);
        }
        true
    }

    /// Runs a command of the search bar. Returns false if it closes the bar.
    pub(super) fn search_command(&mut self, bar: &mut SearchBar, command: Command) -> bool {
        match command {
            Command::Escape => {
                self.document.buffer.select(Selection::at(bar.origin));
                self.document.search.finder = Finder::default();
                self.document.search.found = None;
                return false;
            }
            Command::Accept if bar.replaces => return self.replace_one(bar),
            Command::Accept => {
                self.focus_on(Panel::EDITOR);
                self.document.buffer.leave_from(bar.origin);
                self.modal.leave_match(&mut self.document.buffer);
                self.say_found();
                return false;
            }
            Command::FindNext => self.find_next(),
            Command::FindPrevious => self.find_previous(),
            Command::SwitchField => {
                bar.replaces = !bar.replaces;
                bar.replacement.get_or_insert_default();
            }
            Command::ReplaceAll => return self.replace_all(bar),
            Command::ToggleRegex => {
                self.document.search.is_regex = !self.document.search.is_regex;
                self.search_for(&bar.query.text, bar.origin);
            }
            _ => {}
        }
        true
    }

    pub(super) fn search_for(&mut self, query: &str, from: usize) {
        let search = &mut self.document.search;
        search.finder = Finder::new(query, search.is_regex);
        search.found = None;
        if !search.finder.is_empty() {
            search.found = self.document.buffer.find_forward(&search.finder, from);
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
    fn say_found(&mut self) {
        let search = &self.document.search;
        match (search.found, search.finder.error()) {
            (Some(found), _) => {
                self.say(Tone::Plain, format!("match {} of {}; F3 for the next", found.index, found.count))
            }
            (None, Some(error)) => self.say(Tone::Bad, format!("not a regular expression: {error}")),
            (None, None) => self.say(Tone::Bad, format!("not found: {}", search.finder.query())),
        }
    }

    /// Replaces the selected match, and selects the next one. Returns false after the last one, which closes the bar: the
    /// key that takes it back is one of the editor.
    fn replace_one(&mut self, bar: &mut SearchBar) -> bool {
        let with = bar.replacement.as_ref().map_or("", |field| &field.text);
        let WorkbenchDocument { buffer, search, .. } = &mut self.document;
        let is_replaced = buffer.replace_found(&search.finder, with);
        let from = buffer.selection().range().end;
        search.found = buffer.find_forward(&search.finder, from);
        // Esc stays at the place of the last replacement.
        bar.origin = buffer.selection().range().start;
        match (is_replaced, search.found) {
            (true, None) => self.say_replaced("the last match"),
            _ => {
                self.status.message = None;
                true
            }
        }
    }

    /// Replaces all matches as one undo step. Returns false if the bar closes then.
    fn replace_all(&mut self, bar: &mut SearchBar) -> bool {
        let Some(with) = &bar.replacement else {
            bar.replacement = Some(Field::default());
            bar.replaces = true;
            self.say(Tone::Plain, "type the replacement, then ctrl-a replaces all matches");
            return true;
        };
        let WorkbenchDocument { buffer, search, .. } = &mut self.document;
        let replaced = buffer.replace_every(&search.finder, &with.text);
        search.found = None;
        bar.origin = buffer.selection().range().start;
        match replaced {
            Ok(0) => self.say_found(),
            Ok(count) => {
                buffer.select(Selection::at(bar.origin));
                return self.say_replaced(&plural(count as u64, "match"));
            }
            Err(why) => self.say(Tone::Bad, why),
        }
        true
    }

    /// Goes to the editor after the last match is replaced. Returns false, because the bar closes.
    fn say_replaced(&mut self, matches: &str) -> bool {
        self.focus_on(Panel::EDITOR);
        self.say(Tone::Good, format!("replaced {matches}; ctrl-u takes it back"));
        false
    }
}
