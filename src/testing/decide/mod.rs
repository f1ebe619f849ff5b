//! Inputs that decide whether two codes for one function behave alike.
//!
//! Random inputs rarely reach the branch that matters. The inputs here are built from values that the program itself
//! contains: constants of both codes and of the file, its characters and strings, the arguments with which its tests
//! call the function, the bounds of its properties, extremes, and splices of these. A search guided by coverage
//! continues from each input that takes a branch of either code in a new way or brings a comparison closer to turning
//! (as AFL, Redqueen and Hypothesis do).
//!
//! All runs use the CPU's stack machine. The search is bounded by steps, never by time, and depends only on the two
//! codes and the file. Its answer is therefore the same on every engine. The contract is `docs/neural.md`, "Deciding
//! inputs".

mod calls;
mod course;
mod coverage;
mod decider;
mod domain;
mod draw;
mod kills;
mod pool;
mod random;
mod shrink;
mod smallest;

use crate::compiler::program::Watch;

pub use calls::{CALLS, CallOutcome, CallRecorder, Given, call_words, calls_of_entries, fuel_of_test};
pub use coverage::Coverage;
pub use decider::{Decider, Effort};
pub use domain::{ArgumentDomain, has_strings, is_text, size};
pub use kills::MutantKills;
pub use pool::Pool;
pub use smallest::{Choice, smallest};

/// The result of comparing a code with the function's own code on deciding inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Arguments on which the codes differ.
    pub differs: Option<Given>,
    /// The number of inputs on which the codes were compared, including a differing one.
    pub inputs: u32,
    /// Ways through the branches and comparisons of the function's own code.
    pub own: Ways,
    /// Likewise for the compared code.
    pub code: Ways,
}

/// The ways through the branches and comparisons of one code. Each branch or comparison has two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    pub taken: u32,
    pub all: u32,
}

impl Decision {
    /// Returns whether the inputs took every branch and comparison of both codes both ways.
    pub fn is_adequate(&self) -> bool {
        self.own.is_complete() && self.code.is_complete()
    }

    /// Returns the ways of both codes together.
    pub fn ways(&self) -> Ways {
        Ways { taken: self.own.taken + self.code.taken, all: self.own.all + self.code.all }
    }
}

impl Ways {
    pub fn is_complete(self) -> bool {
        self.taken == self.all
    }
}

/// Compares codes with a function's own code.
pub trait Decide {
    /// Returns whether a prepared input distinguishes the code from the function's own. This is quick. Returns `None`
    /// if the work was cancelled.
    fn differs(&mut self, code: &[u32], watch: &dyn Watch) -> Option<bool>;

    /// Searches for an input that distinguishes the code from the function's own. Returns `None` if the work was
    /// cancelled.
    fn decide(&mut self, code: &[u32], watch: &dyn Watch) -> Option<Decision>;

    /// Compares the runs of a wrong code, step by step, with those of the function's own code on prepared inputs that
    /// distinguish the two. Returns the offset in the code of the furthest instruction that was executed when the runs
    /// parted, the least over these inputs. So every code with the same words up to this instruction is wrong, or takes
    /// another way to its result than the function's own code. Returns `Some(None)` if no prepared input distinguishes the
    /// codes, and `None` if the work was cancelled.
    fn parting(&mut self, code: &[u32], watch: &dyn Watch) -> Option<Option<u32>>;

    /// Returns how many mutants of the function the prepared inputs kill, unless it has none. Returns `None` if the
    /// work was cancelled.
    fn kills(&mut self, watch: &dyn Watch) -> Option<Option<MutantKills>>;
}
