//! The Run panel: choosing a run, and its breakpoints.

use std::sync::Arc;

use super::compare::PASSED;
use crate::lang::index::{CallId, RoutineId, TokenId};
use crate::session::{CompareWith, Recorded};
use crate::testing::trace::{Subject, Trace};
use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::panels::Panel;
use crate::workbench::panels::{self, run::Runnable};
use crate::workbench::results::TextDelta;
use crate::workbench::run::RunKey;
use crate::workbench::state::{Ask, Overlay, State, Tone};

impl State {
    /// Runs the test or call under the cursor. A function's arguments are asked for; in the panel itself, a
    /// call is.
    pub(super) fn watch_run(&mut self, effects: &mut Vec<Effect>) {
        if self.screen.focus == Panel::RUN {
            return self.ask_for_call();
        }
        match self.runnable() {
            Some(Runnable::Entry(subject)) => self.start_run(subject, effects),
            _ if self.screen.focus == Panel::EDITOR
                && let Some((subject, aim)) = self.run_of_values() =>
            {
                self.start_run(subject, effects);
                self.run.aim = Some(aim);
            }
            Some(Runnable::Function(_)) if let Some(call) = self.call_under_cursor() => {
                self.prompts.overlay = Some(Overlay::Ask(Ask::Call, Field::new(&call)));
            }
            // Keep the current run if it calls this function, or if nothing else can be run here.
            Some(Runnable::Function(function)) if self.run_comes_to(function) => {}
            None if self.run.wish.is_some() => {}
            Some(Runnable::Any(_)) if self.run.wish.is_some() => {}
            Some(Runnable::Any(subject)) => self.start_run(subject, effects),
            Some(Runnable::Function(function)) => {
                let call = self.call_to_begin_with(function);
                self.prompts.overlay = Some(Overlay::Ask(Ask::Call, Field::new(&call)));
            }
            None => {}
        }
        self.focus_on(Panel::RUN);
    }

    /// Returns whether the current run executes a function.
    fn run_comes_to(&self, function: RoutineId) -> bool {
        let Some((trace, shown)) = self.run.trace().zip(self.shown()) else { return false };
        let name = shown.compiled.function_name(function);
        let of_name = trace.compiled.functions().iter().find(|f| trace.compiled.function_name(*f) == name);
        let address =
            of_name.and_then(|f| trace.compiled.executable.routine(f)).map(|routine| routine.address());
        address.is_some_and(|address| !trace.executions(address).is_empty())
    }

    /// Opens the prompt for a call.
    pub(super) fn ask_for_call(&mut self) {
        let text = match self.run.wish.as_ref().map(|wish| &wish.subject) {
            Some(call @ Subject::Call { .. }) => call.text(),
            watched => {
                let call = self.call_under_cursor();
                // A property is offered as a call on the input of the current run.
                let input = watched.zip(self.run.trace()).and_then(|(subject, trace)| {
                    subject.call_on(&trace.compiled, &trace.arguments_and_result(CallId::default()).0)
                });
                let function = || self.call_to_begin_with(self.function_under_cursor().unwrap_or_default());
                call.or(input).unwrap_or_else(function)
            }
        };
        self.prompts.overlay = Some(Overlay::Ask(Ask::Call, Field::new(&text)));
    }

    pub(super) fn run_call(&mut self, text: &str, effects: &mut Vec<Effect>) {
        match Subject::of_call(text) {
            Ok(subject) => self.start_run(subject, effects),
            Err(why) => self.say(Tone::Bad, why),
        }
    }

    fn start_run(&mut self, subject: Subject, effects: &mut Vec<Effect>) {
        self.run.want(subject);
        self.send_wish(effects);
    }

    pub(super) fn send_wish(&self, effects: &mut Vec<Effect>) {
        effects.extend(self.run.wish.clone().map(Effect::Run));
    }

    pub(super) fn run_recorded(&mut self, recorded: Recorded) {
        let refused = recorded.refused.first().cloned();
        let carried = |old: &Trace, token: TokenId| {
            let new = &self.results.shown.as_ref()?.compiled;
            let lo = old.compiled.view().span(token)?.start;
            let drift = TextDelta::between(&old.compiled.text, &new.text);
            let kept = drift.forward(lo);
            (drift.back(kept) == Some(lo)).then(|| new.view().token_at(kept))?
        };
        let first = self.run.trace().is_none();
        let selected = self.run.scene.rows.get(self.list(Panel::RUN).selected).map(|row| row.key);
        let mut run = std::mem::take(&mut self.run);
        run.take(recorded, carried);
        self.run = run;
        let offers = match self.others().first() {
            Some(CompareWith::Run(title, _)) if title.starts_with(PASSED) => PASSED,
            Some(CompareWith::Passing) => "one that passes",
            _ => "",
        };
        if offers != self.run.offers {
            self.run.offers = offers;
            self.run.look();
        }
        if let Some(why) = refused {
            self.say(Tone::Bad, why);
        }
        if let Some(key) = selected {
            // A comparison run inserts rows of its own.
            self.choose_in_run(key);
        }
        if first {
            // Start at the most likely question: which step made the instruction's operand.
            self.choose_taken();
        }
    }

    /// Wraps the panel's rows again if its width has changed.
    pub(super) fn refresh_run(&mut self) {
        let Some(area) = self.layout().content(Panel::RUN) else { return };
        let cells = panels::cells_of(area);
        if self.run.cells == cells {
            return;
        }
        let selected = self.run.scene.rows.get(self.list(Panel::RUN).selected).map(|row| row.key);
        self.run.cells = cells;
        self.run.look();
        if let Some(key) = selected {
            self.choose_in_run(key);
        }
    }

    /// Selects a row of the panel by its key.
    pub(super) fn choose_in_run(&mut self, key: RunKey) {
        if let Some(row) = self.run.scene.at(key) {
            self.screen.select(Panel::RUN, row);
        }
    }

    /// Selects the first operand of the next instruction that is not a constant, or else the first operand.
    pub(super) fn choose_taken(&mut self) {
        let Some(trace) = self.run.trace() else { return };
        let takes = trace.takes(self.run.position) as u32;
        let told = |number: &u32| {
            let row = self.run.scene.at(RunKey::Operand(*number)).and_then(|at| self.run.scene.rows.get(at));
            row.and_then(|row| row.source).is_some_and(|source| !trace.is_constant(source.step))
        };
        let number = (0..takes).find(told).unwrap_or(0);
        self.choose_in_run(RunKey::Operand(number));
    }

    /// Folds or unfolds the chosen call.
    pub(super) fn fold_call(&mut self) {
        let chosen = self.run.scene.rows.get(self.list(Panel::RUN).selected).map(|row| row.key);
        let Some(RunKey::Call(id)) = chosen else {
            return self.say(Tone::Bad, "choose a call: space folds and unfolds it");
        };
        if !self.run.toggled.remove(&id) {
            self.run.toggled.insert(id);
        }
        self.run.look();
        self.choose_in_run(RunKey::Call(id));
    }

    /// Returns the line that the panel's breakpoint commands apply to: the current step's, or else the
    /// cursor's.
    pub(super) fn breakpoint_line(&self) -> u32 {
        let own = self.line_of_run().filter(|_| self.screen.focus == Panel::RUN);
        own.unwrap_or_else(|| self.document.buffer.line_of(self.document.buffer.head())) as u32 + 1
    }

    pub(super) fn ask_for_condition(&mut self) {
        let line = self.breakpoint_line();
        let known = self.run.breakpoint(line).and_then(|breakpoint| breakpoint.condition.clone());
        let field = Field::new(&known.unwrap_or_default());
        self.prompts.overlay = Some(Overlay::Ask(Ask::Condition(line), field));
    }

    /// Sets or removes a breakpoint on a line of the text on screen, from 1.
    pub(super) fn toggle_breakpoint(&mut self, line: u32, effects: &mut Vec<Effect>) {
        let what =
            if self.run.toggle_breakpoint(line) { "a breakpoint is set" } else { "the breakpoint is removed" };
        self.say(Tone::Plain, format!("{what} in line {line}"));
        self.repeat_run(effects);
    }

    /// Sets a breakpoint with a condition; an empty condition always holds.
    pub(super) fn set_condition(&mut self, line: u32, text: &str, effects: &mut Vec<Effect>) {
        self.run.set_condition(line, text);
        self.repeat_run(effects);
    }

    /// Moves breakpoints with their lines when the text changes.
    pub(super) fn carry_breakpoints(&mut self, before: &Arc<str>, effects: &mut Vec<Effect>) {
        if matches!(self.run.against, Some(CompareWith::Mutant(_))) {
            // The mutant's number now denotes another mutant.
            self.run.against = None;
            self.repeat_run(effects);
        }
        if self.run.breakpoints.is_empty() {
            return;
        }
        let buffer = &self.document.buffer;
        let drift = TextDelta::between(before, buffer.text());
        let line_of = |byte| buffer.line_of(buffer.position_of_byte(drift.forward(byte))) as u32 + 1;
        if self.run.carry_breakpoints(before, line_of) {
            self.repeat_run(effects);
        }
    }

    /// Requests the run again, because its breakpoints or the other run in a comparison have changed.
    pub(super) fn repeat_run(&mut self, effects: &mut Vec<Effect>) {
        self.run.repeat_request();
        self.send_wish(effects);
    }
}
