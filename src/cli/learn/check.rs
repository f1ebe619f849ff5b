//! `myriad learn --check`: checks that a file is a valid lesson, that it starts with goals left to reach, and
//! that it can be completed.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use crate::cli::args::{Common, LearnArgs};
use crate::cli::exit::Failure;
use crate::cli::input::{self, InputSource};
use crate::cli::session::Session;
use crate::cli::{Exit, FileReport, each_file, output};
use crate::host::measure::numbers::plural;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::draw::{Note, notes};
use crate::report::places::Lines;
use crate::report::visible::visible;
use crate::workbench::key::Key;
use crate::workbench::keymap::Keymap;
use crate::workbench::keys;
use crate::workbench::learn::judge::{GoalStatus, Judgement};
use crate::workbench::learn::{FormatFault, Lesson, LessonGoal, assess, split_header};

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
            let lines = Lines::new(&source.text);
            let fault = |fault: &FormatFault| {
                let message =
                    Object::new().join(lines.span(fault.span.clone())).field("message", &fault.message);
                message.option("help", fault.help.as_ref())
            };
            report.add_document(Object::new().list("faults", faults.iter().map(fault)), None);
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
        let faults = Object::new().list("faults", [(); 0]);
        report.add_document(faults.field("lesson", document(&lesson, &start, solution.as_ref())), None);
        Ok(report)
    })
}

/// Reads the lesson in a text; returns its faults, unknown keys included.
pub fn read(text: &str) -> (Option<Lesson>, Vec<FormatFault>) {
    let lesson = match Lesson::read(text) {
        Ok(lesson) => lesson,
        Err(faults) => return (None, faults),
    };
    let unknown = lesson.keys.iter().filter(|key| !is_key(&key.key)).map(|key| {
        let fault = FormatFault::new(key.span.clone(), format!("the workbench has no key `{}`", key.key));
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
pub fn solution(source: &InputSource, named: Option<&OsStr>) -> Result<Option<InputSource>, Failure> {
    if let Some(named) = named {
        return input::read(named).map(Some);
    }
    let beside = source.path().with_extension("solution.myr");
    match beside.is_file() && source.name != "<stdin>" {
        true => input::read(&OsString::from(beside)).map(Some),
        false => Ok(None),
    }
}

fn text(
    source: &InputSource,
    lesson: &Lesson,
    start: &Judgement,
    solution: Option<&(InputSource, Judgement)>,
) -> String {
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

fn document(lesson: &Lesson, start: &Judgement, solution: Option<&(InputSource, Judgement)>) -> Object {
    let place = |judged: &Judgement, goal: usize| {
        let standing = &judged.standings[goal];
        Object::new().field("state", standing.state.name()).field("text", &standing.text)
    };
    let goal = |(i, aim): (usize, &LessonGoal)| {
        let start = Object::new().field("goal", &aim.text).field("start", place(start, i));
        start.option("solution", solution.map(|(_, judged)| place(judged, i)))
    };
    Object::new()
        .field("title", &lesson.title)
        .list("goals", lesson.aims.iter().enumerate().map(goal))
        .option("solution", solution.map(|(source, _)| &source.name))
        .unless_empty("gone", solution.into_iter().flat_map(|(_, judged)| &judged.gone))
}

/// Draws faults with their source lines.
pub fn drawn<'a>(name: &str, text: &str, faults: &'a [FormatFault], colours: bool) -> String {
    let lines = Lines::new(text);
    let note = |fault: &'a FormatFault| {
        let column = lines.place(fault.span.start).column;
        Note::error(&fault.span, column, &fault.message, fault.help.as_deref())
    };
    notes(name, text, faults.iter().map(note), colours)
}
