//! The meter with fake gauges.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use myriad::host::measure::Kind;
use myriad::host::measure::energy::{Energy, EnergySource, Gauge, GaugeStep, Meter, Reading, Watts};
use myriad::host::measure::origin::Origin;

/// A gauge of a device with constant power, as an energy counter or as a power reading.
struct Constant {
    watts: f64,
    since: Instant,
    counts: bool,
    reads: Arc<AtomicU32>,
    /// Number of readings before it fails.
    answers: u32,
}

impl Gauge for Constant {
    fn source(&self) -> EnergySource {
        if self.counts { EnergySource::Rapl } else { EnergySource::Nvml }
    }

    fn read(&mut self) -> Result<Reading, String> {
        if self.reads.fetch_add(1, Ordering::Relaxed) >= self.answers {
            return Err("gone".into());
        }
        let joules = self.watts * self.since.elapsed().as_secs_f64();
        let step = GaugeStep { joules: 1e-6, seconds: 1e-4 };
        Ok(if self.counts { Reading::Total { joules, step } } else { Reading::Power { watts: self.watts } })
    }
}

fn constant(watts: f64, counts: bool, answers: u32) -> (Box<dyn Gauge>, Arc<AtomicU32>) {
    let reads = Arc::new(AtomicU32::new(0));
    (Box::new(Constant { watts, since: Instant::now(), counts, reads: reads.clone(), answers }), reads)
}

fn none() -> Result<Box<dyn Gauge>, String> {
    Err("none in this test".into())
}

/// Sleeps for some milliseconds; returns the energy and the actual time.
fn work(meter: &Meter, kind: Kind, milliseconds: u64) -> (Energy, f64) {
    let from = Instant::now();
    let running = meter.start(kind);
    std::thread::sleep(Duration::from_millis(milliseconds));
    (running.stop(), from.elapsed().as_secs_f64())
}

#[test]
fn one_core_estimate_is_its_share_of_cpu_power() {
    let cores = f64::from(myriad::host::measure::cores());
    let energy = Meter::estimating(Watts::default()).start_one_core().stop();
    assert_eq!(energy.source, EnergySource::Estimate { watts: 65.0 / cores });
    // A measured value is not scaled.
    let (gauge, _) = constant(100.0, true, u32::MAX);
    let running = Meter::with(Watts::default(), Ok(gauge), none()).start_one_core();
    std::thread::sleep(Duration::from_millis(120));
    let energy = running.stop();
    assert!(energy.source == EnergySource::Rapl && energy.joules > 0.8 * 100.0 * 0.12, "{energy}");
}

#[test]
fn counter_and_power_gauges_measure_constant_power() {
    for counts in [true, false] {
        let (gauge, reads) = constant(100.0, counts, u32::MAX);
        let meter = Meter::with(Watts::default(), Ok(gauge), none());
        let (energy, seconds) = work(&meter, Kind::Cpu, 120);
        assert_eq!(energy.origin(), Origin::Measured);
        assert!(energy.joules > 0.8 * 100.0 * 0.12 && energy.joules <= 100.0 * seconds, "{energy}");
        assert!(energy.error.unwrap() < 0.1, "{energy}");
        // Power is sampled repeatedly, a counter only at the start and the end.
        let reads = reads.load(Ordering::Relaxed);
        assert!(if counts { reads == 2 } else { reads > 4 }, "{reads} readings");
    }
}

#[test]
fn work_at_idle_power_is_estimated() {
    let (gauge, _) = constant(100.0, true, u32::MAX);
    let meter = Meter::with(Watts { gpu: 7.0, ..Watts::default() }, none(), Ok(gauge));
    assert_eq!(meter.idle(Kind::Gpu), None);
    meter.measure_idle(Duration::from_millis(80));
    let idle = meter.idle(Kind::Gpu).unwrap();
    assert!((idle - 100.0).abs() < 1.0, "{idle} W");
    // With idle power only, the meter cannot distinguish the work from idling, so the energy is estimated.
    let (energy, seconds) = work(&meter, Kind::Gpu, 20);
    assert_eq!(energy.source, EnergySource::Estimate { watts: 7.0 });
    assert!(energy.joules <= 7.0 * seconds && energy.joules >= 7.0 * 0.02);
}

#[test]
fn short_idle_period_sets_no_idle_power() {
    let (gauge, _) = constant(100.0, true, u32::MAX);
    let meter = Meter::with(Watts::default(), Ok(gauge), none());
    meter.start(Kind::Cpu).finish_idle();
    assert_eq!(meter.idle(Kind::Cpu), None);
}

#[test]
fn missing_gauge_yields_a_labelled_estimate() {
    let meter = Meter::with(Watts { cpu: 10.0, gpu: 20.0, pcie: 25.0 }, none(), none());
    assert_eq!(meter.missing(Kind::Cpu), Some("none in this test"));
    meter.measure_idle(Duration::from_secs(3600));
    let (energy, seconds) = work(&meter, Kind::Cpu, 10);
    assert_eq!((energy.source, energy.error), (EnergySource::Estimate { watts: 10.0 }, None));
    assert_eq!(energy.origin(), Origin::Modelled);
    assert!(energy.joules >= 0.1 && energy.joules <= 10.0 * seconds);
    assert_eq!(energy.source.to_string(), "estimate at 10 W");
    assert_eq!(meter.source(Kind::Gpu), EnergySource::Estimate { watts: 20.0 });
}

#[test]
fn failing_gauge_falls_back_to_an_estimate() {
    for answers in [0, 1] {
        let (gauge, _) = constant(100.0, false, answers);
        let meter = Meter::with(Watts { cpu: 10.0, ..Watts::default() }, Ok(gauge), none());
        let (energy, _) = work(&meter, Kind::Cpu, 5);
        assert_eq!(energy.source, EnergySource::Estimate { watts: 10.0 });
    }
}

#[test]
fn energies_add_and_split_with_their_error() {
    let measured = Energy { joules: 3.0, error: Some(0.5), source: EnergySource::Rapl };
    let twice = measured.plus(measured);
    assert_eq!(twice, Energy { joules: 6.0, error: Some(1.0), source: EnergySource::Rapl });
    assert_eq!(twice.share(0.5), measured);
    let mixed = measured.plus(Energy::estimate(65.0, Duration::from_secs(1)));
    assert_eq!((mixed.joules, mixed.error, mixed.source), (68.0, None, EnergySource::Mixed));
    assert_eq!(mixed.origin(), Origin::Modelled);
}

#[test]
fn host_meter_always_returns_finite_energy() {
    let meter = Meter::open(Watts::default());
    for kind in [Kind::Cpu, Kind::Gpu] {
        let energy = meter.start(kind).stop();
        assert!(energy.joules >= 0.0 && energy.joules.is_finite());
        let measures = meter.missing(kind).is_none();
        assert!(measures || matches!(energy.source, EnergySource::Estimate { .. }));
    }
}
