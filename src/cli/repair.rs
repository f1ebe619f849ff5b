//! `myriad repair`: finds small changes after which failing tests and properties pass, and all others still do.

mod class;
mod rows;

use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use super::args::{Common, Format, RepairArgs};
use super::exit::{Exit, Failure};
use super::input::{self, InputSource};
use super::limit::{Limit, Limits, Partial};
use super::progress::CliProgress;
use super::session::Session;
use super::writing::rewrite;
use super::{FileReport, each_source, holes, output};
use crate::compiler::program::{Compiled, Watch};
use crate::engine::extra_inputs::with_small_domains;
use crate::engine::leveled::LeveledBase;
use crate::engine::{BaseResult, Engine, EngineError, Kind};
use crate::host::measure::numbers::{grouped, plural};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::places::Lines;
use crate::report::shard::By;
use crate::report::visible::{on_one_line, visible};
use crate::testing::mutation::repair::{
    CANDIDATES, Reference, Repair, RepairQuestion, Search, Unmended, reasons,
};
use crate::testing::prove::settle;
use class::{HintRow, RepairClass};
pub(super) use rows::question;

/// The part of the time after which the search for a `?` ends, once it has found something.
const FILLING: f64 = 0.75;

#[derive(Default)]
pub(super) struct RepairFound {
    pub(super) repairs: Vec<Repair>,
    searched: u64,
    ended: SearchEnd,
    /// Why the search ended early, if it did.
    pub(super) partial: Option<Partial>,
    by: Kind,
    pub(super) refused: Option<String>,
    pub(super) question: Option<RepairQuestion>,
    unmended: Unmended,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SearchEnd {
    /// All candidates were judged, or the others are unlikely to be better.
    #[default]
    Done,
    /// The limit of `--budget` was reached.
    Budget,
    /// The limit of `--seconds` was reached.
    Time,
}

/// Searches repairs for each file.
pub fn repair(common: Common, args: &RepairArgs) -> Result<Exit, Failure> {
    let limits = Limits::new(args.seconds);
    let limit = limits.whole();
    let mut session = Session::for_repair(common)?;
    let reference = args.reference.as_ref().map(|path| right(&mut session, path, &limit)).transpose()?;
    let shard = args.shard.map(|shard| shard.record(By::Files));
    let folders = args.files.files.iter().any(|path| Path::new(path).is_dir());
    let files = &input::with_folders(&args.files.files)?[..];
    let mut class =
        RepairClass::new(reference.is_some() && (folders || files.len() > 1) && common.format == Format::Text);
    let own = args.shard.map_or(0..files.len() as u64, |shard| shard.stretch(files.len() as u64));
    let files = files.get(own.start as usize..own.end as usize).unwrap_or_default();
    input::refuse_repeated_stdin(files)?;
    let class = RefCell::new(&mut class);
    let sources = files.iter().map(|path| {
        let read = input::read(path);
        read.inspect_err(|why| class.borrow_mut().unreadable(path, why))
    });
    let exit = each_source(sources, common, shard, |source| {
        let started = Instant::now();
        let Some(LeveledBase { shown, judged: base }) = session.leveled(source, &limit)? else {
            return Ok(unsearched(source, &limit));
        };
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        if reference.is_some() && report.refuse_any_hole(source, &program) {
            if class.borrow_mut().unfinished(source, &program) {
                (report.findings, report.complaints) = (String::new(), Vec::new());
            }
            report.add_document(nothing(), None);
            return Ok(report);
        }
        let mut spent = shown.timings;
        let name = source.shown();
        let beside = match &reference {
            Some(right) if report.exit == Exit::Good => Reference::new(&program, right, &limit),
            _ => None,
        };
        let subject = match &beside {
            Some(beside) => match session.base_with_watch(&source.with_text(&beside.text), &limit)? {
                Some(subject) => subject,
                None => return Ok(unsearched(source, &limit)),
            },
            None => base,
        };
        let entries = with_small_domains(&subject.compiled, &subject.entries, &limit);
        let entries = entries.unwrap_or_else(|| subject.entries.clone());
        let failing = entries.iter().filter(|entry| entry.outcome.fails()).count();
        let mut found = RepairFound::default();
        match Search::new(subject.compiled.clone(), &entries, &limit) {
            Some(mut search) => {
                let bounds = (args.budget, args.most);
                found = search_repairs(&mut search, &subject.compiled, session.engine(), bounds, &limit);
            }
            None if failing > 0 && limit.cancelled() => found.ended = SearchEnd::Time,
            None => drop(report.refuse_any_hole(source, &program)),
        }
        if let Some(beside) = &beside {
            // Repairs were judged on some inputs; check them against the reference on more.
            let right = |repair: &Repair| {
                let mended = session.engine().compile(&repair.apply(&beside.text).into(), &limit);
                mended.is_ok_and(|(mended, _)| beside.agrees(&mended))
            };
            let all = found.repairs.len();
            found.repairs.retain(right);
            found.question = found.question.filter(|_| found.repairs.len() == all);
        }
        let RepairFound { repairs, searched, ended, by, refused, question, unmended, .. } = found;
        report.partial = limit.reached().filter(|_| failing > 0);
        let text = &program.text;
        if report.exit == Exit::Good && failing > 0 && repairs.is_empty() {
            let (what, by_hand) = match &beside {
                Some(beside) => (names(&beside.differ), "look at these functions"),
                None => (
                    format!("the {}", plural(failing as u64, "failing test")),
                    "fix it by hand: `myriad test` shows what fails",
                ),
            };
            let longer = match ended {
                SearchEnd::Done => "",
                SearchEnd::Budget => "search longer by --budget, or ",
                SearchEnd::Time => "search longer by --seconds, or ",
            };
            let help = format!("{}{longer}{by_hand}", advice(&unmended, beside.is_some()));
            report.add_failure(format!("no repair of {what} of {name} was found"), help);
        }
        if let Some(beside) =
            beside.as_ref().filter(|beside| report.exit == Exit::Good && !beside.required.is_empty())
        {
            let what = names(&beside.required);
            report.add_failure(
                format!("{name} lacks {what} of the reference, which the tests of the reference call"),
                "write it with the name and the types that it has there",
            );
        }
        if args.apply
            && let Some(best) = repairs.first()
        {
            apply(source, &part(best, &args.take)?.apply(text))?;
        }
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        let lines = Lines::new(text);
        let hint = repairs.first().filter(|_| beside.is_some()).and_then(|best| HintRow::of(best, &lines));
        if class.borrow_mut().add(source, &report, beside.as_ref(), hint.as_ref()) {
            (report.findings, report.complaints) = (String::new(), Vec::new());
            return Ok(report);
        }
        let rows = (1..).zip(repairs.iter().zip(reasons(&repairs))).take(args.most);
        let (rows, mut texts): (Vec<Object>, Vec<String>) = rows
            .map(|(rank, (repair, why))| {
                rows::row(rank, &why, repair, args.hint, &lines, subject.entries.len())
            })
            .unzip();
        if let ([sole], false) = (&repairs[..], texts.is_empty()) {
            texts.push(format!("  {}\n", sole.plausible()));
        }
        let what = beside.as_ref().map_or_else(|| of_tests(failing), of_reference);
        let mut text = format!("{name}: {what}");
        if failing > 0 {
            let found = plural(repairs.len() as u64, "repair");
            let _ = write!(text, ", {found} of {} candidates", grouped(searched));
            texts.push(judged_by(by, refused.as_deref()));
        }
        text.push('\n');
        text.extend(texts);
        let (question, asked) = question.as_ref().map(|asked| rows::question(asked, "repair")).unzip();
        text.push_str(&asked.unwrap_or_default());
        if args.apply && !rows.is_empty() {
            text.push_str("  the first one was applied\n");
        }
        let document = Object::new()
            .list("repairs", rows)
            .field("searched", searched)
            .field("searched_by", by_name(by))
            .option("refused", refused)
            .option("question", question)
            // Functions that differ from the reference, and functions that only the reference has.
            .option("differ", beside.as_ref().map(|beside| &beside.differ))
            .option("missing", beside.as_ref().map(|beside| &beside.missing))
            .option("hint", hint.as_ref().map(HintRow::document));
        let text = (program.facts.errors == 0).then_some(text);
        report.complete(document, text, timings);
        Ok(report)
    });
    output::print(&class.borrow().text())?;
    exit
}

pub(super) fn by_name(kind: Kind) -> &'static str {
    if kind == Kind::Gpu { "gpu" } else { "cpu" }
}

/// Compiles the reference program.
fn right(session: &mut Session, path: &OsString, limit: &Limit) -> Result<BaseResult, Failure> {
    let source = input::read(path)?;
    let Some(base) = session.base_with_watch(&source, limit)? else {
        let message = format!("the tests of the reference {} did not end in time", source.shown());
        return Err(Failure {
            exit: Exit::ProgramFailed,
            message,
            help: "allow more time by --seconds".into(),
        });
    };
    if base.compiled.facts.errors > 0 {
        let check = format!("`myriad check {}` shows them", source.word());
        return Err(Failure::call(format!("the reference {} has errors", source.shown()), check));
    }
    if let Some(hole) = base.compiled.view().holes().next() {
        let at = holes::at(&base.compiled, hole);
        let message = format!("the reference {} is not finished: {at}", source.shown());
        return Err(Failure::call(message, holes::FILL));
    }
    Ok(base)
}

/// Searches until the budget or the time limit is reached; without a budget, until the search is settled.
pub(super) fn search_repairs(
    search: &mut Search,
    base: &Compiled,
    engine: &mut dyn Engine,
    (budget, most): (Option<u64>, usize),
    limit: &Limit,
) -> RepairFound {
    let mut progress = CliProgress::new("candidates judged");
    let is_enough = |search: &Search| match budget {
        Some(_) => search.is_done(),
        None => search.is_settled(),
    };
    let budget = budget.unwrap_or(CANDIDATES);
    let first_part = limit.part(FILLING);
    // The rest of the time is for the question.
    let current = |search: &Search| match search.fill().is_some() && search.count() > 0 {
        true => &first_part,
        false => limit,
    };
    while !is_enough(search) && search.searched() < budget && !current(search).cancelled() {
        // A batch that the time limit interrupts is not judged.
        if search.step_on(engine, current(search)).is_err() {
            break;
        }
        progress.update(search.searched() as usize, search.expected());
    }
    let partial = current(search).reached().filter(|_| !is_enough(search));
    let ended = match is_enough(search) {
        true => SearchEnd::Done,
        false if search.searched() >= budget => SearchEnd::Budget,
        false => SearchEnd::Time,
    };
    let mut repairs = search.repairs(limit);
    // Proofs take a bounded amount of work.
    let apart = settle(base, &mut repairs, limit).flatten();
    let asked = search.question(&repairs[..repairs.len().min(most)], &|| false);
    let question =
        asked.or_else(|| apart.filter(|asked| asked.answers.iter().all(|(_, ranks)| ranks[0] <= most)));
    let (by, refused) = search.judged_by();
    let refused = refused.map(EngineError::to_string);
    let unmended = search.unmended();
    RepairFound { repairs, searched: search.searched(), ended, partial, by, refused, question, unmended }
}

/// Returns the report for a file whose tests did not end in time.
fn unsearched(source: &InputSource, limit: &Limit) -> FileReport {
    FileReport::unended(source, limit, "its tests did not end, and no repair was searched", nothing())
}

/// Returns the document of a file for which no repair was searched.
fn nothing() -> Object {
    let own = Object::new().list("repairs", [(); 0]).field("searched", 0);
    own.field("searched_by", by_name(Kind::default()))
}

/// Says what would help a search that found nothing.
fn advice(Unmended { lines: left, failing, suspect }: &Unmended, has_reference: bool) -> String {
    let mut advice = String::new();
    if !left.is_empty() && left.len() < *failing {
        let lines: Vec<String> = left.iter().map(u32::to_string).collect();
        let _ = write!(advice, "nothing mends the test on line {}: begin there; ", lines.join(", "));
    }
    if let Some(line) = suspect {
        let _ = write!(advice, "line {line} is the most suspicious one; ");
    }
    if !has_reference {
        advice.push_str("a right program helps (--reference FILE), as do more and smaller tests; ");
    }
    advice
}

/// Returns the chosen changes of a repair, or all.
fn part(repair: &Repair, take: &[usize]) -> Result<Repair, Failure> {
    let chosen: Vec<_> = (1..)
        .zip(&repair.changes)
        .filter(|(number, _)| take.is_empty() || take.contains(number))
        .map(|(_, change)| change.clone())
        .collect();
    match take.iter().find(|number| !(1..=repair.changes.len()).contains(*number)) {
        None => {
            let mut part = repair.clone();
            part.changes = chosen;
            Ok(part)
        }
        Some(number) => {
            let has = plural(repair.changes.len() as u64, "change");
            Err(Failure::call(
                format!("the best repair has {has}, so --take {number} is none of them"),
                "choose others",
            ))
        }
    }
}

/// Writes the repaired program to its file.
pub(super) fn apply(source: &InputSource, text: &str) -> Result<(), Failure> {
    if source.word() == "-" {
        return Err(Failure::call(
            "standard input cannot be repaired in place",
            "name a file, or leave out --apply",
        ));
    }
    rewrite(source, text)
}

/// Returns which engine judged the candidates, if a device was requested.
fn judged_by(by: Kind, refused: Option<&str>) -> String {
    match (by, refused) {
        (_, Some(why)) => format!("  judged by the CPU, as the device refused: {}\n", on_one_line(why)),
        (Kind::Gpu, None) => "  judged by the GPU\n".into(),
        (Kind::Cpu, None) => String::new(),
    }
}

fn of_tests(failing: usize) -> String {
    match failing {
        0 => "every test passes, there is nothing to repair".into(),
        failing => plural(failing as u64, "failing test"),
    }
}

/// Describes the differences from the reference.
fn of_reference(beside: &Reference) -> String {
    let mut what = match &beside.differ[..] {
        [] => format!("{} as the reference", names(&beside.compared)),
        [one] => format!("`{}` differs from the reference", visible(one)),
        several => format!("{} differ from the reference", names(several)),
    };
    if !beside.missing.is_empty() {
        let _ = write!(what, ", which also has {}", names(&beside.missing));
    }
    what
}

fn names(functions: &[String]) -> String {
    let shown: Vec<String> = functions.iter().map(|name| format!("`{}`", visible(name))).collect();
    if shown.is_empty() { "no function".into() } else { shown.join(", ") }
}
