//! Keys of modal editing, and its command line.

use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::key::Key;
use crate::workbench::modal::{Pressed, Request};
use crate::workbench::state::{AfterSave, Ask, Overlay, State, Tone};

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
            Request::NextMatch | Request::PreviousMatch if self.document.search.finder.is_empty() => {
                self.say(Tone::Bad, "nothing searched for yet: press /");
            }
            Request::NextMatch => {
                self.modal.step_past_match(&mut self.document.buffer);
                self.find_next();
                self.modal.leave_match(&mut self.document.buffer);
            }
            Request::PreviousMatch => {
                self.find_previous();
                self.modal.leave_match(&mut self.document.buffer);
            }
            Request::CommandLine => self.prompts.overlay = Some(Overlay::Ask(Ask::Command, Field::default())),
            Request::Definition => self.goto_definition(),
            Request::Copy(text) => {
                self.document.clipboard.clone_from(&text);
                effects.push(Effect::Copy(text));
            }
            Request::Say(why) => self.say(Tone::Plain, why),
        }
        true
    }

    pub(super) fn command_line(&mut self, text: &str, effects: &mut Vec<Effect>) {
        let text = text.trim();
        let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (name, rest.trim()) {
            ("", _) => {}
            ("w" | "write", "") => self.save(effects),
            ("w" | "write", path) => self.save_as(path, effects),
            // A question protects a text that is not saved, whatever the command.
            ("q" | "q!" | "quit", "") => self.ask_to_quit(effects),
            ("wq" | "x", "") if !self.dirty() => self.ask_to_quit(effects),
            ("wq" | "x", "") => {
                self.prompts.after_save(self.document.id, AfterSave::Quit);
                self.save(effects);
            }
            (number, "") if number.starts_with(|c: char| c.is_ascii_digit()) => self.goto_line(number),
            _ => self.say(Tone::Bad, format!("no command `:{text}`: there are :w, :w NAME, :q, :wq and :LINE")),
        }
    }
}
