//! `myriad mutate`: judge all small changes of a program by its tests.

use std::fmt::Write;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, MutateArgs};
use super::exit::{Exit, Failure};
use super::output::visible;
use super::progress::Progress;
use super::session::{Session, Timings};
use super::{FileReport, each_file};
use crate::engine::{self, BaseResult, MutantStatus, Outcome, Verdict};
use crate::lang::NONE;
use crate::lang::mutation::Operator;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{self, Finding, Span};
use crate::report::mutants::{Counts, status_name};
use crate::report::places::Lines;
use crate::stage::mutate::pair;
use crate::variants::{Description, Variants};

/// Mutants judged where pairs are wanted and no budget is given.
const BUDGET: u32 = 1_024;

#[derive(Serialize)]
struct Document<'a> {
    file: &'a str,
    diagnostics: Vec<Finding>,
    mutants: Vec<Mutant>,
    counts: CountsRow,
    /// A number with one decimal; null where no mutant counts.
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Timings>,
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
}

#[derive(Serialize)]
struct CountsRow {
    killed: u32,
    timeout: u32,
    survived: u32,
    equivalent: u32,
    duplicate: u32,
    invalid: u32,
}

/// Mutates each file.
pub fn mutate(common: Common, args: &MutateArgs) -> Result<Exit, Failure> {
    let operators = operators(&args.operators)?;
    let mut session = Session::new(common)?;
    each_file(&args.files.files, common, |source| {
        let started = Instant::now();
        let base = session.base(source)?;
        let program = base.compiled.clone();
        let found = diagnostics(&program);
        let mut report = FileReport::new(source, &found);
        let name = visible(&source.name);
        let mut spent = base.timings;
        let variants = Variants::new(program.clone());
        let mut rows = Vec::new();
        let mut counts = Counts::default();
        if report.exit == Exit::Good {
            if !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
                report.falls_short(
                    format!("no test of {name} passes, so none can judge a mutant"),
                    format!("`myriad test {name}` shows the tests; a mutant is judged by those that pass"),
                );
            } else {
                let verdicts = judge(&mut session, args, &mut spent)?;
                let lines = Lines::new(&program.text);
                for (id, verdict) in (0..).zip(&verdicts) {
                    let Some(variant) = variants.describe(id) else { continue };
                    if variant.changes.iter().all(|change| operators.contains(&change.operator)) {
                        counts.add(verdict.status);
                        rows.push(row(id, variant, verdict, variants.first_order(), &lines));
                    }
                }
            }
        }
        let score = counts.score();
        if let (Some(least), Some(score)) = (args.min_score, score)
            && f64::from(score) < least * 10.0
        {
            report.falls_short(
                format!("{name}: the score {} is below {least}", tenths(score)),
                "add tests that notice the mutants that survived",
            );
        }
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            report.document = document::json(&Document {
                file: &source.name,
                diagnostics: document::findings(&found),
                mutants: rows,
                counts: counts_row(&counts),
                score: score.map(|score| f64::from(score) / 10.0),
                timings,
            });
        } else if program.facts.errors == 0 {
            report.text = page(&name, &base, &rows, &counts);
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
            let all: Vec<&str> = Operator::ALL.iter().map(|operator| operator.name()).collect();
            Failure::call(
                format!("there is no mutation operator `{}`", visible(name)),
                format!("the operators are {}", all.join(", ")),
            )
        })
    };
    names.iter().map(known).collect()
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
    let pending = Verdict { status: MutantStatus::Pending, killer: NONE, twin: NONE };
    let mut verdicts = vec![pending; total as usize];
    let mut progress = Progress::new("mutants judged");
    let mut done = 0;
    session.engine().mutants(0, total, &|| false, &mut |part| {
        let first = part.first as usize;
        for (verdict, judged) in verdicts.iter_mut().skip(first).zip(&part.verdicts) {
            *verdict = *judged;
        }
        for (sum, stage) in spent.stages.iter_mut().zip(part.timings.stages) {
            *sum += stage;
        }
        done += part.verdicts.len();
        progress.update(done, total as usize);
    })?;
    Ok(verdicts)
}

fn row(id: u32, variant: Description, verdict: &Verdict, first_order: u32, lines: &Lines) -> Mutant {
    Mutant {
        id,
        operator: variant.operator(),
        span: Span::new(lines.place(variant.lo), lines.place(variant.hi)),
        original: variant.original,
        replacement: variant.replacement,
        status: status_name(verdict.status),
        killed_by: (verdict.killer != NONE).then_some([verdict.killer]),
        pair: pair(first_order, id).map(|(first, second)| [first, second]),
    }
}

fn counts_row(counts: &Counts) -> CountsRow {
    let Counts { killed, timeout, survived, equivalent, duplicate, invalid } = *counts;
    CountsRow { killed, timeout, survived, equivalent, duplicate, invalid }
}

/// Tenths as a decimal number: 875 is `87.5`.
fn tenths(score: u32) -> String {
    format!("{}.{}", score / 10, score % 10)
}

/// The result for people: the sum, and each survivor.
fn page(name: &str, base: &BaseResult, rows: &[Mutant], counts: &Counts) -> String {
    let mut page = format!("{name}: {} mutants", rows.len());
    if let Some(score) = counts.score() {
        let _ = write!(page, ", score {} %", tenths(score));
    }
    page.push('\n');
    let Counts { killed, timeout, survived, equivalent, duplicate, invalid } = *counts;
    let _ = writeln!(
        page,
        "  {killed} killed, {timeout} timeout, {survived} survived; {equivalent} equivalent, {duplicate} duplicate, \
         {invalid} invalid"
    );
    let failing = base.entries.iter().filter(|entry| entry.outcome != Outcome::Pass).count();
    if failing > 0 {
        let _ = writeln!(page, "  {failing} of {} tests do not pass and judge nothing", base.entries.len());
    }
    for mutant in rows.iter().filter(|mutant| mutant.status == "survived") {
        let place = format!("{}:{}", mutant.span.line, mutant.span.column);
        let _ = writeln!(
            page,
            "  survived  {place:>7}  {:<16} {} → {}",
            mutant.operator,
            shown(&mutant.original),
            shown(&mutant.replacement),
        );
    }
    page
}

/// A piece of source on one line.
fn shown(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.is_empty() {
        return "(nothing)".to_string();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = visible(&words.join(" "));
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
