//! Measures k programs: different mutants of the file in sequence, by the neural path, the hybrid path and the
//! conventional loop.
//!
//! The network is slow, so only some programs are measured. The time of more programs is an extrapolation, which must
//! be labelled as modelled.

use std::sync::Arc;
use std::time::Instant;

use super::bench::Bench;
use super::measured::Programs;
use super::repeat::since;
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::engine::conventional::Conventional;
use crate::engine::{Engine, EngineError};
use crate::host::measure::stat::Stat;
use crate::lang::index::{Index, MutantId, RoutineId};
use crate::learned::hybrid::{self, HybridCode, Router};
use crate::learned::synthesis::compile::{self, Refusal};
use crate::learned::synthesis::search::{Aim, Level, SearchSettings};
use crate::network::sampling::{Candidate, Inputs, Sampling};
use crate::network::source;
use crate::paper::race::Field;

/// The maximum number of programs measured, and of mutants examined to choose them.
const PROGRAMS: u32 = 100;
const LOOKED_AT: u32 = 4 * PROGRAMS;
/// The total milliseconds after which no further program starts.
const PATIENCE: f64 = 3_000.0;
/// The number of candidates per round, and the maximum number of rounds: at most 100 candidates, as in algorithm 3.
const DRAWN: u32 = 4;
const ROUNDS: u32 = 25;
/// The random inputs on which code that passes the tests is compared with the compiler's, outside the measured time.
/// This matters if no test judges a mutant.
const INPUTS: Inputs = Inputs { seed: 1, first: 0, count: 16 };

/// A mutant as a separate program.
pub struct ProgramSample {
    pub text: Arc<str>,
    /// The functions that the mutant changes.
    pub functions: Vec<RoutineId>,
    /// The time of the conventional loop for it in milliseconds.
    pub conventional: f64,
}

pub struct Samples {
    pub list: Vec<ProgramSample>,
    /// The number of mutants left out because they change a function that the network cannot compile.
    pub out_of_reach: u32,
}

/// Returns each mutant below `all` once, such that any prefix is spread evenly: multiples of a step near the golden
/// ratio.
pub fn spread(all: u32) -> impl Iterator<Item = MutantId> {
    let divisor = |mut a: u32, mut b: u32| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (f64::from(all) * 0.618_034) as u32;
    let step = (golden.max(1)..).find(|&step| divisor(step, all) == 1).unwrap_or(1);
    (0..all).map(move |i| MutantId::new(((u64::from(i) * u64::from(step)) % u64::from(all.max(1))) as u32))
}

/// Chooses mutants that compile and that the network can compile, and measures the conventional loop on them.
///
/// # Errors
/// If the engine fails.
pub fn choose(engine: &mut dyn Engine, field: &Field) -> Result<Samples, EngineError> {
    let mut found = Samples { list: Vec::new(), out_of_reach: 0 };
    let mut conventional = Conventional::new(field.program.clone(), &field.entries);
    let mut compiler = Compiler::default();
    for id in spread(field.k).take(LOOKED_AT as usize) {
        if found.list.len() >= PROGRAMS as usize {
            break;
        }
        let Some(text) = field.text(id).map(Arc::<str>::from) else { continue };
        compiler.compile(&text);
        if !compiler.compiles() {
            continue;
        }
        let compiled = compiler.compiled(&text);
        let functions = field.changed(id);
        if functions.iter().any(|&f| source::read(&compiled.program(), f).is_err()) {
            found.out_of_reach += 1;
            continue;
        }
        // A warm-up run brings the data into the caches, as in a loop.
        conventional.iterate(id, &|| false);
        let from = Instant::now();
        if conventional.iterate(id, &|| false).is_none() {
            continue;
        }
        let mut time = since(from);
        time += engine.transfer(conventional.received())?.map_or(0.0, |time| time.as_secs_f64() * 1e3);
        found.list.push(ProgramSample { text, functions, conventional: time });
    }
    Ok(found)
}

/// The result of compiling one function.
#[derive(Clone, Copy)]
struct PathResult {
    done: bool,
    proved: bool,
    drawn: u32,
}

/// A function that compiles one function of the engine's base.
type Path<'a> = dyn FnMut(&mut dyn Engine, &Compiled, RoutineId) -> Result<PathResult, EngineError> + 'a;

/// Measures the programs by the neural path (algorithm 2). For each changed function, draws a few candidates at a time
/// until one passes the tests. This is the paper's verification, and is also used for k candidates of one program.
///
/// # Errors
/// If the engine fails, or `step` returns an error.
pub fn neural(bench: &mut Bench, samples: &Samples) -> Result<Option<Programs>, EngineError> {
    let settings = SearchSettings {
        sampling: Sampling { k: DRAWN, ..Sampling::default() },
        rounds: ROUNDS,
        aim: Aim::First(Level::Tests),
        ..SearchSettings::default()
    };
    let mut written: Vec<Written> = Vec::new();
    let weights = bench.weights;
    let mut path = |engine: &mut dyn Engine, compiled: &Compiled, function: RoutineId| {
        let nobody = &mut |_: &Candidate| {};
        match compile::function(engine, compiled, function, weights, &settings, &|| false, nobody) {
            Ok(made) => {
                let best = made.found.best();
                let proved = best.is_some_and(|best| best.evidence.level() == Some(Level::Proved));
                let drawn = made.found.rounds.iter().map(|round| round.sampling.k).sum();
                let code = best.map(|best| best.candidate.code.clone());
                written.push(Written { text: compiled.text.clone(), function, code, proved });
                Ok(PathResult { done: best.is_some(), proved, drawn })
            }
            // The functions of a sample are within reach, so this does not occur.
            Err(Refusal::Unsupported(_)) => Ok(PathResult { done: false, proved: false, drawn: 0 }),
            Err(Refusal::Engine(error)) => Err(error),
        }
    };
    let programs = through(bench, samples, "by the network", &mut path)?;
    let memory = bench.engine.memory().1;
    (bench.step)("the network's code, compared with the compiler's")?;
    let done = right(bench.engine, &written)?;
    Ok(programs.map(|programs| Programs { memory, done, ..programs }))
}

/// The network's code for a function of a program.
struct Written {
    text: Arc<str>,
    function: RoutineId,
    /// `None` if no candidate passed the tests.
    code: Option<Vec<u32>>,
    proved: bool,
}

/// Returns the number of programs whose code is apparently right: each function equals the compiler's
/// bytecode or agrees with it on random inputs.
fn right(engine: &mut dyn Engine, written: &[Written]) -> Result<u32, EngineError> {
    let mut count = 0;
    for program in written.chunk_by(|a, b| Arc::ptr_eq(&a.text, &b.text)) {
        let mut all = true;
        for Written { text, function, code, proved } in program {
            all &= match code {
                None => false,
                Some(_) if *proved => true,
                Some(code) => {
                    engine.base(text, &|| false)?;
                    let said = engine.sampler()?.agree(*function, &[code], INPUTS, &|| false)?;
                    said.first().is_some_and(|said| said.agrees() && said.compared > 0)
                }
            };
        }
        count += u32::from(all);
    }
    Ok(count)
}

/// Measures the programs by the hybrid path (algorithm 3).
///
/// # Errors
/// If the engine fails, or `step` returns an error.
pub fn hybrid(
    bench: &mut Bench,
    samples: &Samples,
    router: &mut Router,
) -> Result<Option<Programs>, EngineError> {
    let weights = Some(bench.weights);
    let mut path = |engine: &mut dyn Engine, compiled: &Compiled, function: RoutineId| {
        let made = hybrid::compile(engine, compiled, function, weights, router, &|| false, &mut |_| {})?;
        let drawn = made.compilation.as_ref().map_or(0, |one| one.found.drawn());
        let level = made.evidence.level();
        let traditional = matches!(made.code, HybridCode::Traditional { .. });
        Ok(PathResult {
            done: traditional || level >= Some(router.settings.evidence),
            proved: traditional || level == Some(Level::Proved),
            drawn,
        })
    };
    through(bench, samples, "by the hybrid", &mut path)
}

/// Measures programs by a path until [`PATIENCE`] is exceeded. Returns `None` without programs.
fn through(
    bench: &mut Bench,
    samples: &Samples,
    what: &str,
    path: &mut Path,
) -> Result<Option<Programs>, EngineError> {
    let (mut done, mut proved, mut drawn) = (0, 0, 0);
    let mut times = Vec::new();
    let running = bench.meter.start(bench.engine.power_source());
    for (number, sample) in samples.list.iter().enumerate() {
        if times.iter().sum::<f64>() > PATIENCE {
            break;
        }
        (bench.step)(&format!("program {} of {} {what}", number + 1, samples.list.len()))?;
        let from = Instant::now();
        let compiled = bench.engine.base(&sample.text, &|| false)?.compiled;
        let mut all = PathResult { done: true, proved: true, drawn: 0 };
        for &function in &sample.functions {
            let made = path(bench.engine, &compiled, function)?;
            all.done &= made.done;
            all.proved &= made.proved;
            all.drawn += made.drawn;
        }
        times.push(since(from));
        done += u32::from(all.done);
        proved += u32::from(all.proved);
        drawn += all.drawn;
    }
    let energy = running.stop();
    let count = times.len() as u32;
    let whole = times.iter().sum();
    let conventional = samples.list.iter().take(times.len()).map(|sample| sample.conventional).sum();
    Ok(Stat::of(times).map(|each| Programs {
        count,
        done,
        proved,
        drawn,
        each,
        whole,
        conventional,
        energy,
        memory: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_yields_each_mutant_once_and_starts_far_apart() {
        for all in [1, 2, 7, 24, 100, 1000] {
            let mut numbers: Vec<u32> = spread(all).map(MutantId::number).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (0..all).collect::<Vec<_>>());
        }
        assert_eq!(spread(0).count(), 0);
        let mut few: Vec<u32> = spread(1000).take(8).map(MutantId::number).collect();
        few.sort_unstable();
        assert!(few.windows(2).all(|pair| pair[1] - pair[0] > 50), "{few:?}");
    }
}
