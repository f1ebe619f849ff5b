//! Measures the neural path for the first function of a program that is within its reach.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::measure::{since, sizes};
use super::measured::{Draws, Neural, Sweeps};
use super::programs::{self, Samples};
use super::table::count;
use super::{formula, quoted};
use crate::engine::{Engine, EngineError};
use crate::measure::energy::{Energy, Meter};
use crate::measure::stat::Stat;
use crate::measure::statistics;
use crate::neural::sampling::{Candidate, Sampling, Status};
use crate::neural::source::{self, Source};
use crate::neural::weights::Weights;
use crate::program::Compiled;
use crate::stage::Compiler;
use crate::synthesis::compile::{self, Compilation, Refusal};
use crate::synthesis::evaluation::{Class, without_tests};
use crate::synthesis::search::{Evidence, Judged, Proof, Settings};

/// Candidates are drawn so often, unless that takes long (milliseconds).
const REPEATS: u32 = 5;
const LONG: f64 = 1000.0;
/// Where they take longer than this, no more of them are drawn.
const TOO_LONG: f64 = 5000.0;
/// Candidates drawn for the sake of different ones, and at which temperature.
const WIDELY: [u32; 5] = [4, 12, 36, 108, 216];
const WIDE: f32 = 2.5;

/// Measures it; `Ok(Err(why))` where the network can take no function.
pub fn measure(
    engine: &mut dyn Engine,
    text: &Arc<str>,
    weights: &Arc<Weights>,
    samples: &Samples,
    k: u32,
    meter: &Meter,
    step: &mut dyn FnMut(&str) -> Result<(), EngineError>,
) -> Result<Result<Neural, String>, EngineError> {
    let (compiled, _) = engine.compile(text, &|| false)?;
    let Some((function, source)) = within_reach(&compiled) else {
        return Ok(Err("no function is within the network's reach".into()));
    };
    // What has no tests is drawn and assembled, and not run: the time to generate alone.
    let bare: Option<Arc<str>> = without_tests(&mut Compiler::default(), text).map(Into::into);
    let Some(bare) = bare else { return Ok(Err("the program has no function".into())) };
    let name = compiled.function_name(function).to_string();
    let mut ks = sizes(k);
    engine.base(&bare, &|| false)?;
    engine.sampler()?.weights(weights)?;
    // Once without measuring: what is built at first use is built.
    draw(engine, &source, Sampling { k: 8, ..Sampling::default() })?;
    let mut generate = Vec::new();
    for &k in &ks {
        step(&format!("{} candidates generated", count(k)))?;
        let (time, _) = draws(engine, &source, k)?;
        generate.push(time);
        if time.median > TOO_LONG {
            break;
        }
    }
    ks.truncate(generate.len());
    let k = ks.last().copied().unwrap_or(k);
    engine.base(text, &|| false)?;
    let mut points = Vec::new();
    for (&k, generate) in ks.iter().zip(generate) {
        step(&format!("{} candidates generated and verified", count(k)))?;
        let (all, distinct) = draws(engine, &source, k)?;
        let verify = all.median - generate.median;
        points.push(Draws { k, distinct, generate, verify: (verify > 0.0).then_some(verify), all });
    }
    step("the neural path to its evidence")?;
    let base = engine.base(text, &|| false)?;
    let settings =
        Settings { sampling: Sampling { k, ..Sampling::default() }, rounds: 1, ..Settings::default() };
    let running = meter.start(engine.powered_by());
    let from = Instant::now();
    let found = compile::function(
        engine,
        &base.compiled,
        function,
        weights,
        &settings,
        &|| false,
        &mut |_: &Candidate| {},
    );
    let whole = since(from);
    let energy = running.stop();
    let found = match found {
        Ok(found) => found,
        Err(Refusal::OutOfReach(why)) => return Ok(Err(why.to_string())),
        Err(Refusal::Engine(error)) => return Err(error),
    };
    let memory = engine.memory().1;
    let verified = verification(engine, text, &bare, &source, step)?;
    let programs = programs::neural(engine, samples, weights, meter, step)?;
    let config = weights.config;
    Ok(Ok(Neural {
        layers: config.layers as u32,
        width: config.width as u32,
        parameters: config.parameters() as u64,
        points,
        verified,
        programs,
        memory,
        ..of_draws(name, &found, &ks, whole, energy)
    }))
}

/// What the draws for one function say. Of the network that drew, of other k and of other functions they say nothing.
pub fn of_draws(function: String, found: &Compilation, ks: &[u32], whole: f64, energy: Energy) -> Neural {
    let spent = found.found.rounds.first().map_or(Default::default(), |round| round.spent);
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (source, counts, interval) = (&found.source, Counts::of(found), found.found.interval());
    Neural {
        function,
        class: Class::of(source),
        words: source.words.len() as u32,
        layers: 0,
        width: 0,
        parameters: 0,
        points: vec![],
        verified: vec![],
        programs: None,
        split: (ms(spent.generating), ms(spent.verifying)),
        whole,
        energy,
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
        evidence: found.found.best().map(|best| best.evidence.ident()),
    }
}

/// The first function that the model can read.
fn within_reach(compiled: &Compiled) -> Option<(u32, Source)> {
    let program = compiled.program();
    (0..compiled.facts.functions).find_map(|f| Some((f, source::read(&program, f).ok()?)))
}

/// The time to draw, and how many different programs were drawn.
fn draw(engine: &mut dyn Engine, source: &Source, sampling: Sampling) -> Result<(f64, u32), EngineError> {
    let from = Instant::now();
    let sampled = engine.sampler()?.sample(source, &sampling, &|| false, &mut |_: &Candidate| {})?;
    let time = since(from);
    let valid = |one: &&Candidate| one.status != Status::Invalid;
    Ok((time, sampled.candidates.iter().filter(valid).count() as u32))
}

fn draws(engine: &mut dyn Engine, source: &Source, k: u32) -> Result<(Stat, u32), EngineError> {
    repeated(engine, source, Sampling { k, ..Sampling::default() })
}

fn repeated(engine: &mut dyn Engine, source: &Source, sampling: Sampling) -> Result<(Stat, u32), EngineError> {
    let (mut times, mut distinct) = (Vec::new(), 0);
    while (times.len() as u32) < REPEATS && times.iter().sum::<f64>() < LONG {
        let (time, different) = draw(engine, source, sampling)?;
        times.push(time);
        distinct = different;
    }
    Ok((Stat::of(times).unwrap_or(Stat { median: f64::NAN, spread: 0.0, of: 0 }), distinct))
}

/// What running different candidates against the tests takes, by their number: with the tests less without. Candidates at the usual temperature are
/// nearly all alike, so these are drawn wider.
fn verification(
    engine: &mut dyn Engine,
    text: &Arc<str>,
    bare: &Arc<str>,
    source: &Source,
    step: &mut dyn FnMut(&str) -> Result<(), EngineError>,
) -> Result<Vec<(u32, f64)>, EngineError> {
    let sampling = |k: u32| Sampling { k, temperature: WIDE, ..Sampling::default() };
    let mut generate = Vec::new();
    engine.base(bare, &|| false)?;
    for k in WIDELY {
        step(&format!("{k} different candidates generated"))?;
        let (time, distinct) = repeated(engine, source, sampling(k))?;
        generate.push((k, distinct, time.median));
        if time.median > LONG {
            break;
        }
    }
    engine.base(text, &|| false)?;
    let mut found = Vec::new();
    for (k, distinct, generate) in generate {
        step(&format!("{k} different candidates verified"))?;
        let (all, _) = repeated(engine, source, sampling(k))?;
        let verify = all.median - generate;
        if verify > 0.0 && distinct > 0 {
            found.push((distinct, verify));
        }
    }
    Ok(found)
}

/// Success within each k, unbiased.
fn success(found: &Compilation, ks: &[u32]) -> Vec<(u32, f64)> {
    let (drawn, correct) = (u64::from(found.found.drawn()), u64::from(found.found.correct()));
    ks.iter().filter_map(|&k| Some((k, statistics::pass_at_k(drawn, correct, k.into())?))).collect()
}

/// The least k whose unbiased success is 99 %.
fn k99(found: &Compilation) -> Option<u32> {
    let (drawn, correct) = (u64::from(found.found.drawn()), u64::from(found.found.correct()));
    let enough = |k: u64| statistics::pass_at_k(drawn, correct, k).is_some_and(|p| p >= 0.99);
    // It rises with k.
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

/// What the draws were.
struct Counts {
    passed: u32,
    likeliest: Option<(f64, f64)>,
    own_loss: Option<f64>,
    reward_loss: f64,
}

impl Counts {
    fn of(found: &Compilation) -> Counts {
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
        Counts {
            passed: all.iter().filter(passes).map(Judged::draws).sum(),
            likeliest,
            own_loss: own.map(|judged| loss(judged) / judged.candidate.words.len().max(1) as f64),
            reward_loss,
        }
    }
}

/// What the paper expects of a function of this class.
pub fn expected(class: Class) -> quoted::Range {
    match class {
        Class::Simple => quoted::P_SIMPLE,
        Class::Complex => quoted::P_COMPLEX,
    }
}
