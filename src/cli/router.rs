//! `myriad router`: shows which path each function takes, why, and what each way would cost.

pub mod ways;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::args::{Common, Format, RouterArgs};
use super::exit::{Exit, Failure};
use super::input::Source;
use super::network::open_weights;
use super::output::{print, print_error};
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
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::objective::Way;
use crate::learned::hybrid::router::{Decision, Objective, Path, SKILL, threshold, with_prefix};
use crate::learned::hybrid::{Outcome, Settings, history, training};
use crate::learned::synthesis::times::NeuralTime;
use crate::report::diagnostics::diagnostics;
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
    each_file(&args.files, common, |source| one_file(&mut session, common, &mut hybrid, source))
}

#[derive(Serialize)]
struct Document {
    evidence: &'static str,
    route: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    theta: Option<Theta>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<CostsRow>,
    functions: Vec<Row>,
}

/// A threshold in JSON. JSON has no infinite numbers, so these are written as the words that `--theta` accepts.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Theta {
    Finite(f64),
    Word(&'static str),
}

impl From<f64> for Theta {
    fn from(theta: f64) -> Theta {
        match theta {
            f64::INFINITY => Theta::Word("inf"),
            f64::NEG_INFINITY => Theta::Word("-inf"),
            theta => Theta::Finite(theta),
        }
    }
}

/// The costs of routing and of both paths for a function of the file's mean length.
#[derive(Serialize)]
struct CostsRow {
    unit: &'static str,
    routing: f64,
    neural: f64,
    traditional: f64,
    origin: Origin,
}

#[derive(Serialize)]
struct Row {
    function: String,
    features: BTreeMap<String, u32>,
    score: f64,
    /// Absent if the network refuses the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<f64>,
    path: &'static str,
    /// The way with the least cost, if the cost decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    costs: Option<ways::Costs>,
    /// The path whose code is used: the traditional one if the neural path was chosen and failed.
    taken: &'static str,
    /// Why the neural path failed, if it was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    reason: String,
    /// Expected cost by formula, in the unit of the costs.
    expected: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterfactual: Option<f64>,
    /// Measured times of this function, in seconds.
    measured: Measured,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_reach: Option<String>,
    /// Text output.
    #[serde(skip)]
    page: String,
}

#[derive(Serialize)]
struct Measured {
    routing: f64,
    /// Time of the neural path until its evidence is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    neural: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Candidates>,
    traditional: f64,
}

/// Equation 11 for the candidates of the neural path, in seconds.
#[derive(Serialize)]
struct Candidates {
    k: u32,
    distinct: u32,
    t_gen: f64,
    t_verify: f64,
    t_neural: f64,
}

impl From<NeuralTime> for Candidates {
    fn from(time: NeuralTime) -> Candidates {
        let NeuralTime { k, distinct, generate, verify } = time;
        let (t_gen, t_verify) = (generate.as_secs_f64(), verify.as_secs_f64());
        Candidates { k, distinct, t_gen, t_verify, t_neural: time.total().as_secs_f64() }
    }
}

/// A function that has been compiled by both paths.
struct Both {
    name: String,
    tried: Outcome,
    traditional: Duration,
}

fn one_file(
    session: &mut Session,
    common: Common,
    hybrid: &mut Hybrid,
    source: &Source,
) -> Result<FileReport, Failure> {
    let started = Instant::now();
    let base = session.base(source)?;
    let program = base.compiled;
    let mut report = FileReport::new(source, &diagnostics(&program));
    let mut rows = Vec::new();
    let mut costs = None;
    let mut theta = None;
    if report.exit == Exit::Good {
        hybrid.router.forget_routes();
        hybrid.price(session, &program)?;
        let functions = program.functions().iter();
        let tried: Vec<Both> = functions
            .map(|function| both_paths(session, hybrid, &program, function))
            .collect::<Result<_, _>>()?;
        let kind = session.engine().kind();
        let means = hybrid.router.costs(kind);
        let unit = match hybrid.router.settings.objective {
            Objective::Time => "s",
            Objective::Energy => "J",
        };
        let origin = hybrid.router.origin();
        let (routing, neural, traditional) = (means.routing, means.neural, means.traditional);
        costs = Some(CostsRow { unit, routing, neural, traditional, origin });
        theta = Some(hybrid.router.theta(kind));
        for both in tried {
            let scored = Scored { features: both.tried.features, score: both.tried.decision.score };
            let refused = both.tried.decision.refused;
            let decision = hybrid.router.route(&both.name, &scored, refused, program.level, kind);
            rows.push(row(both, &decision));
        }
    }
    let mut timings = base.timings;
    timings.wall = started.elapsed();
    let timings = session.timings(&timings);
    let Settings { evidence, route, .. } = hybrid.router.settings;
    let (evidence, route) = (evidence.ident(), route.ident());
    if common.format == Format::Json {
        let theta = theta.map(Theta::from);
        report.add_document(Document { evidence, route, theta, costs, functions: rows }, timings);
    } else if let (Some(theta), Some(costs)) = (theta, costs) {
        report.text = page(&source.shown(), (evidence, route), theta, &costs, &rows);
        report.add_timings(timings.as_ref());
    }
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

fn row(both: Both, decision: &Decision) -> Row {
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
    Row {
        function: name,
        features: Feature::ALL.iter().map(|f| (f.name(), tried.features[*f as usize])).collect(),
        score: decision.score.logit(),
        probability: decision.probability(),
        path: decision.path.ident(),
        way: decision.way().map(Way::ident),
        costs: decision.comparison.map(|all| ways::Costs::new(&all)),
        taken: taken.ident(),
        failure,
        reason: decision.to_string(),
        expected: decision.expected(),
        counterfactual: decision.counterfactual(),
        measured: Measured {
            routing: tried.times.routing.as_secs_f64(),
            neural: neural.map(|time| time.as_secs_f64()),
            candidates: tried.times.candidates.map(Candidates::from),
            traditional: traditional.as_secs_f64(),
        },
        evidence: neural.map(|_| outcome(&tried)),
        out_of_reach,
        page,
    }
}

/// Evidence shown if the neural path found nothing correct.
const FAILED: &str = "nothing correct";

/// Returns the evidence of the neural path's best candidate.
fn outcome(tried: &Outcome) -> &'static str {
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

fn page(name: &str, (evidence, route): (&str, &str), theta: f64, costs: &CostsRow, rows: &[Row]) -> String {
    let neural = rows.iter().filter(|row| row.path == Path::Neural.ident()).count();
    let failed = match rows.iter().filter(|row| row.failure.is_some()).count() {
        0 => String::new(),
        failed => format!(" (the network fails for {failed}, so the traditional compiler's code is taken)"),
    };
    let mut page = format!(
        "{name}: {neural} of {} functions take the neural path{failed}; route {route}, θ {}, evidence {evidence}\n",
        rows.len(),
        threshold(theta)
    );
    let amount = |amount| with_prefix(amount, costs.unit);
    let _ = writeln!(
        page,
        "a function of mean size costs {} routing, {} neural, {} traditional ({})",
        amount(costs.routing),
        amount(costs.neural),
        amount(costs.traditional),
        costs.origin
    );
    let _ = writeln!(page, "{SKILL}");
    rows.iter().for_each(|row| page.push_str(&row.page));
    page
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
    match common.format {
        Format::Text => print(&(visible(&said) + "\n"))?,
        Format::Json => print("{\"version\":1,\"files\":[]}\n")?,
    };
    Ok(Exit::Good)
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
    let rows = training::rows(functions, &weights, workers.count, &|| workers.open(), &mut done)
        .map_err(|failed| Failure { message: failed.to_string(), ..Failure::from(failed.error) })?;
    let model = Model::fit(&rows, weights.examples);
    print(&model.text(&format!("myriad router --fit --functions {functions}")))?;
    let successes = rows.iter().filter(|row| row.correct > 0).count();
    print_error(&format!("fitted to {} functions, {successes} of which succeed\n", rows.len()));
    Ok(Exit::Good)
}
