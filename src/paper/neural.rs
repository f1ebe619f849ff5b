//! Measures the neural path on the first function of a program within the network's reach.

use std::sync::Arc;
use std::time::Duration;

use super::bench::Bench;
use super::measured::{Draws, MeasuredNeural, Sweeps, sizes};
use super::programs::{self, Samples};
use super::table::count;
use super::{formula, quoted};
use crate::compiler::program::Compiled;
use crate::engine::{Engine, EngineError};
use crate::host::measure::energy::{Energy, Meter};
use crate::host::measure::statistics;
use crate::lang::index::RoutineId;
use crate::learned::synthesis::compile::{self, Compilation, Refusal};
use crate::learned::synthesis::evaluation::EvaluationClass;
use crate::learned::synthesis::search::{Evidence, Judged, Proof, SearchSettings};
use crate::learned::synthesis::times::NeuralTime;
use crate::network::sampling::{Candidate, Sampling, Status};
use crate::network::source::{self, Source};

/// The number of repetitions of a draw, and the total milliseconds after which no further repetition starts.
const REPEATS: u32 = 5;
const LONG: f64 = 1000.0;
/// The milliseconds of a draw beyond which no larger k is drawn.
const TOO_LONG: f64 = 5000.0;
/// The numbers of candidates drawn to obtain many distinct ones, and the temperature for this.
const WIDELY: [u32; 5] = [4, 12, 36, 108, 216];
const WIDE: f32 = 2.5;

/// Measures the neural path. Returns `Ok(Err(why))` if the network cannot compile any function.
pub fn measure(
    bench: &mut Bench,
    text: &Arc<str>,
    samples: &Samples,
    k: u32,
) -> Result<Result<MeasuredNeural, String>, EngineError> {
    let base = bench.engine.base(text, &|| false)?;
    let Some((function, source)) = within_reach(&base.compiled) else {
        return Ok(Err("no function is within the network's reach".into()));
    };
    let name = base.compiled.function_name(function).to_string();
    bench.engine.sampler()?.weights(bench.weights)?;
    // A warm-up run, which builds everything that is built on first use.
    draw(bench.engine, &source, Sampling { k: 8, ..Sampling::default() }, bench.meter)?;
    let mut points: Vec<Draws> = Vec::new();
    for k in sizes(k) {
        (bench.step)(&format!("{} candidates generated and verified", count(k)))?;
        let sampling = Sampling { k, ..Sampling::default() };
        let Some(point) = repeated(bench.engine, &source, sampling, bench.meter)? else { break };
        points.push(point);
        if point.all.median > TOO_LONG {
            break;
        }
    }
    let ks: Vec<u32> = points.iter().map(|point| point.k).collect();
    let k = ks.last().copied().unwrap_or(k);
    (bench.step)("the neural path to its evidence")?;
    let settings = SearchSettings {
        sampling: Sampling { k, ..Sampling::default() },
        rounds: 1,
        ..SearchSettings::default()
    };
    let found = compile::function(
        bench.engine,
        &base.compiled,
        function,
        bench.weights,
        &settings,
        &|| false,
        &mut |_: &Candidate| {},
    );
    let found = match found {
        Ok(found) => found,
        Err(Refusal::Unsupported(why)) => return Ok(Err(why.to_string())),
        Err(Refusal::Engine(error)) => return Err(error),
    };
    let memory = bench.engine.memory().1;
    let verified = verification(bench, &source)?;
    let programs = programs::neural(bench, samples)?;
    let config = bench.weights.config;
    Ok(Ok(MeasuredNeural {
        layers: config.layers as u32,
        width: config.width as u32,
        parameters: config.parameters() as u64,
        points,
        verified,
        programs,
        memory,
        ..of_draws(name, &found, &ks)
    }))
}

/// Returns the figures that follow from the draws for one function. Fields about the network, other k and other
/// functions stay empty.
pub fn of_draws(function: String, found: &Compilation, ks: &[u32]) -> MeasuredNeural {
    let (source, counts, interval) = (&found.source, NeuralCounts::of(found), found.found.interval());
    let time = NeuralTime::of(&found.found);
    MeasuredNeural {
        function,
        class: EvaluationClass::of(source),
        words: source.words.len() as u32,
        layers: 0,
        width: 0,
        parameters: 0,
        points: time.and_then(|time| Draws::of(vec![(time, None)])).into_iter().collect(),
        verified: vec![],
        programs: None,
        whole: found.wall.as_secs_f64() * 1e3,
        memory: None,
        sweeps: Sweeps::default(),
        drawn: found.found.drawn(),
        valid: found.found.valid(),
        passed: counts.passed,
        correct: found.found.correct(),
        p_low: interval.low,
        p_high: interval.high,
        success: success(found, ks),
        k99: k99(found),
        likeliest: counts.likeliest,
        own_loss: counts.own_loss,
        reward_loss: counts.reward_loss,
        evidence: found.found.leading().map(|best| best.evidence.ident()),
    }
}

/// Returns the first function that the model can read.
fn within_reach(compiled: &Compiled) -> Option<(RoutineId, Source)> {
    let program = compiled.program();
    compiled.functions().iter().find_map(|f| Some((f, source::read(&program, f).ok()?)))
}

/// Draws once, and measures time and energy.
fn draw(
    engine: &mut dyn Engine,
    source: &Source,
    sampling: Sampling,
    meter: &Meter,
) -> Result<(NeuralTime, Option<Energy>), EngineError> {
    let running = meter.start(engine.power_source());
    let time = NeuralTime::draw(engine.sampler()?, source, sampling, &|| false)?;
    Ok((time, Some(running.stop())))
}

/// Draws several times.
fn repeated(
    engine: &mut dyn Engine,
    source: &Source,
    sampling: Sampling,
    meter: &Meter,
) -> Result<Option<Draws>, EngineError> {
    let (mut runs, mut whole) = (Vec::new(), Duration::ZERO);
    while (runs.len() as u32) < REPEATS && whole.as_secs_f64() * 1e3 < LONG {
        let run = draw(engine, source, sampling, meter)?;
        whole += run.0.total();
        runs.push(run);
    }
    Ok(Draws::of(runs))
}

/// Measures the time of running distinct candidates against the tests, by their number. Candidates at the usual
/// temperature are nearly all alike, so these are drawn at a higher one.
fn verification(bench: &mut Bench, source: &Source) -> Result<Vec<(u32, f64)>, EngineError> {
    let mut found: Vec<(u32, f64)> = Vec::new();
    for k in WIDELY {
        (bench.step)(&format!("{k} different candidates generated and verified"))?;
        let sampling = Sampling { k, temperature: WIDE, ..Sampling::default() };
        let Some(draws) = repeated(bench.engine, source, sampling, bench.meter)? else { break };
        // Keeps one time for each number of distinct candidates, because more draws may not yield more distinct ones.
        let is_new = found.iter().all(|(known, _)| *known != draws.distinct);
        if is_new && draws.verify.median > 0.0 && draws.distinct > 0 {
            found.push((draws.distinct, draws.verify.median));
        }
        if draws.all.median > LONG {
            break;
        }
    }
    Ok(found)
}

/// Returns, for each k, the unbiased estimate of the probability that k draws contain a correct one.
fn success(found: &Compilation, ks: &[u32]) -> Vec<(u32, f64)> {
    let (drawn, correct) = (u64::from(found.found.drawn()), u64::from(found.found.correct()));
    ks.iter().filter_map(|&k| Some((k, statistics::pass_at_k(drawn, correct, k.into())?))).collect()
}

/// Returns the least k for which that estimate is 99 %.
fn k99(found: &Compilation) -> Option<u32> {
    let (drawn, correct) = (u64::from(found.found.drawn()), u64::from(found.found.correct()));
    let enough = |k: u64| statistics::pass_at_k(drawn, correct, k).is_some_and(|p| p >= 0.99);
    // The success rises with k, so a binary search applies.
    let (mut low, mut high) = (1, drawn.max(1));
    if !enough(high) {
        return None;
    }
    while low < high {
        let middle = (low + high) / 2;
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    u32::try_from(low).ok()
}

/// Statistics of the draws.
struct NeuralCounts {
    passed: u32,
    likeliest: Option<(f64, f64)>,
    own_loss: Option<f64>,
    reward_loss: f64,
}

impl NeuralCounts {
    fn of(found: &Compilation) -> NeuralCounts {
        let all = &found.found.candidates;
        let drawn = f64::from(found.found.drawn().max(1));
        let passes = |judged: &&Judged| judged.candidate.status == Status::Passed;
        let likeliest = all
            .iter()
            .filter(|judged| judged.candidate.status != Status::Invalid)
            .max_by_key(|judged| judged.draws())
            .map(|judged| (f64::from(judged.candidate.log_p), f64::from(judged.draws()) / drawn));
        let own = all.iter().find(|judged| judged.evidence == Evidence::Proved(Proof::SameBytecode));
        let loss = |judged: &Judged| -f64::from(judged.candidate.log_p);
        let reward = |judged: &Judged| {
            let valid = f64::from(u8::from(judged.candidate.status != Status::Invalid));
            formula::reward(valid, f64::from(u8::from(passes(&judged))))
        };
        let reward_loss = all.iter().map(|j| f64::from(j.draws()) * reward(j) * loss(j)).sum::<f64>() / drawn;
        NeuralCounts {
            passed: all.iter().filter(passes).map(Judged::draws).sum(),
            likeliest,
            own_loss: own.map(|judged| loss(judged) / judged.candidate.words.len().max(1) as f64),
            reward_loss,
        }
    }
}

/// Returns the paper's expectation for a function of this class.
pub fn expected(class: EvaluationClass) -> quoted::Range {
    match class {
        EvaluationClass::Simple => quoted::P_SIMPLE,
        EvaluationClass::Complex => quoted::P_COMPLEX,
    }
}
