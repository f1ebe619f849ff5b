//! `myriad mutate`: judge all small changes of a program by its tests.

use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use similar::TextDiff;

use super::args::{Common, Format, GroupChoice, MutateArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::matrix::Noticed;
use super::output;
use super::progress::Progress;
use super::reports::Reports;
use super::session::Session;
use super::since::Since;
use super::why::{self, Why};
use super::{FileReport, each_file_of};
use crate::engine::{self, BaseResult, EngineError};
use crate::lang::NONE;
use crate::lang::mutation::{Group, Operator};
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::measure::numbers::{grouped, plural};
use crate::program::Compiled;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Span};
use crate::report::mutants::{Counts, Tally, decimal, percent};
use crate::report::places::Lines;
use crate::report::shard::By;
use crate::report::visible::{on_one_line, visible, visible_lines};
use crate::stage::mutate::pair;
use crate::variants::{Change, Description, Ignored, Variants};

/// Mutants judged where pairs are wanted and no budget is given.
const BUDGET: u32 = 1_024;

#[derive(Serialize)]
struct Document {
    mutants: Vec<Mutant>,
    /// Of all mutants that are listed.
    counts: Counts,
    /// Of the single changes among them, and with `--order 2` of the pairs.
    single_counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair_counts: Option<Counts>,
    /// Of single changes only, with one decimal; null where none of them counts.
    score: Option<f64>,
    #[serde(flatten)]
    noticed: Option<Noticed>,
}

/// A mutant, and what became of it.
#[derive(Serialize)]
pub struct Mutant {
    pub id: u32,
    pub operator: String,
    #[serde(flatten)]
    pub span: Span,
    pub original: String,
    pub replacement: String,
    status: &'static str,
    #[serde(skip)]
    pub verdict: MutantStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub killed_by: Option<[u32; 1]>,
    /// All that notice it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticed_by: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<[u32; 2]>,
    /// Why a comment takes it out of the count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    #[serde(flatten)]
    pub why: Option<Why>,
    /// Its lines before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Its changes for people: of a pair both.
    #[serde(skip)]
    changes: Vec<Shown>,
}

/// A change for people.
struct Shown {
    line: u32,
    column: u32,
    operator: &'static str,
    original: String,
    replacement: String,
}

/// The operators, where they are asked for.
#[derive(Serialize)]
struct OperatorsDocument {
    version: u32,
    /// Always empty: operators are of no file.
    files: [(); 0],
    operators: Vec<OperatorRow>,
}

#[derive(Serialize)]
struct OperatorRow {
    name: &'static str,
    group: &'static str,
    changes: &'static str,
}

/// Mutates each file, or lists the operators.
pub fn mutate(common: Common, args: &MutateArgs) -> Result<Exit, Failure> {
    if args.operators.iter().any(|name| name.trim() == "help") {
        return list_operators(common);
    }
    let operators = operators(&args.operators)?;
    let mut common = common;
    if let Some(group) = args.group {
        common.config.engine.group = match group {
            GroupChoice::Default => Group::Default,
            GroupChoice::Strong => Group::Strong,
            GroupChoice::Repair => Group::Repair,
        };
    }
    // Whoever names an operator means its group as well.
    let named = operators.iter().filter(|_| !args.operators.is_empty()).map(|operator| operator.group()).max();
    common.config.engine.group = common.config.engine.group.max(named.unwrap_or_default());
    if args.files.is_empty() {
        // The declaration lets this pass, for the sake of `--operators help`.
        return Err(Failure::call("there is no FILE to mutate", "`myriad mutate FILE`; `-` is standard input"));
    }
    let mut reports = Reports::new(&args.report)?;
    let since = args.since.as_ref().map(Since::read).transpose()?;
    let mut session = Session::new(common)?;
    let limits = Limits::new(args.seconds)?;
    let shard = args.shard.map(|shard| shard.said(By::Mutants));
    let exit = each_file_of(&args.files, common, shard, |source| {
        let started = Instant::now();
        let limit = limits.start();
        let Some(base) = session.watched(source, &limit)? else {
            return Ok(unjudged(source, args, &limit));
        };
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        let name = source.shown();
        let mut spent = base.timings;
        let variants = Variants::new(program.clone());
        let mut rows = Vec::new();
        let mut tally = Tally::default();
        let mut noticed = None;
        if report.exit == Exit::Good {
            if !args.list && !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
                report.falls_short(
                    format!("no test of {name} passes, so none can judge a mutant"),
                    format!(
                        "`myriad test {}` shows the tests; a mutant is judged by those that pass",
                        source.word()
                    ),
                );
            } else {
                let own = wanted(args, &variants);
                let mut verdicts = judge(&mut session, args, own.clone(), &limit, &mut spent)?;
                let is_pending = |verdict: &&Verdict| verdict.status == MutantStatus::Pending;
                let left = verdicts[own.start as usize..].iter().filter(is_pending).count();
                let lines = Lines::new(&program.text);
                let ignored = Ignored::new(&program);
                if !ignored.is_empty() {
                    ignored.apply(&variants, 0, &mut verdicts);
                }
                let changed = since.as_ref().map(|since| since.lines(&program.text));
                let mut unexamined = 0;
                if args.matrix {
                    let (found, left) = Noticed::examine(&base, &verdicts, &limit);
                    noticed = Some(found);
                    unexamined += left;
                }
                let mut why = Vec::new();
                if args.why {
                    let (found, left) = why::examine(&base, &verdicts, &limit);
                    why = found;
                    unexamined += left;
                }
                if let Some(partial) = limit.reached().filter(|_| !args.list && left + unexamined > 0) {
                    let judged = grouped((own.len() - left) as u64);
                    let done = match unexamined {
                        0 => format!("{judged} of {} are judged", plural(own.len() as u64, "mutant")),
                        more => format!("{} are not examined", plural(more as u64, "mutant")),
                    };
                    report.is_partial(source, partial, &done);
                }
                for (id, verdict) in (0..).zip(&verdicts).skip(own.start as usize) {
                    let Some(variant) = variants.describe(id) else { continue };
                    let new = |change: &Change| {
                        changed.as_ref().is_none_or(|new| new.contains(&lines.place(change.lo).line))
                    };
                    let wanted = |change: &Change| operators.contains(&change.operator) && new(change);
                    if variant.changes.iter().all(wanted) {
                        tally.add(variants.first_order(), id, verdict.status);
                        let row = row(id, variant, verdict, variants.first_order(), &lines, &program.text);
                        let why = why.get_mut(id as usize).and_then(Option::take);
                        let noticed_by = noticed.as_ref().and_then(|noticed| noticed.by(id));
                        let rule =
                            (verdict.status == MutantStatus::Ignored).then(|| ignored.rule(&variants, id));
                        let ignored = rule.flatten().map(|rule| rule.reason.clone());
                        let shown = args.list || verdict.status == MutantStatus::Survived;
                        let diff = (args.diff && shown).then(|| difference(&variants, id));
                        rows.push(Mutant { why, noticed_by, ignored, diff, ..row });
                    }
                }
            }
        }
        let score = tally.score();
        if let (Some(least), Some(score)) = (args.min_score, score)
            && decimal(score) < least
            && report.partial.is_none()
        {
            report.falls_short(
                format!("{name}: the score {} is below {least} %", percent(score)),
                "add tests that notice the single changes that survived",
            );
        }
        reports.add(&source.name, &base, &rows, &tally);
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            let own = Document {
                mutants: rows,
                counts: tally.all(),
                single_counts: tally.singles,
                pair_counts: (args.order > 1).then_some(tally.pairs),
                score: score.map(decimal),
                noticed,
            };
            report.tell(own, timings);
        } else if program.facts.errors == 0 {
            report.text = if args.list { listing(&name, &rows) } else { page(&name, &base, &rows, &tally) };
            report.text.push_str(&noticed.map_or(String::new(), |noticed| noticed.text()));
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })?;
    reports.write()?;
    Ok(exit)
}

/// The operators that are wanted; all if none is named.
fn operators(names: &[String]) -> Result<Vec<Operator>, Failure> {
    if names.is_empty() {
        return Ok(Operator::ALL.to_vec());
    }
    let known = |name: &String| {
        Operator::from_name(name.trim()).ok_or_else(|| {
            Failure::call(
                format!("there is no mutation operator `{}`", visible(name.trim())),
                format!("these are the operators:\n{}", operators_text().trim_end()),
            )
        })
    };
    names.iter().map(known).collect()
}

/// All operators and what each changes, a line each.
fn operators_text() -> String {
    let width = Operator::ALL.iter().map(|operator| operator.name().len()).max().unwrap_or(0);
    Operator::ALL.iter().fold(String::new(), |mut text, operator| {
        let group = operator.group().name();
        let _ = writeln!(text, "  {:<width$}  {group:<7}  {}", operator.name(), operator.summary());
        text
    })
}

fn list_operators(common: Common) -> Result<Exit, Failure> {
    let text = match common.format {
        Format::Text => operators_text(),
        Format::Json => {
            let row = |operator: &Operator| OperatorRow {
                name: operator.name(),
                group: operator.group().name(),
                changes: operator.summary(),
            };
            let operators = Operator::ALL.iter().map(row).collect();
            document::json(&OperatorsDocument { version: document::VERSION, files: [], operators }) + "\n"
        }
    };
    output::print(&text)?;
    Ok(Exit::Good)
}

/// The ids of the mutants that are wanted: of a shard its stretch.
fn wanted(args: &MutateArgs, variants: &Variants<Arc<Compiled>>) -> Range<u32> {
    let (first_order, all) = (variants.first_order(), variants.all());
    let total = match (args.order, args.budget) {
        (1, budget) => first_order.min(budget.unwrap_or(u32::MAX)),
        (_, None) => all.min(first_order.max(BUDGET)),
        (_, Some(budget)) => all.min(budget),
    };
    let own = args.shard.map_or(0..u64::from(total), |shard| shard.stretch(total.into()));
    own.start as u32..own.end as u32
}

/// The report where not even the tests ended in time.
fn unjudged(source: &Source, args: &MutateArgs, limit: &Limit) -> FileReport {
    let mut report = FileReport::new(source, &[]);
    if let Some(partial) = limit.reached() {
        report.is_partial(source, partial, "its tests did not end, and no mutant is judged");
    }
    let counts = Counts::default();
    let pair_counts = (args.order > 1).then_some(counts);
    let own =
        Document { mutants: vec![], counts, single_counts: counts, pair_counts, score: None, noticed: None };
    report.tell(own, None);
    report
}

/// The verdicts on the mutants with these ids, by id; those of lower ids are pending, and those that the limit came before.
fn judge(
    session: &mut Session,
    args: &MutateArgs,
    own: Range<u32>,
    limit: &Limit,
    spent: &mut engine::Timings,
) -> Result<Vec<Verdict>, Failure> {
    let pending = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };
    let mut verdicts = vec![pending; own.end as usize];
    if args.list {
        return Ok(verdicts);
    }
    let (from, count) = (own.start, own.end - own.start);
    let mut progress = Progress::new("mutants judged");
    let mut done = 0;
    let judged = session.engine().mutants(from, count, limit, &mut |part| {
        let first = part.first as usize;
        for (verdict, judged) in verdicts.iter_mut().skip(first).zip(&part.verdicts) {
            *verdict = *judged;
        }
        *spent += &part.timings;
        done += part.verdicts.len();
        progress.update(done, count as usize);
    });
    match judged {
        Err(EngineError::Cancelled) | Ok(()) => Ok(verdicts),
        Err(error) => Err(error.into()),
    }
}

fn row(
    id: u32,
    variant: Description,
    verdict: &Verdict,
    first_order: u32,
    lines: &Lines,
    text: &str,
) -> Mutant {
    let shown = |change: &Change| {
        let place = lines.place(change.lo);
        Shown {
            line: place.line,
            column: place.column,
            operator: change.operator.name(),
            original: on_a_line(text.get(change.lo..change.hi).unwrap_or("")),
            replacement: on_a_line(&change.replacement),
        }
    };
    let changes = variant.changes.iter().map(shown).collect();
    Mutant {
        id,
        operator: variant.operator(),
        span: Span::new(lines.place(variant.lo), lines.place(variant.hi)),
        original: variant.original,
        replacement: variant.replacement,
        status: verdict.status.name(),
        verdict: verdict.status,
        killed_by: (verdict.killer != NONE).then_some([verdict.killer]),
        noticed_by: None,
        pair: pair(first_order, id).map(|(first, second)| [first, second]),
        why: None,
        ignored: None,
        diff: None,
        changes,
    }
}

/// The result for people: of single changes the sum and each survivor, and below the same of pairs.
fn page(name: &str, base: &BaseResult, rows: &[Mutant], tally: &Tally) -> String {
    let mut page = format!("{name}: {}", plural(tally.singles.judged().into(), "single change"));
    if let Some(score) = tally.score() {
        let _ = write!(page, ", score {}", percent(score));
    }
    let _ = writeln!(page, "\n  {}", tally.singles.text());
    let endless = rows.iter().filter_map(|row| row.why.as_ref()).filter(|why| why.never_ends()).count() as u64;
    if endless > 0 {
        let timeouts = plural(tally.singles.timeout.into(), "timeout");
        let _ = writeln!(page, "  {} of {timeouts} never end", grouped(endless));
    }
    let failing = base.entries.iter().filter(|entry| entry.outcome != Outcome::Pass).count() as u64;
    if failing > 0 {
        let all = plural(base.entries.len() as u64, "test");
        let verbs = if failing == 1 { "does not pass and judges" } else { "do not pass and judge" };
        let _ = writeln!(page, "  {} of {all} {verbs} nothing", grouped(failing));
    }
    let survived = |mutant: &&Mutant| mutant.verdict == MutantStatus::Survived;
    let (pairs, singles): (Vec<&Mutant>, Vec<&Mutant>) =
        rows.iter().filter(survived).partition(|mutant| mutant.pair.is_some());
    singles.into_iter().for_each(|mutant| survivor(&mut page, mutant));
    if tally.pairs.judged() > 0 {
        let _ = writeln!(
            page,
            "  and {}, which do not count in the score",
            plural(tally.pairs.judged().into(), "pair")
        );
        let _ = writeln!(page, "  {}", tally.pairs.text());
    }
    pairs.into_iter().for_each(|mutant| survivor(&mut page, mutant));
    page
}

/// All mutants for people, unjudged.
fn listing(name: &str, rows: &[Mutant]) -> String {
    let mut page = format!("{name}: {}\n", plural(rows.len() as u64, "mutant"));
    rows.iter().for_each(|mutant| told(&mut page, &format!("{:>8}  ", format!("#{}", mutant.id)), mutant));
    page
}

/// A line with all changes of a mutant that survived.
fn survivor(page: &mut String, mutant: &Mutant) {
    told(page, "  survived  ", mutant);
}

/// A line with all changes of a mutant, and below it what else is known.
fn told(page: &mut String, first: &str, mutant: &Mutant) {
    let mut before = first;
    for Shown { line, column, operator, original, replacement } in &mutant.changes {
        let place = format!("{line}:{column}");
        let _ = write!(page, "{before}{place:>7}  {operator:<15}  {original} → {replacement}");
        before = "  & ";
    }
    page.push('\n');
    for line in mutant.why.iter().flat_map(Why::lines) {
        let _ = writeln!(page, "{:22}{}", "", visible(line));
    }
    for line in mutant.diff.iter().flat_map(|diff| diff.lines()) {
        let _ = writeln!(page, "    {}", visible_lines(line));
    }
}

/// The lines that a mutant changes, before and after, with where they stand.
pub fn difference(variants: &Variants<Arc<Compiled>>, id: u32) -> String {
    let (text, mutant) = (variants.text(), variants.source(id).unwrap_or_default());
    TextDiff::from_lines(text, &mutant).unified_diff().context_radius(0).to_string()
}

/// A piece of source on one line, of what is long the beginning.
fn on_a_line(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = on_one_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
