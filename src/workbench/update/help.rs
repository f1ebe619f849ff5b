//! The help: what is typed filters it, enter does what is chosen.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::keys::{self, Binding, Context};
use crate::workbench::paint::help;
use crate::workbench::panels::Panel;
use crate::workbench::state::{HelpView, Overlay, State, Tone};

/// Rows of a page.
const PAGE: usize = 10;

impl State {
    /// A key while the help is open; false where that closes it.
    pub(super) fn help_key(&mut self, view: &mut HelpView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let last = help::listed(&view.filter.text).saturating_sub(1);
        view.chosen = match key.code {
            KeyCode::Esc | KeyCode::F(1) => return false,
            KeyCode::Enter => {
                // A mark is explained, and there is nothing to do with it.
                let listed = keys::matching(&view.filter.text);
                let Some(binding) = listed.get(view.chosen) else { return true };
                self.choose(binding, effects);
                return false;
            }
            KeyCode::Up => view.chosen.saturating_sub(1),
            KeyCode::Down => (view.chosen + 1).min(last),
            KeyCode::PageUp => view.chosen.saturating_sub(PAGE),
            KeyCode::PageDown => (view.chosen + PAGE).min(last),
            _ if view.filter.key(key) => 0,
            _ => view.chosen,
        };
        view.top = help::revealed(self, view);
        true
    }

    /// Keeps what is chosen in the help in sight.
    pub(super) fn reveal_choice(&mut self) {
        if let Some(Overlay::Help(view)) = &self.overlay {
            let top = help::revealed(self, view);
            if let Some(Overlay::Help(view)) = &mut self.overlay {
                view.top = top;
            }
        }
    }

    /// Scrolls the help by so many lines, as far as there are any.
    pub(super) fn scroll_help(&self, view: &mut HelpView, by: isize) {
        let last = help::last_top(self, view);
        view.top = view.top.min(last).saturating_add_signed(by).min(last);
    }

    /// Does what a row of the table says, where it can be done.
    fn choose(&mut self, binding: &Binding, effects: &mut Vec<Effect>) {
        if self.race.is_some() {
            // What may be done there has its keys on the screen.
            return;
        }
        match binding.context {
            Context::Anywhere => {}
            Context::Editor => self.focus_on(Panel::EDITOR),
            Context::Of(panel) => self.focus_on(panel),
            Context::Panels if self.focus != Panel::EDITOR => {}
            Context::Panels => {
                return self.say(Tone::Plain, "that is for the other panels; F6 goes to the next");
            }
            Context::Search => return self.say(Tone::Plain, "that is for a search; ctrl-f begins one"),
        }
        match (binding.disabled)(self) {
            Some(why) => self.say(Tone::Bad, why),
            None => self.run(binding.command, false, effects),
        }
    }
}
