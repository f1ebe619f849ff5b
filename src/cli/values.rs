//! `--values`: the function's source with the values of the call after its lines, and the probes with theirs.

use std::collections::BTreeMap;

use crate::host::measure::numbers::grouped;
use crate::lang::trap::Trap;
use crate::report::document::Object;
use crate::report::table::{Table, number, words};
use crate::testing::probes::{Probe, ProbeEnd, Probes};
use crate::testing::trace::{CallValues, LineValues, PlaceValues, SeenValue, Trace, ValuePlace, ValuesFocus};

/// Returns the values of the first call of a run, as text and as rows of a document; the text also has the probes.
pub fn values(trace: &Trace, probes: &Probes) -> (String, Vec<Object>) {
    let values = trace.values(ValuesFocus::default());
    (page(trace, &values, probes), values.lines.iter().map(row).collect())
}

/// Returns a probe as a row of a document.
pub fn probe(probe: &Probe) -> Object {
    let row = Object::new().field("line", probe.line).field("expression", &probe.expression);
    match &probe.end {
        ProbeEnd::Value(value) => row.field("value", value),
        ProbeEnd::Trap(trap, line) => row.field("trap", trap.ident()).option("trap_line", *line),
        ProbeEnd::Unfinished(place) => {
            let row = row.field("trap", Trap::Hole.ident());
            row.option("hole_line", place.map(|at| at.line)).option("hole_column", place.map(|at| at.column))
        }
        ProbeEnd::Cut => row,
        ProbeEnd::Error(code) => row.field("error", code.code()),
    }
}

fn page(trace: &Trace, values: &CallValues, probes: &Probes) -> String {
    let view = trace.compiled.view();
    let head = trace.calls().first().and_then(|call| trace.compiled.executable.routine(call.function));
    let Some(head) = head.map(|routine| routine.head()) else { return String::new() };
    let numbers = view.lines(head);
    let mut after: BTreeMap<u32, String> = values.texts(|_| true).into_iter().collect();
    after.extend(probes.words());
    let is_shown = |number: u32| numbers.contains(&number) || probes.0.iter().any(|probe| probe.line == number);
    let source = (1..).zip(view.source.lines()).filter(|(number, _)| is_shown(*number));
    let mut table = Table::new([number(""), words(""), words("")]);
    for (number, text) in source {
        table.row(&[&number, &text, &after.get(&number).map_or("", String::as_str)]);
    }
    let more = match trace.calls().len() {
        1 => String::new(),
        calls => format!("of the first of {} calls\n", grouped(calls as u64)),
    };
    table.text("") + &more
}

fn row(line: &LineValues) -> Object {
    let row = Object::new().field("line", line.line).field("reached", line.reached);
    row.unless_empty("values", line.values.iter().map(place))
}

fn place(place: &PlaceValues) -> Object {
    let (kind, name) = match &place.place {
        ValuePlace::Variable(name) => ("variable", Some(name)),
        ValuePlace::Element(name) => ("element", Some(name)),
        ValuePlace::Condition => ("condition", None),
        ValuePlace::Call(name) => ("call", Some(name)),
        ValuePlace::Return => ("return", None),
    };
    let row = Object::new().field("place", kind).option("name", name).field("count", place.count);
    row.flag("cut", place.cut).list("seen", place.seen.iter().map(seen))
}

fn seen(seen: &SeenValue) -> Object {
    let row = Object::new().field("step", seen.step).option("index", seen.index);
    let row = row.unless_empty("arguments", &seen.arguments).option("value", seen.value.as_ref());
    let row = row.flag("guess", seen.is_guess);
    row.option("times", (seen.times > 1).then_some(seen.times))
}
