//! The kinds of processors whose work, time and energy are measured.

/// A kind of processor. Engines are named after it, and each meter belongs to one.
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
