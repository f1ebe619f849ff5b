//! Keys of the race screen. Esc leaves it: a running race ends, a finished race's result is kept until the
//! next race.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::keys::{self, Command, Context};
use crate::workbench::paint::race;
use crate::workbench::race::{News, RaceView};
use crate::workbench::state::State;

impl State {
    /// Shows the kept result, or starts a race if there is none.
    pub(super) fn show_race(&mut self, effects: &mut Vec<Effect>) {
        match self.left_race.take() {
            Some(left) => self.race = Some(left),
            None => self.begin_race(effects),
        }
    }

    fn begin_race(&mut self, effects: &mut Vec<Effect>) {
        self.races += 1;
        self.race = Some(RaceView::new(self.races, self.file.name(), self.buffer.text().clone()));
        effects.push(Effect::Race(self.races));
    }

    pub(super) fn handle_race_message(&mut self, number: u64, news: News) {
        if let Some(view) = self.race.as_mut().filter(|view| view.number == number) {
            view.take(news);
        }
    }

    pub(super) fn race_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(view) = &mut self.race else { return };
        let letter = key.typed().map(|c| c.to_ascii_lowercase());
        let leaves = (letter == Some('q') && !view.asking) || key == Key::control('c');
        match if leaves { KeyCode::Esc } else { key.code } {
            KeyCode::Esc if view.asking => view.asking = false,
            KeyCode::Enter if view.asking => self.begin_race(effects),
            KeyCode::Esc if view.is_over() => self.leave_race(),
            KeyCode::Esc => {
                self.race = None;
                effects.push(Effect::StopRace);
            }
            _ if letter == Some('s') && !view.is_over() => {
                view.stopping = true;
                effects.push(Effect::StopRace);
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
                let binding = keys::binding(Context::Anywhere, key);
                if let Some(command @ (Command::Quit | Command::Suspend | Command::Redraw | Command::Help)) =
                    binding.map(|binding| binding.command)
                {
                    self.run(command, false, effects);
                }
            }
        }
    }

    /// Leaves the race screen and keeps its result.
    fn leave_race(&mut self) {
        self.left_race = self.race.take().filter(|view| view.result.is_some());
    }

    /// Scrolls by a number of lines, within bounds.
    pub(super) fn scroll_race(&mut self, by: isize) {
        let Some(view) = &mut self.race else { return };
        let last = race::last_top(view, self.size);
        view.top = view.top.min(last).saturating_add_signed(by).min(last);
    }
}
