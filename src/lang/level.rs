//! Optimization levels: how far a program is optimized, and who decides.

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
    /// Code and rules that searches have found and proved.
    Learned,
}

impl OptLevel {
    /// Every level, in numeric order.
    pub const ALL: [OptLevel; 4] = [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole, OptLevel::Learned];

    /// The levels whose code depends on the program alone. Both engines compile them.
    pub const FIXED: [OptLevel; 3] = [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole];

    pub fn from_number(number: u32) -> Option<OptLevel> {
        OptLevel::ALL.get(number as usize).copied()
    }

    /// The level of a base's mutants and candidates: compiling them must cost little.
    pub fn of_variants(self) -> OptLevel {
        self.min(OptLevel::Local)
    }

    /// What is done to a program, in a few words. At level 2 these are the names of the expansions.
    pub const fn summary(self) -> &'static str {
        match self {
            OptLevel::Lowered => "the code as lowered",
            OptLevel::Local => "local passes",
            OptLevel::Whole => {
                "calls, inline, unroll, hoist, share, rotate, lists, tails, known; mutants at level 1"
            }
            OptLevel::Learned => "level 2, then learned code and rules; mutants at level 1",
        }
    }

    pub const fn number(self) -> u32 {
        self as u32
    }
}

/// The word for [`LevelChoice::Automatic`] in calls and configurations.
pub const AUTOMATIC: &str = "auto";

/// Who chooses the level of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LevelChoice {
    /// The engine: level 2 for a program whose tests are long and that level 2 shortens, else level 1.
    #[default]
    Automatic,
    Fixed(OptLevel),
}

impl LevelChoice {
    /// The level where nothing is known about a program's tests.
    pub fn level(self) -> OptLevel {
        match self {
            LevelChoice::Automatic => OptLevel::Local,
            LevelChoice::Fixed(level) => level,
        }
    }

    /// The choice in a few words.
    pub fn summary(self) -> String {
        match self {
            LevelChoice::Automatic => "level 2 where it shortens long tests, else level 1".into(),
            LevelChoice::Fixed(level) => format!("level {}: {}", level.number(), level.summary()),
        }
    }

    /// Names the level of a program: `level 1`, or `level 2: long tests` if level 2 was not asked for.
    pub fn name(self, level: OptLevel) -> String {
        let why = if self == LevelChoice::Automatic && level == OptLevel::Whole { ": long tests" } else { "" };
        format!("level {}{why}", level.number())
    }

    /// The next choice, cyclically. Level 2 comes first, because it differs most from an automatic level 1.
    pub fn next(self) -> LevelChoice {
        match self {
            LevelChoice::Automatic => LevelChoice::Fixed(OptLevel::Whole),
            LevelChoice::Fixed(OptLevel::Whole) => LevelChoice::Fixed(OptLevel::Learned),
            LevelChoice::Fixed(OptLevel::Learned) => LevelChoice::Fixed(OptLevel::Lowered),
            LevelChoice::Fixed(OptLevel::Lowered) => LevelChoice::Fixed(OptLevel::Local),
            LevelChoice::Fixed(OptLevel::Local) => LevelChoice::Automatic,
        }
    }
}

impl From<OptLevel> for LevelChoice {
    fn from(level: OptLevel) -> LevelChoice {
        LevelChoice::Fixed(level)
    }
}
