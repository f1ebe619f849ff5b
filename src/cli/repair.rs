//! `myriad repair`: small changes after which the tests and properties that fail pass, and all others as before.

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::{Common, Format, RepairArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::progress::Progress;
use super::session::Session;
use super::{FileReport, each_file_of};
use crate::files;
use crate::lang::verdict::Outcome;
use crate::measure::numbers::{grouped, plural};
use crate::mutation::repair::{Repair, Search};
use crate::report::diagnostics::diagnostics;
use crate::report::document::Span;
use crate::report::places::Lines;
use crate::report::shard::By;
use crate::report::visible::{on_one_line, visible};

#[derive(Serialize)]
struct Document {
    repairs: Vec<Row>,
    /// How many candidates were judged.
    searched: u64,
    /// What tells the first repairs apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Asked>,
}

/// A call, and the values that repairs give for it.
#[derive(Serialize)]
struct Asked {
    call: String,
    answers: Vec<Reply>,
}

#[derive(Serialize)]
struct Reply {
    /// The value as a test, to be added if it is right.
    test: String,
    /// The repairs that give it.
    ranks: Vec<usize>,
}

#[derive(Serialize)]
struct Row {
    rank: usize,
    edits: Vec<Edit>,
    /// Tests and properties that pass with it: all.
    tests_passed: usize,
    /// Repairs found that give the same on all inputs that were tried.
    alike: u32,
}

#[derive(Serialize)]
struct Edit {
    rule: &'static str,
    #[serde(flatten)]
    span: Span,
    original: String,
    replacement: String,
}

impl Asked {
    /// For people: each answer as the test that it would be.
    fn text(&self) -> String {
        let mut text = format!("  what should {} give?\n", visible(&self.call));
        for Reply { test, ranks } in &self.answers {
            let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
            let who = if ranks.len() == 1 { "repair" } else { "repairs" };
            let _ = writeln!(text, "    {}  by {who} {}", visible(test), ranks.join(", "));
        }
        text
    }
}

/// Seeks repairs of each file.
pub fn repair(common: Common, args: &RepairArgs) -> Result<Exit, Failure> {
    let mut session = Session::of_one_program(common)?;
    let shard = args.shard.map(|shard| shard.said(By::Files));
    let files = &args.files.files[..];
    let own = args.shard.map_or(0..files.len() as u64, |shard| shard.stretch(files.len() as u64));
    let files = files.get(own.start as usize..own.end as usize).unwrap_or_default();
    each_file_of(files, common, shard, |source| {
        let started = Instant::now();
        let base = session.base(source)?;
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        let mut spent = base.timings;
        let failing = base.entries.iter().filter(|entry| entry.outcome != Outcome::Pass).count();
        let name = source.shown();
        let (mut repairs, mut searched, mut question) = (Vec::new(), 0, None);
        if let Some(mut search) = Search::new(program.clone(), &base.entries, &|| false) {
            let limit = args.seconds.map(Duration::from_secs_f64);
            let mut progress = Progress::new("candidates judged");
            let late = || limit.is_some_and(|limit| started.elapsed() > limit);
            while !search.is_done() && search.searched() < args.budget && !late() {
                // A batch that time has cut short is not judged.
                if search.step(&late).is_none() {
                    break;
                }
                progress.update(search.searched() as usize, search.expected());
            }
            searched = search.searched();
            repairs = search.repairs(&|| false);
            let reply = |(test, ranks)| Reply { test, ranks };
            question = search.question(&repairs[..repairs.len().min(args.most)]).map(|asked| Asked {
                call: asked.call,
                answers: asked.answers.into_iter().map(reply).collect(),
            });
        }
        let text = &program.text;
        if report.exit == Exit::Good && failing > 0 && repairs.is_empty() {
            let tests = plural(failing as u64, "failing test");
            report.falls_short(
                format!("no repair of the {tests} of {name} was found"),
                "search longer by --budget, or mend it by hand: `myriad test` shows what fails",
            );
        }
        if args.apply
            && let Some(best) = repairs.first()
        {
            apply(source, &best.apply(text))?;
        }
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        let lines = Lines::new(text);
        let rows: Vec<Row> = (1..)
            .zip(&repairs)
            .take(args.most)
            .map(|(rank, repair)| row(rank, repair, text, &lines, base.entries.len()))
            .collect();
        if common.format == Format::Json {
            report.tell(Document { repairs: rows, searched, question }, timings);
        } else if program.facts.errors == 0 {
            report.text = page(&name, failing, searched, repairs.len(), &rows);
            report.text.push_str(&question.map_or(String::new(), |question| question.text()));
            if args.apply && !rows.is_empty() {
                report.text.push_str("  the first one was applied\n");
            }
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })
}

/// Writes the text of a repaired program to its file.
fn apply(source: &Source, text: &str) -> Result<(), Failure> {
    if source.word() == "-" {
        return Err(Failure::call(
            "standard input cannot be repaired in its place",
            "name a file, or leave out --apply",
        ));
    }
    files::write(source.path(), text.as_bytes()).map_err(|error| {
        Failure::call(
            format!("{}: cannot be written: {error}", source.shown()),
            "see that the file may be written and that there is room; it is as it was",
        )
    })
}

fn row(rank: usize, repair: &Repair, text: &str, lines: &Lines, tests: usize) -> Row {
    let edit = |change: &crate::mutation::repair::Change| Edit {
        rule: change.rule.name(),
        span: Span::new(lines.place(change.lo), lines.place(change.hi)),
        original: text.get(change.lo..change.hi).unwrap_or("").into(),
        replacement: change.replacement.clone(),
    };
    Row { rank, edits: repair.changes.iter().map(edit).collect(), tests_passed: tests, alike: repair.alike }
}

/// The repairs for people, the best first.
fn page(name: &str, failing: usize, searched: u64, found: usize, rows: &[Row]) -> String {
    if failing == 0 {
        return format!("{name}: every test passes, there is nothing to repair\n");
    }
    let mut page = format!(
        "{name}: {}, {} of {} candidates\n",
        plural(failing as u64, "failing test"),
        plural(found as u64, "repair"),
        grouped(searched)
    );
    for row in rows {
        for (i, edit) in row.edits.iter().enumerate() {
            let rank = if i == 0 { format!("{}.", row.rank) } else { "&".into() };
            let place = format!("{}:{}", edit.span.line, edit.span.column);
            let [original, replacement] = [&edit.original, &edit.replacement].map(|text| on_one_line(text));
            let _ = writeln!(page, "  {rank:>3} {place:>7}  {:<11} {original} → {replacement}", edit.rule);
        }
        if row.alike > 0 {
            let _ =
                writeln!(page, "               and {} that give the same", plural(row.alike.into(), "other"));
        }
    }
    page
}
