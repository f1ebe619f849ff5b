//! The rows that show a run at a position. They are built once per position, at a cost bounded by the
//! distance between keyframes.

use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use super::row::{RunKey, RunRow};
use super::{RunView, beside, calls};
use crate::compiler::program::{ExecutableInstruction, Instructions};
use crate::engine::explain::Value;
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::share::percent;
use crate::lang::index::{Address, CallId, Index, Position};
use crate::lang::trap::Trap;
use crate::report::listing;
use crate::testing::trace::{
    ProvenanceSource, Setting, Trace, TraceFrame, TraceOperand, Variable, step_number, written,
};
use crate::workbench::marks;
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::Look;

/// The number of instructions shown before and after the next one.
const AROUND: usize = 2;
/// The minimum width of instruction names, in cells.
const OPS: usize = 13;
/// The maximum number of frames whose variables are shown.
const FRAMES: usize = 8;
/// The first keys that a newcomer needs.
const KEYS: &str = "→ ← step · w origin · ? keys";
/// Likewise, during a comparison with another run.
const PARTING: &str = "→ ← · w origin · X divergence · ? keys";
/// Likewise, while the user predicts, and the text that replaces the run's outcome.
const GUESSES: &str = "alt-g guess · → n ] ask · esc ends";
const HIDDEN: &str = "predict how it ends";
/// The width of variable names and of types, in cells.
const NAME: usize = 6;
/// If a marked element has this index or a later one, earlier elements are omitted, except `SHOWN_BEFORE` of
/// them.
const LEFT_OUT: usize = 6;
const SHOWN_BEFORE: usize = 2;

#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub rows: Vec<RunRow>,
}

impl Scene {
    pub fn new(view: &RunView) -> Scene {
        let mut rows = Vec::new();
        let Some(recorded) = &view.recorded else { return Scene::default() };
        let mut said = 0;
        let mut say = |rows: &mut Vec<RunRow>, look, text: String| {
            for line in lines(look, text, view.cells) {
                rows.push(RunRow::new(RunKey::Other(said), [(look, line)]));
                said += 1;
            }
        };
        let (title, trace) = match &recorded.run {
            Ok(run) => run,
            Err(why) => {
                say(&mut rows, Look::Bad, why.clone());
                return Scene { rows };
            }
        };
        say(&mut rows, Look::Heading, title.clone());
        let hides = view.hides;
        let (look, end) = if hides {
            (marks::HIDDEN.look, format!("{} {HIDDEN}", marks::HIDDEN.glyph))
        } else {
            ending(trace)
        };
        say(&mut rows, look, end);
        if trace.is_empty() {
            return Scene { rows };
        }
        let position = view.position.min(trace.last());
        rows.push(RunRow::new(RunKey::Slider, []));
        say(&mut rows, Look::Text, format!("{} · {}", step_of(trace, position), trace.by.name()));
        if let Some(error) = &recorded.instead {
            say(&mut rows, Look::Bad, format!("not by the GPU: {error}"));
        }
        say(&mut rows, Look::Text, line_of(trace, position, hides));
        let keys = match view.offers {
            _ if hides => GUESSES.to_string(),
            _ if matches!(recorded.beside, Some(Ok(_))) => PARTING.to_string(),
            "" => KEYS.to_string(),
            offers => format!("→ ← · w origin · x {offers} · ? keys"),
        };
        say(&mut rows, Look::Dim, keys);
        rows.push(source_row(trace, position));
        if let Some(source) = view.asked {
            let value = asked_value(trace, source).map_or(String::new(), |value| format!("{value}: "));
            say(&mut rows, Look::Good, format!("{} {value}{}", marks::MADE.glyph, trace.sentence(source)));
        }
        match recorded.beside.as_ref().filter(|_| !hides) {
            Some(Ok(beside)) => beside::rows(trace, beside, position, &mut rows),
            Some(Err(why)) => say(&mut rows, Look::Bad, why.clone()),
            None => {}
        }
        say(&mut rows, Look::Heading, "instructions".to_string());
        code_rows(trace, position, &mut rows);
        let state = trace.state(position);
        let frames = trace.frames(&state);
        say(&mut rows, Look::Heading, format!("stack, {} taken next", trace.takes(position)));
        if let Some(frame) = frames.first() {
            operand_rows(trace, frame, position, &mut rows);
        }
        for (depth, frame) in frames.iter().enumerate().take(FRAMES) {
            say(&mut rows, Look::Heading, frame_title(trace, frame));
            if depth > 0 {
                // These operands stay on the stack until the call ends.
                rows.extend((0..).zip(&frame.operands).map(|(number, operand)| {
                    operand_row(trace, RunKey::Waiting(depth as u32, number), marks::WAITS.glyph, operand)
                }));
            }
            for (variable, value, setting) in &frame.variables {
                rows.push(variable_row(trace, frame, depth as u32, position, (variable, value, *setting)));
            }
        }
        if frames.len() > FRAMES {
            say(&mut rows, Look::Dim, format!("and {} more callers", frames.len() - FRAMES));
        }
        say(&mut rows, Look::Heading, "calls: first step · steps (share)".to_string());
        rows.extend(calls::rows(trace, position, &view.toggled, hides));
        for why in &recorded.refused {
            say(&mut rows, Look::Bad, format!("breakpoint in {why}"));
        }
        Scene { rows }
    }

    pub fn at(&self, key: RunKey) -> Option<usize> {
        self.rows.iter().position(|row| row.key == key)
    }
}

/// Returns a text as lines of `cells` cells, each after the first one indented. Only outcomes, errors and origins
/// continue on further lines; all other texts are cut, so that the rows below them stay in place.
fn lines(look: Look, text: String, cells: usize) -> Vec<String> {
    const INDENT: usize = 2;
    if !matches!(look, Look::Bad | Look::Good) || cells <= INDENT || visible(&text).width() <= cells {
        return vec![text];
    }
    let wrapped = wrap(&text, cells - INDENT);
    let indents = std::iter::once("").chain(std::iter::repeat("  "));
    indents.zip(wrapped).map(|(indent, line)| format!("{indent}{line}")).collect()
}

/// Returns the outcome of the run, in short.
fn ending(trace: &Trace) -> (Look, String) {
    match (trace.record.trap, trace.cycle()) {
        (Trap::None, _) if trace.is_discarded() => {
            (marks::DISCARDED.look, format!("{} discarded", marks::DISCARDED.glyph))
        }
        (Trap::None, _) => match trace.result(CallId::default()) {
            Some(Value::Bool(false)) => (Look::Bad, format!("{} false", marks::FAILS.glyph)),
            Some(value) => (Look::Good, format!("{} {value}", marks::PASSES.glyph)),
            None => (Look::Dim, "it has ended".to_string()),
        },
        (Trap::StepLimit, Some(turn)) => {
            let from = step_number(turn.from);
            (Look::Bad, format!("{} never ends: from {from} every {} steps", marks::TRAPS.glyph, turn.period))
        }
        (Trap::StepLimit, None) if trace.unended_loop().is_some() => {
            let found = trace.unended_loop().map(|found| (found.line, grouped(found.turns.into())));
            let (line, turns) = found.unwrap_or_default();
            (Look::Bad, format!("{} never ends: the loop in line {line} ran {turns} times", marks::TRAPS.glyph))
        }
        (trap, _) if trace.is_empty() => {
            (Look::Bad, format!("{} {} before the first step", marks::TRAPS.glyph, trap.ident()))
        }
        (Trap::Hole, _) => {
            let call = trace.cause().map_or(String::new(), |call| format!(", in {call}"));
            let line = trace.line(trace.last());
            (marks::HOLE.look, format!("{} {} at line {line}{call}", marks::HOLE.glyph, marks::HOLE.word))
        }
        (trap, _) => {
            let why = trace.cause().map_or(String::new(), |cause| format!(": {cause}"));
            let line = trace.line(trace.last());
            (Look::Bad, format!("{} {} in line {line}{why}", marks::TRAPS.glyph, trap.ident()))
        }
    }
}

fn step_of(trace: &Trace, position: Position) -> String {
    let part = percent(f64::from(position.next().number()) / f64::from(trace.len().max(1)), 0);
    format!("step {} of {}, {part} %", step_number(position), grouped(trace.len().into()))
}

/// Returns which execution of the line this is, out of how many, and the line's share of all steps.
fn line_of(trace: &Trace, position: Position, hides: bool) -> String {
    let line = trace.line(position);
    let visits = trace.visits(line);
    let nth = grouped(visits.partition_point(|visit| *visit <= position) as u64);
    if hides {
        // The number of further executions would reveal when a loop ends.
        return format!("line {line}: time {nth}");
    }
    let own = trace.steps_of(line);
    let share = percent(f64::from(own) / f64::from(trace.len().max(1)), 0);
    format!(
        "line {line}: time {nth} of {} · {}, {share} %",
        grouped(visits.len() as u64),
        plural(own.into(), "step")
    )
}

/// Builds the row with the source line, in which the evaluated expression is marked.
fn source_row(trace: &Trace, position: Position) -> RunRow {
    let view = trace.compiled.view();
    let token = trace.token(position);
    let line = trace.line(position);
    let text = view.source.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
    let start = text.as_ptr() as usize - view.source.as_ptr() as usize;
    let whole = token.and_then(|token| {
        let node = if view.role(token).is_expression() { view.extent_span(token) } else { None };
        node.or_else(|| view.span(token))
    });
    let cut = |byte: usize| byte.saturating_sub(start).min(text.len());
    let (lo, hi) = whole.map_or((0, 0), |bytes| (cut(bytes.start), cut(bytes.end)));
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or("").to_string();
    let indent = text.len() - text.trim_start().len();
    let mut row = RunRow::new(
        RunKey::Source,
        [
            (Look::CurrentNumber, format!("{line:>3} ")),
            (Look::Text, piece(indent.min(lo), lo)),
            (Look::Link, piece(lo, hi)),
            (Look::Text, piece(hi, text.len())),
        ],
    );
    row.token = token;
    row
}

/// Builds rows for the instructions around the next one, in address order.
fn code_rows(trace: &Arc<Trace>, position: Position, rows: &mut Vec<RunRow>) {
    let Some(step) = trace.step(position) else { return };
    let call = trace.call(trace.call_at(position));
    let routine = call.and_then(|call| trace.compiled.executable.routine(call.function));
    let Some(routine) = routine else { return };
    let base = routine.address();
    let of = |found: ExecutableInstruction| base + found.at as u32;
    let addresses: Vec<Address> = Instructions::of(routine.words()).map(of).collect();
    let ops = Instructions::of(routine.words()).map(|found| found.op.name().len()).fold(OPS, usize::max);
    let here = addresses.partition_point(|at| *at < step.address());
    // Show the same number of rows at the ends of a routine, so that the rows below stay in place.
    let from = here.saturating_sub(AROUND).min(addresses.len().saturating_sub(2 * AROUND + 1));
    let shown: Vec<Address> = addresses.iter().copied().skip(from).take(2 * AROUND + 1).collect();
    for (number, line) in (from..).zip(listing::at(&trace.compiled, &shown)) {
        let offset = number as isize - here as isize;
        let look = if offset == 0 { Look::CurrentNumber } else { Look::Dim };
        let glyph = if offset == 0 { marks::NEXT.glyph } else { " " };
        let mut row = RunRow::new(
            RunKey::Code(offset),
            [
                (look, format!("{glyph} {:04} ", line.at)),
                (if offset == 0 { Look::Text } else { Look::Dim }, format!("{:<ops$} ", line.op)),
                (Look::Number, line.operands),
                (
                    Look::Comment,
                    format!(
                        "  ; {}",
                        line.token.map_or(String::new(), |token| written(trace.compiled.view(), token))
                    ),
                ),
            ],
        );
        row.token = line.token;
        let next = trace.executions(Address::new(line.at));
        row.leads = next.get(next.partition_point(|step| *step <= position)).or(next.first()).copied();
        rows.push(row);
    }
}

/// Builds rows for the operands, topmost first; those that the next instruction takes are marked.
fn operand_rows(trace: &Trace, frame: &TraceFrame, position: Position, rows: &mut Vec<RunRow>) {
    let takes = trace.takes(position);
    if frame.operands.is_empty() {
        rows.push(RunRow::new(RunKey::Operand(0), [(Look::Dim, "  nothing".to_string())]));
    }
    for (number, operand) in (0..).zip(&frame.operands) {
        let taken = if (number as usize) < takes { marks::TAKEN.glyph } else { " " };
        rows.push(operand_row(trace, RunKey::Operand(number), taken, operand));
    }
}

/// Builds an operand's row: its value, type and expression, and the step that made it.
fn operand_row(trace: &Trace, key: RunKey, glyph: &str, operand: &TraceOperand) -> RunRow {
    let mut parts = vec![(Look::CurrentNumber, format!("{glyph} "))];
    parts.extend(cells(&operand.value, None));
    parts.push((Look::Type, format!(" {}", operand.ty)));
    let source = operand.token.map_or(String::new(), |token| written(trace.compiled.view(), token));
    parts.push((Look::Comment, format!("  {source}")));
    let made = operand.maker.map_or("given".to_string(), |source| format!("step {}", step_number(source.step)));
    parts.push((Look::Dim, format!("  {made}")));
    let mut row = RunRow::new(key, parts);
    row.token = operand.token;
    row.source = operand.maker;
    row.leads = operand.maker.map(|source| source.step);
    row
}

fn frame_title(trace: &Trace, frame: &TraceFrame) -> String {
    let name = frame.function.map_or(String::new(), |function| calls::name(trace, function));
    let line = trace.line(frame.position);
    if frame.call == CallId::default() {
        format!("{name}, line {line}")
    } else {
        format!("{name}(), line {line}")
    }
}

fn variable_row(
    trace: &Trace,
    frame: &TraceFrame,
    depth: u32,
    position: Position,
    (variable, value, setting): (&Variable, &Option<Value>, Setting),
) -> RunRow {
    let fresh = depth == 0 && Trace::is_new(setting, position);
    let glyph = if fresh { marks::FRESH.glyph } else { " " };
    let mut parts = vec![
        (marks::FRESH.look, format!("{glyph} ")),
        (if fresh { Look::Function } else { Look::Text }, format!("{:<NAME$} ", variable.name)),
    ];
    let mut source = None;
    match (value, setting) {
        (Some(value), setting) => {
            let step = if let Setting::At(step) = setting { Some(step) } else { None };
            let cell = step.filter(|_| fresh).and_then(|step| element(trace, step));
            parts.extend(cells(value, cell));
            source = step.map(|step| trace.setting_source(variable, step));
            let made = step.map_or("given".to_string(), |step| format!("step {}", step_number(step)));
            let ended = if trace.is_out_of_scope(variable, frame.position) { ", block ended" } else { "" };
            parts.push((Look::Dim, format!("  {made}{ended}")));
        }
        (None, _) => parts.push((Look::Dim, "– not set yet".to_string())),
    }
    let mut row = RunRow::new(RunKey::Variable(depth, variable.slot), parts);
    row.token = Some(variable.token);
    row.source = source;
    row.leads = source.map(|source| source.step);
    row.variable = Some((frame.call, variable.slot));
    row
}

/// Returns the index of the element that a step stores, if it stores one.
fn element(trace: &Trace, step: Position) -> Option<usize> {
    let (instruction, _) = trace.instruction(step)?;
    let index = trace.step(step)?.below;
    (instruction.op == crate::lang::opcode::Op::StoreIndex).then_some(usize::from(index))
}

/// Returns a value's cells; a list has one cell per element, one of which may be marked.
fn cells(value: &Value, marked: Option<usize>) -> Vec<(Look, String)> {
    let texts: Vec<String> = match value {
        Value::Ints(list) => list.iter().map(ToString::to_string).collect(),
        Value::Bools(list) => list.iter().map(ToString::to_string).collect(),
        value => return vec![(Look::Number, value.to_string())],
    };
    // Keep the marked element visible in a long list.
    let hidden = marked.filter(|at| *at >= LEFT_OUT).map_or(0, |at| at - SHOWN_BEFORE);
    let mut parts = vec![(Look::Rule, "│".to_string())];
    if hidden > 0 {
        parts.push((Look::Dim, format!("{hidden} …")));
        parts.push((Look::Rule, "│".to_string()));
    }
    for (number, text) in texts.iter().enumerate().skip(hidden) {
        let at = marked == Some(number);
        let text = if at { format!("{}{text}", marks::FRESH.glyph) } else { text.clone() };
        parts.push((if at { marks::FRESH.look } else { Look::Number }, text));
        parts.push((Look::Rule, "│".to_string()));
    }
    if texts.is_empty() {
        parts.push((Look::Dim, "│ empty".to_string()));
    }
    parts
}

/// Returns the value that a source made or passed on.
fn asked_value(trace: &Trace, source: ProvenanceSource) -> Option<Value> {
    match source.operand {
        None => trace.left(source.step),
        Some(operand) => {
            let state = trace.state(source.step);
            let call = trace.call_at(source.step);
            let frame = trace.frame(&state, call, source.step, u32::MAX);
            frame.operands.into_iter().nth(operand as usize).map(|operand| operand.value)
        }
    }
}
