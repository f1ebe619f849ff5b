//! The score: one integer for the complexity of a function, and the corresponding probability.

use crate::compiler::program::Compiled;
use crate::lang::index::{Indices, RoutineId};
use std::fmt;

use super::features::{self, FEATURES, Features, MOST};

/// Scores are fixed-point numbers: `UNIT` corresponds to a logit of 1.
pub const UNIT: f64 = 65_536.0;
/// Greatest absolute value of a feature's coefficient.
pub const STEEPEST: i32 = 150_000;
/// Greatest absolute value of the constant coefficient.
pub const FARTHEST: i32 = 300_000_000;

// Scores never overflow.
const _: () = assert!(FEATURES as i64 * MOST as i64 * STEEPEST as i64 + (FARTHEST as i64) < i32::MAX as i64);

/// The complexity of a function: the logit of failure, in units of 1 / [`UNIT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i32);

impl Score {
    /// The logit as a real number, as shown to users and compared with thresholds.
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coefficients {
    pub constant: i32,
    pub by_feature: [i32; FEATURES],
}

impl Coefficients {
    /// Rounds coefficients in logits to the nearest representable ones.
    pub fn nearest(constant: f64, by_feature: [f64; FEATURES]) -> Coefficients {
        // The cast saturates, and maps NaN to 0.
        let near = |real: f64, most: i32| ((real * UNIT).round() as i32).clamp(-most, most);
        Coefficients {
            constant: near(constant, FARTHEST),
            by_feature: by_feature.map(|real| near(real, STEEPEST)),
        }
    }

    /// Computes the score of a function.
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

/// Computes features and scores of a range of functions of a program without errors. The GPU twin is
/// `shaders/route.wgsl`.
pub fn score_all(
    program: &Compiled,
    functions: Indices<RoutineId>,
    coefficients: &Coefficients,
) -> Vec<Scored> {
    let one = |features| Scored { features, score: coefficients.score(&features) };
    functions.iter().filter_map(|function| features::of(program, function).map(one)).collect()
}
