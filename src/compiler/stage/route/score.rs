//! The score: one integer for how complex a function is, and the probability that goes with it.

use std::fmt;
use std::ops::Range;

use crate::compiler::program::Compiled;

use super::features::{self, FEATURES, Features, MOST};

/// What a score counts in: so many to 1 of the logit.
pub const UNIT: f64 = 65_536.0;
/// A feature's coefficient at most, up or down.
pub const STEEPEST: i32 = 150_000;
/// The constant coefficient at most, up or down.
pub const FARTHEST: i32 = 300_000_000;

// No score wraps.
const _: () = assert!(FEATURES as i64 * MOST as i64 * STEEPEST as i64 + (FARTHEST as i64) < i32::MAX as i64);

/// How complex a function is: the logit of failure, in 1 / [`UNIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// As people see it, and thresholds.
    pub fn logit(self) -> f64 {
        f64::from(self.0) / UNIT
    }

    /// The probability that the neural path succeeds.
    pub fn probability(self) -> f64 {
        1.0 / (1.0 + self.logit().exp())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.3}", self.logit())
    }
}

/// What a score is made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coefficients {
    pub constant: i32,
    /// By feature.
    pub by_feature: [i32; FEATURES],
}

impl Coefficients {
    /// The nearest ones to these, which are in logits.
    pub fn nearest(constant: f64, by_feature: [f64; FEATURES]) -> Coefficients {
        // A float that is too large for an integer becomes the largest there is, and none 0.
        let near = |real: f64, most: i32| ((real * UNIT).round() as i32).clamp(-most, most);
        Coefficients {
            constant: near(constant, FARTHEST),
            by_feature: by_feature.map(|real| near(real, STEEPEST)),
        }
    }

    /// The score of a function.
    pub fn score(&self, features: &Features) -> Score {
        let terms = self.by_feature.iter().zip(features);
        Score(terms.fold(self.constant, |sum, (c, f)| sum.wrapping_add(c.wrapping_mul(*f as i32))))
    }
}

/// A function's features and score, as an engine computes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    pub features: Features,
    pub score: Score,
}

/// Features and scores of some functions of a program without errors: the twin of `shaders/route.wgsl`.
pub fn score_all(program: &Compiled, functions: Range<u32>, coefficients: &Coefficients) -> Vec<Scored> {
    let one = |features| Scored { features, score: coefficients.score(&features) };
    functions.filter_map(|function| features::of(program, function).map(one)).collect()
}
