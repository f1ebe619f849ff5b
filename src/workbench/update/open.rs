//! Opening files: the prompt, and the file that it leads to.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyCode;

use crate::workbench::event::{Effect, Opened};
use crate::workbench::field::Field;
use crate::workbench::key::Key;
use crate::workbench::open::{Choice, OpenEntry, OpenPlace, OpenView, Target, first_body};
use crate::workbench::panels::Panel;
use crate::workbench::state::{OpenFile, Overlay, State, Tone, WorkbenchDocument};
use crate::workbench::text::Selection;

impl State {
    /// Opens the prompt, in the folder of the current file if that was typed.
    pub(super) fn ask_what_to_open(&mut self) {
        let path = self.document.file.path.as_ref().map_or(String::new(), |path| path.display().to_string());
        let root = OpenView::new(&path).parts().0.to_string();
        let mut view = OpenView { root, ..OpenView::default() };
        let here = self.document.id;
        let others = self.documents().filter(|document| document.id != here);
        view.known = others.map(|document| self.as_choice(document)).collect();
        let is_open =
            |path: &PathBuf| self.documents().any(|document| document.file.path.as_ref() == Some(path));
        let recent = self.recent.iter().filter(|path| !is_open(path));
        view.known.extend(recent.filter_map(|path| Some(Choice::Recent(path.to_str()?.to_string()))));
        self.prompts.overlay = Some(Overlay::Open(view));
    }

    fn as_choice(&self, document: &WorkbenchDocument) -> Choice {
        let path = document.file.path.as_ref().map(|path| path.display().to_string());
        let name = path.unwrap_or_else(|| document.file.name());
        Choice::Open { id: document.id, name, dirty: document.dirty() }
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
            KeyCode::Tab => view.complete(),
            KeyCode::Enter => {
                let typed = view.parts().1.to_string();
                let chosen = choices.get(view.chosen);
                match chosen {
                    Some(Choice::Folder(name)) => {
                        let path = format!("{}{name}/", view.folder());
                        *view = OpenView {
                            field: Field::new(&path),
                            asked: None,
                            chosen: 0,
                            ..std::mem::take(view)
                        };
                    }
                    Some(Choice::Open { id, .. }) => {
                        self.go_to_file(*id, effects);
                        return false;
                    }
                    Some(choice) => {
                        let target = State::target_of(view, choice);
                        self.open(target, effects);
                    }
                    None if typed.is_empty() => {}
                    None => self.open(Target::Path(format!("{}{typed}", view.folder())), effects),
                }
                // A sample that is open is on screen at once.
                return self.prompts.is_requested() || !matches!(chosen, Some(Choice::Sample(_)));
            }
            _ if let Some(row) = key.row_after(view.chosen, last) => view.chosen = row,
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

    fn target_of(view: &OpenView, choice: &Choice) -> Target {
        match choice {
            Choice::Sample(sample) => Target::Sample(sample.name.to_string()),
            Choice::Lesson(lesson) => Target::Lesson(lesson.name.to_string()),
            choice => Target::Path(view.path_of(choice).unwrap_or_else(|| choice.name())),
        }
    }

    /// Requests a file. The current text stays on screen until the file has been read. A sample that is open is shown at
    /// once.
    pub(super) fn open(&mut self, target: Target, effects: &mut Vec<Effect>) {
        if let Target::Sample(name) = &target
            && let Some(id) = self.document_of_sample(name)
        {
            return self.go_to_file(id, effects);
        }
        if self.files.is_full() {
            return self.say(Tone::Bad, "too many files have unsaved texts: save or close some of them first");
        }
        let number = self.prompts.request();
        let path = |document: &WorkbenchDocument| Some((document.id, document.file.path.clone()?));
        let open = self.documents().filter_map(path).collect();
        effects.push(Effect::Open { number, target, open });
    }

    pub(super) fn listed(&mut self, folder: String, entries: Result<Vec<OpenEntry>, String>) {
        if let Some(Overlay::Open(view)) = &mut self.prompts.overlay {
            view.tell(folder, entries);
        }
    }

    /// Handles a target that is a folder: continues the prompt inside it.
    pub(super) fn descend(&mut self, number: u64, folder: &str) {
        if self.prompts.take_request(number) {
            self.ask_what_to_open();
            if let Some(Overlay::Open(view)) = &mut self.prompts.overlay {
                view.field = Field::new(folder);
            }
        }
    }

    /// Handles a target that could not be opened.
    pub(super) fn open_failed(&mut self, number: u64, why: String) {
        if !self.prompts.take_request(number) {
            return;
        }
        match &mut self.prompts.overlay {
            Some(Overlay::Open(view)) => view.problem = Some(why),
            _ => self.say(Tone::Bad, why),
        }
    }

    /// Puts a file on screen that has been read.
    pub(super) fn opened(&mut self, opened: Opened, effects: &mut Vec<Effect>) {
        if !self.prompts.take_request(opened.number) {
            return;
        }
        let id = self.files.new_id();
        self.put_on_screen(OpenFile::new(&opened.text, opened.file, id));
        self.begin_at(opened.place);
        if self.document.file.lesson.is_some() {
            self.tour = None;
            self.focus_on(Panel::LESSON);
        }
        self.begin_step();
        let name = self.document.file.name();
        self.say(Tone::Plain, opened.note.unwrap_or_else(|| format!("opened {name}")));
        effects.push(Effect::Opened);
    }

    /// Moves the cursor of a text that was opened to a place, or else into the body of the first function.
    pub fn begin_at(&mut self, place: Option<OpenPlace>) {
        if let Some(place) = place {
            self.go_to(place);
        } else if let Some(byte) = first_body(self.document.buffer.text()) {
            let buffer = &mut self.document.buffer;
            buffer.select(Selection::at(buffer.position_of_byte(byte)));
        }
    }

    /// Moves the cursor to a place, or to the nearest valid one.
    pub fn go_to(&mut self, place: OpenPlace) {
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

    /// Requests the typed folder's listing and the text for the preview, unless they are already requested.
    pub(super) fn prompt_wants(&mut self) -> Vec<Effect> {
        let Some(Overlay::Open(view)) = &mut self.prompts.overlay else { return Vec::new() };
        let mut effects = Vec::new();
        let folder = view.folder().to_string();
        if view.asked.as_ref() != Some(&folder) {
            view.asked = Some(folder.clone());
            effects.push(Effect::List(folder));
        }
        let chosen = view.choices().into_iter().nth(view.chosen);
        let path =
            chosen.filter(|choice| !matches!(choice, Choice::New(_))).and_then(|choice| view.path_of(&choice));
        if let Some(path) = path
            && view.previewed.as_ref() != Some(&path)
        {
            view.previewed = Some(path.clone());
            effects.push(Effect::Preview(path));
        }
        effects
    }

    /// Handles the text of the file that the preview shows.
    pub(super) fn previewed(&mut self, path: String, text: Result<Arc<str>, String>) {
        if let Some(Overlay::Open(view)) = &mut self.prompts.overlay
            && view.previewed.as_ref() == Some(&path)
        {
            view.preview = Some((path, text));
        }
    }
}
