//! Keys of the welcome.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::open::Target;
use crate::workbench::state::{FileInfo, OpenFile, Overlay, State, Tone};
use crate::workbench::welcome::{Item, WelcomeView, items};

impl State {
    pub(super) fn welcome(&mut self) {
        self.prompts.overlay = Some(Overlay::Welcome(WelcomeView::default()));
    }

    /// Handles a key on the welcome. Returns false if the key closes it.
    pub(super) fn welcome_key(&mut self, view: &mut WelcomeView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let items = items(&self.recent);
        let last = items.len().saturating_sub(1);
        match key.code {
            KeyCode::Esc => {
                // There is nothing below to go back to.
                effects.extend(self.document.is_blank().then_some(Effect::Quit));
                return false;
            }
            KeyCode::Enter => {
                if let Some(item) = items.into_iter().nth(view.chosen) {
                    self.choose_item(item, effects);
                }
                return false;
            }
            KeyCode::Home => view.chosen = 0,
            KeyCode::End => view.chosen = last,
            KeyCode::Char('o') if key.ctrl => {
                self.ask_what_to_open();
                return false;
            }
            // Any name leads to the list of programs.
            _ if key.typed().is_some() => {
                self.ask_what_to_open();
                if let (Some(Overlay::Open(open)), Some(c)) = (&mut self.prompts.overlay, key.typed()) {
                    open.field.insert(c.encode_utf8(&mut [0; 4]));
                }
                return false;
            }
            _ => view.chosen = key.row_after(view.chosen, last).unwrap_or(view.chosen),
        }
        true
    }

    /// Carries out a choice.
    pub(super) fn choose_item(&mut self, item: Item, effects: &mut Vec<Effect>) {
        match item {
            Item::Tour => self.start_tour(effects),
            Item::Open => self.ask_what_to_open(),
            Item::New => {
                if !self.document.is_blank() {
                    let id = self.files.new_id();
                    self.put_on_screen(OpenFile::new("", FileInfo::default(), id));
                    effects.push(Effect::Shown);
                }
                self.say(Tone::Plain, "an empty text; ctrl-s saves it under a name");
            }
            Item::Recent(path) => self.open(Target::Path(path.display().to_string()), effects),
            Item::Sample(sample) => self.open(Target::Sample(sample.name.to_string()), effects),
            Item::Lesson(lesson) => self.open(Target::Lesson(lesson.name.to_string()), effects),
        }
    }
}
