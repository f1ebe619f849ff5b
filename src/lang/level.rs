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
    /// Passes across calls and loops.
    Whole,
}

impl OptLevel {
    /// Every level, in numeric order.
    pub const ALL: [OptLevel; 3] = [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole];

    /// The level with this number, if there is one.
    pub fn from_number(number: u32) -> Option<OptLevel> {
        OptLevel::ALL.get(number as usize).copied()
    }

    /// The level of a base's mutants and candidates: compiling them must cost little.
    pub fn of_variants(self) -> OptLevel {
        self.min(OptLevel::Local)
    }

    /// The next level, cyclically.
    pub fn next(self) -> OptLevel {
        OptLevel::ALL[(self as usize + 1) % OptLevel::ALL.len()]
    }

    /// What is done to a program, in a few words. At level 2 these are the names of the expansions.
    pub const fn summary(self) -> &'static str {
        match self {
            OptLevel::Lowered => "the code as lowered",
            OptLevel::Local => "local passes",
            OptLevel::Whole => "calls, inline, unroll, hoist, share, rotate, lists; mutants at level 1",
        }
    }

    pub const fn number(self) -> u32 {
        self as u32
    }
}
