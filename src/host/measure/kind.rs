//! Whose work, time and energy is measured.

/// The kind of processor that works: an engine is named by it, and a meter belongs to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    #[default]
    Cpu,
    Gpu,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Cpu => "CPU",
            Kind::Gpu => "GPU",
        }
    }
}
