//! `myriad improve`: finds better code for functions, proves it, and keeps it for level 3.

mod rules;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::args::{Common, ImproveArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::limit::{Limit, Limits};
use super::progress::CliProgress;
use super::suggestions::functions;
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
use crate::learned::improve::{LearnOutcome, learn, name, routines, steps};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::{shortened, visible};

/// The most characters of a name in text output.
const WIDEST: usize = 60;
/// How often the limit is checked while functions are improved.
const PAUSE: Duration = Duration::from_millis(20);

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
    each_file(&args.files, common, |source| one_file(args, source, (store.as_ref(), &mut loaded), &limits))
}

fn one_file(
    args: &ImproveArgs,
    source: &InputSource,
    (store, loaded): (Option<&Store>, &mut Loaded),
    limits: &Limits,
) -> Result<FileReport, Failure> {
    let limit = limits.whole();
    let program = compile_at(OptLevel::Whole, &source.text);
    let mut report = FileReport::new(source, &diagnostics(&program));
    let (mut rows, mut lines, mut rules, mut steps, mut better) = (vec![], String::new(), vec![], None, 0);
    let wanted = || match &args.function {
        None => Ok(routines(&program)),
        named => functions(&program, named.as_deref()),
    };
    report.refuse_holes(source, &program, wanted)?;
    if report.exit == Exit::Good {
        let wanted = wanted()?;
        if args.rules {
            rules = rules::search(&program, loaded, &limit);
            keep(store, |store| store.keep_rules(rules::own(loaded)))?;
        }
        let outcomes = improve_all(&program, &wanted, (&loaded.learned, store), &limit);
        for (function, outcome) in wanted.iter().zip(&outcomes) {
            let Some(outcome) = outcome else { continue };
            if let Some(entry) = outcome.entry() {
                better += 1;
                keep(store, |store| store.keep(entry))?;
                loaded.learned.functions.insert(entry.key, entry.code.clone().into());
            }
            let name = name(&program, *function);
            lines.push_str(&line(&name, outcome));
            rows.push(row(&name, outcome));
        }
        steps = compared(&program, &source.text, &loaded.learned, &limit);
        let is_whole = rows.len() == wanted.len() && steps.is_some();
        if let Some(partial) = limit.reached().filter(|_| !is_whole) {
            let all = plural(wanted.len() as u64, "routine");
            report.is_partial(source, partial, &format!("{} of {all} are done", rows.len()));
        }
    }
    let head = format!("{}: {}, {better} improved\n", source.shown(), plural(rows.len() as u64, "routine"));
    let found: String = rules.iter().map(|rule| format!("  rule  {rule}\n")).collect();
    let text = head + &found + &lines + &steps.map_or(String::new(), steps_line);
    let levels =
        |[level_2, level_3]: [u64; 2]| Object::new().field("level_2", level_2).field("level_3", level_3);
    let document = Object::new().list("routines", rows).unless_empty("rules", rules);
    let text = (program.facts.errors == 0).then_some(text);
    report.complete(document.option("steps", steps.map(levels)), text, None);
    Ok(report)
}

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

/// Improves functions on all threads. A function that the limit cuts short has no outcome.
fn improve_all(
    program: &Compiled,
    wanted: &[RoutineId],
    (learned, store): (&Learned, Option<&Store>),
    limit: &Limit,
) -> Vec<Option<LearnOutcome>> {
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
    let mut progress = CliProgress::new("routines improved");
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

/// Returns the result for a routine. `steps` are those of the program's tests on few inputs, before and after.
fn row(name: &str, outcome: &LearnOutcome) -> Object {
    let found = |outcome: &str| Object::new().field("routine", name).field("outcome", outcome);
    match outcome {
        LearnOutcome::Known => found("known"),
        LearnOutcome::Nothing(tried) => {
            found("nothing").field("tried", tried.moves).field("unproved", tried.unproved)
        }
        LearnOutcome::Better(entry, _) | LearnOutcome::ProvedAgain(entry) => {
            let again = matches!(outcome, LearnOutcome::ProvedAgain(_));
            let found = found(if again { "proved-again" } else { "better" });
            found.unless_empty("moves", &entry.moves).field("steps", entry.steps)
        }
    }
}

/// Returns the result for a routine as a line.
fn line(name: &str, outcome: &LearnOutcome) -> String {
    let name = shortened(name, WIDEST);
    match outcome {
        LearnOutcome::Known => format!("  {name}: better code is known already\n"),
        LearnOutcome::Nothing(tried) => {
            let (moves, unproved) = (plural(tried.moves.into(), "move"), tried.unproved);
            format!("  {name}: nothing better was found; {moves} tried, {unproved} without a proof\n")
        }
        LearnOutcome::Better(entry, _) | LearnOutcome::ProvedAgain(entry) => {
            let again = if matches!(outcome, LearnOutcome::ProvedAgain(_)) { "proved again; " } else { "" };
            let ([before, after], moves) = (entry.steps.map(grouped), entry.moves.join(", "));
            format!("  {name}: {again}{after} instead of {before} steps, by {moves}\n")
        }
    }
}

/// The steps of all tests at levels 2 and 3; `None` if the limit was reached first.
fn compared(
    program: &Compiled,
    text: &std::sync::Arc<str>,
    learned: &Learned,
    limit: &Limit,
) -> Option<[u64; 2]> {
    let mut compiler = Compiler::at(OptLevel::Learned);
    compiler.back.learn(learned.clone().into());
    compiler.compile(text);
    let better = compiler.compiled(text);
    Some([steps(program, limit)?, steps(&better, limit)?])
}

fn steps_line([level_2, level_3]: [u64; 2]) -> String {
    let saved = match level_2.checked_sub(level_3).filter(|less| *less > 0) {
        Some(less) => format!(" ({} % fewer)", percent(less as f64 / level_2 as f64, 1)),
        None => String::new(),
    };
    let [level_2, level_3] = [level_2, level_3].map(grouped);
    format!("  all tests: {level_3} steps at level 3, {level_2} at level 2{saved}\n")
}
