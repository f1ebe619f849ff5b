//! How well the router predicts, and whether equation 14 predicts what hybrid compilation takes.
//!
//! Each function of the mixed set goes through both paths once; that gives the outcomes, and the constants of equation
//! 14. Then all are compiled again by algorithm 3, at each threshold that is looked at, and what that takes is compared with what
//! the equation says.
//!
//! Each path has a pass of its own: right behind the network, whose weights have driven everything else out of the
//! caches, the traditional compiler takes twice as long as among its own kind.

use std::sync::Arc;
use std::time::Duration;

use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError};
use crate::learned::synthesis::evaluation::{Set, Task};
use crate::network::corpus::Rng;
use crate::network::weights::Weights;

use super::cost::Costs;
use super::measures::{self, BINS, Bin, Predicted};
use super::router::{Path, Router, Settings};
use super::{Outcome, Times, compile};
use crate::compiler::stage::route::score::{Coefficients, Score};

/// Ways to split the functions in two halves, on which the equation is tried.
const SPLITS: u64 = 200;
/// Both paths by themselves, and both thresholds.
const PASSES: usize = 4;
/// The part of the functions that the fixed threshold sends through the neural path: the paper's p_simple.
pub const SIMPLE: f64 = 0.8;

/// A function that has been through both paths.
#[derive(Clone, Debug)]
pub struct Case {
    pub set: Set,
    pub program: String,
    pub function: String,
    pub score: Score,
    /// Whether a candidate was correct.
    pub succeeded: bool,
    /// Whether one had the evidence asked for.
    pub accepted: bool,
    pub routing: Duration,
    pub neural: Duration,
    pub traditional: Duration,
}

/// The mixed set at one threshold.
#[derive(Clone, Debug)]
pub struct AtThreshold {
    pub theta: f64,
    /// Part of the functions on the neural path.
    pub neural: f64,
    /// Of these, the part whose result is the neural path's.
    pub accepted: f64,
    /// Mean seconds of a function: measured, and by equation 14 for the whole set.
    pub measured: f64,
    pub modelled: f64,
    /// The median of the relative errors of equation 14, with the constants of one half of the functions, on the other half.
    pub error: Option<f64>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub cases: Vec<Case>,
    /// Functions that the model cannot take.
    pub out_of_reach: usize,
    pub by_set: Vec<Prediction>,
    /// The tuned threshold first, then the fixed one.
    pub thresholds: Vec<AtThreshold>,
    /// Mean seconds.
    pub routing: f64,
    pub neural: f64,
    pub traditional: f64,
}

/// How well successes of a set were predicted.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// None for all together.
    pub set: Option<Set>,
    pub functions: usize,
    pub successes: usize,
    pub area: Option<f64>,
    pub brier: Option<f64>,
    /// The same of always saying the part that succeeds.
    pub constant: Option<f64>,
    pub bins: [Bin; BINS],
}

/// Evaluates a router's coefficients on functions. `done` gets the number of compilations done and that of all, as far as it is known.
///
/// # Errors
/// Those of the engine; being cancelled is one.
pub fn evaluate(
    engine: &mut dyn Engine,
    tasks: &[Task],
    weights: &Arc<Weights>,
    settings: &Settings,
    coefficients: Coefficients,
    watch: &dyn Watch,
    done: &mut dyn FnMut(usize, usize),
) -> Result<Evaluation, EngineError> {
    let mut run = Run { engine, weights, watch, router: Router::new(*settings, coefficients) };
    let (mut cases, mut out_of_reach) = (Vec::new(), 0);
    for (number, task) in tasks.iter().enumerate() {
        done(number, PASSES * tasks.len());
        run.neural(task, &mut cases, &mut out_of_reach)?;
    }
    let mut alone = Vec::new();
    run.router.settings.theta = Some(f64::NEG_INFINITY);
    for (number, task) in tasks.iter().enumerate() {
        done(tasks.len() + number, PASSES * tasks.len());
        run.hybrid(task, &cases, &mut alone)?;
    }
    for (case, times) in cases.iter_mut().zip(&alone) {
        (case.routing, case.traditional) = (times.routing, times.traditional.unwrap_or_default());
    }
    let fixed = settings.theta.unwrap_or_else(|| quantile(&cases, SIMPLE));
    let mut thresholds = Vec::new();
    for (pass, theta) in [None, Some(fixed)].into_iter().enumerate() {
        run.router.settings.theta = theta;
        let theta = run.router.theta(run.engine.kind());
        // Fixed from here on: what is measured must not move it.
        run.router.settings.theta = Some(theta);
        let mut times = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            done((pass + 2) * tasks.len() + number, PASSES * tasks.len());
            run.hybrid(task, &cases, &mut times)?;
        }
        let walls: Vec<Duration> = times.iter().map(|times| times.wall).collect();
        thresholds.push(at_threshold(theta, &cases, &walls, settings));
    }
    let mean = |of: fn(&Case) -> Duration| mean(cases.iter().map(|case| of(case).as_secs_f64()));
    let sets = [None].into_iter().chain(Set::ALL.map(Some));
    Ok(Evaluation {
        by_set: sets.map(|set| prediction(&cases, set)).collect(),
        thresholds,
        routing: mean(|case| case.routing),
        neural: mean(|case| case.neural),
        traditional: mean(|case| case.traditional),
        out_of_reach,
        cases,
    })
}

struct Run<'a> {
    engine: &'a mut dyn Engine,
    weights: &'a Arc<Weights>,
    watch: &'a dyn Watch,
    router: Router,
}

impl Run<'_> {
    fn compile(&mut self, compiled: &Compiled, function: u32) -> Result<Outcome, EngineError> {
        let Run { engine, weights, watch, router } = self;
        compile(&mut **engine, compiled, function, Some(weights), router, *watch, &mut |_| {})
    }

    /// Sends a program's functions through the neural path; those that the model can take become cases.
    fn neural(
        &mut self,
        task: &Task,
        cases: &mut Vec<Case>,
        out_of_reach: &mut usize,
    ) -> Result<(), EngineError> {
        let compiled = self.engine.base(&task.text, &|| false)?.compiled;
        self.router.forget_routes();
        self.router.settings.theta = Some(f64::INFINITY);
        for function in functions(task, &compiled) {
            let neural = self.compile(&compiled, function)?;
            let Some(compilation) = &neural.compilation else {
                *out_of_reach += 1;
                continue;
            };
            cases.push(Case {
                set: task.set,
                program: task.name.clone(),
                function: compiled.function_name(function).to_string(),
                score: neural.decision.score,
                succeeded: compilation.found.correct() > 0,
                accepted: neural.path == Path::Neural,
                routing: Duration::ZERO,
                neural: neural.times.neural.unwrap_or_default(),
                traditional: Duration::ZERO,
            });
        }
        Ok(())
    }

    /// Compiles the cases among a program's functions by algorithm 3; `cases` from the first on that has no time yet.
    fn hybrid(&mut self, task: &Task, cases: &[Case], times: &mut Vec<Times>) -> Result<(), EngineError> {
        let compiled = self.engine.base(&task.text, &|| false)?.compiled;
        self.router.forget_routes();
        for function in functions(task, &compiled) {
            let name = compiled.function_name(function);
            let next = cases.get(times.len());
            if next.is_some_and(|case| case.program == task.name && case.function == name) {
                times.push(self.compile(&compiled, function)?.times);
            }
        }
        Ok(())
    }
}

fn functions(task: &Task, compiled: &Compiled) -> std::ops::Range<u32> {
    match task.function {
        Some(function) => function..function + 1,
        None => 0..compiled.facts.functions,
    }
}

/// The score below which so great a part of the functions lies.
fn quantile(cases: &[Case], part: f64) -> f64 {
    let mut scores: Vec<Score> = cases.iter().map(|case| case.score).collect();
    scores.sort();
    let at = (part * scores.len() as f64) as usize;
    scores.get(at).or(scores.last()).map_or(0.0, |score| score.logit())
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

/// Equation 14, with the term for failed attempts, on some functions: mean seconds of one. The constants are those of `known`, which none
/// of them need be among; of `wanted` only scores are looked at.
fn equation(theta: f64, known: &[&Case], wanted: &[&Case], settings: &Settings) -> f64 {
    let simple = |case: &&&Case| case.score.logit() < theta;
    let seconds = |of: fn(&Case) -> Duration, list: &mut dyn Iterator<Item = &&Case>| {
        mean(list.map(|case| of(case).as_secs_f64()))
    };
    let costs = Costs {
        routing: seconds(|case| case.routing, &mut known.iter()),
        neural: seconds(|case| case.neural, &mut known.iter().filter(simple)),
        traditional: seconds(|case| case.traditional, &mut known.iter()),
    };
    // Of those that were tried, how many had the evidence.
    let accepted = mean(known.iter().filter(simple).map(|case| f64::from(u8::from(case.accepted))));
    let part = mean(wanted.iter().map(|case| f64::from(u8::from(simple(&case)))));
    let fallback = settings.fallback();
    part * costs.expected(true, accepted, fallback) + (1.0 - part) * costs.expected(false, accepted, fallback)
}

fn at_threshold(theta: f64, cases: &[Case], times: &[Duration], settings: &Settings) -> AtThreshold {
    let all: Vec<&Case> = cases.iter().collect();
    let simple: Vec<&Case> = all.iter().copied().filter(|case| case.score.logit() < theta).collect();
    let mut errors = Vec::new();
    for split in 0..SPLITS {
        let mut order: Vec<usize> = (0..cases.len().min(times.len())).collect();
        Rng::new(SEED, split).shuffle(&mut order);
        let (known, rest) = order.split_at(order.len() / 2);
        let pick = |of: &[usize]| of.iter().map(|&i| &cases[i]).collect::<Vec<_>>();
        let measured = mean(rest.iter().map(|&i| times[i].as_secs_f64()));
        if measured > 0.0 && !known.is_empty() {
            errors.push((equation(theta, &pick(known), &pick(rest), settings) - measured).abs() / measured);
        }
    }
    AtThreshold {
        theta,
        neural: simple.len() as f64 / cases.len().max(1) as f64,
        accepted: mean(simple.iter().map(|case| f64::from(u8::from(case.accepted)))),
        measured: mean(times.iter().map(Duration::as_secs_f64)),
        modelled: equation(theta, &all, &all, settings),
        error: measures::median(errors),
    }
}

/// Of the choice of halves.
const SEED: u64 = 14;

impl Prediction {
    /// Whether the router predicts better than a constant; none where nothing was predicted.
    pub fn beats_a_constant(&self) -> Option<bool> {
        Some(self.brier? < self.constant?)
    }
}

fn prediction(cases: &[Case], set: Option<Set>) -> Prediction {
    let of_set = cases.iter().filter(|case| set.is_none_or(|set| case.set == set));
    let predicted =
        |case: &Case| Predicted { probability: case.score.probability(), succeeded: case.succeeded };
    let list: Vec<Predicted> = of_set.map(predicted).collect();
    Prediction {
        set,
        functions: list.len(),
        successes: list.iter().filter(|one| one.succeeded).count(),
        area: measures::area_under_curve(&list),
        brier: measures::brier(&list),
        constant: measures::brier_of_constant(&list),
        bins: measures::calibration(&list),
    }
}
