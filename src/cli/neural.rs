//! `myriad neural`: compiles functions with the neural network and reports the confidence in the result.

mod document;
mod page;

use std::sync::Arc;

use super::args::{Common, Format, NeuralArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::limit::{Limit, Limits};
use super::network::{compile_one, open_weights, run_settings};
use super::session::Session;
use super::suggestions::no_such_function;
use super::{FileReport, each_file};
use crate::compiler::program::Compiled;
use crate::engine::EngineError;
use crate::host::measure::numbers::plural;
use crate::lang::index::RoutineId;
use crate::learned::synthesis::compile::Refusal;
use crate::learned::synthesis::search::Settings;
use crate::network::weights::Weights;
use crate::report::diagnostics::diagnostics;
use document::{Document, Function, row};
use page::{function_page, page};

/// Advice on a function without a correct candidate: if more may help, and if the search gave up.
const DRAW_MORE: &str = "draw more candidates with -k, or different ones with --seed or --temperature";
const GAVE_UP: &str = "more candidates would hardly help, so the search gave up; `myriad run` uses the deterministic compiler's code";

/// Compiles the functions of each file.
pub fn neural(common: Common, args: &NeuralArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    // `--functions` requires `--eval`. clap does not check that if a file is given, because files conflict with `--eval`.
    if args.functions.is_some() {
        return Err(Failure::call(
            "`--functions` goes with `--eval`",
            "`--function F` compiles one function of a file",
        ));
    }
    let limits = Limits::new(args.seconds);
    let weights = open_weights(&args.drawing)?;
    let settings = run_settings(&args.drawing, args.evidence);
    let mut session = Session::of_network(common)?;
    each_file(&args.files, common, |source| {
        one_file(&mut session, common, args, &weights, &settings, source, &limits.whole())
    })
}

fn one_file(
    session: &mut Session,
    common: Common,
    args: &NeuralArgs,
    weights: &Arc<Weights>,
    settings: &Settings,
    source: &Source,
    limit: &Limit,
) -> Result<FileReport, Failure> {
    let started = std::time::Instant::now();
    let Some(base) = session.base_with_watch(source, limit)? else {
        let mut report = FileReport::new(source, &[]);
        if let Some(partial) = limit.reached() {
            report.is_partial(source, partial, "its tests did not end, and no function is compiled");
        }
        report.add_document(Document { functions: vec![] }, None);
        return Ok(report);
    };
    let program = base.compiled;
    let mut report = FileReport::new(source, &diagnostics(&program));
    let mut functions = Vec::new();
    let (mut missed, mut hopeless) = (Vec::new(), Vec::new());
    if report.exit == Exit::Good {
        let all = wanted(&program, args.function.as_deref())?;
        let mut cut = None;
        for function in all.iter().copied() {
            let name = program.function_name(function).to_string();
            match compile_one(session, &program, function, weights, settings, limit) {
                Ok(compilation) => {
                    if compilation.found.leading().is_none() {
                        let gave_up = compilation.found.given_up.is_some();
                        if gave_up { &mut hopeless } else { &mut missed }.push(format!("`{name}`"));
                    }
                    let page = function_page(&program, function, &name, &compilation, settings);
                    let row = row(&program, &name, &compilation, settings, page);
                    functions.push(Function::Compiled(Box::new(row)));
                }
                Err(Refusal::Unsupported(why)) => {
                    let out_of_reach = why.to_string();
                    if args.function.is_some() {
                        report.add_failure(
                            format!("`{name}` is out of the model's reach: {out_of_reach}"),
                            "`myriad run` compiles it by the deterministic compiler",
                        );
                    }
                    functions.push(Function::Unsupported { function: name, out_of_reach });
                }
                Err(Refusal::Engine(EngineError::Cancelled)) => {
                    cut = limit.reached();
                    break;
                }
                Err(Refusal::Engine(error)) => return Err(error.into()),
            }
        }
        for (names, help) in [(missed, DRAW_MORE), (hopeless, GAVE_UP)] {
            if !names.is_empty() {
                report.add_failure(format!("no correct candidate was found for {}", names.join(", ")), help);
            }
        }
        if let Some(partial) = cut {
            let all = plural(all.len() as u64, "function");
            report.is_partial(source, partial, &format!("{} of {all} are done", functions.len()));
        }
    }
    let mut timings = base.timings;
    timings.wall = started.elapsed();
    let timings = session.timings(&timings);
    if common.format == Format::Json {
        report.add_document(Document { functions }, timings);
    } else if program.facts.errors == 0 {
        report.text = page(&source.shown(), &functions);
        report.add_timings(timings.as_ref());
    }
    Ok(report)
}

/// Returns the requested functions.
fn wanted(program: &Compiled, name: Option<&str>) -> Result<Vec<RoutineId>, Failure> {
    let mut all = program.functions().iter();
    let Some(name) = name else { return Ok(all.collect()) };
    match all.find(|function| program.function_name(*function) == name) {
        Some(function) => Ok(vec![function]),
        None => {
            let names: Vec<&str> =
                program.functions().iter().map(|function| program.function_name(function)).collect();
            Err(no_such_function(name, &names))
        }
    }
}
