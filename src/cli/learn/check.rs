//! `myriad learn --check`: checks that a file is a valid lesson, that it starts with goals left to reach, and
//! that it can be completed.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::args::{Common, LearnArgs};
use crate::cli::exit::Failure;
use crate::cli::input::{self, Source};
use crate::cli::session::Session;
use crate::cli::{Exit, FileReport, each_file, output};
use crate::host::measure::numbers::plural;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Span};
use crate::report::draw::{Note, notes};
use crate::report::places::Lines;
use crate::report::visible::visible;
use crate::workbench::key::Key;
use crate::workbench::keymap::Keymap;
use crate::workbench::keys;
use crate::workbench::learn::judge::{GoalStatus, Judgement};
use crate::workbench::learn::{Fault, Lesson, assess, split_header};

/// The JSON document on a file.
#[derive(Serialize)]
struct Document {
    faults: Vec<FaultRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<Checked>,
}

/// A fault in JSON.
#[derive(Serialize)]
struct FaultRow {
    #[serde(flatten)]
    span: Span,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

#[derive(Serialize)]
struct Checked {
    title: String,
    goals: Vec<Row>,
    /// The file of the solution.
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<String>,
    /// Items of the lesson that the solution lacks or changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gone: Vec<String>,
}

#[derive(Serialize)]
struct Row {
    goal: String,
    start: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Place>,
}

/// A goal's state for one text.
#[derive(Serialize)]
struct Place {
    state: &'static str,
    text: String,
}

impl From<&GoalStatus> for Place {
    fn from(standing: &GoalStatus) -> Place {
        Place { state: standing.state.name(), text: standing.text.clone() }
    }
}

/// Checks each file.
pub fn check(common: Common, args: &LearnArgs) -> Result<Exit, Failure> {
    if args.solution.is_some() && args.lessons.len() > 1 {
        return Err(Failure::call("`--solution` applies to one lesson", "check one file with `--solution`"));
    }
    let mut session = Session::for_single_program(common)?;
    each_file(&args.lessons, common, |source| {
        let mut report = FileReport::new(source, &[]);
        let (lesson, faults) = read(&source.text);
        let Some(lesson) = lesson.filter(|_| faults.is_empty()) else {
            report.findings = drawn(&source.name, &source.text, &faults, output::colours(&std::io::stderr()));
            let count = plural(faults.len() as u64, "fault");
            let help = "docs/learn.md explains how to write a lesson";
            report.add_failure(format!("{} is not a valid lesson: {count}", source.shown()), help);
            report.add_document(Document { faults: fault_rows(&source.text, &faults), lesson: None }, None);
            return Ok(report);
        };
        let start = assess(&lesson, &lesson.code, session.engine(), &|| false)?;
        let solution = match solution(source, args.solution.as_deref())? {
            Some(solution) => {
                let code: Arc<str> = split_header(&solution.text).code.into();
                Some((solution, assess(&lesson, &code, session.engine(), &|| false)?))
            }
            None => None,
        };
        if start.is_done() {
            let message = format!("{} starts with every goal reached", source.shown());
            report.add_failure(message, "leave something to do");
        } else if let Some((solution, judged)) = &solution
            && !judged.is_done()
        {
            let left = judged.standings.len() - judged.reached();
            let message = match left {
                0 => format!("{} changes code that {} requires to stay", solution.shown(), source.shown()),
                left => format!("{} does not reach {}", solution.shown(), plural(left as u64, "goal")),
            };
            report.add_failure(message, "the goals above show its progress");
        }
        report.text = text(source, &lesson, &start, solution.as_ref());
        // Errors in the initial program are listed, whether intended or not.
        let (program, _) = session.compile(source)?;
        for error in diagnostics(&program).iter().filter(|found| found.code.is_error()) {
            let (line, code, message) = (error.start.line, error.code.code(), visible(&error.message));
            report.text.push_str(&format!("  it starts with an error in line {line}: {code} {message}\n"));
        }
        report.add_document(Document { faults: vec![], lesson: Some(document(lesson, start, solution)) }, None);
        Ok(report)
    })
}

/// Reads the lesson in a text; returns its faults, unknown keys included.
pub fn read(text: &str) -> (Option<Lesson>, Vec<Fault>) {
    let lesson = match Lesson::read(text) {
        Ok(lesson) => lesson,
        Err(faults) => return (None, faults),
    };
    let unknown = lesson.keys.iter().filter(|key| !is_key(&key.key)).map(|key| {
        let fault = Fault::new(key.span.clone(), format!("the workbench has no key `{}`", key.key));
        fault.help("docs/keys.md lists all keys")
    });
    let faults = unknown.collect();
    (Some(lesson), faults)
}

/// Returns whether a key is bound in the workbench.
fn is_key(name: &str) -> bool {
    let known = Keymap::standard();
    let bound = |key: Key| keys::Context::ALL.iter().any(|context| known.binding(*context, key).is_some());
    // Lessons may write `F8` in upper case.
    Key::parse(name).or_else(|| Key::parse(&name.to_lowercase())).is_some_and(bound)
}

/// Reads the solution that the call names, or else the one in the lesson's folder, if it exists.
fn solution(source: &Source, named: Option<&OsStr>) -> Result<Option<Source>, Failure> {
    if let Some(named) = named {
        return input::read(named).map(Some);
    }
    let beside = source.path().with_extension("solution.myr");
    match beside.is_file() && source.name != "<stdin>" {
        true => input::read(&OsString::from(beside)).map(Some),
        false => Ok(None),
    }
}

fn text(source: &Source, lesson: &Lesson, start: &Judgement, solution: Option<&(Source, Judgement)>) -> String {
    let goals = plural(lesson.aims.len() as u64, "goal");
    let mut out = format!("{}: {}, {goals}\n", source.shown(), visible(&lesson.title));
    let line = |what: &str, standing: &GoalStatus| {
        format!("      {what:8}  {:8} {}\n", standing.state.name(), visible(&standing.text))
    };
    for (i, aim) in lesson.aims.iter().enumerate() {
        out.push_str(&format!("  {}\n", visible(&aim.text)));
        out.push_str(&line("start", &start.standings[i]));
        out.extend(solution.map(|(_, judged)| line("solution", &judged.standings[i])));
    }
    for gone in solution.iter().flat_map(|(_, judged)| &judged.gone) {
        out.push_str(&format!("  the solution changes {}, which must stay\n", visible(gone)));
    }
    if solution.is_none() {
        let beside = Path::new(&source.name).with_extension("solution.myr");
        let beside = visible(&beside.to_string_lossy());
        out.push_str(&format!("  no solution found: use `--solution FILE`, or create {beside}\n"));
    }
    out
}

fn document(lesson: Lesson, start: Judgement, solution: Option<(Source, Judgement)>) -> Checked {
    let place = |i: usize| solution.as_ref().map(|(_, judged)| Place::from(&judged.standings[i]));
    let row = |(i, aim): (usize, crate::workbench::learn::LessonGoal)| Row {
        goal: aim.text,
        start: Place::from(&start.standings[i]),
        solution: place(i),
    };
    Checked {
        title: lesson.title,
        goals: lesson.aims.into_iter().enumerate().map(row).collect(),
        gone: solution.as_ref().map_or_else(Vec::new, |(_, judged)| judged.gone.clone()),
        solution: solution.map(|(source, _)| source.name),
    }
}

/// Draws faults with their source lines.
pub fn drawn(name: &str, text: &str, faults: &[Fault], colours: bool) -> String {
    let lines = Lines::new(text);
    let note = |fault| note(fault, &lines);
    notes(name, text, faults.iter().map(note), colours)
}

fn note<'a>(fault: &'a Fault, lines: &Lines) -> Note<'a> {
    Note {
        is_error: true,
        code: None,
        span: &fault.span,
        column: lines.place(fault.span.start).column,
        message: &fault.message,
        help: fault.help.as_deref(),
        secondary: None,
    }
}

fn fault_rows(text: &str, faults: &[Fault]) -> Vec<FaultRow> {
    let lines = Lines::new(text);
    let told = |fault: &Fault| FaultRow {
        span: document::Span::new(lines.place(fault.span.start), lines.place(fault.span.end)),
        message: fault.message.clone(),
        help: fault.help.clone(),
    };
    faults.iter().map(told).collect()
}
