//! What each path costs, and the threshold from which on the neural path does not pay.

/// Costs of one function, all in one unit: seconds, or joules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    pub routing: f64,
    pub neural: f64,
    pub traditional: f64,
}

/// When the traditional compiler works, where the neural path is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Beside it in any case, since its result is needed unless something is proved.
    Beside,
    /// Behind it, if it fails.
    Behind,
}

impl Costs {
    /// What is to be expected of one function, if the neural path succeeds with probability `p`: equation 14, with a term for failed attempts.
    pub fn expected(&self, neural: bool, p: f64, fallback: Fallback) -> f64 {
        self.routing
            + match (neural, fallback) {
                (false, _) => self.traditional,
                (true, Fallback::Behind) => self.neural + (1.0 - p) * self.traditional,
                (true, Fallback::Beside) => self.neural.max(self.traditional),
            }
    }

    /// The threshold on the score, as a logit, that makes the expected cost least for every function: below it the neural path
    /// pays. Minus infinity where it never does.
    pub fn best_threshold(&self, fallback: Fallback) -> f64 {
        // It pays where p · traditional > neural, and p = 1 / (1 + e^s).
        let odds = self.traditional / self.neural.max(f64::MIN_POSITIVE) - 1.0;
        match fallback {
            Fallback::Behind if odds > 0.0 => odds.ln(),
            _ => f64::NEG_INFINITY,
        }
    }
}

/// A mean in which what is past counts ever less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Forgetting {
    mean: Option<f64>,
}

/// What a new value counts.
const SHARE: f64 = 0.125;
/// A value counts as no more than so many times the mean, and no less than that part of it: a pause of the machine is no measurement.
const OUTLIER: f64 = 8.0;

impl Forgetting {
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() || value < 0.0 {
            return;
        }
        self.mean = Some(match self.mean {
            Some(mean) if mean > 0.0 => mean + SHARE * (value.clamp(mean / OUTLIER, mean * OUTLIER) - mean),
            _ => value,
        });
    }

    /// The mean; none before the first value.
    pub fn mean(&self) -> Option<f64> {
        self.mean
    }
}
