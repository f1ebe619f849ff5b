//! Keeps the values after the lines up to date, and chooses their call and round.

use std::sync::Arc;

use crate::host::measure::numbers::grouped;
use crate::lang::index::{CallId, EntryId, Index};
use crate::session::{Finding, ValuesRun};
use crate::testing::trace::{CallValues, GUESS, MORE, Subject, ValuesFocus};
use crate::workbench::marks;
use crate::workbench::panels::{Panel, tests};
use crate::workbench::results::TextDelta;
use crate::workbench::run::RunAim;
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::values::{ValuesKey, ValuesView};

/// The editor has values if it has this many columns.
const COLUMNS: u16 = 60;

impl State {
    /// Whether the user wants values and the editor has room for them.
    pub fn shows_values(&self) -> bool {
        let width = self.layout().content(Panel::EDITOR).map_or(0, |area| area.width);
        self.document.options.values && width >= COLUMNS && self.predict.is_none()
    }

    /// Computes the words again if the run, the text or the focus has changed.
    pub fn refresh_values(&mut self) {
        let run = self.results.findings.last::<ValuesRun>().and_then(|run| run.0.as_ref());
        let Some((_, title, trace)) = run.filter(|_| self.shows_values()) else {
            if self.values.of.is_some() {
                self.values = ValuesView { test: self.values.test.take(), ..ValuesView::default() };
            }
            return;
        };
        let (buffer, text) = (&self.document.buffer, self.document.buffer.text());
        let view = trace.compiled.view();
        let delta = TextDelta::between(&trace.compiled.text, text);
        let byte = delta.back_or_start(buffer.byte_of(buffer.line_start(buffer.line_of(buffer.head()))));
        let line = 1 + view.source.as_bytes().iter().take(byte).filter(|byte| **byte == b'\n').count() as u32;
        let focus = (line, self.values.call, self.values.round);
        let is_awaited = self.engine.looked.function.is_some() && !self.stale() && !self.values.is_kept;
        let age = if is_awaited { &marks::AWAITED } else { &marks::STALE };
        let age = Some(age).filter(|_| trace.compiled.text != *text);
        let known = |of: &ValuesKey| {
            Arc::ptr_eq(&of.trace, trace) && Arc::ptr_eq(&of.text, text) && (of.focus, of.age) == (focus, age)
        };
        if self.values.of.as_ref().is_some_and(known) {
            return;
        }
        let function = |call: CallId| trace.call(call).map(|call| call.function);
        let is_looked =
            |call: &CallId| function(*call).is_some() && function(*call) == self.engine.looked.function;
        let first_looked = || (0..trace.calls().len()).map(CallId::at).find(is_looked);
        let in_entry = || self.entry_under_cursor().and_then(|_| first_looked());
        let of_line = trace.call_of_line(line).or_else(in_entry);
        // The choice is about the function that it was made in.
        let chosen =
            self.values.call.filter(|call| of_line.is_some_and(|own| function(own) == function(*call)));
        let call = chosen.or(of_line);
        // A key that changes the text alone leaves the values as they are.
        let same = |of: &ValuesKey| Arc::ptr_eq(&of.trace, trace) && of.focus == focus;
        let same = self.values.of.as_ref().is_some_and(same) && call == Some(self.values.shown_call);
        let same = same && !self.values.title.is_empty();
        let values = match call {
            Some(_) if same => std::mem::take(&mut self.values.values),
            Some(call) => trace.values(ValuesFocus { call, line, round: self.values.round }),
            None => CallValues::default(),
        };
        let starts: Vec<usize> =
            std::iter::once(0).chain(view.source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let on_screen = |line: u32| {
            // A line goes where its end is: an inserted line begins with its blanks.
            let next = starts.get(line as usize).copied().unwrap_or(view.source.len() + 1);
            let end = delta.forward(next - 1);
            (delta.back(end) == Some(next - 1)).then(|| buffer.line_of(buffer.position_of_byte(end)))
        };
        let words = values.texts(|own| own == line);
        let lines = words.into_iter().filter_map(|(line, words)| Some((on_screen(line)?, words))).collect();
        let calls = call.map(|call| {
            let own = (0..trace.calls().len()).map(CallId::at).filter(|own| function(*own) == function(call));
            own.fold((0, 0), |(at, all), own| (at + u64::from(own <= call), all + 1))
        });
        let calls = calls.filter(|(_, all)| *all > 1);
        let more = |goes_on: bool| if goes_on { MORE } else { "" };
        let mut parts = vec![visible(title).to_string()];
        parts.extend(
            calls.map(|(at, all)| format!("call {} of {}{}", grouped(at), grouped(all), more(trace.is_cut()))),
        );
        let guess = if values.is_guess { GUESS } else { "" };
        parts.extend(values.round.map(|(at, all)| {
            format!("round {} of {guess}{}{}", at + 1, grouped(all.into()), more(values.goes_on))
        }));
        let title = if call.is_some() { parts.join(" · ") } else { String::new() };
        let of = Some(ValuesKey { trace: trace.clone(), text: text.clone(), focus, age });
        let (shown_call, round) = (call.unwrap_or_default(), self.values.round);
        let ValuesView { test, is_kept, .. } = std::mem::take(&mut self.values);
        let rounds = values.round;
        self.values =
            ValuesView { lines, title, test, call: chosen, round, rounds, shown_call, of, values, is_kept };
    }

    /// Returns whether the values of a function stay though no test runs it now: it has an error, and they are of its last
    /// run.
    pub(super) fn keeps_values(&self, finding: &Finding) -> bool {
        let is_missing = finding.what::<ValuesRun>().is_some_and(|run| run.0.is_none());
        let last = self.results.findings.last::<ValuesRun>().and_then(|run| run.0.as_ref());
        let (Some((_, _, trace)), Some(shown), Some(function)) = (last, self.shown(), finding.function) else {
            return false;
        };
        let name = shown.compiled.function_name(function);
        let is_run = trace.calls().iter().any(|call| trace.compiled.function_name(call.function) == name);
        is_missing && shown.has_errors() && is_run
    }

    /// Makes the test of the selected row in the Tests panel the one of the values, once the user has selected it.
    pub(super) fn choose_test_of_values(&mut self) {
        let chosen = self.shown().zip(tests::selected(self)).map(|(shown, id)| shown.label(id).to_string());
        self.values.test = chosen;
    }

    /// Returns the test that the user chose for the values, if the program has it.
    pub fn test_of_values(&self) -> Option<EntryId> {
        let (shown, label) = (self.shown()?, self.values.test.as_ref()?);
        shown.labels.iter().position(|own| own == label).map(EntryId::at)
    }

    /// Returns the test that the values are of, and where in its run they are.
    pub(super) fn run_of_values(&self) -> Option<(Subject, RunAim)> {
        let (subject, _, _) = self.results.findings.current::<ValuesRun>()?.0.as_ref()?;
        let of = self.values.of.as_ref().filter(|of| of.age.is_none() && !self.values.title.is_empty())?;
        let function = of.trace.call(self.values.shown_call)?.function;
        let earlier = of.trace.calls().iter().take(self.values.shown_call.position());
        let aim = RunAim {
            function: of.trace.compiled.function_name(function).to_string(),
            call: earlier.filter(|call| call.function == function).count(),
            line: of.focus.0,
            round: self.values.rounds.map_or(0, |(at, _)| at as usize),
        };
        Some((subject.clone(), aim))
    }

    /// Goes to the next or previous round of the loop around the cursor.
    pub(super) fn choose_round(&mut self, is_next: bool) -> Result<(), &'static str> {
        let (at, all) = self.values.rounds.ok_or("no values of a loop are shown at the cursor")?;
        let next = if is_next { Some(at + 1).filter(|at| *at < all) } else { at.checked_sub(1) };
        self.values.round =
            Some(next.ok_or(if is_next { "this is the last round" } else { "this is the first round" })?);
        Ok(())
    }

    /// Goes to the next or previous call of the function.
    pub(super) fn choose_call(&mut self, is_next: bool) -> Result<(), &'static str> {
        let of = self.values.of.as_ref().ok_or("no values are shown")?;
        let calls = of.trace.calls();
        let own = self.values.shown_call.position();
        let function = calls.get(own).map(|call| call.function);
        let same = |at: &usize| calls.get(*at).map(|call| call.function) == function;
        let next = if is_next { (own + 1..calls.len()).find(same) } else { (0..own).rev().find(same) };
        let missing = if is_next {
            "this is the last call of the function"
        } else {
            "this is the first call of the function"
        };
        self.values.call = Some(CallId::at(next.ok_or(missing)?));
        self.values.round = None;
        Ok(())
    }
}
