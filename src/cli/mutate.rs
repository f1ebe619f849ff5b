//! `myriad mutate`: judges small changes of a program by its tests.

#[cfg(test)]
mod allocations;
mod difference;
mod history;
mod in_diff;
mod judge;
mod operators;
mod page;
mod reports;
mod rows;

use std::time::Instant;

use super::args::{Common, Format, MutateArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::limit::{Limit, Limits};
use super::matrix::MatrixReport;
use super::session::Session;
use super::since::Since;
use super::{FileReport, each_file_of, output, why};
use crate::engine::BaseResult;
use crate::engine::leveled::LeveledBase;
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::share::Share;
use crate::lang::diagnostic::Code;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::mutants::{LOW_SCORE, Tally};
use crate::report::shard::{By, Ids};
use crate::report::testing::JudgedFile;
use history::History;
use in_diff::InDiff;
use judge::{Filter, judge};
use reports::Reports;
use rows::Printer;

/// Returns the fields after the mutants: the counts of all listed ones, of the first-order ones, and with `--order 2` of
/// the second-order ones; the score of the first-order ones in percent, null if none counts; for a shard, the ids.
fn fields(args: &MutateArgs, tally: &Tally, ids: Ids) -> Object {
    Object::new()
        .field("counts", tally.all())
        .field("single_counts", tally.first_order)
        .option("pair_counts", (args.order > 1).then_some(tally.second_order))
        .field("score", tally.score().map(Share::decimal))
        .option("ids", args.shard.map(|_| ids))
}

/// Mutates each file, or lists the operators.
pub fn mutate(common: Common, args: &MutateArgs) -> Result<Exit, Failure> {
    if args.operators.iter().any(|name| name.trim() == "help") {
        return operators::list_operators(common);
    }
    let limits = Limits::new(args.seconds);
    let operators = operators::operators(&args.operators)?;
    let mut common = common;
    if let Some(group) = args.group {
        common.config.engine.group = group;
    }
    // Naming an operator selects its group, too.
    let named = operators.iter().filter(|_| !args.operators.is_empty()).map(|operator| operator.group()).max();
    common.config.engine.group = common.config.engine.group.max(named.unwrap_or_default());
    if args.files.is_empty() {
        // clap accepts a call without files, for the sake of `--operators help`.
        return Err(Failure::call("there is no FILE to mutate", "`myriad mutate FILE`; `-` is standard input"));
    }
    let mut reports = Reports::new(&args.report)?;
    if args.in_diff.as_ref().is_some_and(|path| path == "-") && args.files.iter().any(|path| path == "-") {
        return Err(Failure::call(
            "`-` is given more than once",
            "standard input has the diff: name the programs",
        ));
    }
    let since = args.since.as_ref().map(Since::read).transpose()?;
    let in_diff = args.in_diff.as_ref().map(InDiff::read).transpose()?;
    let mut history = args.history.as_ref().map(History::new);
    let mut session = Session::new(common)?;
    let shard = args.shard.map(|shard| shard.record(By::Mutants));
    let exit = each_file_of(&args.files, common, shard, |source| {
        let started = Instant::now();
        let limit = limits.whole();
        let Some(LeveledBase { shown, judged: base }) = session.leveled(source, &limit)? else {
            return Ok(unjudged(source, args, &limit));
        };
        let program = base.compiled.clone();
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        let name = source.shown();
        let mut spent = shown.timings;
        let (mut rows, mut pieces) = (Vec::new(), Vec::new());
        let mut tally = Tally::default();
        let (mut noticed, mut ids, mut proved) = (None, Ids::default(), 0);
        if report.exit == Exit::Good {
            if !args.list && !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
                report.add_failure(
                    format!("no test of {name} passes, so no mutant can be judged"),
                    format!(
                        "`myriad test {}` shows the tests; only passing tests judge mutants",
                        source.word()
                    ),
                );
            } else {
                let lines = since.as_ref().map(|since| since.lines(source)).transpose()?;
                let lines = lines.or_else(|| Some(in_diff.as_ref()?.lines_or_note(source)));
                let filter = Filter::new(program.clone(), &operators, lines);
                let judged = judge(&mut session, args, &filter, &limit, &mut spent)?;
                (ids, proved) = (filter.ids(judged.own), judged.proved);
                let mut unexamined = judged.unproved;
                if args.matrix {
                    let (found, left) = MatrixReport::examine(&base, &judged.counted, &limit);
                    noticed = Some(found);
                    unexamined += left;
                }
                let mut why = Vec::new();
                if args.why {
                    let (found, left) = why::examine(&base, &judged.shown, &|id| filter.shows(id), &limit);
                    why = found;
                    unexamined += left;
                }
                let left = judged.left();
                if let Some(partial) = limit.reached().filter(|_| !args.list && left + unexamined > 0) {
                    let all = judged.own.len() as usize;
                    let done = match unexamined {
                        0 => format!(
                            "{} of {} are judged",
                            grouped((all - left) as u64),
                            plural(all as u64, "mutant")
                        ),
                        more => format!("{} are not examined", plural(more as u64, "mutant")),
                    };
                    report.is_partial(source, partial, &done);
                }
                let printer =
                    Printer { args, filter: &filter, judged: &judged, noticed: noticed.as_ref(), why: &why };
                for stretch in printer.stretches(common.format) {
                    tally = tally.plus(stretch.tally);
                    rows.extend(stretch.rows);
                    pieces.extend((!stretch.document.is_empty()).then_some(stretch.document));
                }
            }
        }
        let idle = found.iter().filter(|finding| finding.code == Code::IgnoresNothing).count() as u64;
        if idle > 0 {
            let (comments, verb) = (plural(idle, "comment"), if idle == 1 { "ignores" } else { "ignore" });
            report.add_failure(
                format!("{name}: {comments} meant to ignore mutants {verb} nothing"),
                "name operators that `myriad mutate --operators help` lists; see `myriad explain W0005`",
            );
        }
        let least = args.min_score.filter(|_| report.partial.is_none());
        if let Some(missed) = tally.missed_score(least) {
            report.add_failure(format!("{name}: {missed}"), LOW_SCORE);
        }
        if args.min_score.is_some() {
            report.refuse_any_hole(source, &program);
        }
        reports.add(&source.name, &base, &rows, &tally);
        if let Some(history) =
            history.as_mut().filter(|_| report.partial.is_none() && program.facts.errors == 0)
        {
            history.add(&source.name, tally.first_order);
        }
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            let own = fields(args, &tally, ids).join(noticed.map(|noticed| noticed.document()));
            report.set_document_with_rows("mutants", pieces, own, timings);
        } else if program.facts.errors == 0 {
            report.text = if args.list {
                page::listing(&name, &rows)
            } else {
                let part = args.shard.map(|shard| format!("{name}, shard {} of {}", shard.index, shard.of));
                page::page(part.as_ref().unwrap_or(&name), &base, &rows, &tally, proved)
            };
            report.text.push_str(&noticed.map_or(String::new(), |noticed| noticed.text()));
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })?;
    reports.write()?;
    let plot = history.map_or(Ok(String::new()), History::write)?;
    if common.format == Format::Text {
        output::print(&plot)?;
    }
    Ok(exit)
}

/// Judges all first-order mutants of a base for a page, and explains the survivors. Mutants that are not judged when the
/// limit is reached are pending.
pub fn judged_file(
    session: &mut Session,
    source: &InputSource,
    base: &BaseResult,
    limit: &Limit,
) -> Result<JudgedFile, Failure> {
    let args = MutateArgs::explained();
    let operators = operators::operators(&[])?;
    let (mut rows, mut tally) = (Vec::new(), Tally::default());
    if base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
        let filter = Filter::new(base.compiled.clone(), &operators, None);
        let judged = judge(session, &args, &filter, limit, &mut base.timings.clone())?;
        let (why, _) = why::examine(base, &judged.shown, &|id| filter.shows(id), limit);
        let printer = Printer { args: &args, filter: &filter, judged: &judged, noticed: None, why: &why };
        for stretch in printer.stretches(Format::Text) {
            tally = tally.plus(stretch.tally);
            rows.extend(stretch.rows);
        }
    }
    Ok(reports::judged_file(&source.name, base, &rows, &tally))
}

/// Returns the report for a file whose tests did not end in time.
fn unjudged(source: &InputSource, args: &MutateArgs, limit: &Limit) -> FileReport {
    let mut report = FileReport::new(source, &[]);
    if let Some(partial) = limit.reached() {
        report.is_partial(source, partial, "its tests did not end, and no mutant is judged");
    }
    let own = fields(args, &Tally::default(), Ids::default());
    report.set_document_with_rows("mutants", vec![], own, None);
    report
}
