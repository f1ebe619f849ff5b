//! How latency, energy and memory grow with k, for each approach, and where two approaches cross.

use super::measured::Measured;
use super::stat::Line;
use crate::report::quantity::Unit;

/// What a curve is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    pub name: &'static str,
    /// The line through what was measured.
    pub line: Line,
    /// k and value, as measured.
    pub points: Vec<(f64, f64)>,
}

/// A quantity against k.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    pub title: &'static str,
    pub unit: Unit,
    pub curves: Vec<Curve>,
}

/// Where two approaches cost the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    pub of: [&'static str; 2],
    pub k: f64,
    /// Which of them is the cheaper one beyond.
    pub beyond: &'static str,
}

/// The three plots; a curve without measurements is left out.
pub fn plots(m: &Measured) -> Vec<Plot> {
    vec![latency(m), energy(m), memory(m)]
}

fn curve(name: &'static str, points: Vec<(f64, f64)>) -> Option<Curve> {
    Some(Curve { name, line: Line::through(&points)?, points })
}

/// What k of something cost, where one costs so much.
fn proportional(name: &'static str, each: f64, k: f64) -> Option<Curve> {
    let line = Line { fixed: 0.0, each };
    (each > 0.0).then(|| Curve { name, line, points: vec![(1.0, each), (k, each * k)] })
}

fn latency(m: &Measured) -> Plot {
    let k = f64::from(m.subject.k);
    let batches = m.traditional.batches.iter().map(|b| (f64::from(b.k), b.all.median));
    let draws = m.neural.iter().flat_map(|n| &n.points).map(|p| (f64::from(p.k), p.all.median));
    let curves = [
        curve("traditional", batches.collect()),
        curve("neural", draws.collect()),
        m.conventional.and_then(|one| proportional("conventional", one.mean, k)),
        m.hybrid.and_then(|h| proportional("hybrid", h.all, k)),
    ];
    Plot {
        title: "latency of k programs",
        unit: Unit::Milliseconds,
        curves: curves.into_iter().flatten().collect(),
    }
}

fn energy(m: &Measured) -> Plot {
    let k = f64::from(m.subject.k);
    let batches = m.traditional.batches.iter().map(|b| (f64::from(b.k), b.energy.joules));
    // The path with its evidence was metered; its energy at other k follows its time.
    let neural = m.neural.as_ref().map(|n| {
        let watts = n.energy.joules / n.whole;
        n.points.iter().map(|p| (f64::from(p.k), watts * p.all.median)).collect()
    });
    let curves = [
        curve("traditional", batches.collect()),
        neural.and_then(|points| curve("neural", points)),
        m.conventional.and_then(|one| proportional("conventional", one.energy.joules, k)),
        m.hybrid.and_then(|h| proportional("hybrid", h.energy.joules, k)),
    ];
    Plot { title: "energy of k programs", unit: Unit::Joules, curves: curves.into_iter().flatten().collect() }
}

fn memory(m: &Measured) -> Plot {
    let k = f64::from(m.subject.k.max(1));
    let each = m.memory_each.and_then(|each| proportional("traditional (GPU arenas)", each, k));
    let neural = m.neural_memory.map(|memory| {
        let each = (memory.cache + memory.candidates) as f64 / k;
        let line = Line { fixed: (memory.weights + memory.activations) as f64, each };
        Curve { name: "neural", line, points: vec![(k, memory.total() as f64)] }
    });
    let held = m.memory.map(|memory| {
        let points = vec![(f64::from(m.subject.programs.max(1)), memory.total() as f64)];
        Curve { name: "held by the engine", line: Line { fixed: memory.total() as f64, each: 0.0 }, points }
    });
    let curves = [each, neural, held];
    Plot { title: "memory for k programs", unit: Unit::Bytes, curves: curves.into_iter().flatten().collect() }
}

/// All crossings of a plot, by k.
pub fn crossovers(plot: &Plot) -> Vec<Crossover> {
    let mut found = Vec::new();
    for (i, a) in plot.curves.iter().enumerate() {
        for b in &plot.curves[i + 1..] {
            if let Some(k) = a.line.crosses(b.line) {
                let beyond = if a.line.each < b.line.each { a.name } else { b.name };
                found.push(Crossover { of: [a.name, b.name], k, beyond });
            }
        }
    }
    found.sort_by(|a, b| a.k.total_cmp(&b.k));
    found
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::measured;
    use super::*;

    #[test]
    fn crossings_are_where_the_lines_meet() {
        let line = |name, fixed, each| Curve { name, line: Line { fixed, each }, points: vec![] };
        let plot = Plot {
            title: "x",
            unit: Unit::Milliseconds,
            curves: vec![line("a", 0.0, 2.0), line("b", 100.0, 1.0), line("c", 1000.0, 3.0)],
        };
        let found = crossovers(&plot);
        assert_eq!(found, [Crossover { of: ["a", "b"], k: 100.0, beyond: "b" }]);
    }

    #[test]
    fn what_was_measured_has_curves() {
        let m = measured();
        let names = |plot: &Plot| plot.curves.iter().map(|curve| curve.name).collect::<Vec<_>>();
        let all = plots(&m);
        assert_eq!(names(&all[0]), ["traditional", "neural", "conventional"]);
        assert_eq!(names(&all[1]), ["traditional", "neural", "conventional"]);
        // Each program costs 0.4 ms in a batch and 2 ms in the loop: the batch has a start that it must make good.
        let latency = crossovers(&all[0]);
        assert!(latency.iter().all(|c| c.k >= 1.0), "{latency:?}");
        let none = Measured { neural: None, conventional: None, ..m };
        assert_eq!(names(&plots(&none)[0]), ["traditional"]);
    }
}
