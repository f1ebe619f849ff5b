//! Logistic regression: fits the score's coefficients to rows with known outcomes.
//!
//! Newton's method on the log loss with an L2 penalty toward a prior, in standardized features; steps that overshoot
//! are halved. The problem is strictly convex in twelve numbers, so the result is unique and deterministic.

use crate::compiler::stage::route::features::FEATURES;

/// The number of terms: the constant first, then one per feature.
pub const TERMS: usize = FEATURES + 1;
/// One coefficient per term.
pub type FitTerms = [f64; TERMS];

/// A function's features and its probability of success: 0 or 1 if known for sure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Example {
    pub features: [f64; FEATURES],
    pub success: f64,
}

/// The means and standard deviations of features, which make their coefficients comparable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    pub means: [f64; FEATURES],
    pub deviations: [f64; FEATURES],
}

impl Scale {
    /// Returns the scale of examples. A feature that never varies has a deviation of 1.
    pub fn of(examples: &[Example]) -> Scale {
        let n = examples.len().max(1) as f64;
        let mut scale = Scale { means: [0.0; FEATURES], deviations: [1.0; FEATURES] };
        for j in 0..FEATURES {
            let mean = examples.iter().map(|example| example.features[j]).sum::<f64>() / n;
            let square = |example: &Example| (example.features[j] - mean).powi(2);
            let deviation = (examples.iter().map(square).sum::<f64>() / n).sqrt();
            scale.means[j] = mean;
            scale.deviations[j] = if deviation > 1e-9 { deviation } else { 1.0 };
        }
        scale
    }

    fn standard(&self, features: &[f64; FEATURES]) -> FitTerms {
        let mut terms = [1.0; TERMS];
        for j in 0..FEATURES {
            terms[j + 1] = (features[j] - self.means[j]) / self.deviations[j];
        }
        terms
    }

    /// Converts coefficients of plain features to those of standardized ones. `plain` is the inverse.
    fn standardize(&self, plain: &FitTerms) -> FitTerms {
        let mut terms = *plain;
        for j in 0..FEATURES {
            terms[0] += plain[j + 1] * self.means[j];
            terms[j + 1] *= self.deviations[j];
        }
        terms
    }
    fn plain(&self, standard: &FitTerms) -> FitTerms {
        let mut terms = *standard;
        for j in 0..FEATURES {
            terms[j + 1] /= self.deviations[j];
            terms[0] -= terms[j + 1] * self.means[j];
        }
        terms
    }
}

/// A prior for the coefficients. The penalty is half of `strength` times the squared distance from `terms`, in
/// standardized features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Coefficients of plain features.
    pub terms: FitTerms,
    pub strength: f64,
    /// Whether the constant is penalized as well.
    pub constant: bool,
}

/// Returns the most likely coefficients of plain features, such that failure has the logit `terms[0] + Σ terms[j + 1] ·
/// feature j`.
pub fn fit(examples: &[Example], scale: &Scale, prior: &Prior) -> FitTerms {
    let rows: Vec<(FitTerms, f64)> =
        examples.iter().map(|example| (scale.standard(&example.features), 1.0 - example.success)).collect();
    let problem = Problem { rows, centre: scale.standardize(&prior.terms), prior };
    let mut terms = problem.centre;
    let mut loss = problem.loss(&terms);
    for _ in 0..STEPS {
        let Some(step) = problem.step(&terms) else { break };
        // Newton's step, or a fraction of it that reduces the loss.
        let shorter = |halvings: i32| {
            let next: FitTerms = std::array::from_fn(|i| terms[i] - step[i] * 0.5f64.powi(halvings));
            (problem.loss(&next), next)
        };
        let Some((better, next)) = (0..HALVINGS).map(shorter).find(|(l, _)| *l < loss) else { break };
        let gained = loss - better;
        (loss, terms) = (better, next);
        if gained < 1e-12 * loss.abs().max(1e-300) {
            break;
        }
    }
    scale.plain(&terms)
}

const STEPS: usize = 60;
const HALVINGS: i32 = 30;

struct Problem<'a> {
    /// The standardized terms and the probability of failure of each example.
    rows: Vec<(FitTerms, f64)>,
    centre: FitTerms,
    prior: &'a Prior,
}

impl Problem<'_> {
    /// Returns the penalty's strength for a coefficient.
    fn weight(&self, term: usize) -> f64 {
        // A small weight makes the result unique if the examples do not determine the constant.
        if term == 0 && !self.prior.constant { 1e-9 } else { self.prior.strength.max(1e-9) }
    }

    fn loss(&self, terms: &FitTerms) -> f64 {
        let own: f64 = self
            .rows
            .iter()
            .map(|(row, failure)| {
                let s = dot(row, terms);
                // −y ln σ(s) − (1 − y) ln(1 − σ(s)), computed without overflow.
                s.max(0.0) + (-s.abs()).exp().ln_1p() - failure * s
            })
            .sum();
        let penalty: f64 = (0..TERMS).map(|i| self.weight(i) * (terms[i] - self.centre[i]).powi(2)).sum();
        own + penalty / 2.0
    }

    /// Returns Hessian⁻¹ · gradient.
    fn step(&self, terms: &FitTerms) -> Option<FitTerms> {
        let mut gradient: FitTerms = std::array::from_fn(|i| self.weight(i) * (terms[i] - self.centre[i]));
        let mut hessian = [[0.0; TERMS]; TERMS];
        for (i, row) in hessian.iter_mut().enumerate() {
            row[i] = self.weight(i);
        }
        for (row, failure) in &self.rows {
            let p = 1.0 / (1.0 + (-dot(row, terms)).exp());
            let spread = p * (1.0 - p);
            for i in 0..TERMS {
                gradient[i] += (p - failure) * row[i];
                for j in 0..TERMS {
                    hessian[i][j] += spread * row[i] * row[j];
                }
            }
        }
        solve(hessian, gradient)
    }
}

fn dot(a: &FitTerms, b: &FitTerms) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves A x = b by Gaussian elimination with partial pivoting. Returns `None` if A is singular.
fn solve(mut a: [[f64; TERMS]; TERMS], mut b: FitTerms) -> Option<FitTerms> {
    for column in 0..TERMS {
        let pivot = (column..TERMS).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs()))?;
        a.swap(column, pivot);
        b.swap(column, pivot);
        let top = a[column];
        if !top[column].is_normal() {
            return None;
        }
        for row in column + 1..TERMS {
            let factor = a[row][column] / top[column];
            for (value, above) in a[row].iter_mut().zip(top) {
                *value -= factor * above;
            }
            b[row] -= factor * b[column];
        }
    }
    for column in (0..TERMS).rev() {
        let known: f64 = (column + 1..TERMS).map(|j| a[column][j] * b[j]).sum();
        b[column] = (b[column] - known) / a[column][column];
    }
    Some(b)
}
