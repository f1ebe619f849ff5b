//! What is known of a program that the model wrote: the strongest claim that holds, never more.

use std::fmt;

/// How a candidate's correctness is established.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// It does what the deterministic compiler's code does, on every input.
    Proved(Proof),
    /// It agreed on deciding inputs that take every branch of both codes both ways, and on fresh random ones; no input is known on which it disagrees.
    Verified {
        /// For inputs drawn like the random ones its error rate is below this ...
        error_bound: f64,
        /// ... with this confidence.
        confidence: f64,
    },
    /// It passes the file's tests; more is not claimed.
    TestsPassed,
    /// It fails a test, or an input on which it disagrees is known.
    Failed,
}

/// How much evidence there is, or is asked for: each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It passes the file's tests.
    Tests,
    /// All branches were taken both ways, and its error rate is bounded for inputs drawn like those that were tried.
    Verified,
    /// Nothing is left to chance.
    #[default]
    Proved,
}

impl Level {
    /// One word for people and machines.
    pub fn ident(self) -> &'static str {
        match self {
            Level::Tests => "tests",
            Level::Verified => "verified",
            Level::Proved => "proved",
        }
    }
}

/// Why nothing is left to chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Its bytecode equals the deterministic compiler's.
    SameBytecode,
    /// It agreed on all inputs that there are.
    Exhausted,
}

impl Evidence {
    /// How much it is; none where it failed.
    pub fn level(self) -> Option<Level> {
        match self {
            Evidence::Proved(_) => Some(Level::Proved),
            Evidence::Verified { .. } => Some(Level::Verified),
            Evidence::TestsPassed => Some(Level::Tests),
            Evidence::Failed => None,
        }
    }

    /// One word for machines.
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

/// A bound with three digits: rounded up, for a smaller one would be another claim.
fn rounded_up(bound: f64) -> f64 {
    if bound <= 0.0 || !bound.is_finite() {
        return bound;
    }
    let scale = 10f64.powi(2 - bound.log10().floor() as i32);
    // What is a round number already stays it, in spite of the last bits.
    (bound * scale - 1e-9).ceil() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_in_words() {
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
