//! Compares an engine with the CPU engine: stage outputs of programs, test results, and verdicts on mutants.

use std::sync::Arc;

use super::random;
use crate::cli::args::Effort;
use crate::cli::exit::Failure;
use crate::cli::input::InputSource;
use crate::cli::progress::{CliProgress, PeriodicLines};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError};
use crate::lang::index::Indices;
use crate::lang::verdict::Verdict;

/// A comparison stops after this number of differences.
const MAX_DIFFERENCES: u64 = 20;
/// The number of mutants compared is divided by this for random programs.
const RANDOM_DIVISOR: u32 = 8;

/// Result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    pub programs: u64,
    pub mutants: u64,
    pub differences: u64,
    /// The first difference, with the program.
    pub first: Option<String>,
}

/// Compares an engine with the CPU engine on the given programs and on random ones.
pub fn compare(
    engine: &mut dyn Engine,
    sources: &[InputSource],
    effort: &Effort,
) -> Result<Agreement, Failure> {
    let mut cpu = CpuEngine::new();
    let mut agreement = Agreement::default();
    let total = sources.len() + effort.random as usize;
    let (mut progress, mut pace) =
        (CliProgress::new("programs compared"), PeriodicLines::new("programs compared"));
    let random = (0..u64::from(effort.random)).map(|index| {
        (format!("random program {index}"), random::program(index).into(), effort.mutants / RANDOM_DIVISOR)
    });
    let given = sources.iter().map(|source| (source.shown(), source.text.clone(), effort.mutants));
    for (name, text, mutants) in given.chain(random) {
        let text: Arc<str> = text;
        match difference(&mut cpu, engine, &text, mutants)? {
            Ok(judged) => agreement.mutants += judged,
            Err(why) => {
                agreement.differences += 1;
                agreement.first.get_or_insert_with(|| format!("{name}: {why}\n---- the program:\n{text}"));
            }
        }
        agreement.programs += 1;
        progress.update(agreement.programs as usize, total);
        pace.update(agreement.programs as usize, total);
        if agreement.differences >= MAX_DIFFERENCES {
            break;
        }
    }
    Ok(agreement)
}

/// Returns the number of mutants on which both engines agree, or the first difference.
fn difference(
    cpu: &mut CpuEngine,
    engine: &mut dyn Engine,
    text: &Arc<str>,
    mutants: u32,
) -> Result<Result<u64, String>, EngineError> {
    let expected = cpu.base(text, &|| false)?;
    let found = engine.base(text, &|| false)?;
    if let Some(difference) = found.difference_from(&expected) {
        return Ok(Err(difference));
    }
    if cpu.variants() != engine.variants() {
        return Ok(Err(format!("{:?} and {:?}", cpu.variants(), engine.variants())));
    }
    let (expected, found) = (verdicts(cpu, mutants)?, verdicts(engine, mutants)?);
    let differs = expected.iter().zip(&found).position(|(one, other)| one != other);
    Ok(match differs {
        Some(id) => Err(format!("mutant {id}: {:?} and {:?}", expected[id], found[id])),
        None if expected.len() != found.len() => Err(format!("{} and {} mutants", expected.len(), found.len())),
        None => Ok(expected.len() as u64),
    })
}

fn verdicts(engine: &mut dyn Engine, count: u32) -> Result<Vec<Verdict>, EngineError> {
    let mut all = Vec::new();
    engine.mutants(Indices::first(count), &|| false, &mut |part| all.extend(part.verdicts))?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::bench::programs;

    #[test]
    fn one_thread_engine_agrees_with_the_cpu_engine() {
        let effort = Effort { random: 40, mutants: 16, ..Effort::default() };
        let found = compare(&mut CpuEngine::with_threads(1), &programs::one(), &effort).unwrap();
        assert_eq!((found.programs, found.differences, &found.first), (41, 0, &None));
        assert!(found.mutants > 60, "{found:?}");
    }
}
