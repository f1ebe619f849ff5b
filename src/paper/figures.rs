//! Figures that the race shows too, under the race's names. Equal names must denote equal quantities.
//!
//! As in the race, the time covers all of a contestant's work: all programs of the loop, or the program and its mutants
//! for an engine. Quantities with a different scope have other names and are not listed here.

use super::measured::Measured;
use crate::engine::Kind;
use crate::paper::race::Contestant;

/// The throughput of one contestant of the race.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub contestant: Contestant,
    pub programs: u32,
    /// Programs compiled and judged per second of elapsed time.
    pub per_second: f64,
}

/// Returns the figures that are comparable with a race of the same program and k.
pub fn figures(m: &Measured) -> Vec<Figure> {
    let conventional = m.raced_loop().map(|one| Figure {
        contestant: Contestant::Conventional,
        programs: one.programs,
        per_second: one.per_second(),
    });
    // Several engines that share the work are not a contestant of the race.
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
