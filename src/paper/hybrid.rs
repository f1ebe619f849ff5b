//! Measures hybrid compilation over the functions of a program: the constants and the result of equation 14.
//!
//! The tuned threshold routes nothing to the network if the traditional compiler is faster, which would make the
//! equation trivial. Therefore, the threshold is fixed so that the paper's fraction of functions is routed there. As in
//! the paper, the traditional compiler runs after a failed attempt.

use std::sync::Arc;

use super::bench::Bench;
use super::measured::{MeasuredHybrid, MeasuredNeural};
use super::programs::{self, Samples};
use crate::engine::EngineError;
use crate::host::measure::stat::StatLine;
use crate::learned::hybrid::model::Model;
use crate::learned::hybrid::paths::PathTimes;
use crate::learned::hybrid::router::K;
use crate::learned::hybrid::{Path, Router, Settings, compile};
use crate::learned::synthesis::search::Level;

/// The time limit in milliseconds for all functions on the neural path. Beyond it they are not measured.
const TOO_LONG: f64 = 20_000.0;
/// The fraction of functions that the fixed threshold sends through the neural path: the paper's p_simple.
const SIMPLE: f64 = 0.8;

/// A function on the neural path.
struct HybridTried {
    score: f64,
    /// Whether a candidate had the required evidence.
    accepted: bool,
    seconds: f64,
}

/// Measures the hybrid path. Returns `Ok(Err(why))` if it cannot be measured.
pub fn measure(
    bench: &mut Bench,
    text: &Arc<str>,
    neural: &MeasuredNeural,
    samples: &Samples,
) -> Result<Result<MeasuredHybrid, String>, EngineError> {
    let compiled = bench.engine.base(text, &|| false)?.compiled;
    let points: Vec<(f64, f64)> = neural.points.iter().map(|p| (f64::from(p.k), p.all.median)).collect();
    let each = StatLine::through(&points).map_or(f64::INFINITY, |line| line.at(f64::from(K)));
    if each * f64::from(compiled.facts.functions) > TOO_LONG {
        return Ok(Err(format!("drawing {K} candidates of each function takes too long on this engine")));
    }
    (bench.step)("hybrid compilation")?;
    let coefficients = Model::shipped().coefficients();
    let settings = Settings { evidence: Level::Tested, theta: Some(f64::INFINITY), ..Settings::default() };
    let mut router = Router::new(settings, coefficients);
    let compile_one = |bench: &mut Bench, router: &mut Router, function| {
        compile(bench.engine, &compiled, function, Some(bench.weights), router, &|| false, &mut |_| {})
    };
    let (mut tried, mut within) = (Vec::new(), Vec::new());
    for function in compiled.functions() {
        let outcome = compile_one(bench, &mut router, function)?;
        if let Some(time) = outcome.times.neural {
            within.push(function);
            tried.push(HybridTried {
                score: outcome.decision.score.logit(),
                accepted: outcome.path == Path::Neural,
                seconds: time.as_secs_f64(),
            });
        }
    }
    router.paths = PathTimes::measure(bench.engine, &compiled, &coefficients)?;
    let Some(paths) = router.paths.filter(|_| !tried.is_empty()) else {
        return Ok(Err("no function is within the network's reach".into()));
    };
    let theta = quantile(tried.iter().map(|one| one.score), SIMPLE);
    let simple = || tried.iter().filter(|one| one.score < theta);

    router.settings.theta = Some(theta);
    router.forget_routes();
    let running = bench.meter.start(bench.engine.power_source());
    let mut walls = Vec::new();
    for function in within {
        let outcome = compile_one(bench, &mut router, function)?;
        walls.push(outcome.times.wall.as_secs_f64());
    }
    let energy = running.stop().share(1.0 / walls.len() as f64);
    router.forget_routes();
    let programs = programs::hybrid(bench, samples, &mut router)?;
    Ok(Ok(MeasuredHybrid {
        functions: tried.len() as u32,
        p_simple: simple().count() as f64 / tried.len() as f64,
        p_success: mean(simple().map(|one| f64::from(u8::from(one.accepted)))),
        neural: 1e3 * mean(simple().map(|one| one.seconds)),
        traditional: 1e3 * paths.traditional,
        routing: 1e3 * paths.routing,
        all: 1e3 * mean(walls.into_iter()),
        energy,
        score: mean(tried.iter().map(|one| one.score)),
        theta,
        programs,
    }))
}

/// Returns the value below which the fraction `part` of the values lies.
fn quantile(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = (part * values.len() as f64) as usize;
    values.get(at).or(values.last()).copied().unwrap_or(0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}
