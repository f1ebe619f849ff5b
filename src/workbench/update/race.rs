//! The race screen: Esc leaves it and ends the race.

use crossterm::event::KeyCode;

use super::super::draw::race;
use super::super::event::Effect;
use super::super::key::Key;
use super::super::keys::{self, Command, Context};
use super::super::race::{News, RaceView};
use super::super::state::State;

impl State {
    pub(super) fn begin_race(&mut self, effects: &mut Vec<Effect>) {
        self.races += 1;
        self.race = Some(RaceView::new(self.races, self.file.name()));
        effects.push(Effect::Race(self.races));
    }

    pub(super) fn race_news(&mut self, number: u64, news: News) {
        if let Some(view) = self.race.as_mut().filter(|view| view.number == number) {
            view.take(news);
        }
    }

    pub(super) fn race_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let Some(view) = &mut self.race else { return };
        match key.code {
            KeyCode::Esc => {
                self.race = None;
                effects.push(Effect::StopRace);
            }
            KeyCode::Char('s') if !key.ctrl && !key.alt && !view.is_over() => {
                view.stopping = true;
                effects.push(Effect::StopRace);
            }
            KeyCode::Enter if view.is_over() => self.begin_race(effects),
            KeyCode::Up => self.scroll_race(-1),
            KeyCode::Down => self.scroll_race(1),
            KeyCode::PageUp => self.scroll_race(-10),
            KeyCode::PageDown => self.scroll_race(10),
            _ => {
                // What concerns the program and not the text.
                let binding = keys::binding(Context::Anywhere, key);
                if let Some(command @ (Command::Quit | Command::Suspend | Command::Redraw | Command::Help)) =
                    binding.map(|binding| binding.command)
                {
                    self.run(command, false, effects);
                }
            }
        }
    }

    /// Scrolls by so many lines, as far as there are any.
    pub(super) fn scroll_race(&mut self, by: isize) {
        let Some(view) = &mut self.race else { return };
        let last = race::last_top(view, self.size);
        view.top = view.top.min(last).saturating_add_signed(by).min(last);
    }
}
