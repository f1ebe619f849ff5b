//! Keys of the race screen. Esc leaves it: a running race ends, a finished race's result is kept until the
//! next race.

use crossterm::event::KeyCode;

use crate::paper::race::replay::FRAME;
use crate::workbench::event::{Effect, Fading};
use crate::workbench::key::Key;
use crate::workbench::keys::{Command, Context};
use crate::workbench::paint::race;
use crate::workbench::race::RaceMessage;
use crate::workbench::state::{State, WorkbenchDocument};

impl State {
    /// Shows the kept result, or starts a race if there is none.
    pub(super) fn show_race(&mut self, effects: &mut Vec<Effect>) {
        if !self.race.show_left() {
            self.begin_race(effects);
        }
    }

    fn begin_race(&mut self, effects: &mut Vec<Effect>) {
        let WorkbenchDocument { file, buffer, .. } = &self.document;
        effects.push(Effect::Race(self.race.begin(file.name(), buffer.text().clone())));
    }

    pub(super) fn race_news(&mut self, number: u64, news: RaceMessage, effects: &mut Vec<Effect>) {
        let is_result = matches!(news, RaceMessage::Done(_));
        self.race.handle(number, news);
        if is_result {
            self.await_frame(number, effects);
        }
    }

    /// Shows the next frame of a replay.
    pub(super) fn race_frame(&mut self, number: u64, effects: &mut Vec<Effect>) {
        if let Some(view) = self.race.shown_mut().filter(|view| view.number == number && view.is_replaying()) {
            view.frame += 1;
            self.await_frame(number, effects);
        }
    }

    fn await_frame(&self, number: u64, effects: &mut Vec<Effect>) {
        if self.race.shown().is_some_and(|view| view.number == number && view.is_replaying()) {
            effects.push(Effect::Fade { what: Fading::Race(number), after: FRAME });
        }
    }

    pub(super) fn race_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(view) = self.race.shown_mut() else { return };
        let letter = key.typed().map(|c| c.to_ascii_lowercase());
        let leaves = (letter == Some('q') && !view.asking) || key == Key::control('c');
        match if leaves { KeyCode::Esc } else { key.code } {
            KeyCode::Esc if view.asking => view.asking = false,
            KeyCode::Enter if view.asking => self.begin_race(effects),
            KeyCode::Esc if view.is_over() => self.race.leave(),
            KeyCode::Esc => {
                self.race.leave();
                effects.push(Effect::StopRace);
            }
            _ if letter == Some('s') && !view.is_over() => {
                view.stopping = true;
                effects.push(Effect::StopRace);
            }
            _ if letter == Some('r') && view.result.is_some() && !view.is_replaying() => {
                (view.frame, view.top) = (0, 0);
                let number = view.number;
                self.await_frame(number, effects);
            }
            // Ask before a result is discarded.
            KeyCode::Enter if view.result.is_some() => view.asking = true,
            KeyCode::Enter if view.is_over() => self.begin_race(effects),
            KeyCode::Up => self.scroll_race(-1),
            KeyCode::Down => self.scroll_race(1),
            KeyCode::PageUp => self.scroll_race(-10),
            KeyCode::PageDown => self.scroll_race(10),
            _ => {
                // Commands that concern the program rather than the text.
                let binding = self.keymap().binding(Context::Anywhere, key);
                if let Some(command @ (Command::Quit | Command::Suspend | Command::Redraw | Command::Help)) =
                    binding.map(|binding| binding.command)
                {
                    self.run(command, false, effects);
                }
            }
        }
    }

    /// Scrolls by a number of lines, within bounds.
    pub(super) fn scroll_race(&mut self, by: isize) {
        let Some(view) = self.race.shown_mut() else { return };
        let last = race::last_top(view, self.screen.size);
        view.top = view.top.min(last).saturating_add_signed(by).min(last);
    }
}
