//! The tour: its steps, and the page that shows them. A goal is reached once the state shows that it was done.

use crate::lang::verdict::Outcome;
use crate::session::{Changes, Neural, Repairs};
use crate::workbench::marks;
use crate::workbench::panels::Panel;
use crate::workbench::panels::page::Page;
use crate::workbench::state::State;
use crate::workbench::text::wrap;
use crate::workbench::theme::Look;
use crate::workbench::tour::TourView;

pub struct TourStep {
    pub title: &'static str,
    /// The sample that the step works on.
    pub sample: &'static str,
    /// The text to put the cursor on when the step opens its sample.
    pub at: Option<&'static str>,
    pub says: &'static str,
    /// The goals, reached one after the other.
    pub goals: &'static [Goal],
}

pub struct Goal {
    pub keys: &'static str,
    pub text: &'static str,
    /// Returns whether the goal is reached.
    pub seen: fn(&State) -> bool,
}

const GCD: &str = "gcd.myr";
const WEAK: &str = "weak.myr";
const MIDPOINT: &str = "midpoint.myr";

pub const STEPS: &[TourStep] = &[
    TourStep {
        title: "Type",
        sample: GCD,
        at: Some("% b;"),
        says: "Each keystroke compiles the program, also while it is broken, runs its tests and judges its variants. A mark \
               before each test shows its result. In a wide editor, the values of a run follow the lines.",
        goals: &[
            Goal {
                keys: "delete, then /",
                text: "replace the % under the cursor by /: tests fail",
                seen: |s| edited(s) && fails(s),
            },
            Goal { keys: "ctrl-u ctrl-u", text: "undo both edits: every test passes", seen: passes },
        ],
    },
    TourStep {
        title: "Look inside",
        sample: GCD,
        at: Some("% b;"),
        says: "Every phase has a panel, and one cursor marks the same element in all of them.",
        goals: &[
            Goal { keys: "ctrl-t 3", text: "the syntax tree", seen: |s| s.screen.focus == Panel::AST },
            Goal { keys: "ctrl-t 5", text: "the bytecode", seen: |s| s.screen.focus == Panel::BYTECODE },
            Goal {
                keys: "enter",
                text: "to the row's place in the source",
                seen: |s| s.screen.focus == Panel::EDITOR,
            },
        ],
    },
    TourStep {
        title: "Test your tests",
        sample: WEAK,
        at: None,
        says: "A mutant is the program with one small change. It is killed if a test notices the change, and survives \
               if none does.",
        goals: &[
            Goal {
                keys: "ctrl-t 7",
                text: "the mutants, survivors first",
                seen: |s| s.screen.focus == Panel::MUTANTS && is_judged(s),
            },
            Goal {
                keys: "t",
                text: "add the test that notices the selected survivor, and see it killed",
                seen: |s| {
                    edited(s)
                        && is_judged(s)
                        && s.results
                            .findings
                            .current::<Changes>()
                            .is_some_and(|changes| !changes.noticed.is_empty())
                },
            },
        ],
    },
    TourStep {
        title: "Find a bug",
        sample: MIDPOINT,
        at: None,
        says: "If a test fails, Myriad searches small changes after which every test passes. A repair is a proposal: check \
               that it is what you meant.",
        goals: &[
            Goal {
                keys: "ctrl-t m",
                text: "the repairs, best first",
                seen: |s| s.screen.focus == Panel::REPAIRS && has_repair(s),
            },
            Goal { keys: "enter", text: "apply the selected repair", seen: |s| edited(s) && passes(s) },
        ],
    },
    TourStep {
        title: "Run step by step",
        sample: GCD,
        at: Some("% b;"),
        says: "A run is recorded, so it goes backwards as fast as forwards. In the panel, w goes to the step that made the \
               selected value.",
        goals: &[
            Goal {
                keys: "ctrl-t u",
                text: "run the test or call under the cursor; enter accepts a call that is proposed",
                seen: |s| s.screen.focus == Panel::RUN && s.run.trace().is_some(),
            },
            Goal {
                keys: "→ →",
                text: "two steps forward; ← goes back",
                seen: |s| s.screen.focus == Panel::RUN && s.run.has_moved,
            },
        ],
    },
    TourStep {
        title: "Compile with a neural network",
        sample: GCD,
        at: Some("% b;"),
        says: "A small transformer writes bytecode for the function under the cursor. Your tests judge each candidate.",
        goals: &[Goal {
            keys: "ctrl-t n",
            text: "the best candidate, and the evidence for it",
            seen: |s| s.screen.focus == Panel::NEURAL && s.results.findings.current::<Neural>().is_some(),
        }],
    },
    TourStep {
        title: "Watch a race",
        sample: GCD,
        at: None,
        says: "A thousand variants, compiled and tested in several ways, one after the other, next to the paper's figures.",
        goals: &[
            Goal { keys: "F4", text: "start the race", seen: |s| s.race.shown().is_some() },
            Goal { keys: "esc", text: "back to the program", seen: |s| s.race.shown().is_none() },
        ],
    },
];

fn is_current(state: &State) -> bool {
    !state.pending()
        && state.shown().is_some_and(|shown| shown.revision == state.document.revision && !shown.has_errors())
}

/// Returns whether the text was edited since it was opened.
fn edited(state: &State) -> bool {
    state.document.buffer.can_undo()
}

fn fails(state: &State) -> bool {
    is_current(state) && state.results.entries().iter().any(|entry| entry.outcome.fails())
}

fn passes(state: &State) -> bool {
    is_current(state) && state.results.entries().iter().all(|entry| entry.outcome == Outcome::Pass)
}

fn is_judged(state: &State) -> bool {
    is_current(state) && state.results.is_judged() && state.results.mutants.done.is_some()
}

fn has_repair(state: &State) -> bool {
    state.results.findings.current::<Repairs>().is_some_and(|repairs| !repairs.found.is_empty())
}

impl State {
    /// Returns the current step of the tour, unless the tour has ended or its sample is not on screen.
    pub fn tour_step(&self) -> Option<&'static TourStep> {
        let step = STEPS.get(self.tour.as_ref()?.step)?;
        self.document.file.sample.is_some_and(|sample| sample.name == step.sample).then_some(step)
    }

    /// Returns the tour's next goal in one line.
    pub fn tour_goal(&self) -> Option<String> {
        let view = self.tour.as_ref()?;
        let Some(step) = STEPS.get(view.step) else { return Some("the tour is done".to_string()) };
        Some(match self.tour_step().and_then(|step| step.goals.get(view.reached)) {
            Some(goal) => format!("{}: {}", self.spelled(goal.keys), goal.text),
            None => format!("ctrl-t l n: open {}, for the next step", step.sample),
        })
    }
}

/// Returns the page: the current step first, then all steps.
pub fn lines(state: &State, view: &TourView, page: &mut Page) {
    match STEPS.get(view.step) {
        Some(step) => current(state, view, step, page),
        None => {
            page.prose(Look::Good, "The tour is done.");
            page.prose(
                Look::Text,
                "ctrl-o opens your own files, more samples, and lessons. F1 or ctrl-p lists every key and explains every mark.",
            );
            page.prose(Look::Dim, "n closes the tour");
        }
    }
    page.blank();
    for (number, step) in STEPS.iter().enumerate() {
        let mark = if view.done.contains(&number) { &marks::REACHED } else { &marks::OPEN };
        let look = if number == view.step { Look::Heading } else { Look::Dim };
        page.row([(mark.look, format!("{} ", mark.glyph)), (look, format!("{}. {}", number + 1, step.title))]);
    }
}

/// Adds the current step: its title, goals and text.
fn current(state: &State, view: &TourView, step: &TourStep, page: &mut Page) {
    page.prose(Look::Heading, format!("{}. {}", view.step + 1, step.title));
    if state.tour_step().is_none() {
        let here = if state.screen.focus == Panel::LESSON { "n" } else { "ctrl-t l n" };
        page.row([(Look::Keyword, format!("{here} ")), (Look::Text, format!("opens {}", step.sample))]);
        return page.prose(Look::Text, step.says);
    }
    for (number, goal) in step.goals.iter().enumerate() {
        let mark = if number < view.reached { &marks::REACHED } else { &marks::OPEN };
        let look = if number == view.reached { Look::Keyword } else { Look::Dim };
        page.row([(mark.look, format!("{} ", mark.glyph)), (look, format!("{}  ", state.spelled(goal.keys)))]);
        for line in wrap(goal.text, page.room().saturating_sub(2).max(1)) {
            page.row([(Look::Text, format!("  {line}"))]);
        }
    }
    page.prose(Look::Text, step.says);
    let here = if state.screen.focus == Panel::LESSON { "n" } else { "ctrl-t l n" };
    page.row([(Look::Keyword, state.spelled(here).into_owned()), (Look::Dim, " skips this step".to_string())]);
}

/// Returns the number of the step.
pub fn figures(view: &TourView) -> Vec<String> {
    let (number, all) = ((view.step + 1).min(STEPS.len()), STEPS.len());
    vec![format!("tour, step {number} of {all}"), format!("tour {number}/{all}"), format!("{number}/{all}")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::samples;

    #[test]
    fn every_step_has_its_sample_and_its_place() {
        for step in STEPS {
            let sample = samples::named(step.sample).expect("a sample");
            assert!(step.at.is_none_or(|at| sample.text.contains(at)), "{}", step.title);
            assert!(!step.goals.is_empty());
        }
    }
}
