//! The cost of each path, and the score threshold from which on the neural path does not pay.

/// The number of candidates of the neural path, as in algorithm 3.
pub const K: u32 = 100;
/// The hysteresis in logits: how far beyond the threshold a score must be for a function's route to change, and how far
/// the best threshold must move for the threshold in force to follow.
pub const DEAD_BAND: f64 = 0.25;

/// The quantity that the threshold minimizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    #[default]
    Time,
    Energy,
}

impl Objective {
    pub fn unit(self) -> &'static str {
        match self {
            Objective::Time => "s",
            Objective::Energy => "J",
        }
    }
}

/// A way to compile a function to bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    Traditional,
    Neural,
}

impl Path {
    pub fn ident(self) -> &'static str {
        match self {
            Path::Traditional => "traditional",
            Path::Neural => "neural",
        }
    }
}

/// The costs for one function, all in one unit: seconds or joules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    pub routing: f64,
    pub neural: f64,
    pub traditional: f64,
}

/// When the traditional compiler runs if the neural path is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// In parallel with the neural path, because its result is needed unless something is proved.
    Parallel,
    /// After the neural path, if that fails.
    Sequential,
}

impl Costs {
    /// Returns the expected cost of one function if the neural path succeeds with probability `p`: equation 14 with a
    /// term for failed attempts.
    pub fn expected(&self, neural: bool, p: f64, fallback: Fallback) -> f64 {
        self.routing
            + match (neural, fallback) {
                (false, _) => self.traditional,
                (true, Fallback::Sequential) => self.neural + (1.0 - p) * self.traditional,
                (true, Fallback::Parallel) => self.neural.max(self.traditional),
            }
    }

    /// Returns the threshold on the score, as a logit, that minimizes the expected cost of every function. Below it the
    /// neural path pays. Returns minus infinity if it never pays.
    pub fn best_threshold(&self, fallback: Fallback) -> f64 {
        // The neural path pays where p · traditional > neural, with p = 1 / (1 + e^s).
        let odds = self.traditional / self.neural.max(f64::MIN_POSITIVE) - 1.0;
        match fallback {
            Fallback::Sequential if odds > 0.0 => odds.ln(),
            _ => f64::NEG_INFINITY,
        }
    }
}

/// Formats an amount with three digits and a prefix: `0.0123` seconds are `12.3 ms`.
pub fn with_prefix(amount: f64, unit: &str) -> String {
    let (scale, prefix) = match amount.abs() {
        a if a >= 1.0 || a == 0.0 => (1.0, ""),
        a if a >= 1e-3 => (1e3, "m"),
        a if a >= 1e-6 => (1e6, "µ"),
        _ => (1e9, "n"),
    };
    let scaled = amount * scale;
    let digits = if scaled.abs() >= 100.0 {
        0
    } else if scaled.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$} {prefix}{unit}")
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MovingAverage {
    mean: Option<f64>,
}

/// The weight of a new value.
const SHARE: f64 = 0.125;
/// A value is clamped to at most this multiple of the mean, and at least its inverse, so that a pause of the machine
/// has little effect.
const OUTLIER: f64 = 8.0;

impl MovingAverage {
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() || value < 0.0 {
            return;
        }
        self.mean = Some(match self.mean {
            Some(mean) if mean > 0.0 => mean + SHARE * (value.clamp(mean / OUTLIER, mean * OUTLIER) - mean),
            _ => value,
        });
    }

    /// Returns the mean, or `None` before the first value.
    pub fn mean(&self) -> Option<f64> {
        self.mean
    }
}
