//! What shows of a run at a position: rows, made once for each position, by work that the distance of keyframes bounds.

use std::sync::Arc;

use super::{RunView, beside, calls};
use crate::engine::explain::Value;
use crate::lang::trap::Trap;
use crate::measure::numbers::grouped;
use crate::program::Instructions;
use crate::report::listing;
use crate::trace::{Frame, Setting, Source, Trace, Variable, written};
use crate::workbench::marks;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// Instructions that show before and behind the one that is next.
const AROUND: usize = 2;
/// Callers whose variables show.
const FRAMES: usize = 8;
/// What a stranger tries first.
const KEYS: &str = "→ ← step · w who made it · ? keys";
/// The same while somebody predicts, and what stands for how the run ends.
const GUESSES: &str = "alt-g guess · → n ] ask · esc ends";
const HIDDEN: &str = "to be predicted: how it ends";
/// Cells of the name of a variable, of a value's type.
const NAME: usize = 6;

/// What a row is of: a row of the same key is the same row at another position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Slider,
    Source,
    /// So many rows from the instruction that is next.
    Code(isize),
    /// From the top.
    Operand(u32),
    /// In so many calls outward.
    Variable(u32, u32),
    Call(u32),
    /// Of two runs side by side, so many steps from where they part.
    Beside(i64),
    /// Anything else, by its number.
    Other(u32),
}

/// A row.
#[derive(Clone, Debug)]
pub struct Row {
    pub key: Key,
    pub parts: Vec<(Look, String)>,
    /// The token of the run's program that it stands for.
    pub token: Option<u32>,
    /// Where enter goes.
    pub leads: Option<u32>,
    /// Who made the value that it shows.
    pub source: Option<Source>,
    /// The variable that it shows: call, place in the frame.
    pub variable: Option<(u32, u32)>,
}

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub rows: Vec<Row>,
}

impl Row {
    pub fn new(key: Key, parts: impl IntoIterator<Item = (Look, String)>) -> Row {
        let parts = parts.into_iter().map(|(look, text)| (look, visible(&text))).collect();
        Row { key, parts, token: None, leads: None, source: None, variable: None }
    }
}

impl Scene {
    pub fn new(view: &RunView) -> Scene {
        let mut rows = Vec::new();
        let Some(recorded) = &view.recorded else { return Scene::default() };
        let mut said = 0;
        let mut say = |rows: &mut Vec<Row>, look, text: String| {
            rows.push(Row::new(Key::Other(said), [(look, text)]));
            said += 1;
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
        rows.push(Row::new(Key::Slider, []));
        say(&mut rows, Look::Text, share(trace, position, hides));
        say(&mut rows, Look::Dim, if hides { GUESSES } else { KEYS }.to_string());
        rows.push(source_row(trace, position));
        if let Some(source) = view.asked {
            let value = asked_value(trace, source).map_or(String::new(), |value| format!("{value}: "));
            say(&mut rows, Look::Good, format!("{} {value}{}", marks::MADE.glyph, trace.because(source)));
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
        for (depth, frame) in frames.iter().enumerate() {
            if depth == 0 {
                operand_rows(trace, frame, position, &mut rows);
            }
        }
        for (depth, frame) in frames.iter().enumerate().take(FRAMES) {
            say(&mut rows, Look::Heading, frame_title(trace, frame));
            for (variable, value, setting) in &frame.variables {
                rows.push(variable_row(trace, frame, depth as u32, position, (variable, value, *setting)));
            }
        }
        if frames.len() > FRAMES {
            say(&mut rows, Look::Dim, format!("and {} callers more", frames.len() - FRAMES));
        }
        say(&mut rows, Look::Heading, "calls".to_string());
        rows.extend(calls::rows(trace, position, &view.toggled, hides));
        for why in &recorded.refused {
            say(&mut rows, Look::Bad, format!("breakpoint in {why}"));
        }
        Scene { rows }
    }

    pub fn at(&self, key: Key) -> Option<usize> {
        self.rows.iter().position(|row| row.key == key)
    }
}

/// How the run ended, in short.
fn ending(trace: &Trace) -> (Look, String) {
    match (trace.record.trap, trace.turn()) {
        (Trap::None, _) if trace.is_discarded() => {
            (marks::DISCARDED.look, format!("{} discarded", marks::DISCARDED.glyph))
        }
        (Trap::None, _) => match trace.result(0) {
            Some(Value::Bool(false)) => (Look::Bad, format!("{} false", marks::FAILS.glyph)),
            Some(value) => (Look::Good, format!("{} {value}", marks::PASSES.glyph)),
            None => (Look::Dim, "it has ended".to_string()),
        },
        (Trap::StepLimit, Some(turn)) => {
            let from = grouped(turn.from.into());
            (
                Look::Bad,
                format!(
                    "{} never ends: from step {from} on the same {} steps again",
                    marks::TRAPS.glyph,
                    turn.period
                ),
            )
        }
        (trap, _) if trace.is_empty() => {
            (Look::Bad, format!("{} {} before the first step", marks::TRAPS.glyph, trap.ident()))
        }
        (trap, _) => {
            (Look::Bad, format!("{} {} in line {}", marks::TRAPS.glyph, trap.ident(), trace.line(trace.last())))
        }
    }
}

/// Which step of how many, and which time in this line of how many.
fn share(trace: &Trace, position: u32, hides: bool) -> String {
    let line = trace.line(position);
    let visits = trace.visits(line);
    let nth = visits.partition_point(|visit| *visit <= position);
    let part = 100.0 * f64::from(position + 1) / f64::from(trace.len().max(1));
    // How often the line will be come to tells how a loop ends.
    let of = if hides { String::new() } else { format!(" of {}", grouped(visits.len() as u64)) };
    format!(
        "step {} of {}, {part:.0} % · time {nth}{of}",
        grouped(u64::from(position) + 1),
        grouped(trace.len().into())
    )
}

/// The line of the source, with what is evaluated.
fn source_row(trace: &Trace, position: u32) -> Row {
    let view = trace.compiled.view();
    let token = trace.token(position);
    let line = trace.line(position);
    let text = view.source.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
    let start = text.as_ptr() as usize - view.source.as_ptr() as usize;
    let whole = token.and_then(|token| {
        let node = if view.role(token).is_expression() { view.extent_span(token) } else { None };
        node.or_else(|| view.span(token..token + 1))
    });
    let cut = |byte: usize| byte.saturating_sub(start).min(text.len());
    let (lo, hi) = whole.map_or((0, 0), |bytes| (cut(bytes.start), cut(bytes.end)));
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or("").to_string();
    let indent = text.len() - text.trim_start().len();
    let mut row = Row::new(
        Key::Source,
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

/// The instructions around the one that is next, as they stand in the code.
fn code_rows(trace: &Arc<Trace>, position: u32, rows: &mut Vec<Row>) {
    let Some(step) = trace.step(position) else { return };
    let call = trace.call(trace.call_at(position));
    let routine = call.and_then(|call| trace.compiled.executable.routine(call.function));
    let Some(routine) = routine else { return };
    let base = routine.address();
    let addresses: Vec<u32> = Instructions::of(routine.words()).map(|found| base + found.at as u32).collect();
    let here = addresses.partition_point(|at| *at < step.pc);
    // At the ends of a routine as many as elsewhere: what stands below keeps its place.
    let from = here.saturating_sub(AROUND).min(addresses.len().saturating_sub(2 * AROUND + 1));
    let shown: Vec<u32> = addresses.iter().copied().skip(from).take(2 * AROUND + 1).collect();
    for (number, line) in (from..).zip(listing::at(&trace.compiled, &shown)) {
        let offset = number as isize - here as isize;
        let look = if offset == 0 { Look::CurrentNumber } else { Look::Dim };
        let glyph = if offset == 0 { marks::NEXT.glyph } else { " " };
        let mut row = Row::new(
            Key::Code(offset),
            [
                (look, format!("{glyph} {:04} ", line.at)),
                (if offset == 0 { Look::Text } else { Look::Dim }, format!("{:<13} ", line.op)),
                (Look::Number, line.operands),
                (Look::Comment, format!("  ; {}", written(trace.compiled.view(), line.token))),
            ],
        );
        row.token = Some(line.token);
        let next = trace.executions(line.at);
        row.leads = next.get(next.partition_point(|step| *step <= position)).or(next.first()).copied();
        rows.push(row);
    }
}

/// The operands, the topmost first; those that the next instruction takes are marked.
fn operand_rows(trace: &Trace, frame: &Frame, position: u32, rows: &mut Vec<Row>) {
    let takes = trace.takes(position);
    if frame.operands.is_empty() {
        rows.push(Row::new(Key::Operand(0), [(Look::Dim, "  nothing".to_string())]));
    }
    for (number, operand) in (0..).zip(&frame.operands) {
        let taken = if (number as usize) < takes { marks::TAKEN.glyph } else { " " };
        let mut parts = vec![(Look::CurrentNumber, format!("{taken} "))];
        parts.extend(cells(&operand.value, None));
        parts.push((Look::Type, format!(" {}", operand.ty)));
        parts.push((Look::Comment, format!("  {}", written(trace.compiled.view(), operand.token))));
        let made = operand
            .maker
            .map_or("given".to_string(), |source| format!("step {}", grouped(u64::from(source.step) + 1)));
        parts.push((Look::Dim, format!("  {made}")));
        let mut row = Row::new(Key::Operand(number), parts);
        row.token = Some(operand.token);
        row.source = operand.maker;
        row.leads = operand.maker.map(|source| source.step);
        rows.push(row);
    }
}

fn frame_title(trace: &Trace, frame: &Frame) -> String {
    let name = calls::name(trace, frame.function);
    let line = trace.line(frame.position);
    if frame.call == 0 { format!("{name}, line {line}") } else { format!("{name}(), line {line}") }
}

fn variable_row(
    trace: &Trace,
    frame: &Frame,
    depth: u32,
    position: u32,
    (variable, value, setting): (&Variable, &Option<Value>, Setting),
) -> Row {
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
            let made =
                step.map_or("given".to_string(), |step| format!("step {}", grouped(u64::from(step) + 1)));
            parts.push((Look::Dim, format!("  {made}")));
        }
        (None, _) => parts.push((Look::Dim, "– not set yet".to_string())),
    }
    let mut row = Row::new(Key::Variable(depth, variable.slot), parts);
    row.token = Some(variable.token);
    row.source = source;
    row.leads = source.map(|source| source.step);
    row.variable = Some((frame.call, variable.slot));
    row
}

/// The element that a step has stored, if it is one that does.
fn element(trace: &Trace, step: u32) -> Option<usize> {
    let (instruction, _) = trace.instruction(step)?;
    let index = trace.step(step)?.below;
    (instruction.op == crate::lang::opcode::Op::StoreIndex).then_some(usize::from(index))
}

/// A value; a list as cells side by side, one of them marked.
fn cells(value: &Value, marked: Option<usize>) -> Vec<(Look, String)> {
    let texts: Vec<String> = match value {
        Value::Ints(list) => list.iter().map(ToString::to_string).collect(),
        Value::Bools(list) => list.iter().map(ToString::to_string).collect(),
        value => return vec![(Look::Number, value.to_string())],
    };
    let mut parts = vec![(Look::Rule, "│".to_string())];
    for (number, text) in texts.iter().enumerate() {
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

/// The value that a source made or handed on.
fn asked_value(trace: &Trace, source: Source) -> Option<Value> {
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
