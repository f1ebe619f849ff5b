//! Measures this machine: the same work by each path, several times, with the same clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::measured::{Batch, Loop, Measured, Subject, Traditional};
use super::neural;
use super::stat::Stat;
use crate::energy::Meter;
use crate::engine::conventional::{Conventional, Terms};
use crate::engine::gpu::arena::Room;
use crate::engine::{BaseResult, Engine, EngineError, Kind, MutantResult, Stage};
use crate::neural::weights::Weights;

/// How often a single program is measured, and a batch of them at most.
const REPEATS: u32 = 9;
const BATCHES: u32 = 3;
/// A batch that takes longer than this is measured once; the conventional loop ends after this.
const PATIENCE: f64 = 800.0;

/// What is measured, and with what.
pub struct Task<'a> {
    pub engine: &'a mut dyn Engine,
    pub text: &'a Arc<str>,
    pub k: u32,
    /// Or why there are none.
    pub weights: Result<Arc<Weights>, String>,
    pub meter: &'a Meter,
    /// Threads of the CPU engine.
    pub threads: u32,
}

/// Milliseconds since a moment.
pub(super) fn since(from: Instant) -> f64 {
    from.elapsed().as_secs_f64() * 1e3
}

/// Measures everything. `told` hears what is being measured, and says whether to go on.
///
/// # Errors
/// If the engine fails, or `told` says no.
pub fn measure(task: Task, told: &mut dyn FnMut(&str) -> bool) -> Result<Measured, EngineError> {
    let Task { engine, text, k, weights, meter, threads } = task;
    let mut step = |what: &str| if told(what) { Ok(()) } else { Err(EngineError::Cancelled) };
    let mut missing = Vec::new();
    let device = engine.powered_by();
    step("the idle power")?;
    meter.measure_idle(Duration::from_millis(300));
    for kind in [Kind::Cpu, Kind::Gpu] {
        if let (true, Some(why)) = (kind == device, meter.missing(kind)) {
            missing.push(format!("energies are estimated at {} W: {why}", meter.watts().of(kind)));
        }
    }

    step("one program")?;
    let base = engine.base(text)?;
    let compiled = base.compiled.clone();
    let (stages, single) = one(engine, text)?;
    let running = meter.start(device);
    let tested = repeat(|| {
        let from = Instant::now();
        engine.base(text)?;
        Ok(since(from))
    })?;
    let energy = running.stop().share(1.0 / f64::from(REPEATS));
    let execute = engine.base(text)?.timings.stages[Stage::Execute as usize].as_secs_f64() * 1e3;

    let programs = k.min(engine.variants().all);
    let runs = base.entries.iter().any(|entry| entry.outcome == crate::engine::Outcome::Pass);
    if programs < k {
        missing.push(format!("there are {programs} mutants: batches have no more"));
    }
    if !runs {
        missing.push("no test passes, so no mutant can be judged".into());
    }
    let mut batches = Vec::new();
    for k in sizes(programs).into_iter().filter(|_| runs) {
        step(&format!("a batch of {k}"))?;
        batches.push(batch(engine, text, k, meter)?);
    }
    let (memory, _) = engine.memory();
    let memory = (!batches.is_empty()).then_some(memory);

    step("the conventional loop")?;
    let conventional = if runs { conventional(engine, base, programs, meter)? } else { None };
    let device_transfer = match engine.transfer(text.len())? {
        Some(_) => {
            Some(repeat(|| Ok(engine.transfer(text.len())?.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)))?)
        }
        None => None,
    };

    let cores = match engine.kind() {
        Kind::Cpu => f64::from(threads.max(1)),
        // As many as make the time of a batch out of that of one program.
        Kind::Gpu => {
            let last =
                batches.last().map_or(1.0, |b: &Batch| f64::from(b.k) * single.median / b.compile.median);
            last.max(1.0)
        }
    };
    let subject = Subject {
        adapter: engine.describe(),
        kind: engine.kind(),
        cores,
        bytes: text.len() as u32,
        tests: engine.base(text)?.entries.len() as u32,
        k,
        programs,
    };
    let neural = match &weights {
        Ok(weights) => neural::measure(engine, text, weights, k, meter, &mut step)?,
        Err(why) => Err(why.clone()),
    };
    let neural = neural.map_err(|why| missing.push(format!("the neural path is not measured: {why}"))).ok();
    let hybrid = match (&weights, &neural) {
        (Ok(weights), Some(neural)) => super::hybrid::measure(engine, text, weights, neural, meter, &mut step)?,
        _ => Err("the neural path is not measured".into()),
    };
    let hybrid = hybrid.map_err(|why| missing.push(format!("the hybrid is not measured: {why}"))).ok();
    let neural_memory = engine.memory().1.filter(|_| neural.is_some());
    let traditional = Traditional { stages, single, tested, execute, energy, batches };
    Ok(Measured {
        subject,
        traditional,
        conventional,
        neural,
        hybrid,
        memory,
        neural_memory,
        memory_each: Some(Room::of_variant(&compiled).bytes() as f64),
        device_transfer,
        pcie_watts: meter.watts().pcie,
        missing,
    })
}

/// 1, 10, 100 … below k, and k.
pub fn sizes(k: u32) -> Vec<u32> {
    let mut sizes: Vec<u32> = (0..6).map(|power| 10u32.pow(power)).filter(|size| *size < k).collect();
    sizes.extend((k > 0).then_some(k));
    sizes
}

/// The same a few times over.
fn repeat(mut once: impl FnMut() -> Result<f64, EngineError>) -> Result<Stat, EngineError> {
    let times = (0..REPEATS).map(|_| once()).collect::<Result<Vec<f64>, _>>()?;
    Ok(Stat::of(times).unwrap_or(Stat { median: f64::NAN, spread: 0.0, of: 0 }))
}

/// One program from text to bytecode: its stages, and the whole.
fn one(engine: &mut dyn Engine, text: &Arc<str>) -> Result<([Stat; 9], Stat), EngineError> {
    let mut times: [Vec<f64>; 9] = Default::default();
    let whole = repeat(|| {
        let from = Instant::now();
        let (_, timings) = engine.compile(text)?;
        let whole = since(from);
        for (list, time) in times.iter_mut().zip(timings.stages) {
            list.push(time.as_secs_f64() * 1e3);
        }
        Ok(whole)
    })?;
    let none = Stat { median: 0.0, spread: 0.0, of: 0 };
    Ok((times.map(|list| Stat::of(list).unwrap_or(none)), whole))
}

/// k mutants, compiled alone and judged as well.
fn batch(engine: &mut dyn Engine, text: &Arc<str>, k: u32, meter: &Meter) -> Result<Batch, EngineError> {
    let mut judged = |first: u32, count: u32| {
        engine.base(text)?;
        let from = Instant::now();
        engine.mutants(first, count, &|| false, &mut |_: MutantResult| {})?;
        Ok(since(from))
    };
    let (mut compile, mut all): (Vec<f64>, Vec<f64>) = Default::default();
    for _ in 0..BATCHES {
        // Of mutants before the first that is asked for nothing is needed but their bytecode.
        compile.push(judged(k - 1, 1)?);
        all.push(judged(0, k)?);
        if all.iter().chain(&compile).any(|time| *time > PATIENCE) {
            break;
        }
    }
    let rounds = all.len() as u32;
    let device = engine.powered_by();
    engine.base(text)?;
    let running = meter.start(device);
    engine.mutants(0, k, &|| false, &mut |_: MutantResult| {})?;
    let energy = running.stop();
    let none = Stat { median: f64::NAN, spread: 0.0, of: rounds };
    Ok(Batch { k, compile: Stat::of(compile).unwrap_or(none), all: Stat::of(all).unwrap_or(none), energy })
}

/// The paper's loop on one thread, for as many of the programs as patience allows.
fn conventional(
    engine: &mut dyn Engine,
    base: BaseResult,
    programs: u32,
    meter: &Meter,
) -> Result<Option<Loop>, EngineError> {
    let mut conventional = Conventional::new(base.compiled, &base.entries);
    let mut terms: Vec<Terms> = Vec::new();
    let started = Instant::now();
    let running = meter.start(Kind::Cpu);
    for id in 0..programs {
        let Some(iteration) = conventional.iterate(id, &|| true) else { break };
        let mut iteration = iteration.terms;
        if let Some(time) = engine.transfer(conventional.received())? {
            iteration.transfers = time;
        }
        terms.push(iteration);
        if since(started) > PATIENCE {
            break;
        }
    }
    let energy = running.stop();
    let count = terms.len() as f64;
    let of = |pick: &dyn Fn(&Terms) -> Duration| {
        Stat::of(terms.iter().map(|t| pick(t).as_secs_f64() * 1e3).collect())
    };
    let all = || -> Option<Loop> {
        Some(Loop {
            generate: of(&|t| t.generate)?,
            transfer: of(&|t| t.transfers)?.times(0.5),
            compile: of(&|t| t.compile)?,
            execute: of(&|t| t.execute)?,
            total: of(&|t| t.total())?,
            mean: terms.iter().map(|t| t.total().as_secs_f64() * 1e3).sum::<f64>() / count,
            energy: energy.share(1.0 / count),
        })
    };
    Ok(all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_by_tens_up_to_k() {
        assert_eq!(sizes(1000), [1, 10, 100, 1000]);
        assert_eq!(sizes(250), [1, 10, 100, 250]);
        assert_eq!(sizes(1), [1]);
        assert!(sizes(0).is_empty());
    }
}
