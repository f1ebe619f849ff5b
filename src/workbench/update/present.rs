//! Presenter's mode: keys are echoed for an audience.

use crate::workbench::echo::{Echo, FADING, SHOWN};
use crate::workbench::event::{Effect, Fading};
use crate::workbench::key::Key;
use crate::workbench::keys::Context;
use crate::workbench::panels::Panel;
use crate::workbench::results::LONG;
use crate::workbench::state::{Overlay, State, Tone};

impl State {
    /// Starts or ends presenter's mode.
    pub fn present(&mut self, on: bool) {
        self.status.echo = on.then(Echo::default);
        let said =
            if on { "presenter's mode: shift-F7 or alt-e ends it" } else { "presenter's mode has ended" };
        self.say(Tone::Plain, said);
    }

    pub(super) fn echo_key(&mut self, key: Key, effects: &mut Vec<Effect>) {
        let does = self.meaning(key);
        let Some(echo) = &mut self.status.echo else { return };
        let number = echo.press(key, does);
        effects.push(Effect::Fade { what: Fading::Echo(number), after: SHOWN });
    }

    pub(super) fn fade(&mut self, what: Fading, effects: &mut Vec<Effect>) {
        match what {
            Fading::Echo(number) => {
                if self.status.echo.as_mut().is_some_and(|echo| echo.fade(number)) {
                    effects.push(Effect::Fade { what, after: FADING });
                }
            }
            Fading::Wait(panel, revision) => {
                if let Some(wait) = self.engine.awaited.get_mut(&panel).filter(|wait| wait.0 == revision) {
                    wait.1 = true;
                }
            }
            Fading::Race(number) => self.race_frame(number, effects),
            Fading::Typing(revision) => self.results.has_rested |= revision == self.document.revision,
        }
    }

    /// Starts a timer when a panel on screen begins to await an answer.
    pub(super) fn follow_waits(&mut self, effects: &mut Vec<Effect>) {
        let panels = self.layout().slots.iter().map(|slot| slot.active).collect::<Vec<_>>();
        let awaiting: Vec<Panel> = panels.into_iter().filter(|panel| self.awaits(*panel)).collect();
        self.engine.awaited.retain(|panel, _| awaiting.contains(panel));
        let revision = self.document.revision;
        for panel in awaiting {
            self.engine.awaited.entry(panel).or_insert_with(|| {
                effects.push(Effect::Fade { what: Fading::Wait(panel, revision), after: LONG });
                (revision, false)
            });
        }
    }

    /// Returns the description of what a key does now, from the table of keys.
    fn meaning(&self, key: Key) -> Option<&'static str> {
        let contexts = match &self.prompts.overlay {
            Some(Overlay::Search(_)) => vec![Context::Search],
            Some(_) => return None,
            None if self.race.shown().is_some() => return None,
            None => self.contexts(),
        };
        let selects = key.shift && self.screen.focus == Panel::EDITOR;
        let binding = |key: Key| contexts.iter().find_map(|context| self.keymap().binding(*context, key));
        let moved = || binding(key.with_shift(false)).filter(|row| selects && row.command.moves());
        binding(key).or_else(moved).map(|row| row.does)
    }
}
