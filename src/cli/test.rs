//! `myriad test`: runs tests and properties.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::args::{Common, Format, TestArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::limit::{Limit, Limits};
use super::rules::{RuleFile, on_processor};
use super::session::Session;
use super::test_watch::{Slow, TestWatch};
use super::titles::{Heading, heading};
use super::{FileReport, each_file, holes};
use crate::compiler::program::{Compiled, Routine, Watch};
use crate::engine::EntryResult;
use crate::engine::explain::{Value, explain};
use crate::engine::extra_inputs::{ExtraInputs, is_proved};
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index};
use crate::lang::role::Role;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::{shortened, visible};
use crate::testing::trace::{self, Subject};

/// The result of a test or property.
#[derive(Serialize)]
pub struct TestEntry {
    pub index: EntryId,
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub line: u32,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap_line: Option<u32>,
    /// The values that caused the trap, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trap_cause: Option<String>,
    /// The place of the hole that an unfinished one arrives at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hole_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hole_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_name")]
    pub counterexample: Vec<(String, Value)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<u32>,
    /// Whether these are all values of the property's domain, which proves it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// For a property with a condition: the number of inputs that did not meet it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discarded: Option<u32>,
    /// Whether so many inputs were discarded that the property shows little.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub discards_many: bool,
    pub steps: u64,
    /// Its name or its expression, for text output.
    #[serde(skip)]
    pub title: String,
}

/// The most characters of a title in text output.
const TITLE: usize = 57;

pub fn test(common: Common, args: &TestArgs) -> Result<Exit, Failure> {
    let limits = Limits::new(args.seconds);
    let rules = args.rules.as_deref().map(RuleFile::read).transpose()?;
    let mut session = Session::for_single_program(on_processor(common, rules.is_some()))?;
    session.make_holes(args.partial);
    each_file(&args.files.files, common, |source| {
        let waiting = TestWatch::new(limits.whole());
        let Some(base) = session.base_with_watch(source, &waiting)? else {
            return Ok(stopped(source, &limits.whole(), waiting.slow()));
        };
        let mut applied = None;
        let (program, entries) = match rules.as_ref().filter(|_| base.compiled.facts.compiles()) {
            None => (&base.compiled, base.entries),
            Some(rules) => {
                let Some(own) = rules.apply(&base.compiled, &waiting) else {
                    return Ok(stopped(source, &limits.whole(), waiting.slow()));
                };
                let own = applied.insert(own);
                (&own.program, own.tallies.iter().map(EntryResult::new).collect())
            }
        };
        let Some(ended) = on_inputs(program, &entries, args.inputs, &waiting) else {
            return Ok(stopped(source, &limits.whole(), waiting.slow()));
        };
        let mut report = FileReport::new(source, &diagnostics(&base.compiled));
        let entries: Vec<TestEntry> =
            EntryId::all().zip(&ended).map(|(id, result)| entry(program, id, result)).collect();
        let short = entries.iter().filter(|entry| entry.status != "pass").count();
        let name = source.shown();
        let mut steps = String::new();
        if short > 0 {
            report.add_failure(
                format!("{short} of {} tests of {name} do not pass", entries.len()),
                format!("`myriad {}` opens the program and retests it on each change", source.word()),
            );
        }
        let timings = session.timings(&base.timings);
        if let Some(index) = args.trace.filter(|_| report.exit == Exit::Good || short > 0) {
            let (id, all) = (EntryId::new(index), program.entries());
            let subject = Subject::Entry { label: trace::entry_label(program, id), id };
            let target = subject.find(program, &ended).ok().filter(|_| all.contains(id));
            let target = target.ok_or_else(|| {
                let known = plural(all.len().into(), "test");
                Failure::call(
                    format!("there is no test {index} in {name}"),
                    format!("it has {known}, counted from 0"),
                )
            })?;
            let (routine, frame) = (target.routine, &target.frame);
            let traced = trace::record_on(session.engine(), program, routine, frame, &|| false)?;
            let page = super::trace::page(&traced, &visible(&target.title), &args.tracing, common.format);
            match common.format {
                Format::Text => steps = page,
                Format::Json => report.lines = page,
            }
        }
        let runs = report.exit == Exit::Good || short > 0 || !entries.is_empty();
        let applied = rules.as_ref().zip(applied.as_ref());
        let last = applied.map_or(String::new(), |(rules, applied)| rules.summary(applied));
        let text = runs.then(|| steps + &page(&name, &entries) + &last);
        let own = Object::new().field("tests", entries);
        report.complete(own.option("rules", applied.map(|(rules, own)| rules.document(own))), text, timings);
        Ok(report)
    })
}

/// Returns the results with properties run on `inputs` inputs; `None` if the time limit was reached.
fn on_inputs(
    program: &Arc<Compiled>,
    ended: &[EntryResult],
    inputs: u32,
    waiting: &TestWatch,
) -> Option<Vec<EntryResult>> {
    let mut extra = ExtraInputs::new(program, ended, inputs);
    while !extra.is_done() {
        if let Some((entry, inputs)) = extra.at() {
            waiting.running(program, entry, inputs);
        }
        extra.step(Duration::from_millis(100), waiting)?;
    }
    Some(extra.results().to_vec())
}

/// Returns the report for tests that did not end before the limit.
fn stopped(source: &InputSource, limit: &Limit, slow: Option<Slow>) -> FileReport {
    let name = source.shown();
    let test = match &slow {
        Some(slow) => format!(" in test {} (`{}`)", slow.entry.next(), shortened(&slow.title, TITLE)),
        None => String::new(),
    };
    let own = Object::new().list("tests", [(); 0]);
    let Some(seconds) = limit.reached().and_then(|partial| partial.seconds()) else {
        return FileReport::unended(source, limit, &format!("its tests did not end{test}"), own);
    };
    let mut report = FileReport::new(source, &[]);
    report.add_failure(
        format!("the tests of {name} did not end within {seconds} s{test}"),
        "an endless loop stops at the step limit: without `--seconds`, the test reports it",
    );
    // The test or property that was running, if known.
    let stopped = Object::new().field("seconds", seconds).option("test", slow.map(|slow| slow.entry));
    report.add_document(own.field("stopped", stopped), None);
    report
}

pub fn entry(program: &Arc<Compiled>, id: EntryId, result: &EntryResult) -> TestEntry {
    let (view, head) = (program.view(), program.entry(id).map(Routine::head));
    let prop = head.filter(|head| view.is(*head, Role::Prop));
    let is_prop = prop.is_some();
    let Heading { name, title, line } = heading(program, id);
    let explanation = explain(program, id, result);
    let hole = explanation.hole.map(|hole| holes::place(program, hole));
    let (status, trap) = match result.outcome {
        Outcome::Pass => ("pass", None),
        Outcome::Fail => ("fail", None),
        Outcome::Trap(Trap::Hole) => ("unfinished", None),
        Outcome::Trap(trap) => ("trap", Some(trap.ident())),
        Outcome::Discarded => ("discarded", None),
    };
    TestEntry {
        index: id,
        kind: if is_prop { "prop" } else { "test" },
        title,
        name,
        line,
        status,
        trap,
        trap_line: explanation.trap_line.filter(|_| trap.is_some()),
        trap_cause: trace::cause_of_trap(program, id, result),
        hole_line: hole.map(|(line, _)| line),
        hole_column: hole.map(|(_, column)| column),
        left: explanation.left,
        right: explanation.right,
        counterexample: explanation.counterexample,
        inputs: is_prop.then_some(result.inputs),
        all: is_proved(program, id, result),
        discarded: prop.and_then(|head| view.child(head, 2)).map(|_| result.discarded),
        discards_many: result.discards_many(),
        steps: result.steps,
    }
}

/// Formats the results as text.
fn page(name: &str, entries: &[TestEntry]) -> String {
    let passed = entries.iter().filter(|entry| entry.status == "pass").count();
    let mut page = format!("{name}: {passed} of {} pass\n", entries.len());
    let title = |entry: &TestEntry| shortened(&entry.title, TITLE);
    let width = entries.iter().map(|entry| title(entry).chars().count()).max().unwrap_or(0);
    for entry in entries {
        let _ = write!(page, "  {}  {:width$}", entry.status, title(entry));
        let all = if entry.all { "all " } else { "" };
        let inputs =
            entry.inputs.map(|inputs| format!("{all}{}, ", plural(inputs.into(), "input"))).unwrap_or_default();
        let discarded = entry.discarded.map_or(String::new(), |count| grouped(count.into()) + " discarded, ");
        let _ = writeln!(page, "  {inputs}{discarded}{}", plural(entry.steps, "step"));
        for line in reasons(entry) {
            let _ = writeln!(page, "          {line}");
        }
    }
    page
}

/// Explains why an entry does not pass, or shows little, one line per reason.
pub fn reasons(entry: &TestEntry) -> Vec<String> {
    let mut lines = Vec::new();
    if entry.status == "discarded" {
        lines.push(format!("line {}: no input meets its condition", entry.line));
        return lines;
    }
    if let (true, Some(inputs), Some(discarded)) = (entry.discards_many, entry.inputs, entry.discarded) {
        let met = plural((inputs - discarded).into(), "input");
        lines.push(format!("line {}: only {met} of {} met its condition", entry.line, grouped(inputs.into())));
    }
    if entry.status == "pass" {
        return lines;
    }
    lines.push(match (entry.trap, entry.trap_line) {
        _ if let (Some(line), Some(column)) = (entry.hole_line, entry.hole_column) => {
            format!("line {}: arrives at the hole on line {line}, column {column}", entry.line)
        }
        (None, _) if entry.status == "unfinished" => format!("line {}: arrives at a hole", entry.line),
        (Some(trap), Some(line)) => {
            let why = entry.trap_cause.as_ref().map_or(String::new(), |cause| format!(": {cause}"));
            format!("line {}: {trap} on line {line}{why}", entry.line)
        }
        (Some(trap), None) => format!("line {}: {trap}", entry.line),
        (None, _) => format!("line {}: this is false", entry.line),
    });
    let values: Vec<String> =
        entry.counterexample.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !values.is_empty() {
        lines.push(format!("for {}", values.join(", ")));
    }
    lines.extend(entry.left.iter().map(|left| format!("left:  {left}")));
    lines.extend(entry.right.iter().map(|right| format!("right: {right}")));
    lines
}

fn by_name<S: Serializer>(values: &[(String, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(values.len()))?;
    for (name, value) in values {
        map.serialize_entry(name, value)?;
    }
    map.end()
}
