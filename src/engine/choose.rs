//! Which engine runs, and why. A pure function of what the user asked for and of the adapters there are.

use super::measured::Measured;
use super::{EngineError, Kind};

/// What the user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The CPU engine, and the hardware GPUs for what they are faster at.
    #[default]
    Auto,
    Cpu,
    /// Any adapter, hardware first; a software one counts.
    Gpu,
    /// All that there is, together: the hardware GPUs and the CPU engine; software adapters only without hardware.
    All,
}

impl Preference {
    /// Whether an engine was asked for by name: it is the only one used then.
    pub fn is_named(self) -> bool {
        self != Preference::Auto
    }

    /// The one after it, for a key that goes through all of them.
    pub fn next(self) -> Preference {
        match self {
            Preference::Auto => Preference::Cpu,
            Preference::Cpu => Preference::Gpu,
            Preference::Gpu => Preference::All,
            Preference::All => Preference::Auto,
        }
    }
}

/// The purpose that an engine is opened for.
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
    /// Whether it is a GPU and no program that imitates one.
    pub hardware: bool,
    /// The numbers of its vendor and model, 0 if unknown; and its place on the bus, empty if unknown.
    pub model: (u32, u32),
    pub bus: String,
    /// Why it cannot be used, if that is known.
    pub fault: Option<String>,
    /// How fast it is, if that is known.
    pub measured: Option<Measured>,
}

/// Programs of a batch from which on an adapter takes it if its speed is not known: by its specification an H100 is faster than two
/// cores from some thousand mutants on.
pub const UNMEASURED: u32 = 4_096;

/// Programs of a batch for which a device is looked for at all: opening one takes longer than the processor takes for fewer.
pub const LEAST: u32 = 256;

impl Adapter {
    /// Whether another driver or backend offers the same device.
    fn doubles(&self, other: &Adapter) -> bool {
        if !self.bus.is_empty() && !other.bus.is_empty() {
            return self.bus == other.bus;
        }
        let way = |adapter: &Adapter| (adapter.backend.clone(), adapter.driver.clone());
        let known = self.model != (0, 0) && other.model != (0, 0);
        way(self) != way(other) && if known { self.model == other.model } else { self.name == other.name }
    }

    /// Programs of a batch from which on it is faster than the processor; `None` if it never is.
    pub fn batches_from(&self) -> Option<u32> {
        self.measured.as_ref().map_or(Some(UNMEASURED), Measured::batches_from)
    }
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Indices of the adapters, for the GPU engine on each; several share the work.
    pub adapters: Vec<usize>,
    /// Whether the CPU engine takes part.
    pub cpu: bool,
    /// Programs of a batch from which on the adapters do it, and the CPU engine all else; 0 if the adapters take part in all work.
    pub from: u32,
    /// For the status bar: why.
    pub reason: String,
}

impl Choice {
    /// What the engine of this choice calls itself.
    pub fn kind(&self) -> Kind {
        if self.adapters.is_empty() { Kind::Cpu } else { Kind::Gpu }
    }

    /// Whether the CPU engine shares each batch with the adapters.
    pub fn cpu_shares(&self) -> bool {
        self.cpu && self.from == 0
    }

    /// Whether several share the work.
    pub fn is_shared(&self) -> bool {
        self.adapters.len() + usize::from(self.cpu_shares()) > 1
    }
}

/// The hardware that can be used. Of a device that several drivers or backends offer, the first counts.
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

/// Chooses among the adapters. Fails only if the GPU engine is asked for and there is none.
pub fn choose(preference: Preference, adapters: &[Adapter], work: Work) -> Result<Choice, EngineError> {
    let cpu = |reason: String| Choice { adapters: vec![], cpu: true, from: 0, reason };
    let gpus = |adapters, reason: String| Choice { adapters, cpu: false, from: 0, reason };
    let hardware = hardware(adapters);
    let software: Vec<usize> =
        (0..adapters.len()).filter(|i| !adapters[*i].hardware && adapters[*i].fault.is_none()).collect();
    match (preference, hardware.first()) {
        (Preference::Cpu, _) => Ok(cpu("asked for".into())),
        (Preference::All, Some(_)) => Ok(Choice { adapters: hardware, ..cpu("asked for".into()) }),
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
            None => "only software adapters found".into(),
        })),
        (Preference::Gpu, Some(&index)) => Ok(gpus(vec![index], "asked for".into())),
        (Preference::Gpu, None) if !software.is_empty() => {
            Ok(gpus(software[..1].to_vec(), "asked for; a software adapter".into()))
        }
        (Preference::Gpu, None) => Err(EngineError::NoAdapter(none_usable(adapters))),
    }
}

/// The processor, and for large batches the hardware that is faster at them.
fn measured(adapters: &[Adapter], hardware: Vec<usize>) -> Choice {
    let from = |index: &usize| adapters[*index].batches_from();
    let (faster, slower): (Vec<usize>, Vec<usize>) = hardware.into_iter().partition(|i| from(i).is_some());
    let words = |index: &usize| {
        let known = adapters[*index].measured.as_ref();
        known.map_or("it has not been measured yet".to_string(), Measured::words)
    };
    match faster.iter().min_by_key(|index| from(index)) {
        Some(best) => {
            let from = from(best).unwrap_or(UNMEASURED).max(LEAST);
            let names = names(adapters, &faster);
            let reason = format!("batches of {from} programs or more go to {names}; {}", words(best));
            Choice { adapters: faster, cpu: true, from, reason }
        }
        None => {
            let why = slower.first().map(words).unwrap_or_default();
            let reason = format!("the CPU engine is faster than {}; {why}", names(adapters, &slower));
            Choice { adapters: vec![], cpu: true, from: 0, reason }
        }
    }
}

/// The names of some adapters.
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
             `apt-get install mesa-vulkan-drivers` gives a software one) or use `--engine cpu`"
            .into(),
    }
}
