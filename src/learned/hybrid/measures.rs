//! Measures of the quality of predicted probabilities.

use crate::compiler::stage::execute::mix;
use crate::host::measure::statistics::Interval;

/// A predicted probability and the outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicted {
    pub probability: f64,
    pub succeeded: bool,
}

/// Returns the area under the ROC curve: the probability that a success was assigned a greater probability than a
/// failure, with ties counted half. Returns `None` unless both occur. Computed by ranks: H. B. Mann and D. R. Whitney,
/// "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", Annals of Mathematical
/// Statistics 18 (1947).
pub fn area_under_curve(list: &[Predicted]) -> Option<f64> {
    let mut sorted = list.to_vec();
    sorted.sort_by(|a, b| a.probability.total_cmp(&b.probability));
    let successes = sorted.iter().filter(|one| one.succeeded).count();
    let failures = sorted.len() - successes;
    if successes == 0 || failures == 0 {
        return None;
    }
    let (mut failures_below, mut wins) = (0, 0.0);
    for ties in sorted.chunk_by(|a, b| a.probability == b.probability) {
        let won = ties.iter().filter(|one| one.succeeded).count();
        let lost = ties.len() - won;
        wins += won as f64 * (failures_below as f64 + lost as f64 / 2.0);
        failures_below += lost;
    }
    Some(wins / (successes as f64 * failures as f64))
}

/// Returns the mean squared difference of probability and outcome. 0 is best; always predicting ½ scores 0.25. Returns
/// `None` for an empty list. G. W. Brier, "Verification of Forecasts Expressed in Terms of Probability", Monthly
/// Weather Review 78 (1950).
pub fn brier(list: &[Predicted]) -> Option<f64> {
    let square = |one: &Predicted| (one.probability - f64::from(u8::from(one.succeeded))).powi(2);
    (!list.is_empty()).then(|| list.iter().map(square).sum::<f64>() / list.len() as f64)
}

/// Returns the Brier score of always predicting the observed success rate. No constant scores better, so a useful
/// prediction must beat it. Returns `None` for an empty list.
pub fn brier_of_constant(list: &[Predicted]) -> Option<f64> {
    let part = list.iter().filter(|one| one.succeeded).count() as f64 / list.len() as f64;
    (!list.is_empty()).then_some(part * (1.0 - part))
}

/// Returns the Brier skill score: the part by which predictions improve on the constant. 1 is perfect; 0 or less is no
/// skill. Returns `None` unless both outcomes occur.
pub fn skill(list: &[Predicted]) -> Option<f64> {
    let constant = brier_of_constant(list).filter(|constant| *constant > 0.0)?;
    Some(1.0 - brier(list)? / constant)
}

/// The number of resamplings for an interval, and its confidence.
const RESAMPLINGS: u32 = 1_000;
const CONFIDENCE: f64 = 0.95;

/// Returns the bootstrap interval of a measure at 95 %: B. Efron, "Bootstrap Methods: Another Look at the Jackknife",
/// Annals of Statistics 7 (1979). Resamples without the measure do not count. Returns `None` if the list has no measure.
pub fn interval(list: &[Predicted], measure: fn(&[Predicted]) -> Option<f64>) -> Option<Interval> {
    measure(list)?;
    let sample = |round: u32| {
        let pick = |i: usize| list[mix(mix(round).wrapping_add(i as u32)) as usize % list.len()];
        measure(&(0..list.len()).map(pick).collect::<Vec<_>>())
    };
    let mut measured: Vec<f64> = (0..RESAMPLINGS).filter_map(sample).collect();
    measured.sort_unstable_by(f64::total_cmp);
    let last = measured.len().checked_sub(1)?;
    let at = |part: f64| measured[(part * last as f64).round() as usize];
    let tail = (1.0 - CONFIDENCE) / 2.0;
    Some(Interval { low: at(tail), high: at(1.0 - tail) })
}

/// The number of bins of the calibration table.
pub const BINS: usize = 10;

/// The predictions within one tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    pub count: usize,
    /// The mean prediction and the observed success rate; 0 in an empty bin.
    pub predicted: f64,
    pub succeeded: f64,
}

/// Groups predictions by tenths. In a calibrated predictor, both numbers of a bin are close.
pub fn calibration(list: &[Predicted]) -> [Bin; BINS] {
    let mut bins = [Bin::default(); BINS];
    for one in list {
        let bin = &mut bins[((one.probability * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.predicted += one.probability;
        bin.succeeded += f64::from(u8::from(one.succeeded));
    }
    for bin in bins.iter_mut().filter(|bin| bin.count > 0) {
        bin.predicted /= bin.count as f64;
        bin.succeeded /= bin.count as f64;
    }
    bins
}

/// Returns the median of a list, or `None` if it is empty.
pub fn median(mut list: Vec<f64>) -> Option<f64> {
    list.sort_by(f64::total_cmp);
    let (below, above) = (list.get(list.len().checked_sub(1)? / 2)?, list.get(list.len() / 2)?);
    Some((below + above) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(of: &[(f64, bool, usize)]) -> Vec<Predicted> {
        let one = |&(probability, succeeded, count): &(f64, bool, usize)| {
            std::iter::repeat_n(Predicted { probability, succeeded }, count)
        };
        of.iter().flat_map(one).collect()
    }

    #[test]
    fn skill_compares_predictions_with_a_constant() {
        let perfect = list(&[(1.0, true, 60), (0.0, false, 40)]);
        assert_eq!(skill(&perfect), Some(1.0));
        let constant = list(&[(0.6, true, 60), (0.6, false, 40)]);
        assert!(skill(&constant).unwrap().abs() < 1e-12);
        let sure = list(&[(1.0, true, 60), (1.0, false, 40)]);
        assert!(skill(&sure).unwrap() < 0.0);
        assert_eq!((skill(&list(&[(0.5, true, 9)])), skill(&[])), (None, None));
    }

    #[test]
    fn interval_contains_the_measure_and_shrinks_with_the_list() {
        let of = |n: usize| {
            list(&[(0.9, true, 8 * n), (0.9, false, 2 * n), (0.4, true, 4 * n), (0.4, false, 6 * n)])
        };
        let (small, large) = (of(2), of(50));
        let [a, b] = [&small, &large].map(|list| interval(list, skill).unwrap());
        let value = skill(&large).unwrap();
        assert!(a.low < value && value < a.high && b.low < value && value < b.high);
        assert!(b.high - b.low < (a.high - a.low) / 2.0, "{a:?} {b:?}");
        assert!(interval(&large, area_under_curve).unwrap().low > 0.5);
        assert_eq!(interval(&list(&[(0.5, true, 9)]), skill), None);
    }
}
