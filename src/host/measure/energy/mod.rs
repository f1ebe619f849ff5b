//! Energy: measures or estimates the joules that a piece of work takes.
//!
//! A [`Meter`] finds the machine's meters: NVML for NVIDIA GPUs, and RAPL (through Linux's powercap) for
//! processors. [`Meter::start`] begins a measurement and [`Running::stop`] returns the energy and its error.
//! The idle power, if it has been measured, is subtracted. Without a meter, or if the work was too short for
//! it, the result is an estimate, a stated power times the measured time, and is marked as such.
//!
//! A meter belongs to a device, not to a program. It also counts other work on the device.

mod account;
mod gauge;
mod nvml;
mod rapl;

use std::fmt;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use account::EnergyAccount;
pub use gauge::{Gauge, GaugeStep, Reading};

use super::Kind;
use crate::host::measure::origin::Origin;

/// Stated powers, in watts, from which estimates are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watts {
    pub cpu: f64,
    pub gpu: f64,
    /// While data is transferred between host and device.
    pub pcie: f64,
}

impl Default for Watts {
    /// A desktop processor under load, and the paper's GPU and bus (section 6.2).
    fn default() -> Watts {
        Watts { cpu: 65.0, gpu: 300.0, pcie: 25.0 }
    }
}

impl Watts {
    pub fn of(self, kind: Kind) -> f64 {
        match kind {
            Kind::Cpu => self.cpu,
            Kind::Gpu => self.gpu,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EnergySource {
    /// NVIDIA's management library; the sum of all its devices.
    Nvml,
    /// The processor's energy counters; the sum of all packages.
    Rapl,
    /// A stated power times the measured time.
    Estimate { watts: f64 },
    /// A sum that includes measurements and estimates.
    Mixed,
}

impl fmt::Display for EnergySource {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            EnergySource::Nvml => f.pad("NVML"),
            EnergySource::Rapl => f.pad("RAPL"),
            EnergySource::Estimate { watts } => {
                f.pad(&format!("estimate at {} W", (watts * 100.0).round() / 100.0))
            }
            EnergySource::Mixed => f.pad("estimate in part"),
        }
    }
}

/// The energy that a piece of work takes beyond the idle power of the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    pub joules: f64,
    /// Maximum error of `joules`; `None` for an estimate, whose error is unknown.
    pub error: Option<f64>,
    pub source: EnergySource,
}

impl Energy {
    /// Returns a stated power times a time.
    pub fn estimate(watts: f64, time: Duration) -> Energy {
        Energy { joules: watts * time.as_secs_f64(), error: None, source: EnergySource::Estimate { watts } }
    }

    /// Returns `Measured` for a meter's value, `Modelled` for full or partial estimates.
    pub fn origin(&self) -> Origin {
        match self.source {
            EnergySource::Nvml | EnergySource::Rapl => Origin::Measured,
            EnergySource::Estimate { .. } | EnergySource::Mixed => Origin::Modelled,
        }
    }

    /// Adds the energy of two pieces of work.
    pub fn plus(self, other: Energy) -> Energy {
        Energy {
            joules: self.joules + other.joules,
            error: self.error.zip(other.error).map(|(a, b)| a + b),
            source: if self.source == other.source { self.source } else { EnergySource::Mixed },
        }
    }

    /// Returns the energy of a part of the work, such as one program of a batch.
    pub fn share(self, part: f64) -> Energy {
        Energy { joules: self.joules * part, error: self.error.map(|e| e * part), source: self.source }
    }
}

impl fmt::Display for Energy {
    /// Formats as `1.20 J ± 0.05 J (NVML)` or `0.043 J (estimate at 65 W)`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.error {
            Some(error) => write!(f, "{:.3} J ± {error:.3} J ({})", self.joules, self.source),
            None => write!(f, "{:.3} J ({})", self.joules, self.source),
        }
    }
}

/// The meters of this machine. Clones are cheap and share the idle power.
#[derive(Clone)]
pub struct Meter {
    watts: Watts,
    cpu: Arc<Device>,
    gpu: Arc<Device>,
}

/// The meter of one device, if it has one.
struct Device {
    /// The gauge, or why there is none.
    gauge: Result<Mutex<Box<dyn Gauge>>, String>,
    /// The idle power, measured while nothing ran.
    idle: Mutex<Option<account::Power>>,
}

/// The interval at which power is sampled. A counter is read at the longer interval `COUNTER_INTERVAL`, so that every
/// wraparound is seen.
const POWER_INTERVAL: Duration = Duration::from_millis(10);
const COUNTER_INTERVAL: Duration = Duration::from_secs(1);

/// An idle measurement shorter than this is discarded.
const MIN_IDLE_TIME: Duration = Duration::from_millis(50);

impl Meter {
    /// Finds the meters; never fails. For devices without a meter, estimates use `watts`.
    pub fn open(watts: Watts) -> Meter {
        Meter::with(watts, rapl::open(Path::new(rapl::FOLDER)), nvml::open())
    }

    /// Returns a meter that only estimates.
    pub fn estimating(watts: Watts) -> Meter {
        let none = || Err("not looked for".to_string());
        Meter::with(watts, none(), none())
    }

    /// Returns a meter with these gauges of the processor and the GPU.
    pub fn with(
        watts: Watts,
        cpu: Result<Box<dyn Gauge>, String>,
        gpu: Result<Box<dyn Gauge>, String>,
    ) -> Meter {
        let device = |gauge: Result<Box<dyn Gauge>, String>| {
            Arc::new(Device { gauge: gauge.map(Mutex::new), idle: Mutex::new(None) })
        };
        Meter { watts, cpu: device(cpu), gpu: device(gpu) }
    }

    fn device(&self, kind: Kind) -> &Arc<Device> {
        match kind {
            Kind::Cpu => &self.cpu,
            Kind::Gpu => &self.gpu,
        }
    }

    /// Returns why a device has no meter, or `None` if it has one.
    pub fn missing(&self, kind: Kind) -> Option<&str> {
        self.device(kind).gauge.as_ref().err().map(String::as_str)
    }

    /// Returns the source of this device's energies, unless the work is too short.
    pub fn source(&self, kind: Kind) -> EnergySource {
        match &self.device(kind).gauge {
            Ok(gauge) => lock(gauge).source(),
            Err(_) => EnergySource::Estimate { watts: self.watts.of(kind) },
        }
    }

    pub fn watts(&self) -> Watts {
        self.watts
    }

    /// Returns the idle power that is subtracted, in watts, or `None` if it has not been measured.
    pub fn idle(&self, kind: Kind) -> Option<f64> {
        lock(&self.device(kind).idle).map(|power| power.watts)
    }

    /// Measures the idle power of every device with a meter. Call this while nothing runs.
    pub fn measure_idle(&self, time: Duration) {
        let resting: Vec<Running> = [Kind::Cpu, Kind::Gpu]
            .into_iter()
            .filter(|kind| self.missing(*kind).is_none())
            .map(|kind| self.start(kind))
            .collect();
        if !resting.is_empty() {
            std::thread::sleep(time);
        }
        resting.into_iter().for_each(Running::finish_idle);
    }

    /// Starts a measurement. Work on a software adapter counts for the processor: see `Engine::power_source`.
    pub fn start(&self, kind: Kind) -> Running {
        let device = self.device(kind).clone();
        let watch = match &device.gauge {
            Ok(_) => Watch::begin(device.clone()),
            Err(_) => None,
        };
        Running { watts: self.watts.of(kind), device, watch, started: Instant::now() }
    }

    /// Starts a measurement of one thread's work on the processor. The stated power is that of all cores, so
    /// an estimate uses one core's part of it. A meter measures the added energy, whichever core does the
    /// work.
    pub fn start_one_core(&self) -> Running {
        let running = self.start(Kind::Cpu);
        Running { watts: running.watts / f64::from(super::cores().max(1)), ..running }
    }
}

/// A measurement in progress.
pub struct Running {
    watts: f64,
    device: Arc<Device>,
    /// `None` if the device has no meter.
    watch: Option<Watch>,
    started: Instant,
}

impl Running {
    /// Ends the measurement and returns the energy of the work.
    pub fn stop(self) -> Energy {
        let time = self.started.elapsed();
        let idle = *lock(&self.device.idle);
        let measured = self.watch.and_then(Watch::end).and_then(|account| account.energy(idle));
        // A value not greater than its own error is not a measurement; return an estimate.
        let telling = measured.filter(|energy| energy.error.is_some_and(|error| error < energy.joules));
        telling.unwrap_or_else(|| Energy::estimate(self.watts, time))
    }

    /// Ends a measurement during which nothing ran, and stores its power as the idle power.
    pub fn finish_idle(self) {
        if self.started.elapsed() < MIN_IDLE_TIME {
            return;
        }
        let power = self.watch.and_then(Watch::end).and_then(|account| account.power());
        if power.is_some() {
            *lock(&self.device.idle) = power;
        }
    }
}

/// A thread that reads a gauge during a measurement.
struct Watch {
    /// Dropping the sender ends the thread.
    end: Sender<()>,
    thread: JoinHandle<Option<EnergyAccount>>,
}

impl Watch {
    /// Returns `None` if the gauge cannot be read.
    fn begin(device: Arc<Device>) -> Option<Watch> {
        // Take the first reading here, because the work begins right after.
        let mut account = EnergyAccount::begin(device.read()?);
        let (end, ended) = channel::<()>();
        let between = if account.sampled() { POWER_INTERVAL } else { COUNTER_INTERVAL };
        let watch = move || loop {
            let last = ended.recv_timeout(between) != Err(RecvTimeoutError::Timeout);
            account.add(device.read()?);
            if last {
                return Some(account);
            }
        };
        let thread = std::thread::Builder::new().name("meter".into()).spawn(watch).ok()?;
        Some(Watch { end, thread })
    }

    /// Returns `None` if a reading failed.
    fn end(self) -> Option<EnergyAccount> {
        drop(self.end);
        self.thread.join().ok().flatten()
    }
}

impl Device {
    fn read(&self) -> Option<account::AccountSample> {
        let mut gauge = lock(self.gauge.as_ref().ok()?);
        let reading = gauge.read().ok()?;
        Some(account::AccountSample { at: Instant::now(), reading, source: gauge.source() })
    }
}

/// Ignores poisoning: a thread that panics leaves the value complete.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
