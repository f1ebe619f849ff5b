//! Opening another file in place of the current one.

use crossterm::event::KeyCode;

use crate::workbench::event::{Effect, Opened};
use crate::workbench::key::Key;
use crate::workbench::open::{Choice, Entry, OpenView, Place, Target};
use crate::workbench::panels::Panel;
use crate::workbench::state::{Overlay, State, Tone};
use crate::workbench::text::Selection;

/// The number of rows that a page key moves.
const PAGE: usize = 10;

impl State {
    /// Opens the prompt in the folder of the current file.
    pub(super) fn ask_what_to_open(&mut self) {
        let path = self.document.file.path.as_ref().map_or(String::new(), |path| path.display().to_string());
        let folder = OpenView::new(&path).parts().0.to_string();
        self.prompts.overlay = Some(Overlay::Open(OpenView::new(&folder)));
    }

    /// Handles a key while the prompt is open. Returns false if the key closes it.
    pub(super) fn open_key(&mut self, view: &mut OpenView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let choices = view.choices();
        let last = choices.len().saturating_sub(1);
        view.problem = None;
        match key.code {
            KeyCode::Esc => {
                self.prompts.forget_request();
                if self.document.is_blank() {
                    self.welcome();
                }
                return false;
            }
            KeyCode::Up => view.chosen = view.chosen.saturating_sub(1),
            KeyCode::Down => view.chosen = (view.chosen + 1).min(last),
            KeyCode::PageUp => view.chosen = view.chosen.saturating_sub(PAGE),
            KeyCode::PageDown => view.chosen = (view.chosen + PAGE).min(last),
            KeyCode::Tab => view.complete(),
            KeyCode::Enter => {
                let (folder, typed) = view.parts();
                let target = match choices.get(view.chosen) {
                    Some(Choice::Folder(name)) => {
                        *view = OpenView::new(&format!("{folder}{name}/"));
                        return true;
                    }
                    Some(Choice::File(name)) => Target::Path(format!("{folder}{name}")),
                    Some(Choice::Sample(sample)) => Target::Sample(sample.name.to_string()),
                    None if typed.is_empty() => return true,
                    None => Target::Path(view.field.text.clone()),
                };
                if self.dirty() {
                    self.prompts.overlay = Some(Overlay::Leave(target));
                    return false;
                }
                self.open(target, effects);
            }
            _ => {
                let before = view.field.text.clone();
                view.field.key(key);
                if view.field.text != before {
                    view.chosen = 0;
                }
            }
        }
        true
    }

    /// Requests a file. The current text stays on screen until the file has been read.
    pub(super) fn open(&mut self, target: Target, effects: &mut Vec<Effect>) {
        let number = self.prompts.request(self.document.revision, target.clone());
        effects.push(Effect::Open { number, target });
    }

    /// Handles a folder's listing.
    pub(super) fn listed(&mut self, folder: String, entries: Result<Vec<Entry>, String>) {
        if let Some(Overlay::Open(view)) = &mut self.prompts.overlay {
            view.tell(folder, entries);
        }
    }

    /// Handles a target that is a folder: continues the prompt inside it.
    pub(super) fn descend(&mut self, number: u64, folder: &str) {
        if self.prompts.take_request(number).is_some() {
            self.prompts.overlay = Some(Overlay::Open(OpenView::new(folder)));
        }
    }

    /// Handles a target that could not be opened.
    pub(super) fn open_failed(&mut self, number: u64, why: String) {
        if self.prompts.take_request(number).is_none() {
            return;
        }
        match &mut self.prompts.overlay {
            Some(Overlay::Open(view)) => view.problem = Some(why),
            _ => self.say(Tone::Bad, why),
        }
    }

    /// Replaces the current file by one that has been read. Only settings and the arrangement of the screen
    /// are kept.
    pub(super) fn opened(&mut self, opened: Opened, effects: &mut Vec<Effect>) {
        let Some(request) = self.prompts.take_request(opened.number) else { return };
        if self.dirty() && self.document.revision != request.revision {
            // The text was edited since the request.
            return self.defer_open(request.target);
        }
        let State { document, screen, prompts, status, engine, race, tour, recent, .. } =
            std::mem::replace(self, State::new(&opened.text, opened.file));
        // The new text is an edit: it gets the next revision, and answers to earlier revisions belong to another file.
        self.document.revision = document.revision;
        self.document.opened = document.revision + 1;
        self.document.clipboard = document.clipboard;
        self.document.options = document.options;
        self.document.search.is_regex = document.search.is_regex;
        self.screen = screen.of_another_file();
        self.prompts = prompts.of_another_file();
        self.status.echo = status.echo;
        self.engine = engine;
        self.race = race.of_another_file();
        (self.tour, self.recent) = (tour, recent);
        if let Some(place) = opened.place {
            self.go_to(place);
        }
        if self.document.file.lesson.is_some() {
            self.tour = None;
            self.focus_on(Panel::LESSON);
        }
        self.begin_step();
        let name = self.document.file.name();
        self.say(Tone::Plain, opened.note.unwrap_or_else(|| format!("opened {name}")));
        effects.push(Effect::Opened);
    }

    /// Moves the cursor to a place, or to the nearest valid one.
    pub fn go_to(&mut self, place: Place) {
        let line = place.line.saturating_sub(1).min(self.document.buffer.lines() - 1);
        let column = place.column.saturating_sub(1);
        let position = self
            .document
            .buffer
            .line_start(line)
            .saturating_add(column)
            .min(self.document.buffer.line_end(line));
        self.focus_on(Panel::EDITOR);
        self.document.buffer.leave();
        self.document.buffer.select(Selection::at(position));
    }

    /// Requests the typed folder's listing, unless it is already requested.
    pub(super) fn folder_wanted(&mut self) -> Option<Effect> {
        let Some(Overlay::Open(view)) = &mut self.prompts.overlay else { return None };
        let folder = view.parts().0.to_string();
        if view.asked.as_ref() == Some(&folder) {
            return None;
        }
        view.asked = Some(folder.clone());
        Some(Effect::List(folder))
    }
}
