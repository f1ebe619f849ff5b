//! Measures hybrid compilation over the functions of a program: the constants and the result of equation 14.
//!
//! The tuned threshold routes nothing to the network if the traditional compiler is faster, which would make the
//! equation trivial. Therefore, the threshold is fixed so that the paper's fraction of functions is routed there. As in
//! the paper, the traditional compiler runs after a failed attempt.

use std::sync::Arc;

use super::bench::Bench;
use super::measured::{Hybrid, Neural};
use super::programs::{self, Samples};
use crate::engine::EngineError;
use crate::host::measure::stat::Line;
use crate::learned::hybrid::evaluation::{self, Case};
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::router::K;
use crate::learned::hybrid::{Router, Settings, compile};
use crate::learned::synthesis::evaluation::{Set, Task};
use crate::learned::synthesis::search::Level;

/// The time limit in milliseconds for all functions on the neural path. Beyond it they are not measured.
const TOO_LONG: f64 = 20_000.0;

/// Measures the hybrid path. Returns `Ok(Err(why))` if it cannot be measured.
pub fn measure(
    bench: &mut Bench,
    text: &Arc<str>,
    neural: &Neural,
    samples: &Samples,
) -> Result<Result<Hybrid, String>, EngineError> {
    let compiled = bench.engine.base(text, &|| false)?.compiled;
    let points: Vec<(f64, f64)> = neural.points.iter().map(|p| (f64::from(p.k), p.all.median)).collect();
    let each = Line::through(&points).map_or(f64::INFINITY, |line| line.at(f64::from(K)));
    if each * f64::from(compiled.facts.functions) > TOO_LONG {
        return Ok(Err(format!("drawing {K} candidates of each function takes too long on this engine")));
    }
    (bench.step)("hybrid compilation")?;
    let task = Task { set: Set::Written, name: String::new(), text: text.clone(), function: None };
    let settings = Settings { evidence: Level::Tested, ..Settings::default() };
    let coefficients = Model::shipped().coefficients();
    let found = evaluation::evaluate(
        bench.engine,
        &[task],
        bench.weights,
        &settings,
        coefficients,
        &|| false,
        &mut |_, _| {},
    )?;
    let Some(fixed) = found.thresholds.last().filter(|_| !found.cases.is_empty()) else {
        return Ok(Err("no function is within the network's reach".into()));
    };
    let simple: Vec<&Case> = found.cases.iter().filter(|case| case.score.logit() < fixed.theta).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count.max(1) as f64;

    let compiled = bench.engine.base(text, &|| false)?.compiled;
    let mut router = Router::new(Settings { theta: Some(fixed.theta), ..settings }, coefficients);
    let running = bench.meter.start(bench.engine.power_source());
    for function in compiled.functions() {
        compile(bench.engine, &compiled, function, Some(bench.weights), &mut router, &|| false, &mut |_| {})?;
    }
    let energy = running.stop().share(1.0 / f64::from(compiled.facts.functions.max(1)));
    router.forget_routes();
    let programs = programs::hybrid(bench, samples, &mut router)?;
    Ok(Ok(Hybrid {
        functions: found.cases.len() as u32,
        p_simple: fixed.neural,
        p_success: fixed.accepted,
        neural: 1e3 * mean(&mut simple.iter().map(|case| case.neural.as_secs_f64()), simple.len()),
        traditional: 1e3 * found.traditional,
        routing: 1e3 * found.routing,
        all: 1e3 * fixed.measured,
        energy,
        score: mean(&mut found.cases.iter().map(|case| case.score.logit()), found.cases.len()),
        theta: fixed.theta,
        programs,
    }))
}
