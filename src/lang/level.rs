//! Optimization levels: how far a program is optimized.

/// A level includes the passes of all levels below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum OptLevel {
    /// The code as lowered.
    Lowered,
    /// Local passes, each within one function.
    #[default]
    Local,
}

impl OptLevel {
    /// Every level, in numeric order.
    pub const ALL: [OptLevel; 2] = [OptLevel::Lowered, OptLevel::Local];

    /// The level with this number, if there is one.
    pub fn from_number(number: u32) -> Option<OptLevel> {
        OptLevel::ALL.get(number as usize).copied()
    }

    pub const fn number(self) -> u32 {
        self as u32
    }
}
