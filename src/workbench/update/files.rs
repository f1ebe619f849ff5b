//! Several open files: showing, closing, and quitting with all of them.

use crate::workbench::event::Effect;
use crate::workbench::open::OpenPlace;
use crate::workbench::state::{AfterSave, Overlay, State, Tone};

impl State {
    /// Shows an open file.
    pub(super) fn go_to_file(&mut self, id: u64, effects: &mut Vec<Effect>) {
        if id != self.document.id && !self.show_file(id) {
            return self.say(Tone::Bad, "the file is no longer open");
        }
        self.prompts.overlay = None;
        self.shown_again(effects);
    }

    /// Shows the file before the one on screen, or the one after it if `ahead`.
    pub(super) fn go_back(&mut self, ahead: bool, effects: &mut Vec<Effect>) {
        match self.revisit(ahead) {
            true => self.shown_again(effects),
            false if ahead => self.say(Tone::Plain, "this is the newest file; alt-left goes back"),
            false => self.say(Tone::Plain, "no file was on screen before this one"),
        }
    }

    fn shown_again(&mut self, effects: &mut Vec<Effect>) {
        self.begin_step();
        let name = self.document.file.name();
        self.say(Tone::Plain, name);
        effects.push(Effect::Shown);
    }

    /// Handles a requested file that is open already.
    pub(super) fn already_open(
        &mut self,
        number: u64,
        id: u64,
        place: Option<OpenPlace>,
        effects: &mut Vec<Effect>,
    ) {
        if self.prompts.take_request(number) {
            self.go_to_file(id, effects);
            if let Some(place) = place {
                self.go_to(place);
            }
        }
    }

    /// Closes the file on screen. Without another file, the welcome appears.
    pub(super) fn close(&mut self, effects: &mut Vec<Effect>) {
        let name = self.document.file.name();
        self.close_file();
        if self.document.is_blank() {
            self.welcome();
        }
        self.say(Tone::Plain, format!("{name} is closed"));
        effects.push(Effect::Shown);
    }

    /// Quits, after asking about each unsaved text. A file that is about to be opened stays closed; a text that is saved on
    /// the way to it needs no question.
    pub(super) fn ask_to_quit(&mut self, effects: &mut Vec<Effect>) {
        self.prompts.forget_request();
        if self.prompts.saved(self.document.id).is_some() {
            return self.prompts.after_save(self.document.id, AfterSave::Quit);
        }
        self.document.discarded = false;
        self.files.others.iter_mut().for_each(|file| file.document.discarded = false);
        self.quit(effects);
    }

    /// Quits, or asks about the next unsaved text, which comes on screen.
    pub(super) fn quit(&mut self, effects: &mut Vec<Effect>) {
        let unsaved = self.documents().find(|document| document.dirty() && !document.discarded);
        match unsaved.map(|document| document.id) {
            None => effects.push(Effect::Quit),
            Some(id) => {
                if id != self.document.id {
                    self.show_file(id);
                    effects.push(Effect::Shown);
                }
                self.prompts.overlay = Some(Overlay::Quit);
            }
        }
    }
}
