//! `myriad page FILE -o page.html`: writes a page to share.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::args::{Common, PageArgs};
use super::exit::{Exit, Failure};
use super::limit::Limits;
use super::mutate::judged_file;
use super::session::Session;
use super::test::{TestEntry, entry, reasons};
use super::writing::Outputs;
use super::{FileReport, each_file, trace as texts};
use crate::compiler::program::Compiled;
use crate::engine::BaseResult;
use crate::engine::extra_inputs::with_small_domains;
use crate::engine::leveled::LeveledBase;
use crate::lang::index::{EntryId, Index, Indices, Position};
use crate::lang::limits;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::listing;
use crate::report::page::{Page, PageRun, RunStep, TestRow};
use crate::report::visible::visible;
use crate::testing::probes::Probes;
use crate::testing::trace::{self, Subject, Target, Trace};

/// The maximum number of tests whose runs are recorded.
const RUNS: usize = 12;
/// The maximum number of steps of a run, and of its frames and of the variables of each.
const STEPS: u32 = 400;
const FRAMES: usize = 8;
const VARIABLES: usize = 24;

pub fn page(common: Common, args: &PageArgs) -> Result<Exit, Failure> {
    let limits = Limits::new(args.seconds);
    let mut session = Session::new(common)?;
    each_file(std::slice::from_ref(&args.file), common, |source| {
        let limit = limits.whole();
        let outputs = Outputs { read: Some((source, "the program of the page")), better: "page.html" };
        args.output.as_deref().map_or(Ok(()), |path| outputs.check(Path::new(path)))?;
        let Some(LeveledBase { judged: base, .. }) = session.leveled(source, &limit)? else {
            let done = "its tests did not end, and no page is written";
            return Ok(FileReport::unended(source, &limit, done, Object::new()));
        };
        let program = base.compiled.clone();
        let mut report = FileReport::new(source, &diagnostics(&program));
        if report.exit != Exit::Good {
            report.add_document(Object::new(), None);
            return Ok(report);
        }
        let judged = judged_file(&mut session, source, &base, &limit)?;
        let probes = Probes::run(&program, limits::STEPS, &limit).unwrap_or_default();
        let runs = runs(&program, &base, &args.run, &probes)?;
        let probes = probes.words().collect();
        let whole = with_small_domains(&program, &base.entries, &limit);
        let partial = limit.reached();
        let base = BaseResult { entries: whole.unwrap_or_else(|| base.entries.clone()), ..base };
        let tests = { EntryId::all().zip(&base.entries) }.map(|(id, result)| row(&entry(&program, id, result)));
        let html = Page { program: &program, tests: tests.collect(), judged: &judged, runs, probes }.html();
        let name = args.output.as_deref().map(|path| visible(&path.to_string_lossy()));
        if let Some(path) = &args.output {
            outputs.write(Path::new(path), &html)?;
        }
        let own = Object::new().option("page", name.as_ref()).field("bytes", html.len());
        let text = name.map_or(html, |name| format!("{}: page written to {name}\n", source.shown()));
        if let Some(partial) = partial {
            report.is_partial(source, partial, "the page has the results so far");
        }
        report.complete(own, Some(text), None);
        Ok(report)
    })
}

fn row(entry: &TestEntry) -> TestRow {
    let passes = entry.status == "pass";
    TestRow {
        title: entry.title.clone(),
        line: entry.line,
        result: entry.trap.unwrap_or(entry.status),
        passes,
        reasons: reasons(entry),
        steps: entry.steps,
    }
}

/// Records the run of each test, then of each requested call.
///
/// # Errors
/// If a text is not a call of the program.
fn runs(
    program: &Arc<Compiled>,
    base: &BaseResult,
    calls: &[String],
    probes: &Probes,
) -> Result<Vec<PageRun>, Failure> {
    let entries = EntryId::all().zip(&base.entries).take(RUNS);
    let mut targets: Vec<Target> =
        entries.filter_map(|(id, result)| Target::of_result(program, id, result).ok()).collect();
    for call in calls {
        let target = Subject::of_call(call).and_then(|subject| subject.find(program, &base.entries));
        let help = "write it like `--run 'f(12, [1, 2])'`";
        targets.push(target.map_err(|why| Failure::call(why, help))?);
    }
    let with_values = trace::program_of_values(program);
    let run = |target: &Target| {
        let recorded = trace::record_for_values(&with_values, target.routine, &target.frame, limits::STEPS);
        let mut values = recorded.values_of_first_calls();
        values.extend(probes.words());
        PageRun { values, ..run(program, target) }
    };
    Ok(targets.iter().map(run).collect())
}

fn run(program: &Arc<Compiled>, target: &Target) -> PageRun {
    let trace = trace::record(program, target.routine, &target.frame, limits::STEPS);
    let total = trace.len();
    // A run that fails is interesting at its end, any other at its start.
    let skipped = if trace.failure_position() > Position::default() { total.saturating_sub(STEPS) } else { 0 };
    let code = listing::bytecode(program);
    let mut state = trace.state(Position::new(skipped));
    let steps =
        Indices::numbered(skipped..total.min(skipped + STEPS)).iter().filter_map(|position: Position| {
            state = trace.state_after(&state, position);
            let at = trace.step(position)?.pc;
            let line = &code[code.binary_search_by_key(&at, |line| line.at).ok()?];
            Some(RunStep {
                token: trace.token(position).map(Index::number),
                line: trace.line(position),
                op: format!("{} {}", line.op, visible(&line.operands)).trim_end().to_string(),
                left: trace.left(position).map_or(String::new(), |value| value.to_string()),
                frames: frames(&trace, &state),
            })
        });
    let (title, end, values) = (visible(&target.title), texts::end(&trace), BTreeMap::new());
    PageRun { title, end, values, skipped, total, steps: steps.collect() }
}

/// Returns the active calls with their variables, innermost first.
fn frames(trace: &Trace, state: &trace::TraceState) -> Vec<(String, Vec<(String, String)>)> {
    let frames = trace.frames(state).into_iter().take(FRAMES);
    let shown = frames.map(|frame| {
        let name = frame.function.map_or("", |function| trace.compiled.function_name(function));
        let variables = frame
            .variables
            .iter()
            .filter_map(|(variable, value, _)| Some((visible(&variable.name), value.as_ref()?.to_string())));
        let name = if name.is_empty() { "this test" } else { name };
        (name.to_string(), variables.take(VARIABLES).collect())
    });
    shown.collect()
}
