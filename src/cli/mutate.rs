//! `myriad mutate`: judges small changes of a program by its tests.

mod difference;
mod operators;
mod page;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use super::args::{Common, Format, GroupChoice, MutateArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::matrix::Noticed;
use super::progress::Progress;
use super::reports::Reports;
use super::session::Session;
use super::since::Since;
use super::why::{self, Why};
use super::{FileReport, each_file_of};
use crate::compiler::program::Compiled;
use crate::compiler::stage::mutate::{Edit, pair};
use crate::compiler::variants::{Change, Description, Folding, Ignored, Variants, folding};
use crate::engine::{self, EngineError};
use crate::host::measure::numbers::{grouped, plural};
use crate::host::measure::share::Share;
use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::mutation::{Group, Operator};
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Span};
use crate::report::mutants::{Counts, LOW_SCORE, Tally};
use crate::report::places::Lines;
use crate::report::shard::{By, Ids};
use crate::report::visible::on_one_line;

pub use difference::difference;

/// Number of mutants that one task formats.
const ROWS: usize = 64;
/// Default number of mutants if second-order ones are requested.
const BUDGET: u32 = 1_024;

/// The fields after the mutants.
#[derive(Serialize)]
struct Document {
    /// Counts of all listed mutants.
    counts: Counts,
    /// Counts of the first-order mutants, and with `--order 2` of the second-order ones.
    single_counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair_counts: Option<Counts>,
    /// Score of the first-order mutants in percent, with one decimal; null if none counts.
    score: Option<f64>,
    /// Set for a shard: the ids of its mutants.
    #[serde(skip_serializing_if = "Option::is_none")]
    ids: Option<Ids>,
    #[serde(flatten)]
    noticed: Option<Noticed>,
}

/// A mutant and its verdict.
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
    /// All tests that notice it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noticed_by: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<[u32; 2]>,
    /// The reason that a comment states for ignoring it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
    #[serde(flatten)]
    pub why: Option<Why>,
    /// Its changed lines, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Its changes, for text output; two for a second-order mutant. Empty in JSON output.
    #[serde(skip)]
    changes: Vec<Shown>,
}

/// A change, for text output.
struct Shown {
    line: u32,
    column: u32,
    operator: &'static str,
    original: String,
    replacement: String,
}

/// Mutates each file, or lists the operators.
pub fn mutate(common: Common, args: &MutateArgs) -> Result<Exit, Failure> {
    if args.operators.iter().any(|name| name.trim() == "help") {
        return operators::list_operators(common);
    }
    let operators = operators::operators(&args.operators)?;
    let mut common = common;
    if let Some(group) = args.group {
        common.config.engine.group = match group {
            GroupChoice::Default => Group::Default,
            GroupChoice::Strong => Group::Strong,
            GroupChoice::Repair => Group::Repair,
        };
    }
    // Naming an operator selects its group, too.
    let named = operators.iter().filter(|_| !args.operators.is_empty()).map(|operator| operator.group()).max();
    common.config.engine.group = common.config.engine.group.max(named.unwrap_or_default());
    if args.files.is_empty() {
        // clap accepts a call without files, for the sake of `--operators help`.
        return Err(Failure::call("there is no FILE to mutate", "`myriad mutate FILE`; `-` is standard input"));
    }
    let mut reports = Reports::new(&args.report)?;
    let since = args.since.as_ref().map(Since::read).transpose()?;
    let mut session = Session::new(common)?;
    let limits = Limits::new(args.seconds);
    let shard = args.shard.map(|shard| shard.said(By::Mutants));
    let exit = each_file_of(&args.files, common, shard, |source| {
        let started = Instant::now();
        let limit = limits.start();
        let Some(base) = session.watched(source, &limit)? else {
            return Ok(unjudged(source, args, &limit));
        };
        let program = base.compiled.clone();
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        let name = source.shown();
        let mut spent = base.timings;
        let (mut rows, mut pieces) = (Vec::new(), Vec::new());
        let mut tally = Tally::default();
        let (mut noticed, mut ids) = (None, Ids::default());
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
                let lines = since.as_ref().map(|since| since.lines(&program.text));
                let filter = Filter::new(program.clone(), &operators, lines);
                let judged = judge(&mut session, args, &filter, &limit, &mut spent)?;
                ids = filter.ids(&judged.own);
                let mut unexamined = 0;
                if args.matrix {
                    let (found, left) = Noticed::examine(&base, &judged.counted, &limit);
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
                    let all = judged.own.len();
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
        reports.add(&source.name, &base, &rows, &tally);
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            let own = Document {
                counts: tally.all(),
                single_counts: tally.singles,
                pair_counts: (args.order > 1).then_some(tally.pairs),
                score: tally.score().map(Share::decimal),
                ids: args.shard.map(|_| ids),
                noticed,
            };
            report.set_document_with_rows("mutants", pieces, own, timings);
        } else if program.facts.errors == 0 {
            report.text =
                if args.list { page::listing(&name, &rows) } else { page::page(&name, &base, &rows, &tally) };
            report.text.push_str(&noticed.map_or(String::new(), |noticed| noticed.text()));
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })?;
    reports.write()?;
    Ok(exit)
}

/// Returns the ids of the requested mutants; for a shard, its range.
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

/// The verdicts on a file's mutants, by id. Mutants that are not requested are pending.
struct Judged {
    /// The requested ids.
    own: Range<u32>,
    /// Verdicts, with ignored mutants marked.
    counted: Vec<Verdict>,
    /// Verdicts, with duplicates resolved again among the listed mutants.
    shown: Vec<Verdict>,
}

impl Judged {
    /// Returns the number of requested mutants that are not judged.
    fn left(&self) -> usize {
        let own = self.counted.iter().skip(self.own.start as usize);
        own.filter(|verdict| verdict.status == MutantStatus::Pending).count()
    }
}

/// Returns the report for a file whose tests did not end in time.
fn unjudged(source: &Source, args: &MutateArgs, limit: &Limit) -> FileReport {
    let mut report = FileReport::new(source, &[]);
    if let Some(partial) = limit.reached() {
        report.is_partial(source, partial, "its tests did not end, and no mutant is judged");
    }
    let counts = Counts::default();
    let own = Document {
        counts,
        single_counts: counts,
        pair_counts: (args.order > 1).then_some(counts),
        score: None,
        ids: args.shard.map(|_| Ids::default()),
        noticed: None,
    };
    report.set_document_with_rows("mutants", vec![], own, None);
    report
}

/// Judges the requested mutants until the limit is reached.
fn judge(
    session: &mut Session,
    args: &MutateArgs,
    filter: &Filter,
    limit: &Limit,
    spent: &mut engine::Timings,
) -> Result<Judged, Failure> {
    let own = wanted(args, &filter.variants);
    let pending = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };
    let mut verdicts = vec![pending; own.end as usize];
    if !args.list {
        run(session, own.clone(), limit, spent, &mut verdicts)?;
        // A duplicate of an excluded mutant in another shard takes over its verdict, so that one is judged,
        // too.
        let from = folding::needed(&verdicts, own.start, |id| filter.shows(id) && !filter.ignores(id));
        if from < own.start {
            run(session, from..own.start, limit, spent, &mut verdicts)?;
        }
    }
    filter.ignored.apply(&filter.variants, &mut Folding::default(), 0, &mut verdicts);
    let mut folding = Folding::default();
    let shown = (0..).zip(&verdicts).map(|(id, verdict)| folding.next(id, *verdict, filter.shows(id)));
    Ok(Judged { own, shown: shown.collect(), counted: verdicts })
}

/// Judges mutants until the limit is reached.
fn run(
    session: &mut Session,
    ids: Range<u32>,
    limit: &Limit,
    spent: &mut engine::Timings,
    verdicts: &mut [Verdict],
) -> Result<(), Failure> {
    let mut progress = Progress::new("mutants judged");
    let mut done = 0;
    let judged = session.engine().mutants(ids.start, ids.len() as u32, limit, &mut |part| {
        for (verdict, judged) in verdicts.iter_mut().skip(part.first as usize).zip(&part.verdicts) {
            *verdict = *judged;
        }
        *spent += &part.timings;
        done += part.verdicts.len();
        progress.update(done, ids.len());
    });
    match judged {
        Err(EngineError::Cancelled) | Ok(()) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Decides which mutants of a file are listed and counted.
struct Filter<'a> {
    variants: Variants<Arc<Compiled>>,
    ignored: Ignored,
    operators: &'a [Operator],
    /// With `--since`: the line numbers of the lines that are new.
    lines: Option<BTreeSet<u32>>,
}

impl<'a> Filter<'a> {
    fn new(program: Arc<Compiled>, operators: &'a [Operator], lines: Option<BTreeSet<u32>>) -> Filter<'a> {
        let ignored = Ignored::new(&program);
        Filter { variants: Variants::new(program), ignored, operators, lines }
    }

    /// Returns whether the call requests all mutants.
    fn shows_all(&self) -> bool {
        self.operators.len() == Operator::ALL.len() && self.lines.is_none()
    }

    /// Returns the ids for the document of a shard.
    fn ids(&self, own: &Range<u32>) -> Ids {
        Ids { first: own.start, end: own.end, all: self.shows_all() }
    }

    /// Returns whether the call requests a mutant, that is, all of its changes.
    fn shows(&self, id: u32) -> bool {
        if self.shows_all() {
            return id < self.variants.all();
        }
        let view = self.variants.program().view();
        let new = |line: u32| self.lines.as_ref().is_none_or(|lines| lines.contains(&line));
        let asked = |edit: Edit| self.operators.contains(&edit.operator) && new(view.line(edit.lo));
        self.variants.edits(id).is_some_and(|(first, second)| asked(first) && second.is_none_or(asked))
    }

    /// Returns whether a comment excludes a mutant from the count.
    fn ignores(&self, id: u32) -> bool {
        self.ignored.rule(&self.variants, id).is_some()
    }
}

/// Formats the listed mutants of a file.
struct Printer<'a> {
    args: &'a MutateArgs,
    filter: &'a Filter<'a>,
    judged: &'a Judged,
    noticed: Option<&'a Noticed>,
    /// Indexed by id.
    why: &'a [Option<Why>],
}

/// The listed mutants among consecutive ids.
struct Stretch {
    tally: Tally,
    /// Their rows as JSON, separated by commas. Empty in text output.
    document: String,
    /// Empty if only the document is needed: the texts of the rows take as much memory as the document.
    rows: Vec<Mutant>,
}

impl Printer<'_> {
    /// Formats all listed mutants, in order of their ids.
    fn stretches(&self, format: Format) -> Vec<Stretch> {
        let (first, lines) = (self.judged.own.start, Lines::new(self.filter.variants.text()));
        let shown = self.judged.shown.get(first as usize..).unwrap_or(&[]);
        let first_order = self.filter.variants.first_order();
        let stretch = |(place, verdicts): (usize, &[Verdict])| {
            let ids = first + (place * ROWS) as u32..;
            let row = |(id, verdict)| self.row(id, verdict, &lines, format);
            let rows: Vec<Mutant> = ids.zip(verdicts).filter_map(row).collect();
            let document = if format == Format::Json { document::json_rows(&rows) } else { String::new() };
            let tally = Tally::of(first_order, rows.iter().map(|row| (row.id, row.verdict)));
            let kept = format == Format::Text || !self.args.report.is_empty();
            Stretch { tally, document, rows: if kept { rows } else { Vec::new() } }
        };
        shown.par_chunks(ROWS).enumerate().map(stretch).collect()
    }

    /// Returns the row of a mutant, or `None` if it is not listed.
    fn row(&self, id: u32, verdict: &Verdict, lines: &Lines, format: Format) -> Option<Mutant> {
        let Printer { args, filter, judged, noticed, why } = *self;
        let variant = filter.variants.describe(id).filter(|_| filter.shows(id))?;
        let in_full = args.list || verdict.status == MutantStatus::Survived;
        let in_text = format == Format::Text && in_full;
        let changes = if in_text { shown(&variant, lines, filter.variants.text()) } else { Vec::new() };
        let original = judged.counted.get(id as usize).map_or(NONE, |counted| counted.original);
        let noticed_by = noticed.and_then(|noticed| noticed.by(id).or_else(|| noticed.by(original)));
        let noticed_by = noticed_by.filter(|_| verdict.status != MutantStatus::Duplicate);
        let rule = (verdict.status == MutantStatus::Ignored).then(|| filter.ignored.rule(&filter.variants, id));
        let ignored = rule.flatten().map(|rule| rule.reason.clone());
        let diff = (args.diff && in_full).then(|| difference(&filter.variants, id));
        let why = why.get(id as usize).cloned().flatten();
        let row = row(id, variant, verdict, filter.variants.first_order(), lines);
        Some(Mutant { noticed_by, ignored, diff, changes, why, ..row })
    }
}

/// Returns the changes of a variant for text output.
fn shown(variant: &Description, lines: &Lines, text: &str) -> Vec<Shown> {
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
    variant.changes.iter().map(shown).collect()
}

fn row(id: u32, variant: Description, verdict: &Verdict, first_order: u32, lines: &Lines) -> Mutant {
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
        changes: Vec::new(),
    }
}

/// Puts a piece of source on one line; long text is cut.
fn on_a_line(text: &str) -> String {
    const LONGEST: usize = 40;
    let line = on_one_line(text);
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::args::{Args, Command};
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::host::measure::allocations::counted;
    use crate::lang::samples;

    /// A document must cost little compared with judging its mutants. A test that runs next to others cannot bound
    /// time, so it counts what takes the time: allocations per row, and bytes allocated per byte of the document.
    #[test]
    fn rows_of_a_document_take_few_allocations() {
        let args = Args::try_parse_from(["myriad", "mutate", "gcd.myr", "--order", "2"]).expect("a call");
        let Some(Command::Mutate(args)) = args.command else { panic!("another command") };
        let text: Arc<str> = samples::named("gcd.myr").expect("a sample").text.into();
        let mut engine = CpuEngine::with_threads(1);
        let base = engine.base(&text, &|| false).expect("a base");
        let filter = Filter::new(base.compiled.clone(), Operator::ALL, None);
        let mut verdicts = Vec::new();
        engine.mutants(0, BUDGET, &|| false, &mut |part| verdicts.extend(part.verdicts)).expect("verdicts");
        let judged = Judged { own: 0..BUDGET, counted: verdicts.clone(), shown: verdicts };
        let printer = Printer { args: &args, filter: &filter, judged: &judged, noticed: None, why: &[] };
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        let (stretches, made) = alone.install(|| counted(|| printer.stretches(Format::Json)));
        let document: usize = stretches.iter().map(|stretch| stretch.document.len()).sum();
        assert!(document > 500_000, "{document} bytes");
        println!("{made:?} for {BUDGET} rows and {document} bytes");
        assert!(made.count < 12 * u64::from(BUDGET), "{made:?} for {BUDGET} rows");
        assert!(made.bytes < 6 * document as u64, "{made:?} for {document} bytes");
    }
}
