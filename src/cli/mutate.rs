//! `myriad mutate`: judge all small changes of a program by its tests.

use std::fmt::Write;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, MutateArgs};
use super::exit::{Exit, Failure};
use super::output;
use super::progress::Progress;
use super::session::Session;
use super::why::{self, Why};
use super::{FileReport, each_file_of};
use crate::engine::{self, BaseResult};
use crate::lang::NONE;
use crate::lang::mutation::Operator;
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::measure::numbers::{grouped, plural};
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Span};
use crate::report::mutants::{Counts, Tally, decimal, percent};
use crate::report::places::Lines;
use crate::report::shard::By;
use crate::report::visible::{on_one_line, visible};
use crate::stage::mutate::pair;
use crate::variants::{Change, Description, Variants};

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
}

#[derive(Serialize)]
struct Mutant {
    id: u32,
    operator: String,
    #[serde(flatten)]
    span: Span,
    original: String,
    replacement: String,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    killed_by: Option<[u32; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pair: Option<[u32; 2]>,
    #[serde(flatten)]
    why: Option<Why>,
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
    changes: &'static str,
}

/// Mutates each file, or lists the operators.
pub fn mutate(common: Common, args: &MutateArgs) -> Result<Exit, Failure> {
    if args.operators.iter().any(|name| name.trim() == "help") {
        return list_operators(common);
    }
    let operators = operators(&args.operators)?;
    if args.files.is_empty() {
        // The declaration lets this pass, for the sake of `--operators help`.
        return Err(Failure::call("there is no FILE to mutate", "`myriad mutate FILE`; `-` is standard input"));
    }
    let mut session = Session::new(common)?;
    let shard = args.shard.map(|shard| shard.said(By::Mutants));
    each_file_of(&args.files, common, shard, |source| {
        let started = Instant::now();
        let base = session.base(source)?;
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        let name = source.shown();
        let mut spent = base.timings;
        let variants = Variants::new(program.clone());
        let mut rows = Vec::new();
        let mut tally = Tally::default();
        if report.exit == Exit::Good {
            if !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
                report.falls_short(
                    format!("no test of {name} passes, so none can judge a mutant"),
                    format!(
                        "`myriad test {}` shows the tests; a mutant is judged by those that pass",
                        source.word()
                    ),
                );
            } else {
                let verdicts = judge(&mut session, args, &mut spent)?;
                let lines = Lines::new(&program.text);
                let mut why = if args.why { why::examine(&base, &verdicts) } else { Vec::new() };
                let judged = |(_, verdict): &(u32, &Verdict)| verdict.status != MutantStatus::Pending;
                for (id, verdict) in (0..).zip(&verdicts).filter(judged) {
                    let Some(variant) = variants.describe(id) else { continue };
                    if variant.changes.iter().all(|change| operators.contains(&change.operator)) {
                        tally.add(variants.first_order(), id, verdict.status);
                        let row = row(id, variant, verdict, variants.first_order(), &lines, &program.text);
                        let why = why.get_mut(id as usize).and_then(Option::take);
                        rows.push(Mutant { why, ..row });
                    }
                }
            }
        }
        let score = tally.score();
        if let (Some(least), Some(score)) = (args.min_score, score)
            && decimal(score) < least
        {
            report.falls_short(
                format!("{name}: the score {} is below {least} %", percent(score)),
                "add tests that notice the single changes that survived",
            );
        }
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            let own = Document {
                mutants: rows,
                counts: tally.all(),
                single_counts: tally.singles,
                pair_counts: (args.order > 1).then_some(tally.pairs),
                score: score.map(decimal),
            };
            report.tell(own, timings);
        } else if program.facts.errors == 0 {
            report.text = page(&name, &base, &rows, &tally);
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })
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
        let _ = writeln!(text, "  {:<width$}  {}", operator.name(), operator.summary());
        text
    })
}

fn list_operators(common: Common) -> Result<Exit, Failure> {
    let text = match common.format {
        Format::Text => operators_text(),
        Format::Json => {
            let row = |operator: &Operator| OperatorRow { name: operator.name(), changes: operator.summary() };
            let operators = Operator::ALL.iter().map(row).collect();
            document::json(&OperatorsDocument { version: document::VERSION, files: [], operators }) + "\n"
        }
    };
    output::print(&text)?;
    Ok(Exit::Good)
}

/// The verdicts on all mutants that are wanted, by id.
fn judge(
    session: &mut Session,
    args: &MutateArgs,
    spent: &mut engine::Timings,
) -> Result<Vec<Verdict>, Failure> {
    let variants = session.engine().variants();
    let total = match (args.order, args.budget) {
        (1, budget) => variants.first_order.min(budget.unwrap_or(u32::MAX)),
        (_, None) => variants.all.min(variants.first_order.max(BUDGET)),
        (_, Some(budget)) => variants.all.min(budget),
    };
    let pending = Verdict { status: MutantStatus::Pending, killer: NONE, original: NONE };
    // Those before a shard's are compiled all the same: one of its mutants may be the duplicate of one of them.
    let wanted = args.shard.map_or(0..u64::from(total), |shard| shard.stretch(total.into()));
    let (from, count) = (wanted.start as u32, (wanted.end - wanted.start) as u32);
    let mut verdicts = vec![pending; wanted.end as usize];
    let mut progress = Progress::new("mutants judged");
    let mut done = 0;
    session.engine().mutants(from, count, &|| false, &mut |part| {
        let first = part.first as usize;
        for (verdict, judged) in verdicts.iter_mut().skip(first).zip(&part.verdicts) {
            *verdict = *judged;
        }
        *spent += &part.timings;
        done += part.verdicts.len();
        progress.update(done, count as usize);
    })?;
    Ok(verdicts)
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
        killed_by: (verdict.killer != NONE).then_some([verdict.killer]),
        pair: pair(first_order, id).map(|(first, second)| [first, second]),
        why: None,
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
    let survived = |mutant: &&Mutant| mutant.status == MutantStatus::Survived.name();
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

/// A line with all changes of a mutant that survived.
fn survivor(page: &mut String, mutant: &Mutant) {
    let mut before = "  survived ";
    for Shown { line, column, operator, original, replacement } in &mutant.changes {
        let place = format!("{line}:{column}");
        let _ = write!(page, "{before} {place:>7}  {operator:<15}  {original} → {replacement}");
        before = "  &";
    }
    page.push('\n');
    for line in mutant.why.iter().flat_map(Why::lines) {
        let _ = writeln!(page, "{:22}{}", "", visible(line));
    }
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
