//! The router's objective: the cost of each way to get a function's code.
//!
//! Cost = time to compile + executions × steps of an execution × time of a step. `workload` counts the executions,
//! `times` measures times on this machine, `history` has the steps that each way saved on other functions, and `steps`
//! compares two codes.

pub mod history;
pub mod steps;
pub mod times;
pub mod workload;

use std::fmt;

use super::cost::{Path, with_prefix};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::route::score::Scored;
use crate::host::measure::numbers::grouped;
use crate::host::measure::origin::Origin;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::lang::verdict::Verdict;
pub use history::History;
pub use times::Times;
pub use workload::{Executions, Profile, Workload};

/// A way to get a function's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// The traditional compiler at a level. Level 3 takes the learned code and rules that are known already.
    Level(OptLevel),
    /// The network's candidates, next to the traditional compiler at level 2. The code with fewer steps is taken.
    Network,
}

impl Way {
    pub const ALL: [Way; 5] = [
        Way::Level(OptLevel::Lowered),
        Way::Level(OptLevel::Local),
        Way::Level(OptLevel::Whole),
        Way::Level(OptLevel::Learned),
        Way::Network,
    ];

    /// The index in [`Way::ALL`].
    pub const fn place(self) -> usize {
        match self {
            Way::Level(level) => level.number() as usize,
            Way::Network => 4,
        }
    }

    /// The name in documents.
    pub const fn ident(self) -> &'static str {
        match self {
            Way::Level(OptLevel::Lowered) => "level-0",
            Way::Level(OptLevel::Local) => "level-1",
            Way::Level(OptLevel::Whole) => "level-2",
            Way::Level(OptLevel::Learned) => "level-3",
            Way::Network => "network",
        }
    }

    /// The path of algorithm 3 that it belongs to.
    pub const fn path(self) -> Path {
        match self {
            Way::Level(_) => Path::Traditional,
            Way::Network => Path::Neural,
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Way::Level(level) => f.pad(&format!("level {}", level.number())),
            Way::Network => f.pad("network"),
        }
    }
}

/// A value and how it was obtained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub value: f64,
    pub origin: Origin,
}

impl Figure {
    pub const fn measured(value: f64) -> Figure {
        Figure { value, origin: Origin::Measured }
    }

    pub const fn modelled(value: f64) -> Figure {
        Figure { value, origin: Origin::Modelled }
    }
}

/// Both terms of the cost of one way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectiveTerms {
    pub way: Way,
    /// The cost to compile the function, in seconds or joules.
    pub compile: Figure,
    /// The steps of one execution of the function, with the functions that it calls.
    pub steps: Figure,
}

/// The costs of all ways to get the code of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    pub executions: Executions,
    /// The cost of a step, in seconds or joules.
    pub step: f64,
    /// In the order of [`Way::ALL`].
    pub ways: [ObjectiveTerms; Way::ALL.len()],
    /// The ways to choose from.
    pub allowed: [bool; Way::ALL.len()],
}

impl Comparison {
    /// The cost of executing the code that a way yields.
    pub fn execution(&self, way: Way) -> f64 {
        self.executions.all() * self.ways[way.place()].steps.value * self.step
    }

    /// The whole cost of a way.
    pub fn total(&self, way: Way) -> f64 {
        self.ways[way.place()].compile.value + self.execution(way)
    }

    /// The allowed way with the least cost. Between equal costs, the first of [`Way::ALL`].
    pub fn best(&self) -> Way {
        self.least(|_| true).unwrap_or(Way::Level(OptLevel::Local))
    }

    /// The allowed way of a path with the least cost, if there is one.
    pub fn best_of(&self, path: Path) -> Option<Way> {
        self.least(|way| way.path() == path)
    }

    fn least(&self, counts: impl Fn(Way) -> bool) -> Option<Way> {
        let all = Way::ALL.into_iter().filter(|way| self.allowed[way.place()] && counts(*way));
        all.min_by(|a, b| self.total(*a).total_cmp(&self.total(*b)))
    }

    /// Both terms of a way's cost as a sum: `31.0 µs + 1,024 × 40.2 × 1.90 ns = 109 µs`.
    pub fn sum(&self, way: Way, unit: &str) -> String {
        let terms = &self.ways[way.place()];
        format!(
            "{} + {} × {:.1} × {} = {}",
            with_prefix(terms.compile.value, unit),
            grouped(self.executions.all().round() as u64),
            terms.steps.value,
            with_prefix(self.step, unit),
            with_prefix(self.total(way), unit)
        )
    }
}

/// The prices of this machine and of other functions' history, for one program.
#[derive(Clone, Debug)]
pub struct Pricing {
    pub times: Times,
    pub history: History,
    pub profile: Profile,
    /// Whether the level may be chosen. If not, the traditional compiler has only its own level.
    pub any_level: bool,
}

impl Pricing {
    /// Counts the work of a program without errors, and measures the times of this machine if that was not done yet.
    /// `verdicts` are those of its first mutants. Returns `None` if cancelled.
    pub fn of(program: &Compiled, verdicts: &[Verdict], any_level: bool, watch: &dyn Watch) -> Option<Pricing> {
        let profile = Profile::of(program, verdicts, watch)?;
        Pricing::with(profile, any_level, watch)
    }

    /// Likewise for one call of a function: see [`Profile::of_call`].
    pub fn of_call(
        program: &Compiled,
        function: RoutineId,
        frame: Option<&[u32]>,
        any_level: bool,
        watch: &dyn Watch,
    ) -> Option<Pricing> {
        Pricing::with(Profile::of_call(program, function, frame), any_level, watch)
    }

    fn with(profile: Profile, any_level: bool, watch: &dyn Watch) -> Option<Pricing> {
        Some(Pricing { times: Times::here(watch)?, history: History::shipped(), profile, any_level })
    }

    /// Compares all ways for a function, or returns `None` if the program has no function of this name. `network` is the
    /// cost of a search, and `own` the level of the program. A second of the processor costs `each`.
    pub fn compare(
        &self,
        name: &str,
        scored: &Scored,
        network: Figure,
        own: OptLevel,
        each: f64,
    ) -> Option<Comparison> {
        let workload = self.profile.workload(name)?;
        let compile = |level| each * self.times.compile(level, self.profile.instructions, workload);
        let ratios = self.history.of(&scored.features);
        let whole = workload.steps * ratios.steps[OptLevel::Whole.number() as usize];
        let terms = |way: Way| match way {
            Way::Level(level) => ObjectiveTerms {
                way,
                compile: Figure::modelled(compile(level)),
                steps: match level {
                    OptLevel::Local => Figure::measured(workload.steps),
                    level => Figure::modelled(workload.steps * ratios.steps[level.number() as usize]),
                },
            },
            Way::Network => ObjectiveTerms {
                way,
                compile: Figure { value: network.value + compile(OptLevel::Whole), ..network },
                steps: Figure::modelled(whole * ratios.network(scored.score.probability())),
            },
        };
        Some(Comparison {
            executions: workload.executions,
            step: each * self.times.step,
            ways: Way::ALL.map(terms),
            allowed: Way::ALL.map(|way| match way {
                Way::Level(level) => self.any_level || level == own,
                Way::Network => true,
            }),
        })
    }
}
