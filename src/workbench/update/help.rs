//! Keys of the help: typing filters it, enter runs the chosen command or explains the chosen name.

use crossterm::event::KeyCode;

use crate::workbench::event::Effect;
use crate::workbench::key::Key;
use crate::workbench::keys::{Binding, Command, Context};
use crate::workbench::paint::help::{self, Act};
use crate::workbench::panels::Panel;
use crate::workbench::state::{HelpView, Overlay, State, Tone};

impl State {
    /// Handles a key while the help is open. Returns false if the key closes it.
    pub(super) fn help_key(&mut self, view: &mut HelpView, key: Key, effects: &mut Vec<Effect>) -> bool {
        let entries = help::entries(self, &view.filter.text);
        let last = entries.len().saturating_sub(1);
        view.chosen = match key.code {
            KeyCode::Esc => return false,
            _ if let Some(row) = key.row_after(view.chosen, last) => row,
            _ if key.typed().is_none() && self.keymap().invokes(Context::Anywhere, key, Command::Help) => {
                return false;
            }
            KeyCode::Enter => {
                match entries.get(view.chosen).map(|entry| entry.act) {
                    Some(Act::Run(binding)) => self.choose(binding, effects),
                    Some(Act::Explain(name)) => self.explain_name(name),
                    Some(Act::Nothing) | None => return true,
                }
                return false;
            }
            _ if view.filter.key(key) => 0,
            _ => view.chosen,
        };
        view.top = help::revealed(self, view);
        true
    }

    /// Scrolls the help so that the chosen entry is visible.
    pub(super) fn reveal_choice(&mut self) {
        if let Some(Overlay::Help(view)) = &self.prompts.overlay {
            let top = help::revealed(self, view);
            if let Some(Overlay::Help(view)) = &mut self.prompts.overlay {
                view.top = top;
            }
        }
    }

    /// Scrolls the help by a number of lines, within its bounds.
    pub(super) fn scroll_help(&self, view: &mut HelpView, by: isize) {
        let last = help::last_top(self, view);
        view.top = view.top.min(last).saturating_add_signed(by).min(last);
    }

    /// Runs the command of a binding, if it is available.
    fn choose(&mut self, binding: &Binding, effects: &mut Vec<Effect>) {
        if self.race.shown().is_some() {
            // The race screen lists its own keys.
            return;
        }
        match binding.context {
            Context::Anywhere => {}
            Context::Editor => self.focus_on(Panel::EDITOR),
            Context::Of(panel) => self.focus_on(panel),
            Context::Panels if self.screen.focus != Panel::EDITOR => {}
            Context::Panels => {
                return self.say(Tone::Plain, "that key works in the other panels; F6 goes to the next");
            }
            Context::Search => {
                self.start_search();
                if let Some(Overlay::Search(mut bar)) = self.prompts.overlay.take()
                    && self.search_command(&mut bar, binding.command)
                {
                    self.prompts.overlay = Some(Overlay::Search(bar));
                }
                return;
            }
        }
        match (binding.disabled)(self) {
            Some(why) => self.say(Tone::Bad, why),
            None => self.run(binding.command, false, effects),
        }
    }
}
