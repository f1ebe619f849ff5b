//! `myriad noise`: simulates tests on a machine that makes errors.

use std::fmt::Write;
use std::time::Instant;

use serde::Serialize;

use super::args::{Common, Format, NoiseArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::progress::Progress;
use super::session::Session;
use super::titles::{Heading, heading};
use super::{FileReport, each_file};
use crate::compiler::program::Compiled;
use crate::engine::EntryResult;
use crate::host::measure::numbers::plural;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::lang::index::{Address, EntryId, Index, TokenId};
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Span;
use crate::report::places::Lines;
use crate::report::visible::visible;
use crate::testing::noise::{self, Report, Settings, TestReport};

#[derive(Serialize)]
struct Document {
    /// Always true: no such machine exists.
    simulation: bool,
    rate: f64,
    k: u32,
    seed: u32,
    bound: f64,
    confidence: f64,
    tests: Vec<Test>,
    fragile: Vec<Instruction>,
    variables: Vec<Variable>,
}

#[derive(Serialize)]
struct Test {
    index: EntryId,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    line: u32,
    held: u32,
    held_low: f64,
    held_high: f64,
    wrong: u32,
    trapped: u32,
    timeout: u32,
    faults: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    vote: Option<Vote>,
    #[serde(skip)]
    title: String,
}

#[derive(Serialize)]
struct Vote {
    repetitions: u32,
    error: Number,
    groups: u32,
    lost: u32,
}

/// A number with its origin.
#[derive(Serialize)]
struct Number {
    value: f64,
    origin: Origin,
}

#[derive(Serialize)]
struct Instruction {
    address: Address,
    op: &'static str,
    #[serde(flatten)]
    span: Span,
    struck: u32,
    lost: u32,
    #[serde(skip)]
    text: String,
}

#[derive(Serialize)]
struct Variable {
    name: String,
    #[serde(flatten)]
    span: Span,
    struck: u32,
    lost: u32,
}

/// Simulates each file's tests.
pub fn noise(common: Common, args: &NoiseArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    let limits = Limits::new(args.seconds);
    let mut session = Session::new(common)?;
    let settings = Settings {
        rate: args.rate,
        repetitions: args.k,
        seed: args.seed,
        bound: args.bound,
        confidence: args.confidence,
    };
    each_file(&args.files.files, common, |source| {
        let started = Instant::now();
        let limit = limits.whole();
        let Some(base) = session.base_with_watch(source, &limit)? else {
            return Ok(unmeasured(source, &settings, &limit));
        };
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        let name = source.shown();
        let mut result = Report::default();
        if report.exit == Exit::Good {
            let passes = |entry: &&EntryResult| entry.outcome == Outcome::Pass;
            if let Some(index) = args.test.filter(|index| *index as usize >= base.entries.len()) {
                return Err(Failure::call(
                    format!("{name} has no test with the index {index}"),
                    format!(
                        "they count from 0; `myriad test {}` shows its {} tests",
                        source.word(),
                        base.entries.len()
                    ),
                ));
            }
            let mut progress = Progress::new("repetitions simulated");
            let mut told = |done: u64, all: u64| progress.update(done as usize, all as usize);
            let only = args.test.map(EntryId::new);
            result = noise::measure(session.engine(), &base, only, &settings, &limit, &mut told)?;
            drop(progress);
            if let Some(partial) = limit.reached().filter(|_| result.left > 0) {
                let all = plural((result.tests.len() + result.left) as u64, "test");
                report.is_partial(source, partial, &format!("{} of {all} are done", result.tests.len()));
            } else if result.tests.is_empty() {
                report.add_failure(
                    match args.test {
                        Some(index) => {
                            format!("test {index} of {name} does not pass, so there is nothing to simulate")
                        }
                        None => format!("no test of {name} passes, so there is nothing to simulate"),
                    },
                    format!(
                        "`myriad test {}` shows the tests; only those that pass are simulated",
                        source.word()
                    ),
                );
            }
            if !result.tests.is_empty() && common.format == Format::Text {
                let failing = base.entries.iter().filter(|entry| !passes(entry)).count();
                report.text = page(&name, &program, &result, &settings, failing);
            }
        }
        let mut spent = base.timings;
        spent.wall = started.elapsed();
        let timings = session.timings(&spent);
        if common.format == Format::Json {
            let own = Document {
                tests: result.tests.iter().map(|test| row(&program, test)).collect(),
                fragile: instructions(&program, &result),
                variables: variables(&program, &result),
                ..Document::new(&settings)
            };
            report.add_document(own, timings);
        } else {
            report.add_timings(timings.as_ref());
        }
        Ok(report)
    })
}

/// Returns the report for tests that did not end in time even without noise.
fn unmeasured(source: &Source, settings: &Settings, limit: &Limit) -> FileReport {
    let mut report = FileReport::new(source, &[]);
    if let Some(partial) = limit.reached() {
        report.is_partial(source, partial, "even without noise, its tests did not end in time");
    }
    report.add_document(Document::new(settings), None);
    report
}

impl Document {
    /// Returns a document without results.
    fn new(settings: &Settings) -> Document {
        let Settings { rate, repetitions: k, seed, bound, confidence } = *settings;
        let (tests, fragile, variables) = (vec![], vec![], vec![]);
        Document { simulation: true, rate, k, seed, bound, confidence, tests, fragile, variables }
    }
}

fn row(program: &Compiled, test: &TestReport) -> Test {
    let Heading { name, title, line } = heading(program, test.entry);
    Test {
        index: test.entry,
        title,
        name,
        line,
        held: test.held,
        held_low: rounded(test.rate.low),
        held_high: rounded(test.rate.high),
        wrong: test.wrong,
        trapped: test.trapped,
        timeout: test.timeout,
        faults: test.faults,
        vote: test.vote.map(|vote| Vote {
            repetitions: vote.size,
            error: Number { value: rounded(vote.error), origin: Origin::Modelled },
            groups: vote.groups,
            lost: vote.lost,
        }),
    }
}

/// Rounds to six significant digits, so that the output does not depend on the last bits of a logarithm.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn instructions(program: &Compiled, report: &Report) -> Vec<Instruction> {
    let lines = Lines::new(&program.text);
    let row = |i: &noise::fragile::Instruction| Instruction {
        address: i.address,
        op: i.op.name(),
        span: span(program, &lines, i.token),
        struck: i.runs.struck,
        lost: i.runs.lost,
        text: program.view().text(i.token).to_string(),
    };
    report.fragility.instructions.iter().map(row).collect()
}

fn variables(program: &Compiled, report: &Report) -> Vec<Variable> {
    let lines = Lines::new(&program.text);
    let row = |v: &noise::fragile::Variable| Variable {
        name: program.view().text(v.token).to_string(),
        span: span(program, &lines, v.token),
        struck: v.runs.struck,
        lost: v.runs.lost,
    };
    report.fragility.variables.iter().map(row).collect()
}

fn span(program: &Compiled, lines: &Lines, token: TokenId) -> Span {
    let bytes = program.view().span(token).unwrap_or_default();
    Span::new(lines.place(bytes.start), lines.place(bytes.end))
}

/// Number of fragile places in text output.
const SHOWN: usize = 10;

fn page(name: &str, program: &Compiled, report: &Report, settings: &Settings, failing: usize) -> String {
    let Settings { rate, repetitions, seed, bound, confidence } = *settings;
    let mut page = format!(
        "{name}: simulation of a machine that errs in {rate} of its steps; each test {repetitions} times, seed {seed}\n"
    );
    if failing > 0 {
        let _ = writeln!(page, "  {failing} tests do not pass without noise and are left out");
    }
    let tests: Vec<Test> = report.tests.iter().map(|test| row(program, test)).collect();
    let width = tests.iter().map(|test| shortened(&test.title).chars().count()).max().unwrap_or(0).max(4);
    let _ = writeln!(
        page,
        "  {:width$}  {:>7}  {:^15}  {:>6} {:>6} {:>6}  vote for an error of at most {bound}",
        "test",
        "held",
        format!("{} % sure", trimmed(confidence * 100.0)),
        "wrong",
        "traps",
        "fuel",
    );
    for test in &tests {
        let held = percent(f64::from(test.held) / f64::from(repetitions), 1);
        let interval = format!("{}–{} %", percent(test.held_low, 2), percent(test.held_high, 2));
        let vote = match &test.vote {
            None => "no number of repetitions is enough".to_string(),
            Some(vote) if vote.repetitions == 1 => "not needed".to_string(),
            Some(vote) => {
                format!(
                    "{} repetitions ({} of {} such votes were lost)",
                    vote.repetitions, vote.lost, vote.groups
                )
            }
        };
        let _ = writeln!(
            page,
            "  {:width$}  {held:>5} %  {interval:^15}  {:>6} {:>6} {:>6}  {vote}",
            shortened(&test.title),
            test.wrong,
            test.trapped,
            test.timeout,
        );
    }
    let all =
        |rows: usize| if rows > SHOWN { format!(" (the first {SHOWN} of {rows})") } else { String::new() };
    let instructions = instructions(program, report);
    if !instructions.is_empty() {
        let _ = writeln!(
            page,
            "  fragile instructions{}: lost verdicts of runs struck there",
            all(instructions.len())
        );
    }
    for i in instructions.iter().take(SHOWN) {
        let place = format!("{}:{}", i.span.line, i.span.column);
        let _ = writeln!(
            page,
            "    {:>6} of {:>6}  {place:>7}  {:<21} {}",
            i.lost,
            i.struck,
            i.op,
            shortened(&i.text)
        );
    }
    let variables = variables(program, report);
    if !variables.is_empty() {
        let _ = writeln!(page, "  fragile variables{}", all(variables.len()));
    }
    for v in variables.iter().take(SHOWN) {
        let place = format!("{}:{}", v.span.line, v.span.column);
        let _ = writeln!(page, "    {:>6} of {:>6}  {place:>7}  {}", v.lost, v.struck, v.name);
    }
    page.push_str("  counts and intervals are measured in the simulation, the size of votes is modelled\n");
    page
}

/// Formats a number without trailing zeros.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Shortens a title to fit its column.
fn shortened(title: &str) -> String {
    const LONGEST: usize = 32;
    let title = visible(title);
    match title.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &title[..at]),
        None => title,
    }
}
