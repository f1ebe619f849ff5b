//! Statistics of candidates and of agreeing inputs.
//!
//! All functions are pure. Probabilities and confidence are from 0 to 1 (0.95, not 95); arguments outside of
//! this range are clamped. Equation numbers refer to Metinov, Kudakeeva and Kabaeva, "Theoretical Foundations
//! of GPU-Native Compilation for Rapid Code Iteration", §4.3.

/// An interval of probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Returns the interval that contains the true probability with this confidence, if `successes` of `trials`
/// succeeded. Without trials, the interval is 0 to 1.
///
/// The score interval: E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
/// JASA 22 (1927). It remains valid for few successes, unlike the usual p ± z·σ.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let n = trials as f64;
    let p = successes.min(trials) as f64 / n;
    let z = quantile(0.5 + open(confidence) / 2.0);
    let spread = 1.0 + z * z / n;
    let middle = (p + z * z / (2.0 * n)) / spread;
    let half = z / spread * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends, the exact bound is 0 or 1, which rounding may miss.
    Interval {
        low: if successes == 0 { 0.0 } else { (middle - half).max(0.0) },
        high: if successes >= trials { 1.0 } else { (middle + half).min(1.0) },
    }
}

/// Returns the quantile of the standard normal distribution for a probability between 0 and 1, to about 16
/// digits.
///
/// M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988), PPND16.
fn quantile(probability: f64) -> f64 {
    /// Evaluates a polynomial with coefficients by rising power.
    fn horner(coefficients: [f64; 8], x: f64) -> f64 {
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
    }
    let q = probability - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * horner(CENTRE[0], r) / horner(CENTRE[1], r);
    }
    let tail = if q < 0.0 { probability } else { 1.0 - probability };
    let r = (-tail.ln()).sqrt();
    let (table, r) = if r <= 5.0 { (TAIL, r - 1.6) } else { (FAR_TAIL, r - 5.0) };
    (horner(table[0], r) / horner(table[1], r)).copysign(q)
}

/// Numerator and denominator of AS 241's rational functions, as published.
type Rational = [[f64; 8]; 2];
const CENTRE: Rational = [
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
];
const TAIL: Rational = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];
const FAR_TAIL: Rational = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

/// Returns the probability that at least one of `k` candidates is correct, if each one is with probability
/// `p`, independently (equation 7).
///
/// If `p` is an average over different programs, the result is too large: ten draws at 0.5 succeed more often
/// than five at 1 and five at 0.
pub fn success_model(p: f64, k: u64) -> f64 {
    // 1 − (1 − p)^k, computed without loss of digits for small p.
    let p = p.clamp(0.0, 1.0);
    if k == 0 { 0.0 } else { -(k as f64 * (-p).ln_1p()).exp_m1() }
}

/// Returns the unbiased estimate of the same probability from `correct` among `drawn` candidates, 1 − C(n−c,
/// k) / C(n, k), or `None` if fewer than `k` were drawn. It is computed as a product, so that no factorial
/// overflows: M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021), §2.1.
pub fn pass_at_k(drawn: u64, correct: u64, k: u64) -> Option<f64> {
    if k > drawn || correct > drawn {
        return None;
    }
    if k == 0 {
        return Some(0.0);
    }
    if drawn - correct < k {
        return Some(1.0);
    }
    // A quotient for k = 1: 0.6, where the product has 0.5999999999999999.
    if k == 1 {
        return Some(correct as f64 / drawn as f64);
    }
    let missed: f64 = (drawn - correct + 1..=drawn).map(|i| 1.0 - k as f64 / i as f64).product();
    Some(1.0 - missed)
}

/// Returns the number of candidates of which at least one is correct with probability `success`, if each one
/// is with probability `p` (equation 8), or `None` if no number suffices.
pub fn candidates_for(p: f64, success: f64) -> Option<u64> {
    let p = p.clamp(0.0, 1.0);
    if p == 0.0 {
        return None;
    }
    whole((1.0 - open(success)).ln() / (-p).ln_1p())
}

/// Returns an upper bound, with this confidence, on the error rate of a program that agreed on all
/// `agreements` random inputs: 1 − α^(1/n), α = 1 − confidence. A program with a greater error rate would
/// have agreed on all inputs with probability less than α.
///
/// This is the exact bound of Clopper and Pearson for no failures (Biometrika 26, 1934).
pub fn error_bound(agreements: u64, confidence: f64) -> f64 {
    if agreements == 0 { 1.0 } else { -((1.0 - open(confidence)).ln() / agreements as f64).exp_m1() }
}

/// Returns the number of agreeing inputs for which [`error_bound`] is at most `risk`, or `None` if no number
/// suffices.
pub fn inputs_for(risk: f64, confidence: f64) -> Option<u64> {
    let risk = risk.clamp(0.0, 1.0);
    if risk == 0.0 {
        return None;
    }
    whole((1.0 - open(confidence)).ln() / (-risk).ln_1p())
}

/// Rounds a count up, to at least 1.
fn whole(count: f64) -> Option<u64> {
    (count.is_finite() && count < u64::MAX as f64).then(|| (count.ceil() as u64).max(1))
}

/// Clamps a confidence to the open interval (0, 1), where quantiles and logarithms are finite.
fn open(confidence: f64) -> f64 {
    if confidence.is_nan() { 0.5 } else { confidence.clamp(1e-12, 1.0 - 1e-12) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(is: f64, wanted: f64, within: f64) {
        assert!((is - wanted).abs() <= within, "{is} is not {wanted}");
    }

    #[test]
    fn normal_quantiles_match_published_tables() {
        close(quantile(0.975), 1.959_963_984_540_054, 1e-14);
        close(quantile(0.995), 2.575_829_303_548_901, 1e-14);
        close(quantile(0.75), 0.674_489_750_196_081_7, 1e-15);
        close(quantile(0.5), 0.0, 0.0);
        // Wichura's check values.
        close(quantile(1e-3), -3.090_232_306_167_813_5, 1e-14);
        close(quantile(1e-20), -9.262_340_089_798_408, 1e-14);
    }

    #[test]
    fn wilson_intervals_match_published_values() {
        // Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
        for (successes, trials, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(successes, trials, 0.95);
            close(interval.low, low, 5e-5);
            close(interval.high, high, 5e-5);
        }
    }

    #[test]
    fn wilson_interval_stays_within_zero_and_one() {
        assert_eq!(wilson(0, 0, 0.95), Interval { low: 0.0, high: 1.0 });
        assert_eq!(wilson(0, 50, 0.95).low, 0.0);
        assert_eq!(wilson(50, 50, 0.95).high, 1.0);
        close(wilson(50, 50, 0.95).low, 1.0 - wilson(0, 50, 0.95).high, 1e-12);
        let strict = wilson(5, 10, 1.0);
        assert!(strict.low >= 0.0 && strict.high <= 1.0 && strict.low < wilson(5, 10, 0.9).low);
    }

    #[test]
    fn modelled_success_matches_the_formula() {
        close(success_model(0.1, 46), 0.992_14, 5e-6);
        close(success_model(0.39, 10), 0.992_87, 5e-6);
        close(success_model(1e-12, 1000), 1e-9, 1e-15);
        assert_eq!(success_model(0.3, 0), 0.0);
        assert_eq!(success_model(1.0, 1), 1.0);
        assert_eq!(success_model(0.0, 1000), 0.0);
    }

    #[test]
    fn pass_at_k_is_the_quotient_of_binomials() {
        let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        for (n, c, k) in [(10, 3, 1), (10, 3, 5), (20, 1, 10), (20, 7, 13), (30, 15, 2)] {
            close(pass_at_k(n, c, k).unwrap(), 1.0 - choose(n - c, k) / choose(n, k), 1e-12);
        }
        close(pass_at_k(10, 3, 1).unwrap(), 0.3, 1e-12);
        assert_eq!(pass_at_k(10, 0, 10), Some(0.0));
        assert_eq!(pass_at_k(10, 1, 10), Some(1.0));
        assert_eq!(pass_at_k(10, 1, 11), None);
        assert_eq!(pass_at_k(10, 4, 0), Some(0.0));
        close(pass_at_k(100_000, 10, 1000).unwrap(), 0.0956, 1e-4);
    }

    /// Averaged over draws, the estimate equals the true probability; equation 7 with the same counts does
    /// not.
    #[test]
    fn pass_at_k_is_unbiased() {
        let (p, n, k) = (0.2f64, 12u64, 6u64);
        let choose = |c: u64| (0..c).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64);
        let chance = |c: u64| choose(c) * p.powi(c as i32) * (1.0 - p).powi((n - c) as i32);
        let mean: f64 = (0..=n).map(|c| chance(c) * pass_at_k(n, c, k).unwrap()).sum();
        let model: f64 = (0..=n).map(|c| chance(c) * success_model(c as f64 / n as f64, k)).sum();
        close(mean, success_model(p, k), 1e-12);
        assert!((model - success_model(p, k)).abs() > 0.01);
    }

    #[test]
    fn needed_candidates_are_the_fewest_that_reach_the_target() {
        assert_eq!(candidates_for(0.1, 0.99), Some(44));
        assert_eq!(candidates_for(0.01, 0.99), Some(459));
        assert_eq!(candidates_for(1.0, 0.99), Some(1));
        assert_eq!(candidates_for(0.0, 0.99), None);
        for p in [0.003, 0.2, 0.77] {
            let k = candidates_for(p, 0.99).unwrap();
            assert!(success_model(p, k) >= 0.99 && success_model(p, k - 1) < 0.99);
        }
    }

    #[test]
    fn error_bounds_and_input_counts_are_inverse() {
        assert_eq!(inputs_for(0.001, 0.95), Some(2995));
        assert_eq!(inputs_for(0.01, 0.99), Some(459));
        assert_eq!(inputs_for(0.0, 0.95), None);
        assert_eq!(inputs_for(1.0, 0.95), Some(1));
        assert!(error_bound(2995, 0.95) <= 0.001 && error_bound(2994, 0.95) > 0.001);
        assert_eq!(error_bound(0, 0.95), 1.0);
        close(error_bound(100, 0.95), 0.029_513, 1e-6);
        // The rule of three.
        close(error_bound(10_000, 0.95), 3e-4, 1e-6);
    }
}
