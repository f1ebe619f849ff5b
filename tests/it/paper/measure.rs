//! Tests which batch sizes are measured, and that the energy and time of each come from the same run.

use std::time::Duration;

use myriad::engine::cpu::CpuEngine;
use myriad::host::measure::energy::{Energy, EnergySource, Meter, Watts};
use myriad::learned::synthesis::times::NeuralTime;
use myriad::network::weights;
use myriad::paper::measured::{Draws, middle, sizes};
use myriad::paper::{MeasureTask, measure};

#[test]
fn sizes_grow_by_tens_up_to_k() {
    assert_eq!(sizes(1000), [1, 10, 100, 1000]);
    assert_eq!(sizes(250), [1, 10, 100, 250]);
    assert_eq!(sizes(1), [1]);
    assert!(sizes(0).is_empty());
}

#[test]
fn draw_figures_come_from_the_median_run() {
    let ms = Duration::from_millis;
    // The median by the sum is the run with 11 ms; by T_gen or T_verify it would be another.
    let runs = [(9, 9), (10, 1), (4, 5), (30, 2), (1, 1)];
    let run = |(generate, verify): (u64, u64)| {
        let time = NeuralTime { k: 5, distinct: 2, generate: ms(generate), verify: ms(verify) };
        (time, Some(Energy::estimate(100.0, time.total())))
    };
    let draws = Draws::of(runs.map(run).to_vec()).expect("there are runs");
    let medians = [draws.generate.median, draws.verify.median, draws.all.median];
    assert_eq!(medians, [10.0, 1.0, 11.0]);
    assert!(draws.energy.is_some_and(|energy| (energy.joules - 1.1).abs() < 1e-9), "{draws:?}");
    assert_eq!((draws.all.of, draws.k, draws.distinct), (5, 5, 2));
    assert_eq!(Draws::of(vec![]), None);
    assert_eq!(middle([3.0, 1.0, 2.0], |x| *x).map(|(x, stat)| (x, stat.median)), Some((2.0, 2.0)));
}

/// The energy is the stated power times the time of the same run; of one core if only one works.
#[test]
fn energy_and_time_are_of_the_same_run() {
    let text =
        "fn twice(a: int) -> int { return a + a; }\ntest twice(4) == 8;\nprop a in 0..50 => twice(a) >= a;\n";
    let meter = Meter::estimating(Watts::default());
    let task = MeasureTask {
        engine: &mut CpuEngine::new(),
        text: &text.into(),
        k: 12,
        weights: weights::shipped().map(Into::into).map_err(|why| why.to_string()),
        meter: &meter,
        threads: 2,
        equations: &[16],
    };
    let m = measure(task, &mut |_| true).expect("it is measured");
    let watts = Watts::default().cpu;
    let of = |what: &str, energy: Energy, watts: f64, milliseconds: f64| {
        let EnergySource::Estimate { watts: stated } = energy.source else { panic!("{what}: {energy}") };
        assert!((stated - watts).abs() < 1e-9, "{what}: {stated} W, not {watts}");
        // The meter's clock is read slightly outside of the work.
        let least = watts * milliseconds / 1e3;
        assert!(energy.joules >= 0.999 * least, "{what}: {energy} in {milliseconds} ms");
        assert!(energy.joules < 1.2 * least + watts * 1e-3, "{what}: {energy} in {milliseconds} ms");
    };
    let neural = m.neural.expect("it is within reach");
    for point in &neural.points {
        of("candidates", point.energy.expect("it is metered"), watts, point.all.median);
        assert_eq!(point.all.median, point.generate.median + point.verify.median);
    }
    for batch in &m.traditional.batches {
        of("a batch", batch.energy, watts, batch.all.median);
    }
    let one = m.conventional.expect("it is measured");
    of("the loop", one.energy, watts / f64::from(myriad::host::measure::cores()), one.whole);
}
