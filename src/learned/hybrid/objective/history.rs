//! The steps that each way needs, compared with level 1, as counted on other functions.
//!
//! Functions are grouped by two features: whether they have loops, and whether they call functions of the program. These
//! decide what level 2 can do. `myriad router --fit-ways` counts the shipped numbers on functions of the corpus.

use serde::{Deserialize, Serialize};

use crate::compiler::stage::route::features::{Feature, Features};

static SHIPPED: &str = include_str!("../../../../assets/hybrid/ways.json");

/// The number of groups.
pub const GROUPS: usize = 4;

/// The counts of a group of functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratios {
    /// Whether its functions have loops, and calls of functions.
    pub loops: bool,
    pub calls: bool,
    /// The number of functions that were counted.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// The command that made it.
    pub made_by: String,
    pub groups: Vec<Ratios>,
}

/// The counts of one function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    pub features: Features,
    /// By level.
    pub steps: [f64; 4],
    /// The network's steps, if its code was better than that of level 2.
    pub network: Option<f64>,
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
            .unwrap_or(History { made_by: String::new(), groups: (0..GROUPS).map(Ratios::unknown).collect() })
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

    /// Computes the counts of all groups.
    pub fn fit(made_by: &str, functions: &[Counted]) -> History {
        let groups = (0..GROUPS).map(|own| {
            let of_group = functions.iter().filter(|one| group(&one.features) == own);
            ratios(own, &of_group.filter(|one| one.steps.iter().all(|s| *s > 0.0)).collect::<Vec<_>>())
        });
        History { made_by: made_by.to_string(), groups: groups.collect() }
    }

    /// The text of the shipped file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

fn ratios(own: usize, functions: &[&Counted]) -> Ratios {
    if functions.is_empty() {
        return Ratios::unknown(own);
    }
    let short = |x: f64| (x * 1e4).round() / 1e4;
    let improved: Vec<f64> =
        functions.iter().filter_map(|one| Some(one.network? / one.steps[2])).filter(|by| *by > 0.0).collect();
    Ratios {
        functions: functions.len() as u32,
        steps: [0, 1, 2, 3].map(|level| {
            short(geometric_mean(functions.iter().map(|one| one.steps[level] / one.steps[1])).unwrap_or(1.0))
        }),
        improved: short(improved.len() as f64 / functions.len() as f64),
        by: short(geometric_mean(improved.into_iter()).unwrap_or(1.0)),
        ..Ratios::unknown(own)
    }
}

/// The geometric mean of positive numbers, or `None` without any.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}
