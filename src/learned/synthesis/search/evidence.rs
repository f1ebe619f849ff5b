//! The evidence for a program that the model wrote: the strongest claim that holds.

use std::fmt;

use super::Judged;
use crate::host::measure::numbers::grouped;
use crate::testing::decide::{MutantKills, Ways};

/// How a candidate compares with the deterministic compiler's code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// It behaves like that code on every input.
    Proved(Proof),
    /// No input is known on which it differs.
    Tested(Tested),
    /// It fails a test, or differs on a known input.
    Differs,
}

/// The extent of a comparison without a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tested {
    /// The number of deciding inputs (`testing::decide`) of a search for a difference.
    pub deciding: u32,
    /// The number of random inputs.
    pub random: u64,
    /// Which outcomes of the branches and comparisons in both codes the deciding inputs produced.
    pub ways: Ways,
    /// The mutants of the function that the deciding inputs kill, if they were run.
    pub kills: Option<MutantKills>,
    /// A bound of the error rate, if one can be claimed.
    pub bound: Option<Bound>,
}

/// A bound of the error rate, for inputs drawn like the random ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    pub error: f64,
    pub confidence: f64,
}

/// The level of evidence. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It passes the file's tests, and no input is known on which it differs.
    Tests,
    /// Deciding inputs took all branches of both codes both ways, and its error rate is bounded for inputs drawn like
    /// the random ones.
    Tested,
    #[default]
    Proved,
}

impl Level {
    /// Returns the name for people and machines.
    pub fn ident(self) -> &'static str {
        match self {
            Level::Tests => "tests",
            Level::Tested => "tested",
            Level::Proved => "proved",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Its bytecode equals the deterministic compiler's.
    SameBytecode,
    /// Its normal form equals that of the deterministic compiler's code.
    Form,
    /// It agreed on all possible inputs.
    Exhausted,
}

impl Proof {
    /// Returns the name for machines.
    pub fn ident(self) -> &'static str {
        match self {
            Proof::SameBytecode => "same bytecode",
            Proof::Form => "normal form",
            Proof::Exhausted => "all inputs",
        }
    }

    /// Returns the method for people.
    pub fn text(self) -> &'static str {
        match self {
            Proof::SameBytecode => "same bytecode as the deterministic compiler's",
            Proof::Form => "same normal form as the deterministic compiler's code",
            Proof::Exhausted => "agrees on all inputs",
        }
    }
}

impl Evidence {
    /// Returns the level, or `None` if it differs.
    pub fn level(self) -> Option<Level> {
        match self {
            Evidence::Proved(_) => Some(Level::Proved),
            Evidence::Tested(tested) if tested.is_adequate() => Some(Level::Tested),
            Evidence::Tested(_) => Some(Level::Tests),
            Evidence::Differs => None,
        }
    }

    /// Returns the name for machines.
    pub fn ident(self) -> &'static str {
        match self {
            Evidence::Proved(_) => "proved",
            Evidence::Tested(_) => "tested",
            Evidence::Differs => "differs",
        }
    }

    pub fn proof(self) -> Option<Proof> {
        match self {
            Evidence::Proved(proof) => Some(proof),
            _ => None,
        }
    }

    /// Returns the extent of the comparison, if that is all there is.
    pub fn tested(self) -> Option<Tested> {
        match self {
            Evidence::Tested(tested) => Some(tested),
            _ => None,
        }
    }
}

impl Tested {
    /// Returns whether the inputs took all ways through both codes, and the error rate is bounded.
    pub fn is_adequate(&self) -> bool {
        self.deciding > 0 && self.ways.is_complete() && self.bound.is_some()
    }

    pub fn inputs(&self) -> u64 {
        u64::from(self.deciding) + self.random
    }

    /// Returns how the inputs were chosen and what they cover, as clauses for people.
    pub fn details(&self) -> Vec<String> {
        let Tested { deciding, random, ways: Ways { taken, all }, kills, bound } = *self;
        let mut details = Vec::new();
        if deciding > 0 {
            let took = match taken {
                _ if all == 0 => "neither code has branches".to_string(),
                _ if taken == all => format!("they took all {all} ways through the branches of both codes"),
                _ => format!("they took {taken} of {all} ways through the branches of both codes"),
            };
            let deciding = grouped(deciding.into());
            details.push(format!("{deciding} deciding inputs, built from the file's values: {took}"));
        }
        if let Some(MutantKills { killed, all }) = kills {
            details.push(format!("inputs like these kill {killed} of the function's own {all} mutants"));
        }
        let random = format!("{} random inputs", grouped(random));
        details.push(match bound {
            Some(Bound { error, confidence }) => {
                format!(
                    "{random}: error < {} at confidence {confidence} for inputs like them",
                    rounded_up(error)
                )
            }
            None => random,
        });
        details
    }
}

impl Judged {
    /// Returns the extent of all comparisons of this candidate.
    pub fn tested(&self, kills: Option<MutantKills>, bound: Option<Bound>) -> Tested {
        let decision = self.decision.as_ref();
        Tested {
            deciding: decision.map_or(0, |decision| decision.inputs),
            random: self.inputs + u64::from(self.chosen_by.compared),
            ways: decision.map_or(Ways::default(), |decision| decision.ways()),
            kills,
            bound,
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Evidence::Proved(proof) => write!(f, "proved ({})", proof.text()),
            Evidence::Tested(tested) if tested.inputs() == 0 => {
                f.write_str("tested (by the file's tests alone)")
            }
            Evidence::Tested(tested) => {
                write!(f, "tested (no difference on {} inputs)", grouped(tested.inputs()))
            }
            Evidence::Differs => f.write_str(self.ident()),
        }
    }
}

/// Rounds a bound up to three digits, because a smaller bound would be a stronger claim.
fn rounded_up(bound: f64) -> f64 {
    if bound <= 0.0 || !bound.is_finite() {
        return bound;
    }
    let scale = 10f64.powi(2 - bound.log10().floor() as i32);
    // A round number stays unchanged in spite of rounding errors.
    (bound * scale - 1e-9).ceil() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_bound_is_rounded_up() {
        let last = |error| {
            let bound = Some(Bound { error, confidence: 0.95 });
            Tested { random: 2_995, bound, ..Tested::default() }.details().pop().unwrap()
        };
        let words =
            |bound| format!("2,995 random inputs: error < {bound} at confidence 0.95 for inputs like them");
        assert_eq!(last(0.001), words("0.001"));
        assert_eq!(last(0.000_999_77), words("0.001"));
        assert_eq!(last(0.000_120_1), words("0.000121"));
    }

    #[test]
    fn evidence_states_its_method_or_its_extent() {
        let ways = Ways { taken: 7, all: 8 };
        let kills = Some(MutantKills { killed: 11, all: 12 });
        let tested = Tested { deciding: 1_200, random: 256, ways, kills, bound: None };
        assert_eq!(Evidence::Tested(tested).to_string(), "tested (no difference on 1,456 inputs)");
        assert_eq!(Evidence::Tested(tested).level(), Some(Level::Tests), "a branch was not taken both ways");
        assert_eq!(
            tested.details(),
            [
                "1,200 deciding inputs, built from the file's values: they took 7 of 8 ways through the branches of both codes",
                "inputs like these kill 11 of the function's own 12 mutants",
                "256 random inputs",
            ]
        );
        assert_eq!(Evidence::Proved(Proof::Exhausted).to_string(), "proved (agrees on all inputs)");
        assert_eq!(Evidence::Tested(Tested::default()).to_string(), "tested (by the file's tests alone)");
    }
}
