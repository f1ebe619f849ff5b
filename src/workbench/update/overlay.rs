//! Keys while a prompt or a question is open. Esc closes any of them.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::keys::{Command, Context};
use crate::workbench::open::OpenPlace;
use crate::workbench::state::waiting::Conflict;
use crate::workbench::state::{AfterSave, Ask, Overlay, State, Tone};

const KEY_ESC: Key = Key { code: KeyCode::Esc, ctrl: false, alt: false, shift: false };

impl State {
    pub(super) fn overlay_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        // The list of programs covers the banner and shows the pending question itself, so the key works
        // there too.
        let lists = matches!(self.prompts.overlay, Some(Overlay::Open(_) | Overlay::Welcome(_)));
        match self.keymap().binding(Context::Anywhere, key).map(|binding| binding.command) {
            Some(command @ (Command::Quit | Command::Suspend | Command::Redraw)) => {
                return self.run(command, false, effects);
            }
            Some(Command::Answer) if lists => return self.answer_waiting(effects),
            _ => {}
        }
        // A prompt has nothing to copy, so ctrl-c closes it, as in a shell.
        let key = if key == Key::control('c') { KEY_ESC } else { key };
        let Some(mut overlay) = self.prompts.overlay.take() else { return };
        // An overlay that stays open is put back below.
        match &mut overlay {
            Overlay::Help(view) => {
                if !self.help_key(view, key, effects) {
                    return;
                }
            }
            Overlay::Open(view) => {
                if !self.open_key(view, key, effects) {
                    return;
                }
            }
            Overlay::Page(view) => {
                if !self.page_key(view, key) {
                    return;
                }
            }
            Overlay::Suggested(view) => {
                if !self.suggested_key(view, key) {
                    return;
                }
            }
            Overlay::Search(bar) => {
                if !self.search_key(bar, key) {
                    return;
                }
            }
            Overlay::Ask(ask, field) => match key.code {
                KeyCode::Esc => return self.leave_prompt(ask),
                KeyCode::Backspace if field.text.is_empty() && matches!(ask, Ask::Command) => return,
                KeyCode::Enter => {
                    let Overlay::Ask(ask, field) = overlay else { return };
                    return self.take_input(ask, &field.text, effects);
                }
                _ if matches!(ask, Ask::Filter)
                    && let Some(is_down) = key.step() =>
                {
                    self.select_row(|row, _| if is_down { row + 1 } else { row.saturating_sub(1) });
                }
                _ if field.key(key) => self.input_changed(ask, &field.text),
                _ => {}
            },
            Overlay::Arrange(chosen) => {
                if !self.arrange_key(chosen, key, effects) {
                    return;
                }
            }
            Overlay::Theme(view) => {
                if !self.theme_key(view, key) {
                    return;
                }
            }
            Overlay::Welcome(view) => {
                if !self.welcome_key(view, key, effects) {
                    return;
                }
            }
            Overlay::Unsaved(view) => {
                if !self.unsaved_key(view, key, effects) {
                    return;
                }
            }
            Overlay::Conflict(_) | Overlay::Overwrite(_) | Overlay::Quit | Overlay::Close => {
                return self.answer(overlay, key, effects);
            }
        }
        self.prompts.overlay = Some(overlay);
    }

    /// Leaves a prompt without an input.
    fn leave_prompt(&mut self, ask: &Ask) {
        match ask {
            Ask::Filter => self.filter_rows(""),
            Ask::FileName => self.prompts.cancel_after_save(),
            _ => {}
        }
    }

    /// Does what a prompt asked for.
    fn take_input(&mut self, ask: Ask, text: &str, effects: &mut Vec<Effect>) {
        match ask {
            Ask::Rename(_) => self.rename(text),
            Ask::Line => self.goto_line(text),
            Ask::Command => self.command_line(text, effects),
            Ask::Matches { is_split } => self.select_matches(text, is_split),
            Ask::Step => self.go_to_numbered(text),
            Ask::Call => self.run_call(text, effects),
            Ask::Guess { question, way, .. } => self.guess(question, way, text),
            Ask::Condition(line) => self.set_condition(line, text, effects),
            Ask::FileName => self.save_as(text, effects),
            Ask::Filter => {}
        }
    }

    /// Updates a prompt after its input has changed.
    fn input_changed(&mut self, ask: &mut Ask, text: &str) {
        match ask {
            Ask::Filter => self.filter_rows(text),
            Ask::Guess { refused, .. } => *refused = false,
            _ => {}
        }
    }

    /// Updates the overlay after its field was changed by something other than a key.
    pub(super) fn overlay_edited(&mut self) {
        let Some(mut overlay) = self.prompts.overlay.take() else { return };
        match &mut overlay {
            Overlay::Open(view) => view.chosen = 0,
            Overlay::Ask(ask, field) => self.input_changed(ask, &field.text),
            _ => {}
        }
        self.prompts.overlay = Some(overlay);
        if let Some(Overlay::Search(bar)) = &self.prompts.overlay
            && !bar.replaces
        {
            let (query, origin) = (bar.query.text.clone(), bar.origin);
            self.search_for(&query, origin);
        }
    }

    pub(super) fn goto_line(&mut self, text: &str) {
        let mut parts = text.trim().splitn(2, ':').map(|part| part.trim().parse::<usize>());
        let (line, column) = (parts.next(), parts.next());
        let (Some(Ok(line)), None | Some(Ok(_))) = (&line, &column) else {
            return self.say(Tone::Bad, format!("`{}` is neither LINE nor LINE:COLUMN", text.trim()));
        };
        let column = column.and_then(Result::ok).unwrap_or(1);
        self.go_to(OpenPlace { line: *line, column });
    }

    /// Handles the letter that answers a question. Other keys, except Esc, leave the question open.
    fn answer(&mut self, overlay: Overlay, key: Key, effects: &mut Vec<Effect>) {
        let letter = key.typed().map(|c| c.to_ascii_lowercase());
        match (overlay, letter) {
            (Overlay::Quit, _) if key.code == KeyCode::Esc => {}
            (Overlay::Quit, Some('s')) => {
                self.prompts.after_save(self.document.id, AfterSave::Quit);
                self.save(effects);
            }
            (Overlay::Quit, Some('d')) => {
                effects.extend(self.document.discard().map(Effect::DeclineUnsaved));
                self.quit(effects);
            }
            (Overlay::Close, _) if key.code == KeyCode::Esc => {}
            (Overlay::Close, Some('s')) => {
                self.prompts.after_save(self.document.id, AfterSave::Close);
                self.save(effects);
            }
            (Overlay::Close, Some('d')) => {
                effects.extend(self.document.discard().map(Effect::DeclineUnsaved));
                self.close(effects);
            }
            (Overlay::Overwrite(_), _) if key.code == KeyCode::Esc => {
                self.prompts.cancel_after_save();
                self.say(Tone::Plain, "not saved");
            }
            (Overlay::Overwrite(path), Some('o')) => {
                effects.push(Effect::Save { path, expect: None, overwrite: true });
            }
            (Overlay::Conflict(_), _) if key.code == KeyCode::Esc => {
                self.prompts.cancel_after_save();
                self.say(Tone::Bad, "not decided: both versions are kept; alt-a asks again");
            }
            (Overlay::Conflict(Conflict { theirs, bom }), Some('m')) => {
                if let Some(path) = self.document.file.path.clone() {
                    effects.push(Effect::SaveKeepingTheirs { path, theirs, bom });
                }
            }
            (Overlay::Conflict(_), Some('t')) => effects.push(Effect::SaveCopy),
            (overlay, _) => self.prompts.overlay = Some(overlay),
        }
    }
}
