//! The Run panel: a recorded run at a position.

use ratatui::text::{Line, Span};

use crate::engine::EntryResult;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, Index, Position, RoutineId, TokenId};
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::session::Recorded;
use crate::testing::trace::{Subject, Trace, entry_label, step_number};
use crate::workbench::marks;
use crate::workbench::panels::{List, Panel};
use crate::workbench::results::{Results, Shown};
use crate::workbench::run::{RunKey, RunView};
use crate::workbench::state::{Link, State};
use crate::workbench::theme::{Look, Theme};

pub struct PanelRun;

impl List for PanelRun {
    fn count(&self, state: &State) -> usize {
        state.run.scene.rows.len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        current(&state.results, &state.run)?;
        state.run.scene.rows.get(row)?.token
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let Some(row) = state.run.scene.rows.get(row) else { return Line::default() };
        if row.key == RunKey::Slider {
            return slider(&state.run, width, theme);
        }
        let span = |(look, text): &(Look, String)| Span::styled(text.clone(), theme.style(*look));
        Line::from(row.parts.iter().map(span).collect::<Vec<_>>())
    }

    /// The panel does not follow the element under the cursor.
    fn row_of(&self, _: &State, _: Link) -> Option<usize> {
        None
    }
}

/// Draws the position in the run as a slider of the panel's width.
fn slider(run: &RunView, width: usize, theme: &Theme) -> Line<'static> {
    let Some(trace) = run.trace() else { return Line::default() };
    let (cells, shown) = (width.max(2), span(trace, run.position));
    let at = cell_of(run.position, shown, cells);
    let stops: Vec<usize> = { run.recorded.as_ref() }
        .map(|recorded| {
            let stops = &recorded.stops[..recorded.stops.partition_point(|stop| stop.number() < shown)];
            thinned(stops, cells).map(|stop| cell_of(stop, shown, cells)).collect()
        })
        .unwrap_or_default();
    // The end of a run must stay hidden while it is predicted.
    let turn = trace.cycle().filter(|_| !run.hides);
    let turns = turn.map(|turn| cell_of(turn.from, shown, cells));
    let glyph = |cell: usize| match cell {
        cell if cell == at => (Look::CurrentNumber, marks::HERE.glyph),
        cell if turns == Some(cell) => (marks::TURNS.look, marks::TURNS.glyph),
        cell if stops.contains(&cell) => (marks::BREAK.look, marks::BREAK.glyph),
        cell if cell < at => (Look::Bar, "━"),
        _ => (Look::Rule, "─"),
    };
    Line::from_iter((0..cells).map(glyph).map(|(look, glyph)| Span::styled(glyph, theme.style(look))))
}

/// Returns the number of steps that the slider covers: normally all. For a run that never ends, it is 1,000
/// or a larger power of ten that covers the position and two repetitions.
pub fn span(trace: &Trace, position: Position) -> u32 {
    const FIRST: u32 = 1_000;
    if trace.record.trap != Trap::StepLimit {
        return trace.len();
    }
    let turned = trace.cycle().map_or(0, |turn| (turn.from + 2 * turn.period).number());
    let least = turned.max(position.next().number());
    let spans = std::iter::successors(Some(FIRST), |span| span.checked_mul(10));
    { spans }.find(|span| *span >= least).unwrap_or(least).min(trace.len())
}

/// Returns some of many steps, evenly spread.
fn thinned(stops: &[Position], cells: usize) -> impl Iterator<Item = Position> + '_ {
    stops.iter().copied().step_by(stops.len().div_ceil(4 * cells.max(1)).max(1))
}

fn cell_of(position: Position, len: u32, cells: usize) -> usize {
    let last = u64::from(len.saturating_sub(1)).max(1);
    (u64::from(position.number()) * (cells as u64 - 1) / last) as usize
}

/// Returns the position that a slider cell represents.
pub fn position_of(cell: usize, len: u32, cells: usize) -> Position {
    let last = u64::from(len.saturating_sub(1));
    let span = (cells as u64).saturating_sub(1).max(1);
    Position::new((cell as u64 * last).div_ceil(span).min(last) as u32)
}

/// Returns the run, if it belongs to the shown program.
pub fn current<'a>(results: &'a Results, run: &'a RunView) -> Option<&'a Trace> {
    let trace = run.trace()?;
    let compiled = &results.shown()?.compiled;
    (std::sync::Arc::ptr_eq(compiled, &trace.compiled) || compiled.text == trace.compiled.text).then_some(trace)
}

/// Returns the token of the shown program at the run's position.
pub fn at(results: &Results, run: &RunView) -> Option<TokenId> {
    current(results, run)?.token(run.position)
}

/// Returns the step.
pub fn figures(results: &Results, run: &RunView) -> Vec<String> {
    if run.wish.is_some() && !is_newest(results, run) {
        return vec!["…".to_string()];
    }
    let length = run.trace().map(|trace| grouped(trace.len().into()));
    length.map(|length| format!("{}/{length}", step_number(run.position))).into_iter().collect()
}

/// Returns whether the recording answers the last request, for the shown program.
fn is_newest(results: &Results, run: &RunView) -> bool {
    results
        .findings
        .current::<Recorded>()
        .is_some_and(|recorded| run.wish.as_ref().is_some_and(|wish| wish.number == recorded.wish.number))
}

/// Returns why the panel is empty.
pub fn empty(run: &RunView) -> &'static str {
    match &run.wish {
        None => "nothing has run yet: alt-u on a test or in a function runs it; e asks for a call",
        Some(_) => "recording",
    }
}

impl State {
    /// Returns how often a line of the text on screen has run, if the Run panel has a run of the shown
    /// program.
    pub fn runs_of_line(&self, line: usize) -> Option<u32> {
        let trace = current(&self.results, &self.run)?;
        let shown = self.shown()?;
        let byte = self.document.buffer.byte_of(self.document.buffer.line_start(line));
        let before = self.results.shown_drift.back(byte)?;
        Some(trace.times(shown.place(before as u32).0 as u32))
    }

    /// Returns the line of the text on screen, from 0, that the run executes at its position.
    pub fn line_of_run(&self) -> Option<usize> {
        let span = self.shown()?.span(at(&self.results, &self.run)?)?;
        let byte = self.results.shown_drift.forward(span.start);
        Some(self.document.buffer.line_of(self.document.buffer.position_of_byte(byte)))
    }

    pub fn counts_show(&self) -> bool {
        self.predict.is_none()
            && self.layout().slot(Panel::RUN).is_some()
            && current(&self.results, &self.run).is_some()
    }

    /// Returns the test or property under the cursor of the panel with the focus.
    pub fn entry_under_cursor(&self) -> Option<EntryId> {
        let shown = self.shown().filter(|shown| shown.is_lowered())?;
        let token = self.link()?.token;
        let head = |entry: &EntryId| shown.compiled.entry(*entry).map(|entry| entry.head());
        let within =
            |entry: &EntryId| head(entry).is_some_and(|head| shown.extent_tokens(head).contains(token));
        shown.compiled.entries().iter().find(within)
    }

    /// Returns the function that a test calls, the one that was looked at before if it is among several.
    pub fn function_of_entry(&self, entry: EntryId) -> Option<RoutineId> {
        let shown = self.shown()?;
        let (view, program) = (shown.compiled.view(), shown.compiled.program());
        let own = shown.extent_tokens(shown.compiled.entry(entry)?.head()).iter();
        let callees = own.filter(|t| view.is(*t, Role::Call)).filter_map(|t| Some(program.callee(t)?.id));
        let last = self.engine.looked.function;
        callees.reduce(|first, next| if Some(next) == last { next } else { first })
    }

    /// Returns what to run: the test or property under the cursor, or else the first one that fails, or is unfinished.
    /// If all pass: the function under the cursor, or else the first test.
    pub fn runnable(&self) -> Option<Runnable> {
        let shown = self.shown().filter(|shown| shown.is_lowered())?;
        if let Some(id) = self.entry_under_cursor() {
            return Some(Runnable::Entry(entry_subject(shown, id)));
        }
        let entries = self.results.entries();
        let is_open = |entry: &EntryResult| entry.outcome.is_unfinished();
        let fails = entries.iter().position(|entry| entry.outcome.fails() && !is_open(entry));
        let fails = fails.or_else(|| entries.iter().position(is_open)).map(EntryId::at);
        let function = self.function_under_cursor().filter(|_| self.screen.focus != Panel::TESTS);
        if let (None, Some(function)) = (fails, function) {
            return Some(Runnable::Function(function));
        }
        match fails.or_else(|| shown.compiled.entries().iter().next()) {
            Some(id) => Some(Runnable::Any(entry_subject(shown, id))),
            None => shown.compiled.functions().iter().next().map(Runnable::Function),
        }
    }

    /// Returns the innermost call around the editor's cursor whose arguments are literals.
    pub fn call_under_cursor(&self) -> Option<String> {
        let shown = self.shown().filter(|shown| shown.is_lowered())?;
        let byte = self.results.shown_drift.back(self.document.buffer.byte_of(self.document.buffer.head()))?;
        let (view, token) = (shown.compiled.view(), shown.token_at(byte)?);
        let around = std::iter::successors(Some(shown.node_of(token)), |node| view.parent(*node));
        let calls = around.filter(|node| view.is(*node, Role::Call));
        let texts = calls.filter_map(|node| view.source.get(view.extent_span(node)?));
        { texts }.find(|text| runs(shown, text)).map(str::to_string)
    }

    /// Returns an initial call of a function: the one under the cursor, the last one requested, or else the
    /// first in a test.
    pub fn call_to_begin_with(&self, function: RoutineId) -> String {
        let Some(shown) = self.shown() else { return String::new() };
        if let Some(call) = self.call_under_cursor() {
            return call;
        }
        let name = shown.compiled.function_name(function);
        if let Some(call) = self.run.calls.get(name) {
            return call.clone();
        }
        let (view, program) = (shown.compiled.view(), shown.compiled.program());
        let entries = shown.compiled.entry(EntryId::FIRST).map(|first| first.head().up_to(view.all().end()));
        let calls = entries.into_iter().flatten().filter(|t| view.is(*t, Role::Call));
        let own = calls.filter(|t| program.callee(*t).is_some_and(|callee| callee.id == function));
        let texts = own.filter_map(|t| view.source.get(view.extent_span(t)?));
        { texts }.find(|text| runs(shown, text)).map_or(format!("{name}("), str::to_string)
    }
}

/// Returns whether a text is a call that can be run.
fn runs(shown: &Shown, text: &str) -> bool {
    Subject::of_call(text).is_ok_and(|call| call.find(&shown.compiled, &shown.entries).is_ok())
}

pub enum Runnable {
    /// A test or property under the cursor.
    Entry(Subject),
    /// A test or property elsewhere.
    Any(Subject),
    /// A function, whose arguments must be asked for.
    Function(RoutineId),
}

fn entry_subject(shown: &Shown, id: EntryId) -> Subject {
    Subject::Entry { label: entry_label(&shown.compiled, id), id }
}
