//! Evaluates how well the router predicts, and whether equation 14 predicts the time of hybrid compilation.
//!
//! Each function of the mixed set takes both paths once. This yields the outcomes and the constants of equation 14.
//! Algorithm 3 then compiles all functions again at each threshold, and the measured times are compared with the
//! equation.
//!
//! Each path has its own pass. Directly after the network, whose weights evict everything else from the caches, the
//! traditional compiler takes twice as long as in a pass of its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError};
use crate::host::measure::statistics::Interval;
use crate::lang::index::RoutineId;
use crate::lang::random::Rng;
use crate::learned::synthesis::evaluation::{Set, Task};
use crate::network::weights::Weights;

use super::cost::Costs;
use super::history;
use super::measures::{self, BINS, Bin, Predicted};
use super::router::{Path, Router, Settings};
use super::{Outcome, Times, compile};
use crate::compiler::stage::route::score::{Coefficients, Score};

/// The number of random splits of the functions into halves for testing the equation.
const SPLITS: u64 = 200;
/// One pass for each path alone, and one for each threshold.
const PASSES: usize = 4;
/// The fraction of functions that the fixed threshold sends through the neural path: the paper's p_simple.
pub const SIMPLE: f64 = 0.8;

/// A function that was compiled by both paths.
#[derive(Clone, Debug)]
pub struct Case {
    pub set: Set,
    pub program: String,
    pub function: String,
    pub score: Score,
    /// Whether a candidate was correct.
    pub succeeded: bool,
    /// Whether a candidate had the required evidence.
    pub accepted: bool,
    pub routing: Duration,
    pub neural: Duration,
    pub traditional: Duration,
}

/// The results for the mixed set at one threshold.
#[derive(Clone, Debug)]
pub struct ThresholdResult {
    pub theta: f64,
    /// The fraction of functions on the neural path.
    pub neural: f64,
    /// The fraction of these whose result is the neural path's.
    pub accepted: f64,
    /// The mean seconds per function: measured, and by equation 14 for the whole set.
    pub measured: f64,
    pub modelled: f64,
    /// The median relative error of equation 14 on one half of the functions, with the constants of the other half.
    pub error: Option<f64>,
}

/// The results of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluation {
    pub cases: Vec<Case>,
    /// The number of functions that the model cannot compile.
    pub out_of_reach: usize,
    pub by_set: Vec<Prediction>,
    /// The tuned threshold, then the fixed one.
    pub thresholds: Vec<ThresholdResult>,
    /// The mean seconds of each step.
    pub routing: f64,
    pub neural: f64,
    pub traditional: f64,
}

/// The quality of the predictions for a set.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// `None` for all functions together.
    pub set: Option<Set>,
    pub functions: usize,
    pub successes: usize,
    pub area: Option<f64>,
    pub area_interval: Option<Interval>,
    pub brier: Option<f64>,
    /// The Brier score of a constant prediction with the observed success rate.
    pub constant: Option<f64>,
    /// The Brier skill score.
    pub skill: Option<f64>,
    pub skill_interval: Option<Interval>,
    pub bins: [Bin; BINS],
}

/// Evaluates a router's coefficients on functions. `done` receives the number of compilations done and their total, as
/// known so far.
///
/// # Errors
/// If the engine fails, or the work is cancelled.
pub fn evaluate(
    engine: &mut dyn Engine,
    tasks: &[Task],
    weights: &Arc<Weights>,
    settings: &Settings,
    coefficients: Coefficients,
    watch: &dyn Watch,
    done: &mut dyn FnMut(usize, usize),
) -> Result<Evaluation, EngineError> {
    let router = Router::new(*settings, coefficients);
    let mut run = Run { engine, weights, watch, router, seen: HashSet::new() };
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
        // The threshold is fixed from here on, so that measurements do not move it.
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
    /// The draws of all cases. Functions with equal draws are one case.
    seen: HashSet<u64>,
}

impl Run<'_> {
    fn compile(&mut self, compiled: &Compiled, function: RoutineId) -> Result<Outcome, EngineError> {
        let Run { engine, weights, watch, router, .. } = self;
        compile(&mut **engine, compiled, function, Some(weights), router, *watch, &mut |_| {})
    }

    /// Sends a program's functions through the neural path. Those that the model can compile become cases.
    fn neural(
        &mut self,
        task: &Task,
        cases: &mut Vec<Case>,
        out_of_reach: &mut usize,
    ) -> Result<(), EngineError> {
        let compiled = self.engine.base(&task.text, &|| false)?.compiled;
        self.router.forget_routes();
        self.router.settings.theta = Some(f64::INFINITY);
        for function in task.functions(&compiled) {
            let neural = self.compile(&compiled, function)?;
            let Some(compilation) = &neural.compilation else {
                *out_of_reach += 1;
                continue;
            };
            let draws = history::draws(&compilation.source, &self.router.settings.sampling, self.weights);
            if !self.seen.insert(draws) {
                continue;
            }
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

    /// Compiles the cases among a program's functions by algorithm 3, beginning with the first case without a time.
    fn hybrid(&mut self, task: &Task, cases: &[Case], times: &mut Vec<Times>) -> Result<(), EngineError> {
        let compiled = self.engine.base(&task.text, &|| false)?.compiled;
        self.router.forget_routes();
        for function in task.functions(&compiled) {
            let name = compiled.function_name(function);
            let next = cases.get(times.len());
            if next.is_some_and(|case| case.program == task.name && case.function == name) {
                times.push(self.compile(&compiled, function)?.times);
            }
        }
        Ok(())
    }
}

/// Returns the score below which the fraction `part` of the functions lies.
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

/// Returns the mean seconds per function by equation 14, with the term for failed attempts. The constants are measured
/// on `known`; only scores of `wanted` are used, and the two lists may be disjoint.
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
    // The fraction of tried functions that reached the evidence.
    let accepted = mean(known.iter().filter(simple).map(|case| f64::from(u8::from(case.accepted))));
    let part = mean(wanted.iter().map(|case| f64::from(u8::from(simple(&case)))));
    let fallback = settings.fallback();
    part * costs.expected(true, accepted, fallback) + (1.0 - part) * costs.expected(false, accepted, fallback)
}

fn at_threshold(theta: f64, cases: &[Case], times: &[Duration], settings: &Settings) -> ThresholdResult {
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
    ThresholdResult {
        theta,
        neural: simple.len() as f64 / cases.len().max(1) as f64,
        accepted: mean(simple.iter().map(|case| f64::from(u8::from(case.accepted)))),
        measured: mean(times.iter().map(Duration::as_secs_f64)),
        modelled: equation(theta, &all, &all, settings),
        error: measures::median(errors),
    }
}

/// The seed of the random splits.
const SEED: u64 = 14;

impl Prediction {
    /// Returns a verdict for people: whether the router predicts better than a constant, beyond chance. `None` if all
    /// outcomes are equal.
    pub fn verdict(&self) -> Option<&'static str> {
        self.skill_interval.map(verdict)
    }
}

/// Returns a verdict for people on the interval of a skill.
pub fn verdict(skill: Interval) -> &'static str {
    match (skill.low > 0.0, skill.high < 0.0) {
        (true, _) => "skill",
        (_, true) => "no skill: a constant predicts better",
        _ => "no skill: not better than a constant, beyond chance",
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
        area_interval: measures::interval(&list, measures::area_under_curve),
        brier: measures::brier(&list),
        constant: measures::brier_of_constant(&list),
        skill: measures::skill(&list),
        skill_interval: measures::interval(&list, measures::skill),
        bins: measures::calibration(&list),
    }
}
