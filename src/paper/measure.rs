//! Measures this machine: the same work by each path, repeated and with the same clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::bench::Bench;
use super::measured::{Batch, Measured, MeasuredSubject, Traditional, cores_in_effect, middle, sizes};
use super::repeat::{REPEATS, one, repeat, since};
use super::{conventional, hybrid, neural, programs, sweep};
use crate::compiler::stage::Stage;
use crate::engine::conventional::Conventional;
use crate::engine::gpu::adapter::adapters;
use crate::engine::gpu::bytes_each;
use crate::engine::{Engine, EngineError, Kind, MutantResult};
use crate::host::measure::energy::{Energy, Meter};
use crate::host::measure::stat::Stat;
use crate::lang::index::Indices;
use crate::network::weights::Weights;
use crate::paper::race::Field;

/// The maximum number of measurements of a batch.
const BATCHES: u32 = 3;
/// The time in milliseconds beyond which a batch is not repeated, and after which the conventional loop ends.
const PATIENCE: f64 = 800.0;

/// The subject and the means of the measurements.
pub struct MeasureTask<'a> {
    pub engine: &'a mut dyn Engine,
    pub text: &'a Arc<str>,
    pub k: u32,
    /// The weights, or the reason why they are missing.
    pub weights: Result<Arc<Weights>, String>,
    pub meter: &'a Meter,
    /// The number of threads of the CPU engine.
    pub threads: u32,
    /// The requested equations, or empty for all. The sweeps run only for equations that need them.
    pub equations: &'a [u8],
}

/// Measures everything. `progress` receives a description of each step, and returns whether to continue.
///
/// # Errors
/// If the engine fails, or `progress` returns false.
pub fn measure(task: MeasureTask, progress: &mut dyn FnMut(&str) -> bool) -> Result<Measured, EngineError> {
    let MeasureTask { engine, text, k, weights, meter, threads, equations } = task;
    let asked = |equation| equations.is_empty() || equations.contains(&equation);
    let mut step = |what: &str| if progress(what) { Ok(()) } else { Err(EngineError::Cancelled) };
    let mut missing = Vec::new();
    let device = engine.power_source();
    step("the idle power")?;
    meter.measure_idle(Duration::from_millis(300));
    for kind in [Kind::Cpu, Kind::Gpu] {
        if let (true, Some(why)) = (kind == device, meter.missing(kind)) {
            missing.push(format!("energies are estimated at {} W: {why}", meter.watts().of(kind)));
        }
    }

    step("one program")?;
    let base = engine.base(text, &|| false)?;
    let compiled = base.compiled.clone();
    let (stages, single, same) = one(engine, text)?;
    let running = meter.start(device);
    let tested = repeat(|| {
        let from = Instant::now();
        engine.base(text, &|| false)?;
        Ok(since(from))
    })?;
    let energy = running.stop().share(1.0 / f64::from(REPEATS));
    let execute = engine.base(text, &|| false)?.timings.parts[Stage::Execute as usize].as_secs_f64() * 1e3;

    let programs = k.min(engine.variants().all);
    let runs = base.entries.iter().any(|entry| entry.outcome == crate::lang::verdict::Outcome::Pass);
    if programs < k {
        missing.push(format!("there are only {programs} mutants, so batches are no larger"));
    }
    if !runs {
        missing.push("no test passes, so no mutant can be judged".into());
    }
    let mut batches = Vec::new();
    for k in sizes(programs).into_iter().filter(|_| runs) {
        step(&format!("a batch of {k}"))?;
        batches.push(batch(engine, text, k, meter)?);
    }
    let alone = engine.shares().is_empty();

    step("the conventional loop")?;
    let conventional = if runs {
        let mut conventional = Conventional::new(base.compiled, &base.entries);
        let patience = Duration::from_secs_f64(PATIENCE / 1e3);
        conventional::measure(
            &mut conventional,
            Indices::first(programs).iter(),
            engine,
            meter,
            patience,
            &|| false,
        )?
    } else {
        None
    };
    let device_transfer = match engine.transfer(text.len())? {
        Some(_) => {
            Some(repeat(|| Ok(engine.transfer(text.len())?.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)))?)
        }
        None => None,
    };

    let (cores, fitted) = match engine.kind() {
        Kind::Cpu => (f64::from(threads.max(1)), None),
        Kind::Gpu => match cores_in_effect(single.median, &batches) {
            Some((cores, batch)) => (cores, Some(batch)),
            None => (1.0, None),
        },
    };
    let subject = MeasuredSubject {
        adapter: engine.describe(),
        kind: engine.kind(),
        cores,
        fitted,
        alone,
        // The race copies its texts to a device on any machine that has one.
        hardware: adapters().iter().any(|adapter| !adapter.software),
        bytes: text.len() as u32,
        tests: engine.base(text, &|| false)?.entries.len() as u32,
        k,
        programs,
    };
    let sizes = if asked(1) { sweep::sizes(engine, &compiled, &mut step)? } else { Vec::new() };
    let samples = match Field::new(text, k) {
        Ok(field) => programs::choose(engine, &field)?,
        Err(why) => {
            missing.push(format!("k programs through the network are not measured: {why}"));
            programs::Samples { list: Vec::new(), out_of_reach: 0 }
        }
    };
    if samples.out_of_reach > 0 {
        missing.push(format!(
            "{} mutants that the network cannot compile are left out of its k programs",
            samples.out_of_reach
        ));
    }
    let neural = match &weights {
        Ok(weights) => {
            let bench = &mut Bench { engine, weights, meter, step: &mut step };
            neural::measure(bench, text, &samples, k)?
        }
        Err(why) => Err(why.clone()),
    };
    let mut neural = neural.map_err(|why| missing.push(format!("the neural path is not measured: {why}"))).ok();
    let hybrid = match (&weights, &neural) {
        (Ok(weights), Some(neural)) => {
            let bench = &mut Bench { engine, weights, meter, step: &mut step };
            hybrid::measure(bench, text, neural, &samples)?
        }
        _ => Err("the neural path is not measured".into()),
    };
    let hybrid = hybrid.map_err(|why| missing.push(format!("the hybrid is not measured: {why}"))).ok();
    // This comes last, because larger networks leave more memory allocated.
    if let (Ok(weights), Some(neural), true) = (&weights, &mut neural, asked(9)) {
        neural.sweeps = sweep::generation(engine, weights, &mut step)?;
    }
    let traditional = Traditional { stages, single, same, tested, execute, energy, batches, sizes };
    Ok(Measured {
        subject,
        traditional,
        conventional,
        neural,
        hybrid,
        memory_each: Some(bytes_each(&compiled) as f64),
        device_transfer,
        pcie_watts: meter.watts().pcie,
        missing,
    })
}

/// Measures k mutants, once compiled only and once judged. The energy is that of the repetition whose time is shown.
fn batch(engine: &mut dyn Engine, text: &Arc<str>, k: u32, meter: &Meter) -> Result<Batch, EngineError> {
    let mut compile: Vec<f64> = Vec::new();
    let mut all: Vec<(f64, Energy)> = Vec::new();
    for _ in 0..BATCHES {
        // Mutants before the first requested one are only compiled.
        engine.base(text, &|| false)?;
        let from = Instant::now();
        engine.mutants(Indices::numbered(k - 1..k), &|| false, &mut |_: MutantResult| {})?;
        compile.push(since(from));
        let running = meter.start(engine.power_source());
        let time = judged(engine, text, k)?;
        all.push((time, running.stop()));
        if all.iter().map(|(time, _)| time).chain(&compile).any(|time| *time > PATIENCE) {
            break;
        }
    }
    let (memory, _) = engine.memory();
    let unknown = Stat { median: f64::NAN, spread: 0.0, of: 0 };
    let none = ((f64::NAN, Energy::estimate(f64::NAN, Duration::ZERO)), unknown);
    let ((_, energy), all) = middle(all, |(time, _)| *time).unwrap_or(none);
    Ok(Batch { k, compile: Stat::of(compile).unwrap_or(unknown), all, energy, memory })
}

/// Measures what users wait for: the program, then k of its mutants. The race measures the same.
fn judged(engine: &mut dyn Engine, text: &Arc<str>, k: u32) -> Result<f64, EngineError> {
    let from = Instant::now();
    engine.base(text, &|| false)?;
    engine.mutants(Indices::first(k), &|| false, &mut |_: MutantResult| {})?;
    Ok(since(from))
}
