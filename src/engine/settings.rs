//! Settings of engines.

use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;

/// How an engine compiles bases and judges mutants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineSettings {
    /// Whether mutants run on every input, including inputs whose outcome is already known. The verdicts are
    /// the same either way.
    pub exact: bool,
    /// Whether a base starts from the results of the previous base, where they still hold. Off by default, so
    /// that measurements treat every base like the first.
    pub reusing: bool,
    /// Whether the errors of later bases become holes, so that tests that reach none of them end as usual. A base with
    /// errors has no mutants.
    pub holes: bool,
    /// The group of operators that make the mutants of later bases.
    pub group: Group,
    /// The level that later bases are optimized to. Variants are compiled at [`OptLevel::of_variants`], and a
    /// base of a higher level has none.
    pub level: OptLevel,
}

impl EngineSettings {
    /// Whether results may come from a cache.
    pub fn reuses(self) -> bool {
        self.reusing && !self.exact
    }
}
