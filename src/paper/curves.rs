//! The growth of latency, energy and memory with k for each approach, and the crossovers of approaches.
//!
//! The neural path has two curves, because k has two meanings. It counts different programs, as for every other
//! approach, or candidates of one program, which the paper counts as programs. Each curve and crossover states its
//! meaning.

use super::measured::{Batch, Measured, Programs};
use crate::engine::memory::NeuralMemory;
use crate::host::measure::quantity::Unit;
use crate::host::measure::stat::StatLine;

/// The meaning of a curve's k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveCounts {
    /// Different programs, which users wait for.
    Programs,
    /// Candidates of one program, as in the paper's computations.
    Candidates,
}

impl CurveCounts {
    pub fn ident(self) -> &'static str {
        match self {
            CurveCounts::Programs => "programs",
            CurveCounts::Candidates => "candidates of one program",
        }
    }
}

/// The names of the curves, each with its plot marker.
pub const TRADITIONAL: CurveName = CurveName { text: "traditional", mark: 't', counts: CurveCounts::Programs };
pub const NEURAL: CurveName =
    CurveName { text: "neural, k programs", mark: 'n', counts: CurveCounts::Programs };
pub const CANDIDATES: CurveName =
    CurveName { text: "neural, k candidates", mark: 'o', counts: CurveCounts::Candidates };
pub const CONVENTIONAL: CurveName =
    CurveName { text: "conventional", mark: 'c', counts: CurveCounts::Programs };
pub const HYBRID: CurveName = CurveName { text: "hybrid", mark: 'h', counts: CurveCounts::Programs };
const ARENAS: CurveName =
    CurveName { text: "traditional (GPU arenas)", mark: 't', counts: CurveCounts::Programs };
const HELD: CurveName = CurveName { text: "held by the engine", mark: 'e', counts: CurveCounts::Programs };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurveName {
    pub text: &'static str,
    pub mark: char,
    pub counts: CurveCounts,
}

/// A quantity of one approach as a function of k.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: CurveName,
    /// The line fitted to the measurements.
    pub line: StatLine,
    /// The measured pairs of k and value.
    pub points: Vec<(f64, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub title: &'static str,
    pub unit: Unit,
    pub curves: Vec<Curve>,
}

impl Curve {
    /// Returns the quantity for k: measured, or else by the line.
    pub fn at(&self, k: f64) -> f64 {
        let measured = self.points.iter().find(|(at, _)| *at == k);
        measured.map_or_else(|| self.line.at(k), |(_, value)| *value)
    }
}

impl Plot {
    pub fn curve(&self, name: CurveName) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.name == name)
    }
}

/// The k at which two approaches cost the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    pub of: [&'static str; 2],
    pub k: f64,
    /// The approach that is cheaper for greater k.
    pub beyond: &'static str,
    /// `Candidates` if one of the two counts candidates of one program and the other counts programs, as the paper
    /// does.
    pub counts: CurveCounts,
}

/// Returns the three plots. Curves without measurements are left out.
pub fn plots(m: &Measured) -> Vec<Plot> {
    vec![latency(m), energy(m), memory(m)]
}

fn curve(name: CurveName, points: Vec<(f64, f64)>) -> Option<Curve> {
    Some(Curve { name, line: StatLine::through(&points)?, points })
}

/// Returns the curve of k programs processed in sequence, from the cost of `count` programs.
fn in_turn(name: CurveName, count: u32, cost: f64) -> Option<Curve> {
    let count = f64::from(count);
    let line = StatLine { fixed: 0.0, each: cost / count };
    (line.each.is_finite() && line.each > 0.0).then(|| Curve { name, line, points: vec![(count, cost)] })
}

/// Returns the latency of k programs in milliseconds. Tables 1 and 2 use these curves.
pub fn latency(m: &Measured) -> Plot {
    let batches = m.traditional.batches.iter().map(|b| (f64::from(b.k), b.all.median));
    let draws = m.neural.iter().flat_map(|n| &n.points).map(|p| (f64::from(p.k), p.all.median));
    let programs = |name: CurveName, of: Option<&Programs>| of.and_then(|p| in_turn(name, p.count, p.whole));
    let curves = [
        curve(TRADITIONAL, batches.collect()),
        programs(NEURAL, m.neural_programs()),
        curve(CANDIDATES, draws.collect()),
        m.conventional.and_then(|one| in_turn(CONVENTIONAL, one.programs, one.whole)),
        programs(HYBRID, m.hybrid_programs()),
    ];
    Plot {
        title: "latency of k programs",
        unit: Unit::Milliseconds,
        curves: curves.into_iter().flatten().collect(),
    }
}

fn energy(m: &Measured) -> Plot {
    let batches = m.traditional.batches.iter().map(|b| (f64::from(b.k), b.energy.joules));
    // For each k, the energy of the run whose time is shown.
    let draws = m.neural.iter().flat_map(|n| &n.points);
    let draws = draws.filter_map(|p| Some((f64::from(p.k), p.energy?.joules)));
    let candidates = curve(CANDIDATES, draws.collect());
    let programs =
        |name: CurveName, of: Option<&Programs>| of.and_then(|p| in_turn(name, p.count, p.energy.joules));
    let curves = [
        curve(TRADITIONAL, batches.collect()),
        programs(NEURAL, m.neural_programs()),
        candidates,
        m.conventional.and_then(|one| in_turn(CONVENTIONAL, one.programs, one.energy.joules)),
        programs(HYBRID, m.hybrid_programs()),
    ];
    Plot { title: "energy of k programs", unit: Unit::Joules, curves: curves.into_iter().flatten().collect() }
}

fn memory(m: &Measured) -> Plot {
    let arenas = m.memory_each.filter(|each| *each > 0.0);
    // The arenas follow from their layout; nothing is measured.
    let arenas =
        arenas.map(|each| Curve { name: ARENAS, line: StatLine { fixed: 0.0, each }, points: Vec::new() });
    let last = m.candidates().map_or(0, |draws| draws.k);
    let candidates = m.neural.as_ref().and_then(|n| n.memory).filter(|_| last > 0).map(|memory| {
        let NeuralMemory { weights, activations, cache, candidates, execution } = memory;
        let each = (cache + candidates + execution) as f64 / f64::from(last);
        let line = StatLine { fixed: (weights + activations) as f64, each };
        Curve { name: CANDIDATES, line, points: vec![(last.into(), memory.total() as f64)] }
    });
    // Programs run in sequence, so the memory of one serves the next.
    let programs = m.neural_programs().and_then(|p| Some((p.count, p.memory?))).map(|(count, memory)| {
        let total = memory.total() as f64;
        Curve { name: NEURAL, line: StatLine { fixed: total, each: 0.0 }, points: vec![(count.into(), total)] }
    });
    let held = |b: &Batch| (f64::from(b.k), b.memory.total() as f64);
    let held = curve(HELD, m.traditional.batches.iter().map(held).collect());
    let curves = [arenas, programs, candidates, held];
    Plot { title: "memory for k programs", unit: Unit::Bytes, curves: curves.into_iter().flatten().collect() }
}

/// Returns all crossovers of a plot, ordered by k: first between programs, then those that equate candidates with
/// programs.
pub fn crossovers(plot: &Plot) -> Vec<Crossover> {
    let mut found = Vec::new();
    for (i, a) in plot.curves.iter().enumerate() {
        for b in &plot.curves[i + 1..] {
            // The two curves of the neural path are not different approaches.
            if [a.name, b.name] == [NEURAL, CANDIDATES] {
                continue;
            }
            if let Some(k) = a.line.crosses(b.line) {
                let beyond = if a.line.each < b.line.each { a.name.text } else { b.name.text };
                let same = a.name.counts == b.name.counts;
                let counts = if same { CurveCounts::Programs } else { CurveCounts::Candidates };
                found.push(Crossover { of: [a.name.text, b.name.text], k, beyond, counts });
            }
        }
    }
    found.sort_by(|a, b| (a.counts as u32).cmp(&(b.counts as u32)).then(a.k.total_cmp(&b.k)));
    found
}
