//! `myriad learn`: lists the lessons with their progress, or opens one in the workbench.

mod check;
mod grade;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::args::{Common, LearnArgs, Look};
use super::exit::{Exit, Failure};
use super::{output, workbench};
use crate::host::measure::numbers::plural;
use crate::report::document::Object;
use crate::report::names::nearest;
use crate::report::table::{Table, number, words};
use crate::report::visible::{shell_word, visible};
use crate::workbench::Start;
use crate::workbench::learn::progress::LearnProgress;
use crate::workbench::learn::{Course, CourseError, SHIPPED, Shipped, workspace};
use crate::workbench::unsaved::age;
pub use check::check;
pub use grade::grade;

/// A shipped lesson with its progress.
struct LearnRow {
    course: Course,
    number: u32,
    name: &'static str,
    /// `new`, `begun` or `done`.
    state: &'static str,
    /// In seconds since 1970.
    done: Option<u64>,
}

pub fn list(common: Common) -> Result<Exit, Failure> {
    let file = workspace::progress_file();
    let (progress, trouble) = file.as_deref().map_or_else(Default::default, LearnProgress::load);
    let rows: Vec<LearnRow> = SHIPPED.iter().filter_map(|lesson| row(*lesson, &progress)).collect();
    let of_files = progress.keys().filter(|key| !rows.iter().any(|row| row.name == *key));
    // The user's own lessons that are done.
    let own: Vec<(&str, u64)> = of_files.filter_map(|key| Some((key, progress.when(key)?))).collect();
    if let Some(trouble) = trouble {
        output::print_error(&format!("{}\n", visible(&trouble)));
    }
    let text = text(&rows, &own, SystemTime::now());
    let own = own.iter().map(|(path, done)| Object::new().field("path", path).field("done", done));
    // The file that records which lessons are done.
    let learn = Object::new().option("progress", file.map(|path| path.display().to_string()));
    let learn = learn.list("lessons", rows.iter().map(LearnRow::document)).list("own", own);
    output::print_result(common.format, &text, &Object::of_call().field("learn", learn))
}

fn row(shipped: Shipped, progress: &LearnProgress) -> Option<LearnRow> {
    let course = Course::shipped(shipped).ok()?;
    let done = progress.when(shipped.name);
    let begun = || workspace::folder().is_some_and(|folder| course.work(&folder).exists());
    Some(LearnRow {
        number: shipped.number,
        name: shipped.name,
        state: match done {
            Some(_) => "done",
            None if begun() => "begun",
            None => "new",
        },
        done,
        course,
    })
}

impl LearnRow {
    fn document(&self) -> Object {
        let lesson = &self.course.lesson;
        Object::new()
            .field("number", self.number)
            .field("name", self.name)
            .field("title", &lesson.title)
            .list("goals", lesson.aims.iter().map(|aim| &aim.text))
            .field("hints", lesson.hints.len())
            .field("state", self.state)
            .option("done", self.done)
    }
}

fn text(rows: &[LearnRow], own: &[(&str, u64)], now: SystemTime) -> String {
    let done = rows.iter().filter(|row| row.done.is_some()).count();
    let ago = |seconds: u64| {
        let passed = now.duration_since(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap_or_default();
        format!("done, {}", age(passed))
    };
    let mut out = format!("{} of {} done\n\n", done, plural(rows.len() as u64, "lesson"));
    let mut table = Table::new([number(""), words(""), words(""), words("")]);
    for row in rows {
        let state = match (row.done, row.state) {
            (Some(done), _) => ago(done),
            (None, "begun") => "begun".to_string(),
            (None, _) => String::new(),
        };
        table.row(&[&row.number, &row.name, &row.course.lesson.title, &state]);
    }
    out.push_str(&table.text(" "));
    for (path, done) in own {
        out.push_str(&format!("     {}  {}\n", visible(path), ago(*done)));
    }
    let next = rows.iter().find(|row| row.done.is_none()).or(rows.first());
    if let Some(next) = next {
        out.push_str(&format!(
            "\n`myriad learn {}` opens one in the workbench.\nYour work is kept; `--again` restarts a lesson.\n",
            next.name
        ));
    }
    out
}

/// Opens the workbench on a lesson.
pub fn open(common: Common, args: &LearnArgs, look: Look) -> ExitCode {
    let begun = match &args.lessons[..] {
        [word] => course(word).and_then(|course| course.begin(args.again).map_err(|why| failure(why, word))),
        _ => Err(Failure::call("one lesson is opened at a time", "name one; `--check` takes several files")),
    };
    match begun {
        Ok(begun) => workbench::begin(common, &Start::Lesson(begun), look, None),
        Err(failure) => {
            output::report_failure(&failure);
            failure.exit.into()
        }
    }
}

/// Returns the lesson with this name, number or file.
fn course(word: &OsStr) -> Result<Course, Failure> {
    let shown = word.to_string_lossy();
    let path = Path::new(word);
    let found = match Shipped::of(&shown) {
        Some(shipped) => Course::shipped(shipped),
        None if path.exists() => Course::of_file(path),
        None => return Err(no_such_lesson(&shown)),
    };
    found.map_err(|why| failure(why, word))
}

fn no_such_lesson(word: &str) -> Failure {
    let names: Vec<&str> = SHIPPED.iter().map(|lesson| lesson.name).collect();
    let begun = || names.iter().find(|name| word.len() > 1 && name.starts_with(word)).copied();
    let help = match nearest(word, &names).or_else(begun) {
        Some(name) => format!("did you mean `myriad learn {name}`? `myriad learn` lists all lessons"),
        None => "`myriad learn` lists all lessons; a file is opened as one, too".to_string(),
    };
    Failure::call(format!("there is no lesson and no file `{}`", visible(word)), help)
}

/// Returns the reason why a lesson cannot be opened; prints the faults in its file.
fn failure(trouble: CourseError, word: &OsStr) -> Failure {
    let name = word.to_string_lossy();
    match trouble {
        CourseError::Faults { text, faults } => {
            output::print_error(&check::drawn(&name, &text, &faults, output::colours(&std::io::stderr())));
            let count = plural(faults.len() as u64, "fault");
            let help = format!("`myriad learn --check {}` lists the faults", shell_word(word));
            Failure::call(format!("{} is not a valid lesson: {count}", visible(&name)), help)
        }
        CourseError::File(path, why) => {
            let path: PathBuf = path;
            let help = "check that the file exists, that its folder is writable and that there is space";
            Failure::call(format!("{}: {why}", visible(&path.to_string_lossy())), help)
        }
    }
}
