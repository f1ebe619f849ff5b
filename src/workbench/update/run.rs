//! The Run panel: choosing a run, and moving in it.

use std::sync::Arc;

use crate::host::measure::numbers::grouped;
use crate::lang::index::{CallId, Index, Position, RoutineId, TokenId};
use crate::lang::trap::Trap;
use crate::session::{Breakpoint, CompareWith, Recorded};
use crate::testing::trace::{ReplayKey, Subject, Trace, step_number};
use crate::workbench::event::Effect;
use crate::workbench::field::Field;
use crate::workbench::panels::Panel;
use crate::workbench::panels::run::{self, Runnable};
use crate::workbench::results::{TextDelta, change};
use crate::workbench::run::{Key, Way};
use crate::workbench::state::{Overlay, State, Tone};

/// The title of the run of the last program that passed.
const PASSED: &str = "when it passed";

impl State {
    /// Runs the test or call under the cursor. A function's arguments are asked for; in the panel itself, a
    /// call is.
    pub(super) fn watch_run(&mut self, effects: &mut Vec<Effect>) {
        if self.screen.focus == Panel::RUN {
            return self.ask_for_call();
        }
        match self.runnable() {
            Some(Runnable::Entry(subject)) => self.start_run(subject, effects),
            Some(Runnable::Function(_)) if let Some(call) = self.call_under_cursor() => {
                self.prompts.overlay = Some(Overlay::Run(Field::new(&call)));
            }
            // Keep the current run if it calls this function, or if nothing else can be run here.
            Some(Runnable::Function(function)) if self.run_comes_to(function) => {}
            None if self.run.wish.is_some() => {}
            Some(Runnable::Any(_)) if self.run.wish.is_some() => {}
            Some(Runnable::Any(subject)) => self.start_run(subject, effects),
            Some(Runnable::Function(function)) => {
                let call = self.call_to_begin_with(function);
                self.prompts.overlay = Some(Overlay::Run(Field::new(&call)));
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
                    subject.call_on(&trace.compiled, &trace.told(CallId::default()).0)
                });
                let function = || self.call_to_begin_with(self.function_under_cursor().unwrap_or_default());
                call.or(input).unwrap_or_else(function)
            }
        };
        self.prompts.overlay = Some(Overlay::Run(Field::new(&text)));
    }

    /// Runs the typed call.
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

    fn send_wish(&self, effects: &mut Vec<Effect>) {
        effects.extend(self.run.wish.clone().map(Effect::Run));
    }

    /// Handles a recorded run.
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

    /// Selects a row of the panel by its key.
    fn choose_in_run(&mut self, key: Key) {
        if let Some(row) = self.run.scene.at(key) {
            self.screen.lists[Panel::RUN.index()].selected = row;
        }
    }

    /// Selects the first operand of the next instruction that is not a constant, or else the first operand.
    fn choose_taken(&mut self) {
        let Some(trace) = self.run.trace() else { return };
        let takes = trace.takes(self.run.position) as u32;
        let told = |number: &u32| {
            let row = self.run.scene.at(Key::Operand(*number)).and_then(|at| self.run.scene.rows.get(at));
            row.and_then(|row| row.source).is_some_and(|source| !trace.is_constant(source.step))
        };
        let number = (0..takes).find(told).unwrap_or(0);
        self.choose_in_run(Key::Operand(number));
    }

    /// Moves in the run.
    pub(super) fn go_in_run(&mut self, go: Way) {
        let Some(trace) = self.run.trace().cloned() else {
            return self.say(Tone::Bad, "no run is recorded yet");
        };
        if let Some(question) = self.run_question(go) {
            return self.ask(question, go);
        }
        let chosen = self.run.scene.rows.get(self.list(Panel::RUN).selected).cloned();
        let at = self.run.position;
        let to = match go {
            Way::Forward => Ok(at.next()),
            Way::Back => at.previous().ok_or("this is the first step"),
            Way::Over => Ok(trace.over(at)),
            Way::BackOver => Ok(trace.back_over(at)),
            Way::Out => Ok(trace.out(at)),
            Way::Caller => Ok(trace.caller(at)),
            Way::NextLine => Ok(trace.next_line(at)),
            Way::LineBefore => Ok(trace.line_before(at)),
            Way::NextVisit => self.visit(&trace, |line| trace.next_visit(line, at)),
            Way::VisitBefore => self.visit(&trace, |line| trace.visit_before(line, at)),
            Way::NextChange | Way::ChangeBefore => {
                let chosen = chosen.as_ref().and_then(|row| row.variable);
                let variable = chosen.and_then(|(call, slot)| {
                    Some((call, trace.variables(call).iter().find(|variable| variable.slot == slot)?))
                });
                match variable {
                    None => Err("choose a variable in the list: v goes to where it changes"),
                    Some((call, variable)) if go == Way::NextChange => trace
                        .next_change(call, variable, at)
                        .ok_or("it does not change again while this call lasts"),
                    Some((call, variable)) => trace
                        .change_before(call, variable, at.previous().unwrap_or_default())
                        .ok_or("it was not changed before"),
                }
            }
            Way::On | Way::OnBack => self.stop(at, go == Way::On),
            Way::Start => Ok(Position::default()),
            Way::End => Ok(trace.last()),
            Way::Failure => Ok(trace.telling()),
            Way::Divergence => match self.run.recorded.as_ref().and_then(|recorded| recorded.beside.as_ref()) {
                Some(Ok(beside)) => beside.divergence.first.map(|(own, _)| own).ok_or("the runs do not differ"),
                _ => Err("no other run is compared: press x"),
            },
            Way::Maker => return self.follow_maker(&trace),
            Way::MakerBack => return self.unfollow_maker(),
            Way::Row => match chosen.and_then(|row| row.leads) {
                Some(position) => Ok(position),
                None => return self.go_to_editor(),
            },
        };
        match to {
            Ok(to) => self.go_to_step(to),
            Err(why) => self.say(Tone::Bad, why),
        }
        if go == Way::Forward && at == trace.last() {
            self.say(Tone::Plain, "this is the last step");
        }
    }

    /// Goes to a step, and keeps the same row chosen if it still exists.
    fn go_to_step(&mut self, position: Position) {
        let selected = self.list(Panel::RUN).selected;
        let key = self.run.scene.rows.get(selected).map(|row| row.key);
        self.run.go(position);
        match key.and_then(|key| self.run.scene.at(key)) {
            Some(row) => self.screen.lists[Panel::RUN.index()].selected = row,
            None => self.choose_in_run(Key::Source),
        }
    }

    /// Goes to the step with a typed number, as shown on screen: from 1, with or without commas.
    pub(super) fn go_to_numbered(&mut self, text: &str) {
        let Some(steps) = self.run.trace().map(|trace| trace.len()) else { return };
        let number = text.replace([',', '_', ' '], "").parse::<u32>();
        match number
            .ok()
            .and_then(|number| number.checked_sub(1))
            .filter(|step| *step < steps)
            .map(Position::new)
        {
            Some(position) => self.go_to_step(position),
            None => {
                self.say(Tone::Bad, format!("`{}` is no step: 1 to {}", text.trim(), grouped(steps.into())))
            }
        }
    }

    /// Finds an execution of the line at the editor's cursor.
    fn visit(&self, trace: &Trace, of: impl Fn(u32) -> Option<Position>) -> Result<Position, &'static str> {
        let line = self.cursor_line(trace).ok_or("the cursor's line is new since this run")?;
        match trace.times(line) {
            0 => Err("the line of the editor's cursor does not run"),
            _ => of(line).ok_or("the line does not run again in this direction"),
        }
    }

    /// Returns the run's source line, from 1, that corresponds to the editor's cursor.
    fn cursor_line(&self, trace: &Trace) -> Option<u32> {
        let start = self.document.buffer.line_start(self.document.buffer.line_of(self.document.buffer.head()));
        let drift = TextDelta::between(&trace.compiled.text, self.document.buffer.text());
        let byte = drift.back(self.document.buffer.byte_of(start))?;
        Some(trace.compiled.text.get(..byte)?.matches('\n').count() as u32 + 1)
    }

    /// Returns the next step that stops at a breakpoint, or the previous one.
    fn stop(&self, at: Position, forward: bool) -> Result<Position, &'static str> {
        let stops = self.run.recorded.as_ref().map_or(&[][..], |recorded| &recorded.stops);
        if self.run.breakpoints.is_empty() {
            return Err(
                "no breakpoint is set: alt-p sets one on the line of the editor's cursor, b on the line here",
            );
        }
        let found = match forward {
            true => stops.get(stops.partition_point(|stop| *stop <= at)).copied(),
            false => stops.partition_point(|stop| *stop < at).checked_sub(1).map(|before| stops[before]),
        };
        found.ok_or("no breakpoint is reached in this direction")
    }

    /// Goes to the step that made the chosen row's value. Without such a row, it continues with the followed
    /// value, or else with an operand of the next instruction.
    fn follow_maker(&mut self, trace: &Arc<Trace>) {
        let at = self.run.position;
        let chosen = self.run.scene.rows.get(self.list(Panel::RUN).selected);
        let of_row = chosen.and_then(|row| row.source);
        let needs = || {
            let needs = trace.needs(at);
            { needs.iter().find(|need| !trace.is_constant(need.step)) }.or(needs.first()).copied()
        };
        let source = match self.run.asked {
            Some(asked) if asked.step == at && of_row.is_none() => trace.follow(asked),
            _ => of_row.or_else(needs),
        };
        let Some(source) = source else {
            return self.say(Tone::Plain, "no step made it: it is an input or a literal");
        };
        let from = (at, self.run.asked);
        self.run.trail.push(from);
        self.run.position = source.step;
        self.run.asked = Some(source);
        self.run.look();
        // Select the operand that passed the value on, or else an operand of the instruction that made it.
        match source.operand {
            Some(operand) => self.choose_in_run(Key::Operand(operand)),
            None => self.choose_taken(),
        }
        self.say(Tone::Plain, format!("step {}: {}", step_number(source.step), trace.sentence(source)));
    }

    fn unfollow_maker(&mut self) {
        let Some((position, asked)) = self.run.trail.pop() else {
            return self.say(Tone::Plain, "w has not been used yet");
        };
        self.run.position = position;
        self.run.asked = asked;
        self.run.look();
        self.choose_taken();
    }

    /// Moves the editor's cursor to the place of the instruction.
    fn go_to_editor(&mut self) {
        let span = run::at(self).and_then(|token| self.shown()?.span(token));
        let Some(span) = span else { return self.say(Tone::Bad, "the text has changed since") };
        let byte = self.results.shown_drift.forward(span.start);
        self.focus_on(Panel::EDITOR);
        let position = self.document.buffer.position_of_byte(byte);
        self.document.buffer.select(crate::workbench::text::Selection::at(position));
    }

    /// Returns the same run in the last program that passed, titled with the changes since.
    fn passed(&self) -> Option<CompareWith> {
        let (wish, trace) = (self.run.wish.as_ref()?, self.run.trace()?);
        let program = self.results.passed.of(wish.subject.name())?;
        let routine = wish.subject.routine(program)?;
        let room = program.executable.routine(routine)?.frame() as usize;
        let again = trace.again()?;
        let frame = again.frame.get(..room.min(again.frame.len()))?.into();
        let title = format!("{PASSED}, {}", change(&program.text, &trace.compiled.text));
        Some(CompareWith::Run(title, ReplayKey { compiled: program.clone(), routine, frame }))
    }

    /// Returns the runs that the current one can be compared with: of the last program that passed; of the
    /// text before the last change; on the previous input; for a failing property, on an input that passes;
    /// of the chosen mutant. If there is no earlier run, the current run is offered, for comparison with
    /// later ones.
    fn others(&self) -> Vec<CompareWith> {
        let before = self
            .run
            .before
            .clone()
            .map(|run| CompareWith::Run("the run before the last change".to_string(), run));
        let earlier = self.run.earlier.clone().map(|(title, run)| CompareWith::Run(title, run));
        let fails = self.run.trace().is_some_and(|trace| {
            let call = trace.calls().first();
            let is_entry = call.is_some_and(|call| trace.compiled.facts.entry_of(call.function).is_some());
            let ended = (trace.record.trap, trace.record.value);
            is_entry && trace.has_input() && !matches!(ended, (Trap::None, 1)) && !trace.is_discarded()
        });
        let mutant = self.chosen_mutant().map(|(id, _)| CompareWith::Mutant(id));
        let mut others: Vec<CompareWith> = self.passed().into_iter().chain(before).chain(earlier).collect();
        others.extend(fails.then_some(CompareWith::Passing));
        if others.is_empty() {
            let now = self.run.trace().and_then(|trace| trace.again());
            others.extend(now.map(|run| CompareWith::Run("the run as it was".to_string(), run)));
        }
        others.extend(mutant);
        others
    }

    /// Compares with the next of these runs; after the last one, the comparison ends.
    pub(super) fn compare_runs(&mut self, effects: &mut Vec<Effect>) {
        let others = self.others();
        let here =
            self.run.against.as_ref().and_then(|against| others.iter().position(|other| other == against));
        let next = match (&self.run.against, here) {
            // A run kept for comparison is not in the list; the mutant comes after it.
            (Some(CompareWith::Run(..)), None) => {
                others.iter().position(|other| matches!(other, CompareWith::Mutant(_)))
            }
            (Some(_), None) => None,
            (_, here) => Some(here.map_or(0, |here| here + 1)),
        };
        self.run.against = next.and_then(|next| others.get(next).cloned());
        let said = match &self.run.against {
            Some(CompareWith::Run(title, _)) => format!("compared with {title}"),
            Some(CompareWith::Passing) => "compared with a nearby input that passes".to_string(),
            Some(CompareWith::Mutant(id)) => format!("compared with mutant #{id}"),
            None => "alone".to_string(),
        };
        let more = next.is_some_and(|next| next + 1 < others.len());
        let keys = match (&self.run.against, more) {
            (None, _) => "",
            (_, true) => ": X goes to where they diverge, x to the next run",
            (_, false) => ": X goes to where they diverge",
        };
        self.say(Tone::Plain, format!("{said}{keys}"));
        self.run.repeat_request();
        self.send_wish(effects);
    }

    /// Folds or unfolds the chosen call.
    pub(super) fn fold_call(&mut self) {
        let chosen = self.run.scene.rows.get(self.list(Panel::RUN).selected).map(|row| row.key);
        let Some(Key::Call(id)) = chosen else {
            return self.say(Tone::Bad, "choose a call: space folds and unfolds it");
        };
        if !self.run.toggled.remove(&id) {
            self.run.toggled.insert(id);
        }
        self.run.look();
        self.choose_in_run(Key::Call(id));
    }

    /// Sets or removes a breakpoint on a line of the text on screen, from 1.
    pub(super) fn toggle_breakpoint(&mut self, line: u32, effects: &mut Vec<Effect>) {
        let before = self.run.breakpoints.len();
        self.run.breakpoints.retain(|breakpoint| breakpoint.line != line);
        let set = self.run.breakpoints.len() == before;
        if set {
            self.run.breakpoints.push(Breakpoint { line, condition: None });
        }
        let what = if set { "a breakpoint is set" } else { "the breakpoint is removed" };
        self.say(Tone::Plain, format!("{what} in line {line}"));
        self.run.repeat_request();
        self.send_wish(effects);
    }

    /// Returns the line that the panel's breakpoint commands apply to: the current step's, or else the
    /// cursor's.
    pub(super) fn breakpoint_line(&self) -> u32 {
        let own = if self.screen.focus == Panel::RUN { run::at(self) } else { None };
        let byte = own.and_then(|token| Some(self.shown()?.span(token)?.start));
        let position =
            byte.map(|byte| self.document.buffer.position_of_byte(self.results.shown_drift.forward(byte)));
        self.document.buffer.line_of(position.unwrap_or(self.document.buffer.head())) as u32 + 1
    }

    /// Asks for the condition of a breakpoint.
    pub(super) fn ask_for_condition(&mut self) {
        let line = self.breakpoint_line();
        let known = self.run.breakpoint(line).and_then(|breakpoint| breakpoint.condition.clone());
        let field = Field::new(&known.unwrap_or_default());
        self.prompts.overlay = Some(Overlay::Condition { line, field });
    }

    /// Sets a breakpoint with a condition; an empty condition always holds.
    pub(super) fn set_condition(&mut self, line: u32, text: &str, effects: &mut Vec<Effect>) {
        self.run.breakpoints.retain(|breakpoint| breakpoint.line != line);
        let condition = Some(text.trim().to_string()).filter(|text| !text.is_empty());
        self.run.breakpoints.push(Breakpoint { line, condition });
        self.run.repeat_request();
        self.send_wish(effects);
    }

    /// Moves breakpoints with their lines when the text changes.
    pub(super) fn carry_breakpoints(&mut self, before: &Arc<str>, effects: &mut Vec<Effect>) {
        if matches!(self.run.against, Some(CompareWith::Mutant(_))) {
            // The mutant's number now denotes another mutant.
            self.run.against = None;
            self.run.repeat_request();
            self.send_wish(effects);
        }
        if self.run.breakpoints.is_empty() {
            return;
        }
        let drift = TextDelta::between(before, self.document.buffer.text());
        let starts: Vec<usize> =
            std::iter::once(0).chain(before.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let old = self.run.breakpoints.clone();
        for breakpoint in &mut self.run.breakpoints {
            let start = starts.get(breakpoint.line as usize - 1).copied().unwrap_or(before.len());
            // Follow the line's first non-blank character, so that text inserted or broken off before it
            // moves the breakpoint.
            let line = before[start..].lines().next().unwrap_or("");
            let byte = start + line.len() - line.trim_start().len();
            let position = self.document.buffer.position_of_byte(drift.forward(byte));
            breakpoint.line = self.document.buffer.line_of(position) as u32 + 1;
        }
        self.run.breakpoints.dedup_by_key(|breakpoint| breakpoint.line);
        if self.run.breakpoints != old {
            self.run.repeat_request();
            self.send_wish(effects);
        }
    }

    /// Moves the run to the slider's position under the mouse.
    pub(super) fn slide(&mut self, column: u16) {
        let Some(area) = self.layout().content(Panel::RUN) else { return };
        let Some(shown) = self.run.trace().map(|trace| run::span(trace, self.run.position)) else { return };
        let cells = usize::from(area.width).saturating_sub(2).max(2);
        let cell = usize::from(column.saturating_sub(area.x + 1)).min(cells - 1);
        self.go_to_step(run::position_of(cell, shown, cells));
    }
}
