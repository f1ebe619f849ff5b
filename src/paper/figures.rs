//! Figures that the race has as well, under the race's names: what bears the same name must be the same thing.
//!
//! The race's clock runs over the whole of a contestant's work, so it does here: over all programs of the loop, and over the
//! program itself and its mutants for an engine. What differs in what it counts has another name and is no figure of this list.

use super::measured::Measured;
use crate::engine::Kind;
use crate::paper::race::Contestant;

/// Programs a second of one of the race's contestants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub contestant: Contestant,
    /// How many programs it was measured on.
    pub programs: u32,
    /// Compiled and judged in a second, by the clock.
    pub per_second: f64,
}

/// The figures that may be compared with a race of the same program and k.
pub fn figures(m: &Measured) -> Vec<Figure> {
    let conventional = m.raced_loop().map(|one| Figure {
        contestant: Contestant::Conventional,
        programs: one.programs,
        per_second: one.per_second(),
    });
    // Several engines that share the work are no contestant.
    let contestant = match m.subject.kind {
        Kind::Cpu => Contestant::Cpu,
        Kind::Gpu => Contestant::Gpu,
    };
    let engine = m.largest().filter(|_| m.subject.alone).map(|batch| Figure {
        contestant,
        programs: batch.k,
        per_second: batch.per_second(),
    });
    [conventional, engine].into_iter().flatten().collect()
}
