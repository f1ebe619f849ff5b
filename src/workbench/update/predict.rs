//! Predict mode: starting, asking, judging and ending.

use crate::lang::index::Position;
use crate::workbench::field::Field;
use crate::workbench::panels::Panel;
use crate::workbench::predict::{Predict, PredictQuestion};
use crate::workbench::run::RunMove;
use crate::workbench::state::{Ask, IrView, MutantFilter, Overlay, State, Tone};

/// The message if nothing can be guessed.
const NOTHING: &str = "nothing to guess here: Run (alt-u), IR (alt-4) and Mutants (alt-7) ask";

impl State {
    /// Starts predict mode, or, if it is on, asks what comes next in the focused panel.
    pub(super) fn predict(&mut self) {
        if self.predict.is_none() {
            return self.begin_to_predict();
        }
        if self.screen.focus == Panel::RUN
            && let Some(position) = self.next_question_in_run()
        {
            self.run.go(position);
        }
        match self.question() {
            Some(question) => self.ask(question, RunMove::Forward),
            None => self.say(Tone::Plain, NOTHING),
        }
    }

    fn begin_to_predict(&mut self) {
        self.keep_chosen_mutant(|state| {
            state.predict = Some(Predict::default());
            state.mutants.filter = MutantFilter::Singles;
        });
        self.screen.ir_view = IrView::Lowered;
        self.run.hides = true;
        // The run restarts, so that its later steps stay hidden.
        self.run.go(Position::default());
        self.run.look();
        self.say(
            Tone::Plain,
            "predict: what comes next in Run, IR and Mutants is hidden; alt-g guesses, esc ends",
        );
    }

    /// Ends predict mode. Returns false if it was off.
    pub(super) fn end_predicting(&mut self) -> bool {
        let Some(predict) = self.predict.clone() else { return false };
        self.keep_chosen_mutant(|state| state.predict = None);
        self.run.hides = false;
        self.run.look();
        self.say(Tone::Plain, format!("nothing is hidden any more: {}", predict.count()));
        true
    }

    /// Applies a change and keeps the same mutant chosen, even if the list is reordered.
    fn keep_chosen_mutant(&mut self, change: impl FnOnce(&mut State)) {
        let chosen = self.chosen_mutant().map(|(id, _)| id);
        change(self);
        let row = chosen.and_then(|id| self.listed_mutants().row(id)).unwrap_or(0);
        self.screen.select(Panel::MUTANTS, row);
    }

    /// Opens the prompt for a guess. `way` is the movement in the run that follows it.
    pub(super) fn ask(&mut self, question: PredictQuestion, way: RunMove) {
        self.prompts.overlay =
            Some(Overlay::Ask(Ask::Guess { question, way, refused: false }, Field::default()));
    }

    /// Judges a guess, then reveals the answer.
    pub(super) fn guess(&mut self, question: PredictQuestion, way: RunMove, text: &str) {
        let Some(right) = question.answer.judge(text) else {
            let ask = Ask::Guess { question, way, refused: true };
            self.prompts.overlay = Some(Overlay::Ask(ask, Field::new(text)));
            return;
        };
        let Some(predict) = &mut self.predict else { return };
        predict.guessed(question.ask, right);
        let (count, answer) = (predict.count(), question.answer.text());
        match self.screen.focus {
            Panel::RUN => self.go_in_run(way),
            Panel::IR => self.cycle_pass(1),
            _ => {}
        }
        match right {
            true => self.say(Tone::Good, format!("right: {} {answer}; {count}", question.text)),
            false => {
                let text = text.trim();
                self.say(Tone::Bad, format!("wrong: {} {answer}, not {text}; {count}", question.text));
            }
        }
    }
}
