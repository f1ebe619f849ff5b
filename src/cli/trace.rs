//! `--trace`: prints the steps of a run, as a table or as one JSON object per line.

use std::fmt::Write;

use serde::Serialize;

use super::args::{Format, Tracing};
use crate::engine::explain::Value;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{Address, CallId, Index, Indices, Position, TokenId};
use crate::lang::trap::Trap;
use crate::report::document;
use crate::report::listing::{self, Line};
use crate::testing::trace::{Trace, written};

/// Maximum number of call levels shown as indentation.
const LEVELS: usize = 20;

#[derive(Serialize)]
struct TraceLine<'a> {
    step: Position,
    line: u32,
    token: Option<TokenId>,
    address: Address,
    op: &'a str,
    operands: &'a str,
    depth: u16,
    function: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaves: Option<Value>,
    /// The steps that produced its operands, the topmost operand first.
    from: Vec<Position>,
}

/// Formats the requested steps; in text format, followed by how the run ended.
pub fn page(trace: &Trace, title: &str, asked: &Tracing, format: Format) -> String {
    let code = listing::bytecode(&trace.compiled);
    let listed = |pc: u32| code.binary_search_by_key(&pc, |line| line.at).ok().map(|at| &code[at]);
    let from = asked.from.min(trace.len());
    let to = from.saturating_add(asked.steps).min(trace.len());
    let mut page = String::new();
    if format == Format::Text {
        let _ = writeln!(page, "{title}\n{:>8}  {:>4}  {:<44} leaves", "step", "line", "instruction");
    }
    for position in Indices::numbered(from..to) {
        let (Some(step), Some(line)) = (trace.step(position), trace.step(position).and_then(|s| listed(s.pc)))
        else {
            continue;
        };
        match format {
            Format::Text => text_row(trace, position, step.depth, line, &mut page),
            Format::Json => {
                let function = trace.call(trace.call_at(position)).map(|call| call.function);
                let row = TraceLine {
                    step: position,
                    line: trace.line(position),
                    token: line.token,
                    address: step.address(),
                    op: line.op,
                    operands: &line.operands,
                    depth: step.depth,
                    function: function.map_or("", |function| trace.compiled.function_name(function)),
                    leaves: trace.left(position),
                    from: trace.needs(position).iter().map(|source| source.step).collect(),
                };
                page.push_str(&document::json(&row));
                page.push('\n');
            }
        }
    }
    if format == Format::Text {
        if to - from < trace.len() {
            let shown = match to - from {
                0 => "no step is".to_string(),
                _ => format!("steps {} to {} are", grouped(from.into()), grouped((to - 1).into())),
            };
            let _ = writeln!(
                page,
                "{shown} shown of {}: `--from` and `--steps` choose",
                grouped(trace.len().into())
            );
        }
        let _ = writeln!(page, "{}", end(trace));
    }
    page
}

fn text_row(trace: &Trace, position: Position, depth: u16, line: &Line, page: &mut String) {
    let indent = "  ".repeat(usize::from(depth).min(LEVELS));
    let instruction = format!("{indent}{} {}", line.op, line.operands);
    let leaves = trace.left(position).map_or(String::new(), |value| value.to_string());
    let row = format!("{position:>8}  {:>4}  {:<44} {leaves}", trace.line(position), instruction.trim_end());
    page.push_str(row.trim_end());
    page.push('\n');
}

/// Describes how the run ended, in a sentence.
pub fn end(trace: &Trace) -> String {
    let steps = plural(trace.len().into(), "step");
    let place = || {
        let token = trace.token(trace.last());
        let at = token.map(|token| written(trace.compiled.view(), token));
        format!("line {}, at `{}`", trace.line(trace.last()), at.unwrap_or_default())
    };
    match (trace.record.trap, trace.cycle()) {
        (Trap::None, _) if trace.is_discarded() => {
            format!("the input does not meet the condition: it is discarded after {steps}")
        }
        (Trap::None, _) => match trace.result(CallId::default()) {
            Some(value) => format!("it returns {value} after {steps}"),
            None => format!("it ends after {steps}"),
        },
        (Trap::StepLimit, Some(turn)) => format!(
            "it never ends: from step {} at the latest it repeats itself every {}; it was ended after {steps}",
            grouped(turn.from.number().into()),
            plural(turn.period.into(), "step"),
        ),
        (Trap::StepLimit, None) => format!("it was ended after {steps}, the limit"),
        _ if trace.is_empty() => format!("it traps before its first step: {}", trace.record.trap.ident()),
        (trap, _) => {
            let why = trace.cause().map_or(String::new(), |cause| format!(": {cause}"));
            format!("it traps after {steps}: {} on {}{why}", trap.ident(), place())
        }
    }
}
