//! `myriad learn --grade`: which goals of a lesson the files of a class reach.
//!
//! A file is read up to a size, judged up to a time, and never executed except by the engine, whose runs have a limit of
//! steps. So no file delays or ends the grading of the others.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::check;
use crate::cli::args::{Common, Format, LearnArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::limit::Limits;
use crate::cli::progress::CliProgress;
use crate::cli::session::Session;
use crate::cli::{holes, input, output};
use crate::engine::EngineError;
use crate::host::measure::numbers::plural;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{Object, VERSION};
use crate::report::table::{self, Table, words};
use crate::report::visible::{on_one_line, shortened, visible};
use crate::workbench::learn::judge::{JudgeState, Judgement};
use crate::workbench::learn::{Lesson, Shipped, assess, split_header};

/// The result of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GradeOutcome {
    /// Every goal is reached.
    Reached,
    Missing,
    /// Code that the lesson requires to stay was changed.
    Changed,
    /// Two functions that a test compares were both changed.
    Refused,
    /// It has a `?`.
    Unfinished,
    /// It does not compile.
    Invalid,
    Unreadable,
    /// The time limit was reached.
    Timeout,
}

struct Grade {
    file: String,
    result: GradeOutcome,
    /// The state of each goal, and its text.
    goals: Vec<(JudgeState, String)>,
    /// Items that the lesson requires to stay, and that are gone.
    gone: Vec<String>,
    /// The reason for the result, if it is not `reached`.
    note: Option<String>,
}

impl GradeOutcome {
    fn name(self) -> &'static str {
        match self {
            GradeOutcome::Reached => "reached",
            GradeOutcome::Missing => "missing",
            GradeOutcome::Changed => "changed",
            GradeOutcome::Refused => "refused",
            GradeOutcome::Unfinished => "unfinished",
            GradeOutcome::Invalid => "invalid",
            GradeOutcome::Unreadable => "unreadable",
            GradeOutcome::Timeout => "timeout",
        }
    }
}

/// The maximum width of a cell of text in characters.
const WIDEST: usize = 100;

/// Grades the files of a class.
pub fn grade(common: Common, args: &LearnArgs) -> Result<Exit, Failure> {
    let [word, pupils @ ..] = &args.lessons[..] else {
        return Err(Failure::call("no lesson is named", "`myriad learn` lists all lessons"));
    };
    if pupils.is_empty() {
        return Err(Failure::call(
            "no pupil's file is named",
            "name files or folders after the lesson: `myriad learn --grade LESSON class/`",
        ));
    }
    let lesson = lesson(word)?;
    let files = input::with_folders(pupils)?;
    input::refuse_repeated_stdin(&files)?;
    let mut session = Session::for_single_program(common)?;
    let limits = Limits::new(Some(args.seconds));
    let mut progress = CliProgress::new("files graded");
    let mut grades = Vec::with_capacity(files.len());
    for (done, file) in files.iter().enumerate() {
        progress.update(done, files.len());
        grades.push(one(&lesson, file, &mut session, &limits)?);
    }
    drop(progress);
    let goals: Vec<&str> = lesson.aims.iter().map(|aim| aim.text.as_str()).collect();
    if args.csv && common.format == Format::Text {
        output::print_data(&csv(&goals, &grades))?;
    } else {
        let document = Object::new().field("version", VERSION).field("lesson", &lesson.title);
        let document = document.field("goals", goals).list("files", grades.iter().map(Grade::document));
        output::print_result(common.format, &page(&lesson, &grades), &document)?;
    }
    let all = grades.iter().all(|grade| grade.result == GradeOutcome::Reached);
    Ok(if all { Exit::Good } else { Exit::ProgramFailed })
}

/// Reads the lesson with this name, number or file.
fn lesson(word: &OsString) -> Result<Lesson, Failure> {
    let text: Arc<str> = match Shipped::of(&word.to_string_lossy()) {
        Some(shipped) => shipped.text.into(),
        None if Path::new(word).exists() => input::read(word)?.text,
        None => return Err(super::no_such_lesson(&word.to_string_lossy())),
    };
    let (lesson, faults) = check::read(&text);
    lesson.filter(|_| faults.is_empty()).ok_or_else(|| {
        let message = format!("{} is not a valid lesson", visible(&word.to_string_lossy()));
        Failure::call(message, "`myriad learn --check FILE` lists its faults")
    })
}

fn one(lesson: &Lesson, file: &OsString, session: &mut Session, limits: &Limits) -> Result<Grade, Failure> {
    let name = file.to_string_lossy().into_owned();
    let failed = |result, note: String| Grade {
        file: name.clone(),
        result,
        goals: vec![],
        gone: vec![],
        note: Some(note),
    };
    let source = match input::read(file) {
        Ok(source) => source,
        Err(why) => return Ok(failed(GradeOutcome::Unreadable, why.message)),
    };
    let code: Arc<str> = split_header(&source.text).code.into();
    let limit = limits.of_one_file();
    let judged = match assess(lesson, &code, session.engine(), &limit) {
        Err(EngineError::Cancelled) => {
            let note = limit.reached().map_or_else(|| "it was interrupted".into(), |partial| partial.text());
            return Ok(failed(GradeOutcome::Timeout, note));
        }
        judged => judged?,
    };
    let (program, _) = session.engine().compile(&code, &|| false)?;
    let error = diagnostics(&program).into_iter().find(|found| found.code.is_error());
    let goals = judged.standings.iter().map(|goal| (goal.state, goal.text.clone())).collect();
    let (result, note) = match error {
        Some(error) => {
            let note = format!("line {}: {} {}", error.start.line, error.code.code(), error.message);
            (GradeOutcome::Invalid, Some(note))
        }
        None if let Some(hole) = program.view().holes().next() => {
            (GradeOutcome::Unfinished, Some(holes::at(&program, hole)))
        }
        None if judged.is_done() => (GradeOutcome::Reached, None),
        None if judged.gone.is_empty() => (GradeOutcome::Missing, missing(lesson, &judged)),
        None if judged.is_refused => {
            let note = format!("{} must stay: a test compares them", judged.gone.join(", "));
            (GradeOutcome::Refused, Some(note))
        }
        None => (GradeOutcome::Changed, Some(format!("{} must stay", judged.gone.join(", ")))),
    };
    Ok(Grade { file: name, result, goals, gone: judged.gone, note })
}

/// Returns the first goal that is not reached, with its progress.
fn missing(lesson: &Lesson, judged: &Judgement) -> Option<String> {
    let goals = lesson.aims.iter().zip(&judged.standings);
    let (aim, goal) = { goals }.find(|(_, goal)| goal.state != JudgeState::Reached)?;
    Some(format!("{}: {}", aim.text, goal.text))
}

fn page(lesson: &Lesson, grades: &[Grade]) -> String {
    let goals = lesson.aims.len();
    let done = grades.iter().filter(|grade| grade.result == GradeOutcome::Reached).count();
    let page = format!(
        "{}, {}: {done} of {} reached\n",
        visible(&lesson.title),
        plural(goals as u64, "goal"),
        plural(grades.len() as u64, "file")
    );
    let mut table = Table::new(["file", "goals", "result", ""].map(words));
    for grade in grades {
        let note = grade.note.as_deref().map_or(String::new(), on_one_line);
        let (file, reached) = (shortened(&grade.file, WIDEST), format!("{} of {goals}", grade.reached()));
        table.row(&[&file, &reached, &grade.result.name(), &shortened(&note, WIDEST)]);
    }
    page + &table.text("  ")
}

fn csv(goals: &[&str], grades: &[Grade]) -> String {
    let heads = ["file", "result", "reached", "goals"].into_iter().chain(goals.iter().copied()).chain(["note"]);
    let row = |grade: &Grade| {
        let mut row = vec![grade.file.clone(), grade.result.name().to_string()];
        row.extend([grade.reached(), goals.len()].map(|count| count.to_string()));
        row.extend(
            (0..goals.len()).map(|goal| grade.goals.get(goal).map_or("", |(state, _)| state.name()).into()),
        );
        row.push(grade.note.clone().unwrap_or_default());
        row
    };
    table::csv(std::iter::once(heads.map(String::from).collect()).chain(grades.iter().map(row)))
}

impl Grade {
    fn reached(&self) -> usize {
        self.goals.iter().filter(|(state, _)| *state == JudgeState::Reached).count()
    }

    fn document(&self) -> Object {
        let goal = |(state, text): &(JudgeState, String)| {
            Object::new().field("state", state.name()).field("text", text)
        };
        Object::new()
            .field("file", &self.file)
            .field("result", self.result.name())
            .field("reached", self.reached())
            .unless_empty("goals", self.goals.iter().map(goal))
            .unless_empty("gone", &self.gone)
            .option("note", self.note.as_ref())
    }
}
