//! Which engine runs, and why. A pure function of what the user asked for and of the adapters there are.

use super::{EngineError, Kind};

/// What the user asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preference {
    /// A hardware GPU if there is one, else the CPU engine.
    #[default]
    Auto,
    Cpu,
    /// Any adapter, hardware first; a software one counts.
    Gpu,
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
    pub kind: Kind,
    /// Index of the adapter, for the GPU engine.
    pub adapter: Option<usize>,
    /// For the status bar: why this one.
    pub reason: String,
}

/// Chooses among the adapters. Fails only if the GPU engine is asked for and there is none.
pub fn choose(preference: Preference, adapters: &[Adapter]) -> Result<Choice, EngineError> {
    let cpu = |reason: &str| Choice { kind: Kind::Cpu, adapter: None, reason: reason.into() };
    let gpu = |index: usize, reason: String| Choice { kind: Kind::Gpu, adapter: Some(index), reason };
    let hardware = adapters.iter().position(|a| a.hardware);
    match (preference, hardware) {
        (Preference::Cpu, _) => Ok(cpu("asked for")),
        (Preference::Auto, Some(index)) => Ok(gpu(index, format!("{} found", adapters[index].name))),
        (Preference::Auto, None) if adapters.is_empty() => Ok(cpu("no GPU found")),
        (Preference::Auto, None) => Ok(cpu("only software adapters found")),
        (Preference::Gpu, Some(index)) => Ok(gpu(index, "asked for".into())),
        (Preference::Gpu, None) if !adapters.is_empty() => Ok(gpu(0, "asked for; a software adapter".into())),
        (Preference::Gpu, None) => Err(EngineError::NoAdapter(
            "no Vulkan, Metal or DirectX 12 device was found; install a driver (on Debian and Ubuntu \
             `apt-get install mesa-vulkan-drivers` gives a software one) or use `--engine cpu`"
                .into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(hardware: bool) -> Adapter {
        Adapter { name: "x".into(), backend: "vulkan".into(), driver: "d".into(), hardware }
    }

    #[test]
    fn software_adapters_are_taken_only_when_asked_for() {
        let pick = |preference, adapters: &[Adapter]| choose(preference, adapters).map(|c| (c.kind, c.adapter));
        let (soft, hard) = (adapter(false), adapter(true));
        assert_eq!(pick(Preference::Auto, std::slice::from_ref(&soft)), Ok((Kind::Cpu, None)));
        assert_eq!(pick(Preference::Gpu, std::slice::from_ref(&soft)), Ok((Kind::Gpu, Some(0))));
        assert_eq!(pick(Preference::Auto, &[soft.clone(), hard.clone()]), Ok((Kind::Gpu, Some(1))));
        assert_eq!(pick(Preference::Gpu, &[soft, hard.clone()]), Ok((Kind::Gpu, Some(1))));
        assert_eq!(pick(Preference::Cpu, &[hard]), Ok((Kind::Cpu, None)));
        assert!(matches!(choose(Preference::Gpu, &[]), Err(EngineError::NoAdapter(_))));
    }
}
