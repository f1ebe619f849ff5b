//! Lessons: goals are judged on every answer of the engine, hints appear one at a time, and the next lesson
//! can be opened.

use crate::lang::index::MutantId;
use crate::session::Survivors;
use crate::testing::mutation::QuestionAnswer;
use crate::testing::rules::ProgramRules;
use crate::workbench::event::Effect;
use crate::workbench::learn::Shipped;
use crate::workbench::learn::judge::{EngineResults, Mutants, judge};
use crate::workbench::open::Target;
use crate::workbench::panels::Panel;
use crate::workbench::state::{AfterSave, State, Tone};

impl State {
    /// Judges each goal for the newest text that has an answer.
    pub(super) fn judge_lesson(&mut self, effects: &mut Vec<Effect>) {
        let (Some(course), Some(latest)) = (self.document.file.lesson.clone(), self.results.latest.clone())
        else {
            return;
        };
        let mutants = &self.results.mutants;
        let survivors = self.results.findings.current::<Survivors>();
        let alike = |id: MutantId| {
            survivors?.answers.get(&id).map(|answer| matches!(**answer, QuestionAnswer::Alike { .. }))
        };
        let singles = mutants.first_order_wanted();
        let judged = self.results.judged.as_ref();
        let current = !latest.has_errors() && judged.is_some_and(|judged| judged.revision == latest.revision);
        let all = current && singles > 0 && mutants.tally.first_order.judged() >= singles;
        let verdicts = mutants.verdicts.get(..singles as usize).filter(|_| all);
        let given = EngineResults {
            compiled: &latest.compiled,
            entries: &latest.entries,
            diagnostics: &self.results.problems,
            rules: self.results.findings.current::<ProgramRules>(),
            mutants: verdicts.map(|verdicts| Mutants { verdicts, indistinguishable: &alike }),
        };
        let judged = judge(&course.lesson, given);
        let newly = judged.is_done() && !self.lesson.is_done();
        self.lesson.judged = Some(judged);
        if newly {
            self.screen.lists[Panel::LESSON.index()].top = 0;
            effects.push(Effect::LessonDone(course.key.clone()));
            let next = if course.shipped.and_then(Shipped::next).is_some() {
                "alt-l, then n: the next lesson"
            } else {
                "ctrl-q quits"
            };
            self.say(Tone::Good, format!("every goal is reached; {next}"));
        }
    }

    /// Returns whether the lesson needs findings on survivors, whatever panel is shown.
    pub(super) fn lesson_asks_for_survivors(&self) -> bool {
        self.document.file.lesson.as_ref().is_some_and(|course| course.lesson.needs_verdicts())
    }

    pub(super) fn next_hint(&mut self) {
        self.lesson.hints += 1;
        // The hint is at the end of the panel.
        self.select_row(|_, _| usize::MAX);
    }

    /// Opens the next shipped lesson, or goes to the next step of the tour, after the current text is saved.
    pub(super) fn next_lesson(&mut self, effects: &mut Vec<Effect>) {
        if self.tour.is_some() {
            return self.next_step(effects);
        }
        let Some(course) = &self.document.file.lesson else { return };
        let Some(shipped) = course.shipped else { return self.say(Tone::Plain, "this is the last lesson") };
        let next = shipped.next().map_or(Shipped::UNDONE, |next| next.name);
        let target = Target::Lesson(next.to_string());
        if self.dirty() {
            self.prompts.after_save(self.document.id, AfterSave::Open(target));
            return self.save(effects);
        }
        self.open(target, effects);
    }
}
