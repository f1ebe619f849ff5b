//! The call tree of a run, unfolded at the current position and limited to the calls around it.

use std::collections::BTreeSet;

use super::row::{RunKey, RunRow};
use crate::host::measure::numbers::grouped;
use crate::host::measure::share::percent;
use crate::lang::index::{CallId, Index, Position, RoutineId};
use crate::testing::trace::{Call, Trace, entry_label, step_number};
use crate::workbench::marks;
use crate::workbench::theme::Look;

/// The number of a caller's calls shown around the current position, and of rows in all.
const SIBLINGS: usize = 6;
const ROWS: usize = 40;
/// The maximum number of argument characters.
const SHOWN: usize = 40;

/// Returns the name of a routine; for a test or property, its label.
pub fn name(trace: &Trace, function: RoutineId) -> String {
    let compiled = &trace.compiled;
    match compiled.facts.entry_of(function) {
        Some(entry) => entry_label(compiled, entry),
        None => compiled.function_name(function).to_string(),
    }
}

/// Builds the tree's rows. If `hides`, they show only what has begun or ended at the position.
pub fn rows(trace: &Trace, position: Position, toggled: &BTreeSet<CallId>, hides: bool) -> Vec<RunRow> {
    let active = trace.active(position);
    let unfolded = |id: CallId| active.contains(&id) != toggled.contains(&id);
    let mut rows = Vec::new();
    let mut waiting = vec![Waits::Call(CallId::default(), 0)];
    while let Some(next) = waiting.pop() {
        if rows.len() >= ROWS {
            break;
        }
        match next {
            Waits::More(text, depth, at) => {
                let mut row =
                    RunRow::new(RunKey::Call(at), [(Look::Dim, format!("{}  {text}", "  ".repeat(depth)))]);
                row.leads = trace.call(at).map(|call| call.start);
                rows.push(row);
            }
            Waits::Call(id, depth) => {
                rows.push(row(
                    trace,
                    id,
                    depth,
                    unfolded(id),
                    active.first() == Some(&id),
                    hides.then_some(position),
                ));
                if unfolded(id) {
                    let below = children(trace, id, position, depth + 1, hides);
                    waiting.extend(below.into_iter().rev());
                }
            }
        }
    }
    rows
}

enum Waits {
    Call(CallId, usize),
    /// A summary of hidden calls, its depth, and the first of these calls.
    More(String, usize, CallId),
}

/// Returns some of the calls made by a call: those around a position.
fn children(trace: &Trace, id: CallId, position: Position, depth: usize, hides: bool) -> Vec<Waits> {
    let Some(call) = trace.call(id).copied().filter(|call| call.children > 0) else { return Vec::new() };
    // Find the last inner call that began by the position, then its ancestor among the caller's direct calls.
    let within = &trace.calls()[id.next().up_to(id + call.size).positions()];
    let begun = within.partition_point(|inner| inner.start <= position).max(1);
    let mut first = id + begun as u32;
    while let Some(parent) = trace.call(first).and_then(|inner| inner.parent).filter(|parent| *parent != id) {
        first = parent;
    }
    for _ in 0..SIBLINGS / 2 {
        match trace.call(first).and_then(|inner| inner.previous) {
            Some(previous) => first = previous,
            None => break,
        }
    }
    let mut found = Vec::new();
    let hidden = trace.call(first).map_or(0, |inner| inner.nth);
    if hidden > 0 {
        found.push(Waits::More(format!("{} before", grouped(hidden.into())), depth, id.next()));
    }
    let mut shown = 0;
    let mut at = first;
    let begun = |inner: &&Call| !hides || inner.start <= position;
    while let Some(inner) =
        trace.call(at).filter(|inner| inner.parent == Some(id) && shown < SIBLINGS).filter(begun)
    {
        found.push(Waits::Call(at, depth));
        shown += 1;
        at = at + inner.size;
    }
    let behind = call.children as usize - hidden as usize - shown;
    if behind > 0 && !hides {
        found.push(Waits::More(format!("{} more", grouped(behind as u64)), depth, at));
    }
    found
}

/// Builds a call's row. If `seen` is set, later events are hidden.
fn row(
    trace: &Trace,
    id: CallId,
    depth: usize,
    unfolded: bool,
    current: bool,
    seen: Option<Position>,
) -> RunRow {
    let Some(call) = trace.call(id) else { return RunRow::new(RunKey::Call(id), []) };
    let begun = |seen: Position| {
        trace.call(id.next()).is_some_and(|inner| inner.parent == Some(id) && inner.start <= seen)
    };
    let children = if seen.is_none_or(begun) { call.children } else { 0 };
    let fold = match (children, unfolded) {
        (0, _) => marks::LEAF.glyph,
        (_, true) => marks::UNFOLDED.glyph,
        (_, false) => marks::FOLDED.glyph,
    };
    let (arguments, result) = trace.arguments_and_result(id);
    let mut given = arguments.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    if let Some((end, _)) = given.char_indices().nth(SHOWN) {
        given.truncate(end);
        given.push('…');
    }
    let name = name(trace, call.function);
    let called = if call.parent.is_none() && arguments.is_empty() { name } else { format!("{name}({given})") };
    let ended = seen.is_none_or(|seen| call.ends_by(seen));
    let gave = match result.filter(|_| ended) {
        Some(value) => format!(" = {value}"),
        None => " …".to_string(),
    };
    let mut at = format!("  step {}", step_number(call.start));
    if ended {
        let end = call.end.map_or(trace.len(), Index::number).min(trace.len());
        let steps = end.saturating_sub(call.start.number());
        let share = percent(f64::from(steps) / f64::from(trace.len().max(1)), 0);
        at.push_str(&format!(" · {} ({share} %)", grouped(steps.into())));
    }
    let mut row = RunRow::new(
        RunKey::Call(id),
        [
            (Look::Dim, format!("{}{fold} ", "  ".repeat(depth))),
            (if current { Look::CurrentNumber } else { Look::Text }, called),
            (Look::Number, gave),
            (Look::Dim, at),
        ],
    );
    row.leads = Some(call.start);
    row
}
