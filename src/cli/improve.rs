//! `myriad improve`: finds better code for functions, proves it, and keeps it for level 3.

mod rules;

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::args::{Common, Format, ImproveArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::progress::Progress;
use super::suggestions::no_such_function;
use super::{FileReport, each_file, output};
use crate::compiler::program::Compiled;
use crate::compiler::stage::optimize::learned::{Learned, set_current};
use crate::compiler::stage::{Compiler, compile_at};
use crate::host::files;
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::share::percent;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::learned::improve::store::{self, Loaded, Store};
use crate::learned::improve::{Outcome, learn, name, routines, steps};
use crate::report::diagnostics::diagnostics;
use crate::report::visible::visible;

/// The most characters of a name in text output.
const WIDEST: usize = 60;
/// How often the limit is checked while functions are improved.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Default, Serialize)]
struct Document {
    routines: Vec<Row>,
    /// Rules found in this file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
    /// The steps of all tests, by level.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Steps>,
}

#[derive(Clone, Copy, Serialize)]
struct Steps {
    level_2: u64,
    level_3: u64,
}

/// The result for a routine.
#[derive(Clone, Serialize)]
struct Row {
    routine: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    /// The steps of the program's tests on few inputs, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<[u64; 2]>,
    /// Moves tried, and those that were not proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unproved: Option<u32>,
}

/// Loads the user's store for programs at level 3. Reports what it ignores if `reports` is set.
pub fn use_store(reports: bool) {
    set_current(load(store::place().map(Store::new).as_ref(), reports).learned);
}

fn load(store: Option<&Store>, reports: bool) -> Loaded {
    let Some(store) = store else { return Loaded { learned: Learned::shipped(), ..Loaded::default() } };
    let loaded = store.load(&|| false);
    for line in loaded.ignored.iter().filter(|_| reports) {
        output::print_error(&format!("note: {}\n", visible(line)));
    }
    loaded
}

/// Improves the functions of each file, or lists and changes what is known.
pub fn improve(common: Common, args: &ImproveArgs) -> Result<Exit, Failure> {
    let limits = Limits::new(args.seconds);
    let store = store::place().map(Store::new);
    if let Some(done) = rules::manage(common, args, store.as_ref()) {
        return done;
    }
    let mut loaded = load(store.as_ref(), true);
    each_file(&args.files, common, |source| {
        one_file(common, args, source, (store.as_ref(), &mut loaded), &limits)
    })
}

fn one_file(
    common: Common,
    args: &ImproveArgs,
    source: &Source,
    (store, loaded): (Option<&Store>, &mut Loaded),
    limits: &Limits,
) -> Result<FileReport, Failure> {
    let limit = limits.whole();
    let program = compile_at(OptLevel::Whole, &source.text);
    let mut report = FileReport::new(source, &diagnostics(&program));
    let mut document = Document::default();
    if report.exit == Exit::Good {
        let wanted = wanted(&program, args.function.as_deref())?;
        if args.rules {
            document.rules = rules::search(&program, args.windows, loaded, &limit);
            keep(store, |store| store.keep_rules(rules::own(loaded)))?;
        }
        let outcomes = improve_all(&program, &wanted, (&loaded.learned, store), &limit);
        for (function, outcome) in wanted.iter().zip(&outcomes) {
            let Some(outcome) = outcome else { continue };
            if let Some(entry) = outcome.entry() {
                keep(store, |store| store.keep(entry))?;
                loaded.learned.functions.insert(entry.key, entry.code.clone().into());
            }
            document.routines.push(row(&program, *function, outcome));
        }
        document.steps = compared(&program, &source.text, &loaded.learned, &limit);
        let is_whole = document.routines.len() == wanted.len() && document.steps.is_some();
        if let Some(partial) = limit.reached().filter(|_| !is_whole) {
            let all = plural(wanted.len() as u64, "routine");
            report.is_partial(source, partial, &format!("{} of {all} are done", document.routines.len()));
        }
    }
    match common.format {
        Format::Json => report.add_document(document, None),
        Format::Text if program.facts.errors == 0 => report.text = page(source, &document),
        Format::Text => {}
    }
    Ok(report)
}

/// Writes to the store, if there is one.
fn keep(store: Option<&Store>, write: impl FnOnce(&Store) -> std::io::Result<()>) -> Result<(), Failure> {
    let Some(store) = store else { return Ok(()) };
    write(store).map_err(|error| {
        let folder = store.folder().display();
        Failure::call(
            format!("cannot write to {folder}: {}", files::message(&error)),
            format!("name another folder by {}, or keep nothing with an empty name", store::VARIABLE),
        )
    })
}

fn wanted(program: &Compiled, name: Option<&str>) -> Result<Vec<RoutineId>, Failure> {
    let Some(name) = name else { return Ok(routines(program)) };
    let all: Vec<RoutineId> = program.functions().iter().collect();
    let named = |function: &RoutineId| program.function_name(*function) == name;
    match all.iter().copied().find(named) {
        Some(function) => Ok(vec![function]),
        None => {
            let names: Vec<&str> = all.iter().map(|function| program.function_name(*function)).collect();
            Err(no_such_function(name, &names))
        }
    }
}

/// Improves functions on all threads. A function that the limit cuts short has no outcome.
fn improve_all(
    program: &Compiled,
    wanted: &[RoutineId],
    (learned, store): (&Learned, Option<&Store>),
    limit: &Limit,
) -> Vec<Option<Outcome>> {
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get()).min(wanted.len());
    let (stop, next, done) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes = Mutex::new(vec![None; wanted.len()]);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(function) = wanted.get(place).copied() else { break };
            let outcome = learn(program, function, learned, store, &stop);
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[place] = outcome;
            done.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut progress = Progress::new("routines improved");
    std::thread::scope(|scope| {
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let all: Vec<_> = (0..threads).filter_map(start).collect();
        if all.is_empty() {
            work();
        }
        while all.iter().any(|thread| !thread.is_finished()) {
            stop.fetch_or(limit.reached().is_some(), Ordering::Relaxed);
            progress.update(done.load(Ordering::Relaxed), wanted.len());
            std::thread::sleep(PAUSE);
        }
    });
    outcomes.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn row(program: &Compiled, function: RoutineId, outcome: &Outcome) -> Row {
    let mut row = Row {
        routine: name(program, function),
        outcome: "nothing",
        moves: Vec::new(),
        steps: None,
        tried: None,
        unproved: None,
    };
    match outcome {
        Outcome::Known => row.outcome = "known",
        Outcome::Nothing(tried) => (row.tried, row.unproved) = (Some(tried.moves), Some(tried.unproved)),
        Outcome::Better(entry, _) | Outcome::ProvedAgain(entry) => {
            row.outcome = if matches!(outcome, Outcome::Better(..)) { "better" } else { "proved-again" };
            (row.moves, row.steps) = (entry.moves.clone(), Some(entry.steps));
        }
    }
    row
}

/// The steps of all tests at levels 2 and 3; `None` if the limit was reached first.
fn compared(program: &Compiled, text: &std::sync::Arc<str>, learned: &Learned, limit: &Limit) -> Option<Steps> {
    let mut compiler = Compiler::at(OptLevel::Learned);
    compiler.back.learn(learned.clone().into());
    compiler.compile(text);
    let better = compiler.compiled(text);
    Some(Steps { level_2: steps(program, limit)?, level_3: steps(&better, limit)? })
}

fn page(source: &Source, document: &Document) -> String {
    let Document { routines, rules, steps } = document;
    let better = routines.iter().filter(|row| matches!(row.outcome, "better" | "proved-again")).count();
    let mut text =
        format!("{}: {}, {better} improved\n", source.shown(), plural(routines.len() as u64, "routine"));
    for rule in rules {
        let _ = writeln!(text, "  rule  {rule}");
    }
    for row in routines {
        let name = shortened(&row.routine);
        let _ = match (row.outcome, row.steps, row.tried) {
            ("known", ..) => writeln!(text, "  {name}: better code is known already"),
            (outcome, Some([before, after]), _) => {
                let again = if outcome == "proved-again" { "proved again; " } else { "" };
                writeln!(
                    text,
                    "  {name}: {again}{} instead of {} steps, by {}",
                    grouped(after),
                    grouped(before),
                    row.moves.join(", ")
                )
            }
            (.., tried) => {
                let tried = plural(tried.unwrap_or(0).into(), "move");
                let unproved = row.unproved.unwrap_or(0);
                writeln!(text, "  {name}: nothing better was found; {tried} tried, {unproved} without a proof")
            }
        };
    }
    if let Some(Steps { level_2, level_3 }) = *steps {
        let _ = writeln!(
            text,
            "  all tests: {} steps at level 3, {} at level 2{}",
            grouped(level_3),
            grouped(level_2),
            saved(level_2, level_3)
        );
    }
    text
}

/// The name of a routine, made visible and at most [`WIDEST`] characters long.
fn shortened(name: &str) -> String {
    let name = visible(name);
    match name.chars().count() > WIDEST {
        true => name.chars().take(WIDEST - 1).chain(['…']).collect(),
        false => name,
    }
}

fn saved(before: u64, after: u64) -> String {
    match before.checked_sub(after).filter(|less| *less > 0) {
        Some(less) => format!(" ({} % fewer)", percent(less as f64 / before as f64, 1)),
        None => String::new(),
    }
}
