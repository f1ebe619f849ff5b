//! The steps that each way needs, compared with level 1, as counted on other functions.
//!
//! Functions are grouped by two features: whether they have loops, and whether they call functions of the program. These
//! decide what level 2 can do. The shipped numbers were counted once, on functions of the corpus and of the samples.

use serde::Deserialize;

use crate::compiler::stage::route::features::{Feature, Features};

static SHIPPED: &str = include_str!("../../../../assets/hybrid/ways.json");

pub const GROUPS: usize = 4;

/// The counts of a group of functions.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Ratios {
    /// Whether its functions have loops, and calls of functions.
    pub loops: bool,
    pub calls: bool,
    pub functions: u32,
    /// The steps at each level in relation to those at level 1: geometric means.
    pub steps: [f64; 4],
    /// The part of the functions for which the network found code with fewer steps than level 2.
    pub improved: f64,
    /// The steps of that code in relation to those at level 2: the geometric mean.
    pub by: f64,
}

impl Ratios {
    fn unknown(group: usize) -> Ratios {
        Ratios {
            loops: group & 1 != 0,
            calls: group & 2 != 0,
            functions: 0,
            steps: [1.0; 4],
            improved: 0.0,
            by: 1.0,
        }
    }

    /// The expected steps after a search by the network, in relation to those at level 2. `p` is the probability that a
    /// candidate is correct.
    pub fn network(&self, p: f64) -> f64 {
        1.0 - p * self.improved * (1.0 - self.by)
    }
}

/// The counts of all groups.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct History {
    pub groups: Vec<Ratios>,
}

/// The group of a function.
pub fn group(features: &Features) -> usize {
    let has = |feature: Feature| usize::from(features[feature as usize] > 0);
    has(Feature::Loops) | has(Feature::Functions) << 1
}

impl History {
    /// The counts that this build ships. A test checks that the file is readable; without it, all ways take equal steps.
    pub fn shipped() -> History {
        serde_json::from_str(SHIPPED)
            .ok()
            .filter(History::is_sound)
            .unwrap_or(History { groups: (0..GROUPS).map(Ratios::unknown).collect() })
    }

    fn is_sound(&self) -> bool {
        self.groups.len() == GROUPS
            && (0..GROUPS).all(|group| {
                let Ratios { loops, calls, .. } = self.groups[group];
                (usize::from(loops) | usize::from(calls) << 1) == group
            })
    }

    /// The counts of a function's group.
    pub fn of(&self, features: &Features) -> &Ratios {
        &self.groups[group(features).min(self.groups.len() - 1)]
    }
}
