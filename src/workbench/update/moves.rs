//! Moving in a recorded run.

use std::sync::Arc;

use crate::host::measure::numbers::grouped;
use crate::lang::index::{Index, Position};
use crate::testing::trace::{Trace, step_number};
use crate::workbench::panels::{Panel, run};
use crate::workbench::results::TextDelta;
use crate::workbench::run::{RunKey, RunMove};
use crate::workbench::state::{State, Tone};
use crate::workbench::text::Selection;

impl State {
    pub(super) fn go_in_run(&mut self, go: RunMove) {
        let Some(trace) = self.run.trace().cloned() else {
            return self.say(Tone::Bad, "no run is recorded yet");
        };
        if let Some(question) = self.run_question(go) {
            return self.ask(question, go);
        }
        let chosen = self.run.scene.rows.get(self.list(Panel::RUN).selected).cloned();
        let at = self.run.position;
        let to = match go {
            RunMove::Forward => Ok(at.next()),
            RunMove::Back => at.previous().ok_or("this is the first step"),
            RunMove::Over => Ok(trace.over(at)),
            RunMove::BackOver => Ok(trace.back_over(at)),
            RunMove::Out => Ok(trace.out(at)),
            RunMove::Caller => Ok(trace.caller(at)),
            RunMove::NextLine => Ok(trace.next_line(at)),
            RunMove::LineBefore => Ok(trace.line_before(at)),
            RunMove::NextVisit => self.visit(&trace, |line| trace.next_visit(line, at)),
            RunMove::VisitBefore => self.visit(&trace, |line| trace.visit_before(line, at)),
            RunMove::NextChange | RunMove::ChangeBefore => {
                let chosen = chosen.as_ref().and_then(|row| row.variable);
                let variable = chosen.and_then(|(call, slot)| {
                    Some((call, trace.variables(call).iter().find(|variable| variable.slot == slot)?))
                });
                match variable {
                    None => Err("choose a variable in the list: v goes to where it changes"),
                    Some((call, variable)) if go == RunMove::NextChange => trace
                        .next_change(call, variable, at)
                        .ok_or("it does not change again while this call lasts"),
                    Some((call, variable)) => trace
                        .change_before(call, variable, at.previous().unwrap_or_default())
                        .ok_or("it was not changed before"),
                }
            }
            RunMove::On | RunMove::OnBack => self.stop(at, go == RunMove::On),
            RunMove::Start => Ok(Position::default()),
            RunMove::End => Ok(trace.last()),
            RunMove::Failure => Ok(trace.failure_position()),
            RunMove::Divergence => {
                match self.run.recorded.as_ref().and_then(|recorded| recorded.beside.as_ref()) {
                    Some(Ok(beside)) => {
                        beside.divergence.first.map(|(own, _)| own).ok_or("the runs do not differ")
                    }
                    _ => Err("no other run is compared: press x"),
                }
            }
            RunMove::Maker => return self.follow_maker(&trace),
            RunMove::MakerBack => return self.unfollow_maker(),
            RunMove::Row => match chosen.and_then(|row| row.leads) {
                Some(position) => Ok(position),
                None => return self.go_to_editor(),
            },
        };
        match to {
            Ok(to) => self.go_to_step(to),
            Err(why) => self.say(Tone::Bad, why),
        }
        if go == RunMove::Forward && at == trace.last() {
            self.say(Tone::Plain, "this is the last step");
        }
    }

    /// Goes to a step, and keeps the same row chosen if it still exists.
    pub(super) fn go_to_step(&mut self, position: Position) {
        let selected = self.list(Panel::RUN).selected;
        let key = self.run.scene.rows.get(selected).map(|row| row.key);
        self.run.go(position);
        match key.and_then(|key| self.run.scene.at(key)) {
            Some(row) => self.screen.select(Panel::RUN, row),
            None => self.choose_in_run(RunKey::Source),
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
            Some(operand) => self.choose_in_run(RunKey::Operand(operand)),
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
        let span = run::at(&self.results, &self.run).and_then(|token| self.shown()?.span(token));
        let Some(span) = span else { return self.say(Tone::Bad, "the text has changed since") };
        let byte = self.results.shown_drift.forward(span.start);
        self.focus_on(Panel::EDITOR);
        let position = self.document.buffer.position_of_byte(byte);
        self.document.buffer.select(Selection::at(position));
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
