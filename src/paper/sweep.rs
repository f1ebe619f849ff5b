//! Measures how times grow with the size of the work: equation 1 over the source's length, equation 9 over source
//! words, layers and width.

use std::collections::HashSet;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

use super::measured::{MeasuredSize, Sweeps};
use super::repeat::{one, since};
use crate::compiler::program::Compiled;
use crate::engine::{Engine, EngineError, Kind};
use crate::host::measure::stat::Stat;
use crate::lang::index::{RoutineId, TokenId};
use crate::lang::limits;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::network::sampling::{Candidate, Sampling};
use crate::network::source::{self, Source};
use crate::network::weights::{Config, Weights};

/// The numbers of copies of the program in the longer texts.
const TIMES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// The numbers of assignments in the functions that candidates are drawn for.
const ASSIGNMENTS: [u32; 6] = [1, 2, 4, 8, 12, 16];
/// The sizes of the networks with random weights. While one dimension varies, the other is near the shipped one.
const LAYERS: [usize; 5] = [1, 2, 3, 4, 6];
const WIDTHS: [usize; 5] = [64, 96, 128, 192, 256];
const HELD_LAYERS: usize = 2;
const HELD_WIDTH: usize = 128;
/// Returns the number of candidates drawn at each point. One shows the cost of a sequence, but a GPU that writes many
/// in parallel would idle with one. A software adapter counts as a CPU.
const fn candidates(kind: Kind) -> u32 {
    match kind {
        Kind::Cpu => 1,
        Kind::Gpu => 64,
    }
}
/// The number of measurements of a point, each with different random weights.
const REPEATS: u32 = 3;
/// The milliseconds beyond which no larger size is measured.
const TOO_LONG: f64 = 1_000.0;

/// Returns a program followed by copies of all its declarations, with numbers appended to the names.
pub fn copies(compiled: &Compiled, times: u32) -> String {
    let view = compiled.view();
    let declares = |t: &TokenId| matches!(view.role(*t), Role::FnName | Role::ConstName);
    let declared: HashSet<u32> = view.nodes().filter(declares).map(|t| view.value(t)).collect();
    let mut page = view.source.to_string();
    for copy in 2..=times {
        let mut at = 0;
        page.push('\n');
        let names = view.all().iter().filter(|t| view.kind(*t) == TokenKind::Name);
        for name in names.filter(|t| declared.contains(&view.value(*t))) {
            let end = view.span(name).map_or(at, |bytes| bytes.end);
            let _ = write!(page, "{}_{copy}", view.source.get(at..end).unwrap_or(""));
            at = end;
        }
        page.push_str(view.source.get(at..).unwrap_or(""));
    }
    page
}

/// Returns whether this number of copies is within the language's limits.
fn fits(compiled: &Compiled, times: u32) -> bool {
    let times = times as usize;
    let functions = compiled.facts.functions as usize;
    let (tests, tokens) = (compiled.entries().len() as usize, compiled.view().len() as usize);
    // The number appended to a name has at most this length.
    let bytes = compiled.text.len() + 4 * tokens;
    times * bytes <= limits::SOURCE_BYTES
        && times * (tokens + 1) <= limits::TOKENS
        && times * functions <= limits::FUNCTIONS
        && times * tests <= limits::TESTS
}

/// Compiles texts of increasing length, up to the limits of the language.
///
/// # Errors
/// If the engine fails, or `step` returns an error.
pub fn sizes(
    engine: &mut dyn Engine,
    compiled: &Compiled,
    step: &mut dyn FnMut(&str) -> Result<(), EngineError>,
) -> Result<Vec<MeasuredSize>, EngineError> {
    let mut found = Vec::new();
    for times in TIMES.into_iter().take_while(|&times| fits(compiled, times)) {
        step(&format!("the program {times} times over"))?;
        let text: Arc<str> = copies(compiled, times).into();
        let (copied, _) = engine.compile(&text, &|| false)?;
        // The program itself may declare a name like those of the copies.
        if !copied.facts.compiles() {
            break;
        }
        let (stages, whole, _) = one(engine, &text)?;
        found.push(MeasuredSize { times, bytes: text.len() as u32, stages, whole });
    }
    Ok(found)
}

/// Returns a function with this number of assignments and no tests.
pub fn function(assignments: u32) -> String {
    let body: String = (0..assignments).map(|_| "    a = a * 2 + b;\n").collect();
    format!("fn grown(a: int, b: int) -> int {{\n{body}    return a;\n}}\n")
}

/// Draws for functions of increasing length with the given weights, and for one function with random weights of other
/// sizes. Leaves one of these random weights loaded in the engine.
///
/// # Errors
/// If the engine fails, or `step` returns an error.
pub fn generation(
    engine: &mut dyn Engine,
    weights: &Arc<Weights>,
    step: &mut dyn FnMut(&str) -> Result<(), EngineError>,
) -> Result<Sweeps, EngineError> {
    let held = [HELD_WIDTH as u32, HELD_LAYERS as u32];
    let mut sweeps = Sweeps { k: candidates(engine.power_source()), held, ..Sweeps::default() };
    engine.sampler()?.weights(weights)?;
    for assignments in ASSIGNMENTS {
        let Some(source) = begin(engine, assignments)? else { continue };
        step(&format!("candidates of {} source words", source.words.len()))?;
        let mut times = Vec::new();
        // The first run only allocates memory, unless the time allows no further one.
        let (first, _) = draw(engine, &source)?;
        if first > TOO_LONG {
            times.push(first);
        }
        while times.len() < REPEATS as usize && first <= TOO_LONG {
            times.push(draw(engine, &source)?.0);
        }
        let Some(time) = Stat::of(times) else { break };
        sweeps.words.push((source.words.len() as f64, time));
        if time.median > TOO_LONG {
            break;
        }
    }
    let Some(source) = begin(engine, ASSIGNMENTS[3])? else { return Ok(sweeps) };
    let layers = LAYERS.map(|layers| (layers, Config::new(HELD_WIDTH, layers)));
    let widths = WIDTHS.map(|width| (width, Config::new(width, HELD_LAYERS)));
    for (list, configs) in [(&mut sweeps.layers, layers), (&mut sweeps.width, widths)] {
        for (size, config) in configs {
            step(&format!("a network of {} layers, {} wide", config.layers, config.width))?;
            let (mut each, mut whole) = (Vec::new(), 0.0);
            for seed in 1..=REPEATS {
                // The words are meaningless, but their cost is the same.
                engine.sampler()?.weights(&Arc::new(Weights::random(config, seed)))?;
                let (mut time, mut written) = draw(engine, &source)?;
                if seed == 1 && time <= TOO_LONG {
                    (time, written) = draw(engine, &source)?;
                }
                each.push(time / (source.words.len() as f64 + written));
                whole += time;
                if whole > TOO_LONG {
                    break;
                }
            }
            list.extend(Stat::of(each).map(|time| (size as f64, time)));
            if whole > TOO_LONG {
                break;
            }
        }
    }
    Ok(sweeps)
}

/// Makes a function with this number of assignments the base.
fn begin(engine: &mut dyn Engine, assignments: u32) -> Result<Option<Source>, EngineError> {
    let compiled = engine.base(&function(assignments).into(), &|| false)?.compiled;
    Ok(source::read(&compiled.program(), RoutineId::default()).ok())
}

/// Returns the time to draw, and the number of words that all candidates together contain.
fn draw(engine: &mut dyn Engine, source: &Source) -> Result<(f64, f64), EngineError> {
    let sampling = Sampling { k: candidates(engine.power_source()), ..Sampling::default() };
    let from = Instant::now();
    let sampled = engine.sampler()?.sample(source, &sampling, &|| false, &mut |_: &Candidate| {})?;
    let time = since(from);
    let written = |one: &Candidate| f64::from(one.samples) * one.words.len() as f64;
    Ok((time, sampled.candidates.iter().map(written).sum()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::CpuEngine;

    #[test]
    fn repeated_program_compiles_with_all_functions_of_each_copy() {
        for text in [include_str!("../../samples/gcd.myr"), include_str!("../../samples/calendar.myr")] {
            let mut engine = CpuEngine::with_threads(1);
            let (one, _) = engine.compile(&text.into(), &|| false).unwrap();
            for times in [1, 2, 5] {
                let (many, _) = engine.compile(&copies(&one, times).into(), &|| false).unwrap();
                assert_eq!(many.facts.errors, 0);
                assert_eq!(many.facts.functions, times * one.facts.functions);
                assert_eq!(
                    many.executable.routines.token.len(),
                    times as usize * one.executable.routines.token.len()
                );
                assert_eq!(many.tokens.kind.len(), times as usize * one.tokens.kind.len());
            }
            let sizes = sizes(&mut engine, &one, &mut |_| Ok(())).unwrap();
            assert!(sizes.len() >= 4 && sizes.windows(2).all(|pair| pair[1].bytes > pair[0].bytes));
        }
    }

    #[test]
    fn longer_functions_have_more_words_and_stay_within_limits() {
        let mut engine = CpuEngine::with_threads(1);
        let words = ASSIGNMENTS.map(|n| begin(&mut engine, n).unwrap().unwrap().words.len());
        assert!(words.windows(2).all(|pair| pair[1] > pair[0]), "{words:?}");
    }

    #[test]
    fn time_per_word_is_measured_for_other_network_sizes() {
        let mut engine = CpuEngine::with_threads(1);
        let weights = Arc::new(Weights::random(Config::new(32, 1), 3));
        let sweeps = generation(&mut engine, &weights, &mut |_| Ok(())).unwrap();
        assert_eq!(sweeps.words.len(), ASSIGNMENTS.len());
        // On a busy machine, a sweep may end early.
        for (list, all) in [(&sweeps.layers, LAYERS), (&sweeps.width, WIDTHS)] {
            let sizes: Vec<usize> = list.iter().map(|(size, _)| *size as usize).collect();
            assert!(!sizes.is_empty() && all.starts_with(&sizes), "{list:?}");
            // The times depend on the load of the machine.
            assert!(list.iter().all(|(_, time)| time.median > 0.0 && time.median.is_finite()), "{list:?}");
        }
    }
}
