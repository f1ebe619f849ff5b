//! The question that each panel asks in predict mode, and the content hidden until it is answered.

use crate::lang::index::{EntryId, Index, MutantId, Position};
use crate::lang::opcode::{Class, Op};
use crate::lang::trap::Trap;
use crate::testing::trace::{Subject, Trace, written};
use crate::workbench::listing::CodeRow;
use crate::workbench::panels::Panel;
use crate::workbench::predict::{Answer, PredictQuestion, QuestionKey, VERDICTS};
use crate::workbench::run::RunMove;
use crate::workbench::state::{IrView, State};
use crate::workbench::text::fit;

/// The maximum width of an expression in a question, in cells.
const WRITTEN: usize = 24;
/// The maximum number of steps searched for a question.
const STEPS: u32 = 10_000;

impl State {
    /// Returns whether the user predicts and has not yet answered a question.
    fn is_open(&self, ask: QuestionKey) -> bool {
        self.predict.as_ref().is_some_and(|predict| !predict.is_answered(ask))
    }

    /// Returns whether a mutant's verdict is hidden until it is guessed.
    pub fn hides_verdict(&self, id: MutantId) -> bool {
        let status = self.results.mutants.verdicts.get(id.position()).map(|verdict| verdict.status);
        let guessable = status.is_some_and(|status| VERDICTS.contains(&status));
        let judged = self.results.judged.as_ref();
        guessable && judged.is_some_and(|shown| self.is_open(QuestionKey::Verdict(shown.revision, id)))
    }

    /// Returns whether a test's outcome is hidden because its run is being predicted.
    pub fn hides_outcome(&self, entry: EntryId) -> bool {
        let subject = self.run.wish.as_ref().map(|wish| &wish.subject);
        let of_run = matches!(subject, Some(Subject::Entry { id, .. }) if *id == entry);
        self.predict.is_some() && of_run
    }

    /// Returns the next question of the focused panel, whichever key would reveal the answer.
    pub fn question(&self) -> Option<PredictQuestion> {
        match self.screen.focus {
            Panel::RUN => self.run_question(RunMove::Forward),
            Panel::IR => self.pass_question(),
            Panel::MUTANTS | Panel::MUTANT => self.verdict_question(),
            _ => None,
        }
    }

    /// Returns the first step, from the current one on, that is a question without an answer.
    pub fn next_question_in_run(&self) -> Option<Position> {
        let (trace, from) = (self.run.trace()?, self.run.position);
        let asks = |position: &Position| step_question(self.run_number(), trace, *position, false);
        let open = |position: &Position| asks(position).is_some_and(|question| self.is_open(question.ask));
        let end = Position::new(trace.len()).min(from + STEPS);
        from.up_to(end).iter().find(|at| is_question(trace, *at) && open(at))
    }

    /// Returns the unanswered question about a movement forward in the run.
    pub fn run_question(&self, way: RunMove) -> Option<PredictQuestion> {
        let (trace, at) = (self.run.trace()?, self.run.position);
        let question = match way {
            RunMove::Forward => step_question(self.run_number(), trace, at, false),
            RunMove::Over => step_question(self.run_number(), trace, at, true),
            RunMove::NextLine if at < trace.last() => Some(PredictQuestion {
                ask: QuestionKey::Line(self.run_number(), at),
                text: "the next line is".to_string(),
                answer: Answer::Line(trace.line(trace.next_line(at))),
            }),
            _ => None,
        };
        question.filter(|question| self.is_open(question.ask))
    }

    fn run_number(&self) -> u32 {
        self.run.wish.as_ref().map_or(0, |wish| wish.number)
    }

    /// Returns the question of how many instructions the next pass leaves.
    pub fn pass_question(&self) -> Option<PredictQuestion> {
        let shown = self.shown().filter(|shown| shown.is_lowered())?;
        let instructions = |rows: &[CodeRow]| rows.iter().filter(|row| row.is_instruction()).count();
        let (next, before) = match self.screen.ir_view {
            IrView::Lowered => (0, instructions(shown.lowered_rows())),
            IrView::Pass(n) => (n + 1, instructions(&shown.passes().get(n)?.rows)),
            IrView::Optimized => return None,
        };
        let pass = shown.passes().get(next)?;
        let question = PredictQuestion {
            ask: QuestionKey::Pass(shown.revision, next),
            text: format!("of {before} instructions, {} leaves", pass.name),
            answer: Answer::Count(instructions(&pass.rows)),
        };
        Some(question).filter(|question| self.is_open(question.ask))
    }

    fn verdict_question(&self) -> Option<PredictQuestion> {
        let (id, verdict) = self.chosen_mutant()?;
        let ask = QuestionKey::Verdict(self.results.judged.as_ref()?.revision, id);
        let question =
            PredictQuestion { ask, text: format!("#{id} is"), answer: Answer::Verdict(verdict.status) };
        Some(question).filter(|_| self.hides_verdict(id))
    }
}

/// Returns whether a step computes or decides something that is not visible on screen.
fn is_question(trace: &Trace, at: Position) -> bool {
    let Some((instruction, _)) = trace.instruction(at) else { return false };
    match instruction.op.class() {
        Class::Unary | Class::Binary => true,
        Class::List => !matches!(instruction.op, Op::LoadList | Op::BuildList | Op::LoadListConst),
        Class::Branch { .. } | Class::Loop => at < trace.last(),
        _ => false,
    }
}

/// Returns the question about a step's result or destination; with `over`, including the calls it makes.
fn step_question(run: u32, trace: &Trace, at: Position, over: bool) -> Option<PredictQuestion> {
    let (instruction, token) = trace.instruction(at)?;
    let text = fit(&written(trace.compiled.view(), token?), WRITTEN);
    let traps = |ends: bool| ends && trace.record.trap != Trap::None;
    if over && instruction.op.class() == Class::Call {
        let call = trace.made_call(at);
        let given = call.and_then(|id| trace.result(id)).map(Answer::Value);
        let answer = given.or_else(|| traps(true).then_some(Answer::Trap))?;
        return Some(PredictQuestion {
            ask: QuestionKey::Over(run, at),
            text: format!("`{text}` returns"),
            answer,
        });
    }
    if !is_question(trace, at) {
        return None;
    }
    // Stepping over a step without a call is an ordinary step.
    let ask = QuestionKey::Step(run, at);
    match instruction.op.class() {
        Class::Branch { .. } | Class::Loop => {
            let answer = Answer::Line(trace.line(at.next()));
            Some(PredictQuestion { ask, text: "the next step is in line".to_string(), answer })
        }
        _ => {
            let left = trace.left(at).map(Answer::Value);
            let answer = left.or_else(|| traps(at == trace.last()).then_some(Answer::Trap))?;
            Some(PredictQuestion { ask, text: format!("`{text}` is"), answer })
        }
    }
}
