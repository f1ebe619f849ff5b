//! `myriad router`: shows which path each function takes, why, and what each way would cost.

pub mod ways;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use super::args::{Common, RouterArgs};
use super::exit::{Exit, Failure};
use super::input::InputSource;
use super::network::open_weights;
use super::output::{print, print_error, print_result};
use super::progress::PeriodicLines;
use super::routing::Hybrid;
use super::session::{Session, Workers};
use super::{FileReport, each_file};
use crate::compiler::program::Compiled;
use crate::compiler::stage::route::features::{Feature, Features};
use crate::compiler::stage::route::score::Scored;
use crate::host::files;
use crate::host::measure::origin::Origin;
use crate::lang::index::RoutineId;
use crate::learned::hybrid::cost::Costs;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Way;
use crate::learned::hybrid::router::{Decision, Path, SKILL, threshold, with_prefix};
use crate::learned::hybrid::{CompileOutcome, Settings, history, training};
use crate::learned::synthesis::times::NeuralTime;
use crate::report::diagnostics::diagnostics;
use crate::report::document::Object;
use crate::report::visible::visible;

/// Default number of functions for fitting coefficients.
const FITTED: u32 = 2_000;

/// Runs the requested mode.
pub fn router(common: Common, args: &RouterArgs) -> Result<Exit, Failure> {
    let common = common.of_variants();
    if args.reset {
        return reset(common);
    }
    if args.fit {
        return fit(common, args);
    }
    if args.functions.is_some() {
        return Err(Failure::call(
            "`--functions` goes with `--fit`",
            "without it, all functions of the files are processed",
        ));
    }
    let mut hybrid = Hybrid::new(common, &args.routing, &args.drawing)?;
    let mut session = Session::of_network(common)?;
    each_file(&args.files, common, |source| one_file(&mut session, &mut hybrid, source))
}

/// A function that has been compiled by both paths.
struct Both {
    name: String,
    tried: CompileOutcome,
    traditional: Duration,
}

fn one_file(session: &mut Session, hybrid: &mut Hybrid, source: &InputSource) -> Result<FileReport, Failure> {
    let started = Instant::now();
    let base = session.base(source)?;
    let program = base.compiled;
    let mut report = FileReport::new(source, &diagnostics(&program));
    report.refuse_holes(source, &program, || Ok(program.functions().iter().collect()))?;
    let (mut functions, mut head) = (Vec::new(), None);
    if report.exit == Exit::Good {
        hybrid.router.forget_routes();
        hybrid.price(session, &program)?;
        let all = program.functions().iter();
        let tried: Vec<Both> =
            all.map(|function| both_paths(session, hybrid, &program, function)).collect::<Result<_, _>>()?;
        let kind = session.engine().kind();
        head = Some((hybrid.router.theta(kind), hybrid.router.costs(kind)));
        for both in tried {
            let scored = Scored { features: both.tried.features, score: both.tried.decision.score };
            let refused = both.tried.decision.refused;
            let decision = hybrid.router.route(&both.name, &scored, refused, program.level, kind);
            functions.push(routed(both, &decision));
        }
    }
    let mut timings = base.timings;
    timings.wall = started.elapsed();
    let Settings { evidence, route, objective, .. } = hybrid.router.settings;
    let (evidence, route, unit) = (evidence.ident(), route.ident(), objective.unit());
    let mut document = Object::new().field("evidence", evidence).field("route", route);
    let mut text = None;
    if let Some((theta, Costs { routing, neural, traditional, .. })) = head {
        // JSON has no infinite numbers, so these are written as the words that `--theta` accepts.
        document = match theta {
            f64::INFINITY => document.field("theta", "inf"),
            f64::NEG_INFINITY => document.field("theta", "-inf"),
            theta => document.field("theta", theta),
        };
        // Of a function of the file's mean length.
        let costs = Object::new().field("unit", unit).field("routing", routing).field("neural", neural);
        let origin = hybrid.router.origin();
        document = document.field("costs", costs.field("traditional", traditional).field("origin", origin));
        let by_network = functions.iter().filter(|function| function.path == Path::Neural).count();
        let failed = match functions.iter().filter(|function| function.failed).count() {
            0 => String::new(),
            failed => format!(" (the network fails for {failed}, so the traditional compiler's code is taken)"),
        };
        let (name, all, theta) = (source.shown(), functions.len(), threshold(theta));
        let [routing, neural, traditional] = [routing, neural, traditional].map(|cost| with_prefix(cost, unit));
        let pages: String = functions.iter().map(|function| function.text.as_str()).collect();
        text = Some(format!(
            "{name}: {by_network} of {all} functions take the neural path{failed}; route {route}, θ {theta}, evidence {evidence}\n\
             a function of mean size costs {routing} routing, {neural} neural, {traditional} traditional ({origin})\n\
             {SKILL}\n{pages}"
        ));
    }
    let document = document.list("functions", functions.iter().map(|function| &function.row));
    report.complete(document, text, session.timings(&timings));
    Ok(report)
}

/// Compiles a function by the neural path, whatever its score, and by the traditional one.
fn both_paths(
    session: &mut Session,
    hybrid: &mut Hybrid,
    program: &Compiled,
    function: RoutineId,
) -> Result<Both, Failure> {
    let kept = hybrid.router.force(f64::INFINITY);
    let tried = hybrid.compile(session, program, function);
    hybrid.router.restore(kept);
    let tried = tried?;
    let traditional = tried.times.traditional.unwrap_or_else(|| hybrid.router.traditional.compile(program));
    Ok(Both { name: program.function_name(function).to_string(), tried, traditional })
}

/// The routing of a function: as a row, and as text.
struct RoutedFunction {
    path: Path,
    /// Whether the neural path was chosen and failed.
    failed: bool,
    row: Object,
    text: String,
}

fn routed(both: Both, decision: &Decision) -> RoutedFunction {
    let Both { name, tried, traditional } = both;
    let neural = tried.times.neural;
    let out_of_reach = neural.is_none().then(|| tried.reason.clone());
    let other = match decision.path {
        Path::Neural => format!("the traditional path takes {}", seconds(traditional)),
        Path::Traditional => match neural {
            Some(neural) => {
                let found = match outcome(&tried) {
                    FAILED => "finds nothing correct".to_string(),
                    evidence => format!("its best is {evidence}"),
                };
                format!("a search to its evidence takes {} and {found}", seconds(neural))
            }
            None => "the neural path cannot take it".to_string(),
        },
    };
    let mut page = format!("\n{name}: {}\n", decision.path.ident());
    let _ = writeln!(page, "  {}", decision.prediction());
    let _ = writeln!(page, "  {decision}");
    if let Some(all) = &decision.comparison {
        page.push_str(&ways::table(all, decision.objective));
    }
    let failure = tried.failure.clone().filter(|_| decision.path == Path::Neural);
    let taken = if failure.is_some() { Path::Traditional } else { decision.path };
    match (&failure, &out_of_reach) {
        (Some(why), _) => {
            let _ =
                writeln!(page, "  the network fails: {why}; the traditional compiler's code is taken instead");
        }
        (None, Some(why)) if decision.refused.is_none() => {
            let _ = writeln!(page, "  {why}");
        }
        (None, _) => {}
    }
    if let Some(time) = tried.times.candidates {
        let _ = writeln!(
            page,
            "  T_neural({0}) {1} = T_gen({0}) {2} + T_verify({0}) {3} ({4})",
            time.k,
            seconds(time.total()),
            seconds(time.generate),
            seconds(time.verify),
            Origin::Measured
        );
    }
    let _ = writeln!(page, "  {}", list(&tried.features));
    let expected = decision.counterfactual().map_or(String::new(), |cost| {
        let (cost, own) = (decision.amount(cost), decision.amount(decision.expected()));
        format!(" ({}); expected {cost} instead of {own} ({})", Origin::Measured, Origin::Modelled)
    });
    let _ = writeln!(page, "  otherwise: {other}{expected}");
    // Equation 11, in seconds.
    let candidates = |time: NeuralTime| {
        let k = Object::new().field("k", time.k).field("distinct", time.distinct);
        let terms = k.field("t_gen", time.generate.as_secs_f64()).field("t_verify", time.verify.as_secs_f64());
        terms.field("t_neural", time.total().as_secs_f64())
    };
    // The times of this function in seconds; the neural path's until its evidence is complete.
    let measured = Object::new()
        .field("routing", tried.times.routing.as_secs_f64())
        .option("neural", neural.map(|time| time.as_secs_f64()))
        .option("candidates", tried.times.candidates.map(candidates))
        .field("traditional", traditional.as_secs_f64());
    let features: BTreeMap<_, _> =
        Feature::ALL.iter().map(|f| (f.name(), tried.features[*f as usize])).collect();
    let row = Object::new()
        .field("function", name)
        .field("features", features)
        .field("score", decision.score.logit())
        .option("probability", decision.probability())
        .field("path", decision.path.ident())
        .option("way", decision.way().map(Way::ident))
        .option("costs", decision.comparison.as_ref().map(ways::costs))
        // The path whose code is used: the traditional one if the neural path was chosen and failed.
        .field("taken", taken.ident())
        .option("failure", failure.as_ref())
        .field("reason", decision.to_string())
        .field("expected", decision.expected())
        .option("counterfactual", decision.counterfactual())
        .field("measured", measured)
        .option("evidence", neural.map(|_| outcome(&tried)))
        .option("out_of_reach", out_of_reach);
    RoutedFunction { path: decision.path, failed: failure.is_some(), row, text: page }
}

/// Evidence shown if the neural path found nothing correct.
const FAILED: &str = "nothing correct";

/// Returns the evidence of the neural path's best candidate.
fn outcome(tried: &CompileOutcome) -> &'static str {
    let best = tried.compilation.as_ref().and_then(|compilation| compilation.found.leading());
    best.map_or(FAILED, |best| best.evidence.ident())
}

fn seconds(time: Duration) -> String {
    with_prefix(time.as_secs_f64(), "s")
}

fn list(features: &Features) -> String {
    let one = |feature: &Feature| format!("{} {}", feature.name(), features[*feature as usize]);
    Feature::ALL.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Deletes the user's history.
fn reset(common: Common) -> Result<Exit, Failure> {
    let said = match history::place() {
        None => "no history is kept".to_string(),
        Some(path) => match history::reset(&path) {
            Ok(true) => format!("the history is deleted: {}", path.display()),
            Ok(false) => format!("there was no history: {}", path.display()),
            Err(error) => {
                return Err(unwritable(&path, &error));
            }
        },
    };
    print_result(common.format, &(visible(&said) + "\n"), &Object::of_call())
}

fn unwritable(path: &std::path::Path, error: &io::Error) -> Failure {
    Failure::call(
        format!("cannot delete {}: {}", path.display(), files::message(error)),
        format!("delete it by hand, or name another file by {}", history::VARIABLE),
    )
}

/// Fits the coefficients that a build ships, and prints them.
fn fit(common: Common, args: &RouterArgs) -> Result<Exit, Failure> {
    let weights = open_weights(&args.drawing)?;
    let workers = Workers::new(common)?;
    let functions = args.functions.unwrap_or(FITTED);
    let mut told = PeriodicLines::new("functions sampled");
    let mut done = |count: usize| told.update(count, functions as usize);
    let rows = training::rows(functions, &weights, workers.count, &|| workers.open(), &mut done)?;
    let model = Model::fit(&rows, weights.examples);
    print(&model.text(&format!("myriad router --fit --functions {functions}")))?;
    let successes = rows.iter().filter(|row| row.correct > 0).count();
    print_error(&format!("fitted to {} functions, {successes} of which succeed\n", rows.len()));
    Ok(Exit::Good)
}
