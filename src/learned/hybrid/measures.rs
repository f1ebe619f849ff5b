//! Measures of the quality of predicted probabilities.

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
