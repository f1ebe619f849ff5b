//! Selects the engine's idle jobs: only those that the visible panels need.

use crate::session::VisibleJobs;
use crate::session::job::{self, Job, JobScope};
use crate::workbench::event::Effect;
use crate::workbench::panels::Panel;
use crate::workbench::state::State;

impl State {
    fn look(&self) -> VisibleJobs {
        let layout = self.layout();
        let mut jobs: Vec<&'static Job> = Vec::new();
        for job in layout.slots.iter().flat_map(|slot| slot.active.row().jobs) {
            if !jobs.contains(job) {
                jobs.push(job);
            }
        }
        if self.lesson_asks_for_survivors() && !jobs.contains(&&job::SURVIVORS) {
            jobs.push(&job::SURVIVORS);
        }
        if self.rules.is_on {
            jobs.push(&job::APPLIED_RULES);
        }
        if self.shows_values() {
            jobs.push(&job::VALUES);
        }
        let about_one = jobs.iter().any(|job| matches!(job.occasion, JobScope::Function | JobScope::Values));
        let compiles = self.shown().is_some_and(|shown| shown.is_lowered());
        let values = jobs.contains(&&job::VALUES);
        // In a list without functions, the values of the editor's function stay.
        let in_editor = || self.function_of_editor().filter(|_| values);
        // In a test, they are those of a function that it calls.
        let entry = self.entry_under_cursor().filter(|_| values && self.screen.focus == Panel::EDITOR);
        let own = || self.function_under_cursor().or_else(in_editor);
        let called = || entry.and_then(|entry| self.function_of_entry(entry));
        let function = if about_one && compiles { own().or_else(called) } else { None };
        VisibleJobs { jobs, function, test: entry.or(self.test_of_values()).filter(|_| values) }
    }

    /// Returns a message to the engine if the selection has changed.
    pub(super) fn look_changed(&mut self) -> Option<Effect> {
        let looked = self.look();
        if looked == self.engine.looked {
            return None;
        }
        self.engine.looked = looked.clone();
        Some(Effect::Look(looked))
    }
}
