//! Which engine runs, and why. A pure function of what the user asked for and of the adapters there are.

use super::{EngineError, Kind};

/// What the user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// The hardware GPUs if there are any, else the CPU engine.
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

/// A device that the GPU engine could run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    pub name: String,
    /// `vulkan`, `metal`, `dx12` …
    pub backend: String,
    pub driver: String,
    /// Whether it is a GPU and no program that imitates one.
    pub hardware: bool,
}

/// What runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Indices of the adapters, for the GPU engine on each; several share the work.
    pub adapters: Vec<usize>,
    /// Whether the CPU engine takes part.
    pub cpu: bool,
    /// For the status bar: why.
    pub reason: String,
}

impl Choice {
    /// What the engine of this choice calls itself.
    pub fn kind(&self) -> Kind {
        if self.adapters.is_empty() { Kind::Cpu } else { Kind::Gpu }
    }

    /// Whether several share the work.
    pub fn is_shared(&self) -> bool {
        self.adapters.len() + usize::from(self.cpu) > 1
    }
}

/// The hardware adapters of the best one's backend: another backend has the same devices again.
fn hardware(adapters: &[Adapter]) -> Vec<usize> {
    let backend = adapters.iter().find(|adapter| adapter.hardware).map(|adapter| &adapter.backend);
    let fits = |adapter: &Adapter| adapter.hardware && Some(&adapter.backend) == backend;
    (0..adapters.len()).filter(|index| fits(&adapters[*index])).collect()
}

/// Chooses among the adapters. Fails only if the GPU engine is asked for and there is none.
pub fn choose(preference: Preference, adapters: &[Adapter]) -> Result<Choice, EngineError> {
    let cpu = |reason: &str| Choice { adapters: vec![], cpu: true, reason: reason.into() };
    let gpus = |adapters, reason: String| Choice { adapters, cpu: false, reason };
    let hardware = hardware(adapters);
    let software = (0..adapters.len()).collect();
    match (preference, hardware.first()) {
        (Preference::Cpu, _) => Ok(cpu("asked for")),
        (Preference::All, Some(_)) => Ok(Choice { adapters: hardware, ..cpu("asked for") }),
        (Preference::All, None) => Ok(Choice { adapters: software, ..cpu("asked for") }),
        (Preference::Auto, Some(&index)) => {
            let reason = match hardware.len() {
                1 => format!("{} found", adapters[index].name),
                n => format!("{n} GPUs found, which share the work"),
            };
            Ok(gpus(hardware, reason))
        }
        (Preference::Auto, None) if adapters.is_empty() => Ok(cpu("no GPU found")),
        (Preference::Auto, None) => Ok(cpu("only software adapters found")),
        (Preference::Gpu, Some(&index)) => Ok(gpus(vec![index], "asked for".into())),
        (Preference::Gpu, None) if !adapters.is_empty() => {
            Ok(gpus(vec![0], "asked for; a software adapter".into()))
        }
        (Preference::Gpu, None) => Err(EngineError::NoAdapter(
            "no Vulkan, Metal or DirectX 12 device was found; install a driver (on Debian and Ubuntu \
             `apt-get install mesa-vulkan-drivers` gives a software one) or use `--engine cpu`"
                .into(),
        )),
    }
}
