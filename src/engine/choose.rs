//! Chooses the engine. The choice is a pure function of the user's preference and of the adapters.

use super::measured::Measured;
use super::{DeviceFailure, EngineError, Kind};

/// The engine that the user prefers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The CPU engine, with hardware GPUs for work that they do faster.
    #[default]
    Auto,
    Cpu,
    /// Any adapter, hardware first; software adapters count.
    Gpu,
    /// The CPU engine and all hardware GPUs together; software adapters only if there is no hardware.
    All,
}

impl Preference {
    /// Whether the user named an engine. Then no other engine is used.
    pub fn is_named(self) -> bool {
        self != Preference::Auto
    }

    /// Returns the next preference, for a key that cycles through them.
    pub fn next(self) -> Preference {
        match self {
            Preference::Auto => Preference::Cpu,
            Preference::Cpu => Preference::Gpu,
            Preference::Gpu => Preference::All,
            Preference::All => Preference::Auto,
        }
    }
}

/// The purpose for which an engine is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Programs and their mutants.
    Programs,
    /// Neural compilation, which a hardware GPU always does.
    Network,
}

/// A device that the GPU engine could run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapter {
    pub name: String,
    /// `vulkan`, `metal`, `dx12` …
    pub backend: String,
    pub driver: String,
    /// Whether the adapter is a physical GPU rather than a software renderer.
    pub hardware: bool,
    /// The numbers of its vendor and model, 0 if unknown; and its bus address, empty if unknown.
    pub model: (u32, u32),
    pub bus: String,
    /// Why it cannot be used, if that is known.
    pub fault: Option<String>,
    /// Its measured speed, if known.
    pub measured: Option<Measured>,
}

/// The smallest batch, in programs, that goes to an adapter of unknown speed. By its specification an H100
/// overtakes two cores at a few thousand mutants.
pub const UNMEASURED: u32 = 4_096;

/// The smallest batch, in programs, for which devices are opened at all. For smaller batches, opening a
/// device takes longer than running them on the processor.
pub const LEAST: u32 = 256;

impl Adapter {
    /// Whether two adapters are the same device, offered by different drivers or backends.
    fn doubles(&self, other: &Adapter) -> bool {
        if !self.bus.is_empty() && !other.bus.is_empty() {
            return self.bus == other.bus;
        }
        let way = |adapter: &Adapter| (adapter.backend.clone(), adapter.driver.clone());
        let known = self.model != (0, 0) && other.model != (0, 0);
        way(self) != way(other) && if known { self.model == other.model } else { self.name == other.name }
    }

    /// Returns the smallest batch, in programs, that the adapter runs faster than the processor; `None` if no
    /// batch is.
    pub fn min_device_batch(&self) -> Option<u32> {
        self.measured.as_ref().map_or(Some(UNMEASURED), Measured::min_device_batch)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Indices of the adapters, for the GPU engine on each; several share the work.
    pub adapters: Vec<usize>,
    /// Whether the CPU engine takes part.
    pub cpu: bool,
    /// The smallest batch, in programs, that goes to the adapters; the CPU engine does the rest. 0 if the
    /// adapters take part in all work.
    pub from: u32,
    /// The reason, for the status bar.
    pub reason: String,
}

impl Choice {
    /// Returns the kind that an engine of this choice reports.
    pub fn kind(&self) -> Kind {
        if self.adapters.is_empty() { Kind::Cpu } else { Kind::Gpu }
    }

    /// Whether the CPU engine shares each batch with the adapters.
    pub fn cpu_shares(&self) -> bool {
        self.cpu && self.from == 0
    }

    /// Whether several engines share the work.
    pub fn is_shared(&self) -> bool {
        self.adapters.len() + usize::from(self.cpu_shares()) > 1
    }
}

/// Returns the usable hardware. If several drivers or backends offer one device, the first counts.
fn hardware(adapters: &[Adapter]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for (index, adapter) in adapters.iter().enumerate() {
        let usable = adapter.hardware && adapter.fault.is_none();
        if usable && !found.iter().any(|other| adapters[*other].doubles(adapter)) {
            found.push(index);
        }
    }
    found
}

/// Chooses among the adapters. Fails only if the user asks for the GPU engine and no adapter can be used.
pub fn choose(preference: Preference, adapters: &[Adapter], work: Work) -> Result<Choice, EngineError> {
    let cpu = |reason: String| Choice { adapters: vec![], cpu: true, from: 0, reason };
    let gpus = |adapters, reason: String| Choice { adapters, cpu: false, from: 0, reason };
    let hardware = hardware(adapters);
    let software: Vec<usize> =
        (0..adapters.len()).filter(|i| !adapters[*i].hardware && adapters[*i].fault.is_none()).collect();
    match (preference, hardware.first()) {
        (Preference::Cpu, _) => Ok(cpu("asked for".into())),
        (Preference::All, Some(_)) => Ok(Choice { adapters: hardware, ..cpu("asked for".into()) }),
        // Only one engine samples, and the CPU engine is faster than a software adapter.
        (Preference::All, None) if work == Work::Network => Ok(cpu("asked for".into())),
        (Preference::All, None) => Ok(Choice { adapters: software, ..cpu("asked for".into()) }),
        (Preference::Auto, Some(&index)) if work == Work::Network => {
            let reason = match hardware.len() {
                1 => format!("{} found", adapters[index].name),
                n => format!("{n} GPUs found, which share the work"),
            };
            Ok(gpus(hardware, reason))
        }
        (Preference::Auto, Some(_)) => Ok(measured(adapters, hardware)),
        (Preference::Auto, None) => Ok(cpu(match adapters.iter().find(|adapter| adapter.hardware) {
            Some(broken) => format!("{} cannot be used", broken.name),
            None if adapters.is_empty() => "no GPU found".into(),
            None => "no GPU found, only software adapters".into(),
        })),
        (Preference::Gpu, Some(&index)) => Ok(gpus(vec![index], "asked for".into())),
        (Preference::Gpu, None) if !software.is_empty() => {
            Ok(gpus(software[..1].to_vec(), "asked for; a software adapter".into()))
        }
        (Preference::Gpu, None) => Err(DeviceFailure::Missing.because(none_usable(adapters))),
    }
}

/// Chooses the processor, with the hardware that is faster for large batches.
fn measured(adapters: &[Adapter], hardware: Vec<usize>) -> Choice {
    let from = |index: &usize| adapters[*index].min_device_batch();
    let (faster, slower): (Vec<usize>, Vec<usize>) = hardware.into_iter().partition(|i| from(i).is_some());
    let words = |index: &usize| {
        let known = adapters[*index].measured.as_ref();
        known.map_or("it has not been measured yet".to_string(), Measured::words)
    };
    match faster.iter().min_by_key(|index| from(index)) {
        Some(best) => {
            let from = from(best).unwrap_or(UNMEASURED).max(LEAST);
            let names = names(adapters, &faster);
            let reason = format!(
                "batches of {from} programs or more begin on {names}, until the program's own times are known; {}",
                words(best)
            );
            Choice { adapters: faster, cpu: true, from, reason }
        }
        None => {
            let why = slower.first().map(words).unwrap_or_default();
            let reason = format!("the CPU engine is faster than {}; {why}", names(adapters, &slower));
            Choice { adapters: vec![], cpu: true, from: 0, reason }
        }
    }
}

pub fn names(adapters: &[Adapter], chosen: &[usize]) -> String {
    let names: Vec<&str> =
        chosen.iter().filter_map(|i| adapters.get(*i)).map(|adapter| &*adapter.name).collect();
    names.join(" + ")
}

fn none_usable(adapters: &[Adapter]) -> String {
    let broken = adapters.iter().find_map(|adapter| Some((&adapter.name, adapter.fault.as_ref()?)));
    match broken {
        Some((name, fault)) => format!("{name} cannot be used: {fault}"),
        None => "no Vulkan, Metal or DirectX 12 device was found; install a driver (on Debian and Ubuntu \
             `apt-get install mesa-vulkan-drivers` installs a software driver) or use `--engine cpu`"
            .into(),
    }
}
