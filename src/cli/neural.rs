//! `myriad neural`: compiles functions with the neural network and reports the confidence in the result.

mod document;
mod page;

use std::sync::Arc;

use super::args::{Common, NeuralArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::limit::{Limit, Limits};
use super::network::{compile_one, open_weights, run_settings};
use super::session::Session;
use super::suggestions::functions;
use super::{FileReport, each_file};
use crate::engine::EngineError;
use crate::host::measure::numbers::plural;
use crate::learned::synthesis::compile::Refusal;
use crate::learned::synthesis::search::SearchSettings;
use crate::network::weights::Weights;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use document::row;
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
        one_file(&mut session, args, &weights, &settings, source, &limits.whole())
    })
}

fn one_file(
    session: &mut Session,
    args: &NeuralArgs,
    weights: &Arc<Weights>,
    settings: &SearchSettings,
    source: &InputSource,
    limit: &Limit,
) -> Result<FileReport, Failure> {
    let started = std::time::Instant::now();
    let Some(base) = session.base_with_watch(source, limit)? else {
        let done = "its tests did not end, and no function is compiled";
        return Ok(FileReport::unended(source, limit, done, Object::new().list("functions", [(); 0])));
    };
    let program = base.compiled;
    let mut report = FileReport::new(source, &diagnostics(&program));
    report.refuse_holes(source, &program, || functions(&program, args.function.as_deref()))?;
    let (mut rows, mut pages, mut compiled) = (Vec::new(), String::new(), 0);
    let (mut missed, mut hopeless) = (Vec::new(), Vec::new());
    if report.exit == Exit::Good {
        let all = functions(&program, args.function.as_deref())?;
        let mut cut = None;
        for function in all.iter().copied() {
            let name = program.function_name(function).to_string();
            match compile_one(session, &program, function, weights, settings, limit) {
                Ok(compilation) => {
                    match compilation.found.leading() {
                        Some(_) => compiled += 1,
                        None => {
                            let gave_up = compilation.found.given_up.is_some();
                            if gave_up { &mut hopeless } else { &mut missed }.push(format!("`{name}`"));
                        }
                    }
                    pages.push_str(&function_page(&program, function, &name, &compilation, settings));
                    rows.push(row(&program, &name, &compilation, settings));
                }
                Err(Refusal::Unsupported(why)) => {
                    let out_of_reach = why.to_string();
                    if args.function.is_some() {
                        report.add_failure(
                            format!("`{name}` is out of the model's reach: {out_of_reach}"),
                            "`myriad run` compiles it by the deterministic compiler",
                        );
                    }
                    pages.push_str(&format!("\n{name}: out of the model's reach: {out_of_reach}\n"));
                    rows.push(Object::new().field("function", name).field("out_of_reach", out_of_reach));
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
            report.is_partial(source, partial, &format!("{} of {all} are done", rows.len()));
        }
    }
    let mut timings = base.timings;
    timings.wall = started.elapsed();
    let timings = session.timings(&timings);
    let text = (program.facts.errors == 0).then(|| page(&source.shown(), compiled, rows.len(), &pages));
    report.complete(Object::new().list("functions", rows), text, timings);
    Ok(report)
}
