//! `myriad noise`: simulates tests on a machine that makes errors.

use std::fmt::Write;
use std::time::Instant;

use super::args::{Common, NoiseArgs};
use super::exit::{Exit, Failure};
use super::limit::Limits;
use super::progress::CliProgress;
use super::session::Session;
use super::titles::{Heading, heading};
use super::{FileReport, each_file};
use crate::compiler::program::Compiled;
use crate::engine::{BaseResult, EntryResult};
use crate::host::measure::numbers::plural;
use crate::host::measure::origin::Origin;
use crate::host::measure::share::percent;
use crate::lang::index::{Address, EntryId, Index, RoutineId};
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::diagnostics;
use crate::report::document::{Object, Span};
use crate::report::places::Lines;
use crate::report::table::{Table, number, words};
use crate::report::visible::shortened;
use crate::testing::noise::fragile::{Fragility, Runs};
use crate::testing::noise::vote::Vote;
use crate::testing::noise::{self, NoiseSettings, Report, TestReport};

/// Simulates each file's tests.
pub fn noise(common: Common, args: &NoiseArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    let limits = Limits::new(args.seconds);
    let mut session = Session::new(common)?;
    let settings = NoiseSettings {
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
            let done = "even without noise, its tests did not end in time";
            return Ok(FileReport::unended(
                source,
                &limit,
                done,
                document(&settings, None, &Report::default()),
            ));
        };
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        let name = source.shown();
        report.refuse_holes(source, &program, || Ok(simulated(&base, args.test)))?;
        let (mut result, mut text) = (Report::default(), String::new());
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
            let mut progress = CliProgress::new("repetitions simulated");
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
            if !result.tests.is_empty() {
                let failing = base.entries.iter().filter(|entry| !passes(entry)).count();
                text = page(&name, &program, &result, &settings, failing);
            }
        }
        let mut spent = base.timings;
        spent.wall = started.elapsed();
        report.complete(document(&settings, Some(&program), &result), Some(text), session.timings(&spent));
        Ok(report)
    })
}

/// Returns the tests whose runs are simulated: those that pass, or the one that was chosen.
fn simulated(base: &BaseResult, only: Option<u32>) -> Vec<RoutineId> {
    let chosen = |(id, entry): &(EntryId, &EntryResult)| {
        entry.outcome == Outcome::Pass && only.is_none_or(|only| only == id.number())
    };
    let entries = EntryId::all().zip(&base.entries).filter(chosen);
    entries.map(|(id, _)| base.compiled.facts.entry(id)).collect()
}

/// Returns the document of a simulation. Without a program there are no results.
fn document(settings: &NoiseSettings, program: Option<&Compiled>, report: &Report) -> Object {
    let tests = program.map(|program| report.tests.iter().map(move |test| row(program, test)));
    let (instructions, variables) = program.map(|program| fragile(program, report)).unwrap_or_default();
    let place = |name: Object, own: &FragilePlace| {
        name.join(own.span).field("struck", own.runs.struck).field("lost", own.runs.lost)
    };
    let instruction =
        |own: &FragilePlace| place(Object::new().option("address", own.address).field("op", own.op), own);
    let variable = |own: &FragilePlace| place(Object::new().field("name", own.text), own);
    Object::new()
        // No such machine exists.
        .field("simulation", true)
        .field("rate", settings.rate)
        .field("k", settings.repetitions)
        .field("seed", settings.seed)
        .field("bound", settings.bound)
        .field("confidence", settings.confidence)
        .list("tests", tests.into_iter().flatten())
        .list("fragile", instructions.iter().map(instruction))
        .list("variables", variables.iter().map(variable))
}

fn row(program: &Compiled, test: &TestReport) -> Object {
    let Heading { name, line, .. } = heading(program, test.entry);
    let modelled = |error| Object::new().field("value", rounded(error)).field("origin", Origin::Modelled);
    let vote = |vote: Vote| {
        let size = Object::new().field("repetitions", vote.size).field("error", modelled(vote.error));
        size.field("groups", vote.groups).field("lost", vote.lost)
    };
    Object::new()
        .field("index", test.entry)
        .option("name", name)
        .field("line", line)
        .field("held", test.held)
        .field("held_low", rounded(test.rate.low))
        .field("held_high", rounded(test.rate.high))
        .field("wrong", test.wrong)
        .field("trapped", test.trapped)
        .field("timeout", test.timeout)
        .field("faults", test.faults)
        .option("vote", test.vote.map(vote))
}

/// Rounds to six significant digits, so that the output does not depend on the last bits of a logarithm.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// An instruction or a variable at which errors lose verdicts.
struct FragilePlace<'a> {
    /// Of an instruction.
    address: Option<Address>,
    /// The operation of an instruction.
    op: Option<&'static str>,
    /// The source of the instruction, or the name of the variable.
    text: &'a str,
    span: Span,
    runs: Runs,
}

/// Returns the fragile instructions and variables.
fn fragile<'a>(program: &'a Compiled, report: &Report) -> (Vec<FragilePlace<'a>>, Vec<FragilePlace<'a>>) {
    let (view, lines) = (program.view(), Lines::new(&program.text));
    let place = |address, op, token, runs| {
        let span = lines.span(view.span(token).unwrap_or_default());
        FragilePlace { address, op, text: view.text(token), span, runs }
    };
    let Fragility { instructions, variables } = &report.fragility;
    let instructions =
        instructions.iter().map(|own| place(Some(own.address), Some(own.op.name()), own.token, own.runs));
    let variables = variables.iter().map(|own| place(None, None, own.token, own.runs));
    (instructions.collect(), variables.collect())
}

/// Number of fragile places in text output, and the most characters of a title or piece of source.
const SHOWN: usize = 10;
const TITLE: usize = 33;

fn page(name: &str, program: &Compiled, report: &Report, settings: &NoiseSettings, failing: usize) -> String {
    let NoiseSettings { rate, repetitions, seed, bound, confidence } = *settings;
    let mut page = format!(
        "{name}: simulation of a machine that errs in {rate} of its steps; each test {repetitions} times, seed {seed}\n"
    );
    if failing > 0 {
        let _ = writeln!(page, "  {failing} tests do not pass without noise and are left out");
    }
    let sure = format!("{} % sure", trimmed(confidence * 100.0));
    let vote = format!("vote for an error of at most {bound}");
    let numbers = ["held", &sure, "wrong", "traps", "fuel"].map(number);
    let mut table = Table::new([words("test")].into_iter().chain(numbers).chain([words(vote)]));
    for test in &report.tests {
        let held = percent(f64::from(test.held) / f64::from(repetitions), 1) + " %";
        let [low, high] = [test.rate.low, test.rate.high].map(|rate| percent(rounded(rate), 2));
        let vote = match &test.vote {
            None => "no number of repetitions is enough".to_string(),
            Some(vote) if vote.size == 1 => "not needed".to_string(),
            Some(Vote { size, lost, groups, .. }) => {
                format!("{size} repetitions ({lost} of {groups} such votes were lost)")
            }
        };
        let title = shortened(&heading(program, test.entry).title, TITLE);
        let interval = format!("{low}–{high} %");
        table.row(&[&title, &held, &interval, &test.wrong, &test.trapped, &test.timeout, &vote]);
    }
    page.push_str(&table.text("  "));
    let (instructions, variables) = fragile(program, report);
    for (what, note, places) in
        [("instructions", ": lost verdicts of runs struck there", instructions), ("variables", "", variables)]
    {
        let all = places.len();
        let first = if all > SHOWN { format!(" (the first {SHOWN} of {all})") } else { String::new() };
        if all > 0 {
            let _ = writeln!(page, "  fragile {what}{first}{note}");
        }
        for FragilePlace { op, text, span, runs, .. } in places.iter().take(SHOWN) {
            let place = format!("{}:{}", span.line, span.column);
            let op = op.map_or(String::new(), |op| format!("{op:<21} "));
            let text = shortened(text, TITLE);
            let _ = writeln!(page, "    {:>6} of {:>6}  {place:>7}  {op}{text}", runs.lost, runs.struck);
        }
    }
    page.push_str("  counts and intervals are measured in the simulation, the size of votes is modelled\n");
    page
}

/// Formats a number without trailing zeros.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
