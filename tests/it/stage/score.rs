//! The score of the router.

use myriad::compiler::stage::route::features::{FEATURES, MOST};
use myriad::compiler::stage::route::score::Coefficients;

#[test]
fn a_score_is_a_linear_form() {
    let mut reals = [0.0; FEATURES];
    (reals[0], reals[3]) = (0.5, -0.25);
    let coefficients = Coefficients::nearest(-1.0, reals);
    let mut features = [7; FEATURES];
    (features[0], features[3]) = (10, 4);
    let score = coefficients.score(&features);
    assert_eq!((score.logit(), score.to_string().as_str()), (3.0, "3.000"));
    assert!((score.probability() - 1.0 / (1.0 + 3f64.exp())).abs() < 1e-15);
    assert_eq!((coefficients.constant, coefficients.by_feature[0]), (-65_536, 32_768));
}

#[test]
fn extreme_coefficients_do_not_wrap_the_score() {
    for sign in [1.0, -1.0] {
        let steep = Coefficients::nearest(sign * 1e9, [sign * f64::INFINITY; FEATURES]);
        let score = steep.score(&[MOST; FEATURES]).logit();
        assert!(score * sign > 25_000.0, "{score}");
    }
    assert_eq!(Coefficients::nearest(f64::NAN, [f64::NAN; FEATURES]), Coefficients::default());
}
