//! The score above which the neural path does not pay.

use myriad::compiler::stage::route::score::{Score, UNIT};
use myriad::learned::hybrid::cost::{Costs, Fallback, MovingAverage};

/// Compares the threshold with all others: on many scores, no threshold has a smaller sum of expected costs.
#[test]
fn best_threshold_has_the_lowest_expected_cost() {
    let scores: Vec<Score> = (-400..400).map(|i| Score((f64::from(i) * UNIT / 60.0) as i32)).collect();
    for (neural, traditional) in [(0.2, 20.0), (1.0, 3.0), (2.0, 2.5), (3.0, 3.0), (30.0, 0.1), (0.0, 1.0)] {
        let costs = Costs { routing: 0.5, neural, traditional };
        let total = |threshold: f64| -> f64 {
            let one = |s: &Score| costs.expected(s.logit() < threshold, s.probability(), Fallback::Sequential);
            scores.iter().map(one).sum()
        };
        let ours = total(costs.best_threshold(Fallback::Sequential));
        let every = (-500..=500).map(|i| f64::from(i) / 60.0 + 0.001);
        let least = every.chain([f64::NEG_INFINITY, f64::INFINITY]).map(total).fold(f64::INFINITY, f64::min);
        assert!(ours <= least + 1e-9, "{neural} {traditional}: {ours} against {least}");
    }
}

#[test]
fn parallel_fallback_never_favours_the_neural_path() {
    let costs = Costs { routing: 0.1, neural: 0.2, traditional: 20.0 };
    assert_eq!(costs.best_threshold(Fallback::Parallel), f64::NEG_INFINITY);
    assert_eq!(costs.expected(true, 1.0, Fallback::Parallel), 20.1);
    assert!(costs.best_threshold(Fallback::Sequential) > 4.0);
}

#[test]
fn expected_costs_match_the_example_in_the_paper() {
    // Equation 15: 0.8 · 0.2 + 0.2 · 20 + 2, without failures.
    let costs = Costs { routing: 2.0, neural: 0.2, traditional: 20.0 };
    let simple = costs.expected(true, 1.0, Fallback::Sequential);
    let complex = costs.expected(false, 0.0, Fallback::Sequential);
    assert!((0.8 * simple + 0.2 * complex - 6.16).abs() < 1e-12);
}

#[test]
fn moving_average_follows_changes_and_resists_outliers() {
    let mut mean = MovingAverage::default();
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
