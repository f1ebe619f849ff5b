//! `myriad learn --grade`: which goals of a lesson the files of a class reach.
//!
//! A file is read up to a size, judged up to a time, and never executed except by the engine, whose runs have a limit of
//! steps. So no file delays or ends the grading of the others.

mod groups;
mod pages;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use super::check;
use crate::cli::args::{Common, Format, LearnArgs};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::limit::Limits;
use crate::cli::progress::CliProgress;
use crate::cli::session::Session;
use crate::cli::test::{TestEntry, entry, reasons};
use crate::cli::titles::heading;
use crate::cli::{holes, input, output};
use crate::compiler::variants::Variants;
use crate::engine::{BaseResult, EngineError};
use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{Object, VERSION};
use crate::report::table::{self, Table, number, words};
use crate::report::visible::{on_one_line, shortened, visible};
use crate::testing::mutation::MutationQuestion;
use crate::workbench::learn::judge::{JudgeState, Judgement};
use crate::workbench::learn::{Assessment, Lesson, Shipped, assess_with, split_header};
use groups::{Group, Groups};
use pages::write_pages;

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
    /// The tests of the lesson that do not pass.
    fails: Vec<Fail>,
    /// The changes of the program that no test notices, if all tests pass.
    missed: Vec<Missed>,
    text: Arc<str>,
}

/// A test or property that does not pass.
struct Fail {
    /// The test, or the property with its counterexample.
    input: String,
    reasons: Vec<String>,
}

/// A change of the program that no test notices.
struct Missed {
    line: u32,
    /// The function, its line, and the change; the same for equal lines of several files.
    change: String,
    /// A test that would notice it.
    test: String,
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
/// The maximum number of groups in text output.
const LISTED: usize = 12;

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
    let files = input::with_folders(pupils)?;
    input::refuse_repeated_stdin(&files)?;
    let mut session = Session::for_single_program(common)?;
    let (lesson, own) = lesson(word, args, &mut session)?;
    let limits = Limits::new(Some(args.seconds));
    let mut progress = CliProgress::new("files graded");
    let mut grades = Vec::with_capacity(files.len());
    for (done, file) in files.iter().enumerate() {
        progress.update(done, files.len());
        grades.push(one((&lesson, &own), file, &mut session, &limits)?);
    }
    drop(progress);
    let groups = Groups::of(&grades);
    if let Some(folder) = &args.pages {
        write_pages(folder, &lesson, &grades, &groups)?;
    }
    let goals: Vec<&str> = lesson.aims.iter().map(|aim| aim.text.as_str()).collect();
    if args.csv && common.format == Format::Text {
        output::print_data(&csv(&goals, &grades))?;
    } else {
        let document = Object::new().field("version", VERSION).field("lesson", &lesson.title);
        let document = document.field("goals", goals).list("files", grades.iter().map(Grade::document));
        let group = |group: &Group| {
            let files = group.files.iter().map(|file| &grades[*file].file);
            Object::new().field("about", &group.about).list("files", files)
        };
        let document = document
            .list("mistakes", groups.mistakes.iter().map(group))
            .list("missed", groups.missed.iter().map(group));
        output::print_result(common.format, &page(&lesson, &grades, &groups), &document)?;
    }
    let all = grades.iter().all(|grade| grade.result == GradeOutcome::Reached);
    Ok(if all { Exit::Good } else { Exit::ProgramFailed })
}

/// Reads the lesson with this name, number or file, with all that must stay, and the titles of its tests.
fn lesson(
    word: &OsString,
    args: &LearnArgs,
    session: &mut Session,
) -> Result<(Lesson, BTreeSet<String>), Failure> {
    let shown = visible(&word.to_string_lossy());
    let named = args.solution.as_deref();
    let (text, solution) = match Shipped::of(&word.to_string_lossy()) {
        Some(shipped) => (shipped.text.into(), Some(InputSource::new(word, shipped.solution.into()))),
        None if Path::new(word).exists() => {
            let source = input::read(word)?;
            (source.text.clone(), check::solution(&source, named)?)
        }
        None => return Err(super::no_such_lesson(&word.to_string_lossy())),
    };
    let (lesson, faults) = check::read(&text);
    let mut lesson = lesson.filter(|_| faults.is_empty()).ok_or_else(|| {
        Failure::call(format!("{shown} is not a valid lesson"), "`myriad learn --check FILE` lists its faults")
    })?;
    let names = |items: Vec<usize>| -> String {
        let names: Vec<String> = items.iter().map(|item| lesson.own.items[*item].called()).collect();
        visible(&names.join(", "))
    };
    let mut kept = lesson.kept.clone();
    match &solution {
        Some(solution) => {
            let code: Arc<str> = split_header(&solution.text).code.into();
            let (solved, _) = session.engine().compile(&code, &|| false)?;
            kept.extend(lesson.own.judges(solved.view()));
        }
        None if let Some(unclear) = lesson.own.unclear(&kept) => {
            let message =
                format!("{shown}: one test uses {}: pupils could change the one that judges", names(unclear));
            let help = "name what must stay, `//! keep: NAME`, or a solution, `--solution FILE`: what it leaves as it is, pupils must leave";
            return Err(Failure::call(message, help));
        }
        None => {}
    }
    kept.sort_unstable();
    kept.dedup();
    lesson.kept = kept;
    let (program, _) = session.engine().compile(&lesson.code, &|| false)?;
    let own = program.entries().iter().map(|id| heading(&program, id).title).collect();
    Ok((lesson, own))
}

fn one(
    (lesson, own): (&Lesson, &BTreeSet<String>),
    file: &OsString,
    session: &mut Session,
    limits: &Limits,
) -> Result<Grade, Failure> {
    let name = file.to_string_lossy().into_owned();
    let failed = |result, note: String| Grade {
        file: name.clone(),
        result,
        goals: vec![],
        gone: vec![],
        note: Some(note),
        fails: vec![],
        missed: vec![],
        text: "".into(),
    };
    let source = match input::read(file) {
        Ok(source) => source,
        Err(why) => return Ok(failed(GradeOutcome::Unreadable, why.message)),
    };
    let code: Arc<str> = split_header(&source.text).code.into();
    let limit = limits.of_one_file();
    let Assessment { judgement: judged, base, missed } =
        match assess_with(lesson, &code, session.engine(), &limit, true) {
            Err(EngineError::Cancelled) => {
                let note =
                    limit.reached().map_or_else(|| "it was interrupted".into(), |partial| partial.text());
                return Ok(failed(GradeOutcome::Timeout, note));
            }
            judged => judged?,
        };
    let program = base.compiled.clone();
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
    let fails = fails(&base, own);
    let missed = missed.map_or(vec![], |missed| changes(&base, missed));
    Ok(Grade { file: name, result, goals, gone: judged.gone, note, fails, missed, text: code })
}

/// Returns the tests of the lesson that do not pass.
fn fails(base: &BaseResult, own: &BTreeSet<String>) -> Vec<Fail> {
    let entries = EntryId::all().zip(&base.entries).filter(|(_, result)| result.outcome != Outcome::Pass);
    let entries = entries.map(|(id, result)| entry(&base.compiled, id, result));
    let fail = |entry: TestEntry| {
        let values: Vec<String> =
            entry.counterexample.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let values = if values.is_empty() { String::new() } else { format!(", {}", values.join(", ")) };
        Fail { input: format!("{}{values}", entry.title), reasons: reasons(&entry) }
    };
    entries.filter(|entry| own.contains(&entry.title)).map(fail).collect()
}

/// Describes the mutants that no test notices.
fn changes(base: &BaseResult, missed: Vec<(MutantId, MutationQuestion)>) -> Vec<Missed> {
    let variants = Variants::new(base.compiled.clone());
    let view = base.compiled.view();
    let describe = |(id, question): (MutantId, MutationQuestion)| {
        let description = variants.describe(id)?;
        let line = view.line(description.changes.first()?.site);
        let code = base.compiled.text.lines().nth(line.checked_sub(1)? as usize)?.trim();
        let function = base.compiled.function_name(question.function);
        let (original, replacement) =
            (on_one_line(&description.original), on_one_line(&description.replacement));
        let replacement = if replacement.is_empty() { "nothing".to_string() } else { replacement };
        let change = format!("{function}: {original} → {replacement} in `{code}`");
        Some(Missed { line, change, test: question.test })
    };
    missed.into_iter().filter_map(describe).collect()
}

/// Returns the first goal that is not reached, with its progress.
fn missing(lesson: &Lesson, judged: &Judgement) -> Option<String> {
    let goals = lesson.aims.iter().zip(&judged.standings);
    let (aim, goal) = { goals }.find(|(_, goal)| goal.state != JudgeState::Reached)?;
    Some(format!("{}: {}", aim.text, goal.text))
}

fn page(lesson: &Lesson, grades: &[Grade], groups: &Groups) -> String {
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
        + &listed(grades, "fail on the same inputs", &groups.mistakes)
        + &listed(grades, "have tests that miss the same change", &groups.missed)
}

/// Lists the largest groups of at least two files.
fn listed(grades: &[Grade], title: &str, groups: &[Group]) -> String {
    let large: Vec<&Group> = groups.iter().filter(|group| group.files.len() > 1).collect();
    if large.is_empty() {
        return String::new();
    }
    let mut table = Table::new([number("files"), words(""), words("")]);
    for group in large.iter().take(LISTED) {
        let about = shortened(&on_one_line(&group.about.join("; ")), WIDEST);
        let name = |file: &usize| {
            let path = Path::new(&grades[*file].file);
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        };
        let files: Vec<String> = group.files.iter().map(name).collect();
        table.row(&[&files.len(), &about, &shortened(&files.join(", "), WIDEST)]);
    }
    let more = match large.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("  and {more} more; `--pages FOLDER` has all\n"),
    };
    format!("\nfiles that {title}:\n{}{more}", table.text("  "))
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
    /// Returns the number of reached goals: none if the file changed what judges it.
    fn reached(&self) -> usize {
        if matches!(self.result, GradeOutcome::Changed | GradeOutcome::Refused) {
            return 0;
        }
        self.goals.iter().filter(|(state, _)| *state == JudgeState::Reached).count()
    }

    fn document(&self) -> Object {
        let goal = |(state, text): &(JudgeState, String)| {
            Object::new().field("state", state.name()).field("text", text)
        };
        let missed = |missed: &Missed| {
            let own = Object::new().field("line", missed.line).field("change", &missed.change);
            own.field("test", &missed.test)
        };
        Object::new()
            .field("file", &self.file)
            .field("result", self.result.name())
            .field("reached", self.reached())
            .unless_empty("goals", self.goals.iter().map(goal))
            .unless_empty("gone", &self.gone)
            .option("note", self.note.as_ref())
            .unless_empty("fails", self.fails.iter().map(|fail| &fail.input))
            .unless_empty("missed", self.missed.iter().map(missed))
    }
}
