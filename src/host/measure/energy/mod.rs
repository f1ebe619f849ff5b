//! Energy: what a piece of work cost, in joules.
//!
//! A [`Meter`] looks once for the machine's meters: NVML for NVIDIA's GPUs, RAPL (through Linux's powercap) for
//! processors. [`Meter::start`] begins to watch one while work runs, [`Running::stop`] says what it took: the idle
//! power that was measured before is subtracted, and the error is stated. Where there is no meter, or the work was too
//! short for it, the answer is an estimate: a stated power times the measured time, and says so.
//!
//! A meter belongs to a device, not to a program: what else runs on it meanwhile is counted too.

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

use account::Account;
pub use gauge::{Gauge, Reading, Step};

use super::Kind;
use crate::host::measure::origin::Origin;

/// Stated powers, in watts: what an estimate is made of where nothing can be measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watts {
    pub cpu: f64,
    pub gpu: f64,
    /// While data moves between host and device.
    pub pcie: f64,
}

impl Default for Watts {
    /// A desktop processor under load; the paper's GPU and its bus (section 6.2).
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

/// Where an energy comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// NVIDIA's management library: all its devices together.
    Nvml,
    /// The processor's energy counters: all packages together.
    Rapl,
    /// A stated power times the measured time.
    Estimate { watts: f64 },
    /// A sum of measured parts and estimates.
    Partly,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Source::Nvml => f.pad("NVML"),
            Source::Rapl => f.pad("RAPL"),
            Source::Estimate { watts } => f.pad(&format!("estimate at {} W", (watts * 100.0).round() / 100.0)),
            Source::Partly => f.pad("estimate in part"),
        }
    }
}

/// What a piece of work took, beyond what the device takes when idle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    pub joules: f64,
    /// How far the true value may be from `joules`; `None` for an estimate, which nothing bounds.
    pub error: Option<f64>,
    pub source: Source,
}

impl Energy {
    /// A stated power times a time.
    pub fn estimate(watts: f64, time: Duration) -> Energy {
        Energy { joules: watts * time.as_secs_f64(), error: None, source: Source::Estimate { watts } }
    }

    /// Measured by a meter, or modelled: an estimate, even in part.
    pub fn origin(&self) -> Origin {
        match self.source {
            Source::Nvml | Source::Rapl => Origin::Measured,
            Source::Estimate { .. } | Source::Partly => Origin::Modelled,
        }
    }

    /// Two pieces of work together.
    pub fn plus(self, other: Energy) -> Energy {
        Energy {
            joules: self.joules + other.joules,
            error: self.error.zip(other.error).map(|(a, b)| a + b),
            source: if self.source == other.source { self.source } else { Source::Partly },
        }
    }

    /// A part of the work, such as one program's of a batch.
    pub fn share(self, part: f64) -> Energy {
        Energy { joules: self.joules * part, error: self.error.map(|e| e * part), source: self.source }
    }
}

impl fmt::Display for Energy {
    /// `1.20 J ± 0.05 J (NVML)`, `0.043 J (estimate at 65 W)`
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.error {
            Some(error) => write!(f, "{:.3} J ± {error:.3} J ({})", self.joules, self.source),
            None => write!(f, "{:.3} J ({})", self.joules, self.source),
        }
    }
}

/// The meters of this machine. Cheap to clone; clones share the idle power.
#[derive(Clone)]
pub struct Meter {
    watts: Watts,
    cpu: Arc<Device>,
    gpu: Arc<Device>,
}

/// One device's meter, if it has one.
struct Device {
    /// Or why there is none.
    gauge: Result<Mutex<Box<dyn Gauge>>, String>,
    /// Measured while nothing ran.
    idle: Mutex<Option<account::Power>>,
}

/// Power is sampled this often; a counter is looked at less often, so that it does not wrap around unseen.
const SAMPLE: Duration = Duration::from_millis(10);
const LOOK: Duration = Duration::from_secs(1);

/// A rest shorter than this says nothing about the idle power.
const LEAST_REST: Duration = Duration::from_millis(50);

impl Meter {
    /// Looks for meters; never fails. Where there is none, `watts` will do.
    pub fn open(watts: Watts) -> Meter {
        Meter::with(watts, rapl::open(Path::new(rapl::FOLDER)), nvml::open())
    }

    /// A meter that only estimates.
    pub fn stated(watts: Watts) -> Meter {
        let none = || Err("not looked for".to_string());
        Meter::with(watts, none(), none())
    }

    /// With these gauges of the processor and of the GPU.
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

    /// Why a device has no meter; `None` where it has one.
    pub fn missing(&self, kind: Kind) -> Option<&str> {
        self.device(kind).gauge.as_ref().err().map(String::as_str)
    }

    /// What energies of this device come from, unless the work is too short.
    pub fn source(&self, kind: Kind) -> Source {
        match &self.device(kind).gauge {
            Ok(gauge) => lock(gauge).source(),
            Err(_) => Source::Estimate { watts: self.watts.of(kind) },
        }
    }

    pub fn watts(&self) -> Watts {
        self.watts
    }

    /// The idle power that is subtracted, in watts; `None` where it has not been measured.
    pub fn idle(&self, kind: Kind) -> Option<f64> {
        lock(&self.device(kind).idle).map(|power| power.watts)
    }

    /// Measures the idle power of every device that has a meter; to be called while nothing runs.
    pub fn measure_idle(&self, time: Duration) {
        let resting: Vec<Running> = [Kind::Cpu, Kind::Gpu]
            .into_iter()
            .filter(|kind| self.missing(*kind).is_none())
            .map(|kind| self.start(kind))
            .collect();
        if !resting.is_empty() {
            std::thread::sleep(time);
        }
        resting.into_iter().for_each(Running::rest);
    }

    /// Begins to watch a device. Work on a software adapter is the processor's: see `Engine::powered_by`.
    pub fn start(&self, kind: Kind) -> Running {
        let device = self.device(kind).clone();
        let watch = match &device.gauge {
            Ok(_) => Watch::begin(device.clone()),
            Err(_) => None,
        };
        Running { watts: self.watts.of(kind), device, watch, started: Instant::now() }
    }

    /// Begins to watch the processor while one thread works. The stated power is that of all cores, so an estimate is made of one
    /// core's part of it. A meter measures what the work adds, whichever core does it.
    pub fn start_one_core(&self) -> Running {
        let running = self.start(Kind::Cpu);
        Running { watts: running.watts / f64::from(super::cores().max(1)), ..running }
    }
}

/// A device that is being watched.
pub struct Running {
    watts: f64,
    device: Arc<Device>,
    /// Absent where there is no meter.
    watch: Option<Watch>,
    started: Instant,
}

impl Running {
    /// The work is done: what it took.
    pub fn stop(self) -> Energy {
        let time = self.started.elapsed();
        let idle = *lock(&self.device.idle);
        let measured = self.watch.and_then(Watch::end).and_then(|account| account.energy(idle));
        // What a meter cannot tell from nothing is no measurement.
        let telling = measured.filter(|energy| energy.error.is_some_and(|error| error < energy.joules));
        telling.unwrap_or_else(|| Energy::estimate(self.watts, time))
    }

    /// Nothing ran: what the meter saw is the idle power, from now on subtracted.
    pub fn rest(self) {
        if self.started.elapsed() < LEAST_REST {
            return;
        }
        let power = self.watch.and_then(Watch::end).and_then(|account| account.power());
        if power.is_some() {
            *lock(&self.device.idle) = power;
        }
    }
}

/// The thread that reads a gauge while work runs.
struct Watch {
    /// Dropped to end it.
    end: Sender<()>,
    thread: JoinHandle<Option<Account>>,
}

impl Watch {
    /// `None` where the gauge cannot be read now.
    fn begin(device: Arc<Device>) -> Option<Watch> {
        // The first reading is taken here: work begins right after.
        let mut account = Account::begin(device.read()?);
        let (end, ended) = channel::<()>();
        let between = if account.sampled() { SAMPLE } else { LOOK };
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

    /// `None` where the gauge stopped answering.
    fn end(self) -> Option<Account> {
        drop(self.end);
        self.thread.join().ok().flatten()
    }
}

impl Device {
    fn read(&self) -> Option<account::Sample> {
        let mut gauge = lock(self.gauge.as_ref().ok()?);
        let reading = gauge.read().ok()?;
        Some(account::Sample { at: Instant::now(), reading, source: gauge.source() })
    }
}

/// A thread that panicked leaves whole values behind.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
