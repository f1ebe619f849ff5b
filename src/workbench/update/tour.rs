//! The tour: each goal is checked off once the state shows that it was done.

use crate::workbench::event::Effect;
use crate::workbench::open::Target;
use crate::workbench::panels::Panel;
use crate::workbench::panels::tour::STEPS;
use crate::workbench::state::{State, Tone};
use crate::workbench::text::Selection;
use crate::workbench::tour::TourView;

impl State {
    /// Starts the tour at its first step.
    pub(super) fn start_tour(&mut self, effects: &mut Vec<Effect>) {
        self.tour = Some(TourView::default());
        self.open_step(effects);
    }

    /// Goes on: opens the sample of the current step, or else goes to the next step. After the last step, the tour ends.
    pub(super) fn next_step(&mut self, effects: &mut Vec<Effect>) {
        let on_screen = self.tour_step().is_some();
        let Some(view) = &mut self.tour else { return };
        if view.step >= STEPS.len() {
            self.tour = None;
            self.focus_on(Panel::EDITOR);
            return self.say(Tone::Plain, "the tour has ended; alt-w or ctrl-t w starts it again");
        }
        if on_screen {
            view.go_on();
            if self.tour_step().is_some() {
                return self.begin_step();
            }
        }
        self.open_step(effects);
    }

    fn open_step(&mut self, effects: &mut Vec<Effect>) {
        let Some(step) = self.tour.as_ref().and_then(|view| STEPS.get(view.step)) else { return };
        if self.tour_step().is_some() {
            return self.begin_step();
        }
        self.open(Target::Sample(step.sample.to_string()), effects);
    }

    /// Puts the cursor on the place that the current step is about, if the step's sample is on screen. The tour's page is
    /// visible next to it.
    pub(super) fn begin_step(&mut self) {
        let Some(step) = self.tour_step() else { return };
        self.focus_on(Panel::LESSON);
        self.focus_on(Panel::EDITOR);
        self.screen.lists[Panel::LESSON.index()].top = 0;
        if let Some(byte) = step.at.and_then(|at| self.document.buffer.text().find(at)) {
            let position = self.document.buffer.position_of_byte(byte);
            self.document.buffer.select(Selection::at(position));
        }
    }

    /// Checks off the goals of other steps that are reached now, in whatever order the user does things.
    fn follow_other_steps(&mut self) {
        let sample = self.document.file.sample.map(|sample| sample.name);
        for (number, step) in STEPS.iter().enumerate().filter(|(_, step)| sample == Some(step.sample)) {
            let Some(view) = &self.tour else { return };
            if number == view.step || view.done.contains(&number) {
                continue;
            }
            let goal = step.goals.get(view.elsewhere.get(&number).copied().unwrap_or(0));
            if goal.is_some_and(|goal| (goal.seen)(self))
                && self.tour.as_mut().is_some_and(|view| view.reach_elsewhere(number, step.goals.len()))
            {
                self.say(Tone::Good, format!("{}: done", step.title));
            }
        }
    }

    /// Checks off the goals that are reached now.
    pub(super) fn follow_tour(&mut self) {
        self.follow_other_steps();
        while let Some(step) = self.tour_step() {
            let goal = self.tour.as_ref().and_then(|view| step.goals.get(view.reached));
            if !goal.is_some_and(|goal| (goal.seen)(self)) {
                break;
            }
            let Some(view) = &mut self.tour else { break };
            if !view.reach(step.goals.len()) {
                continue;
            }
            let next = STEPS.get(view.step);
            self.screen.lists[Panel::LESSON.index()].top = 0;
            self.say(
                Tone::Good,
                match next {
                    Some(next) => format!("{}: done. Next: {}", step.title, next.title),
                    None => format!("{}: done, and so is the tour", step.title),
                },
            );
            break;
        }
    }
}
