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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::route::score::{Score, UNIT};

    /// The threshold against all that could be: on many scores the sum of what is expected is nowhere less.
    #[test]
    fn the_threshold_is_the_best_there_is() {
        let scores: Vec<Score> = (-400..400).map(|i| Score((f64::from(i) * UNIT / 60.0) as i32)).collect();
        for (neural, traditional) in [(0.2, 20.0), (1.0, 3.0), (2.0, 2.5), (3.0, 3.0), (30.0, 0.1), (0.0, 1.0)]
        {
            let costs = Costs { routing: 0.5, neural, traditional };
            let total = |threshold: f64| -> f64 {
                let one = |s: &Score| costs.expected(s.logit() < threshold, s.probability(), Fallback::Behind);
                scores.iter().map(one).sum()
            };
            let ours = total(costs.best_threshold(Fallback::Behind));
            let every = (-500..=500).map(|i| f64::from(i) / 60.0 + 0.001);
            let least =
                every.chain([f64::NEG_INFINITY, f64::INFINITY]).map(total).fold(f64::INFINITY, f64::min);
            assert!(ours <= least + 1e-9, "{neural} {traditional}: {ours} against {least}");
        }
    }

    #[test]
    fn beside_the_traditional_compiler_nothing_is_gained() {
        let costs = Costs { routing: 0.1, neural: 0.2, traditional: 20.0 };
        assert_eq!(costs.best_threshold(Fallback::Beside), f64::NEG_INFINITY);
        assert_eq!(costs.expected(true, 1.0, Fallback::Beside), 20.1);
        assert!(costs.best_threshold(Fallback::Behind) > 4.0);
    }

    #[test]
    fn the_paper_s_example() {
        // Equation 15: 0.8 · 0.2 + 0.2 · 20 + 2, without failures.
        let costs = Costs { routing: 2.0, neural: 0.2, traditional: 20.0 };
        let simple = costs.expected(true, 1.0, Fallback::Behind);
        let complex = costs.expected(false, 0.0, Fallback::Behind);
        assert!((0.8 * simple + 0.2 * complex - 6.16).abs() < 1e-12);
    }

    #[test]
    fn means_follow_and_are_not_thrown_over() {
        let mut mean = Forgetting::default();
        assert_eq!(mean.mean(), None);
        (0..5).for_each(|_| mean.add(1.0));
        mean.add(1e9);
        assert!(mean.mean().unwrap() < 2.0);
        (0..60).for_each(|_| mean.add(3.0));
        assert!((mean.mean().unwrap() - 3.0).abs() < 0.01);
        let before = mean;
        mean.add(f64::NAN);
        mean.add(-1.0);
        assert_eq!(mean, before);
    }
}
