//! Curves over k, and where they cross.

use super::machine::with_hybrid;
use myriad::host::measure::quantity::Unit;
use myriad::host::measure::stat::StatLine;
use myriad::paper::curves::{
    CANDIDATES, CONVENTIONAL, Curve, CurveCounts, HYBRID, NEURAL, Plot, TRADITIONAL, crossovers, plots,
};
use myriad::paper::measured::Measured;

#[test]
fn crossovers_name_their_curves_and_the_unit_of_k() {
    let line = |name, fixed, each| Curve { name, line: StatLine { fixed, each }, points: vec![] };
    let plot = Plot {
        title: "x",
        unit: Unit::Milliseconds,
        curves: vec![
            line(TRADITIONAL, 0.0, 2.0),
            line(CANDIDATES, 50.0, 1.0),
            line(CONVENTIONAL, 100.0, 1.0),
            line(HYBRID, 1000.0, 3.0),
        ],
    };
    let found: Vec<_> = crossovers(&plot).into_iter().map(|c| (c.of, c.k, c.beyond, c.counts)).collect();
    assert_eq!(
        found,
        [
            ([TRADITIONAL.text, CONVENTIONAL.text], 100.0, CONVENTIONAL.text, CurveCounts::Programs),
            ([TRADITIONAL.text, CANDIDATES.text], 50.0, CANDIDATES.text, CurveCounts::Candidates),
        ]
    );
}

#[test]
fn measured_approaches_have_curves_and_neural_has_two() {
    let m = with_hybrid();
    let names = |plot: &Plot| plot.curves.iter().map(|curve| curve.name.text).collect::<Vec<_>>();
    let all = plots(&m);
    let five = ["traditional", "neural, k programs", "neural, k candidates", "conventional", "hybrid"];
    assert_eq!(names(&all[0]), five);
    assert_eq!(names(&all[1]), five);
    let memory =
        ["traditional (GPU arenas)", "neural, k programs", "neural, k candidates", "held by the engine"];
    assert_eq!(names(&all[2]), memory);
    // 40 ms per program, 0.87 ms per candidate: k programs are not k candidates.
    let latency = &all[0];
    assert_eq!(latency.curve(NEURAL).map(|curve| curve.line.at(1000.0)), Some(40_000.0));
    assert!(latency.curve(CANDIDATES).is_some_and(|curve| curve.line.at(1000.0) < 1_000.0));
    let none = Measured { neural: None, conventional: None, hybrid: None, ..m };
    assert_eq!(names(&plots(&none)[0]), ["traditional"]);
}

#[test]
fn no_point_of_a_curve_is_an_extrapolation() {
    let m = with_hybrid();
    for plot in plots(&m) {
        for curve in &plot.curves {
            let most = match curve.name {
                NEURAL => 20.0,
                HYBRID => 20.0,
                _ => 1000.0,
            };
            assert!(curve.points.iter().all(|(k, _)| *k <= most), "{}: {:?}", plot.title, curve);
        }
    }
}
