//! The evidence for a program that the model wrote: the strongest claim that holds.

use std::fmt;

/// How a candidate's correctness is established.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// It behaves like the deterministic compiler's code on every input.
    Proved(Proof),
    /// It agreed on deciding inputs that take every branch of both codes both ways, and on fresh random inputs. No
    /// input is known on which it disagrees.
    Verified {
        /// The upper bound of its error rate for inputs drawn like the random ones ...
        error_bound: f64,
        /// ... with this confidence.
        confidence: f64,
    },
    /// It passes the file's tests; nothing more is claimed.
    TestsPassed,
    /// It fails a test, or disagrees on a known input.
    Failed,
}

/// The level of evidence. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It passes the file's tests.
    Tests,
    /// All branches were taken both ways, and its error rate is bounded for inputs drawn like the random ones.
    Verified,
    /// Its correctness is certain.
    #[default]
    Proved,
}

impl Level {
    /// Returns the name for people and machines.
    pub fn ident(self) -> &'static str {
        match self {
            Level::Tests => "tests",
            Level::Verified => "verified",
            Level::Proved => "proved",
        }
    }
}

/// The proof of correctness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Its bytecode equals the deterministic compiler's.
    SameBytecode,
    /// It agreed on all possible inputs.
    Exhausted,
}

impl Evidence {
    /// Returns the level, or `None` if it failed.
    pub fn level(self) -> Option<Level> {
        match self {
            Evidence::Proved(_) => Some(Level::Proved),
            Evidence::Verified { .. } => Some(Level::Verified),
            Evidence::TestsPassed => Some(Level::Tests),
            Evidence::Failed => None,
        }
    }

    /// Returns the name for machines.
    pub fn ident(self) -> &'static str {
        match self {
            Evidence::Proved(_) => "proved",
            Evidence::Verified { .. } => "verified",
            Evidence::TestsPassed => "tests passed",
            Evidence::Failed => "failed",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Evidence::Proved(Proof::SameBytecode) => {
                f.write_str("proved (same bytecode as the deterministic compiler's)")
            }
            Evidence::Proved(Proof::Exhausted) => f.write_str("proved (agrees on all inputs)"),
            Evidence::Verified { error_bound, confidence } => {
                let bound = rounded_up(*error_bound);
                write!(f, "verified for inputs drawn like these (error < {bound} at confidence {confidence})")
            }
            _ => f.write_str(self.ident()),
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
    fn evidence_is_described_with_a_rounded_up_error_bound() {
        let verified = |error_bound| Evidence::Verified { error_bound, confidence: 0.95 }.to_string();
        let words =
            |bound| format!("verified for inputs drawn like these (error < {bound} at confidence 0.95)");
        assert_eq!(verified(0.001), words("0.001"));
        assert_eq!(verified(0.000_999_77), words("0.001"));
        assert_eq!(verified(0.000_120_1), words("0.000121"));
        assert_eq!(Evidence::TestsPassed.to_string(), "tests passed");
        assert!(Evidence::Proved(Proof::Exhausted).to_string().starts_with("proved"));
    }
}
