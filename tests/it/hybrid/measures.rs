//! Measures of the quality of a prediction.

use myriad::learned::hybrid::measures::{
    Bin, Predicted, area_under_curve, brier, brier_of_constant, calibration, median,
};

fn list(list: &[(f64, u8)]) -> Vec<Predicted> {
    list.iter().map(|&(probability, won)| Predicted { probability, succeeded: won == 1 }).collect()
}

#[test]
fn area_under_curve_matches_handmade_lists() {
    let area = |of: &[(f64, u8)]| area_under_curve(&list(of));
    assert_eq!(area(&[(0.1, 0), (0.4, 0), (0.6, 1), (0.9, 1)]), Some(1.0));
    assert_eq!(area(&[(0.1, 1), (0.4, 1), (0.6, 0), (0.9, 0)]), Some(0.0));
    assert_eq!(area(&[(0.9, 1), (0.1, 0), (0.4, 1), (0.6, 0)]), Some(0.75));
    assert_eq!(area(&[(0.5, 1), (0.5, 0), (0.5, 1)]), Some(0.5));
    assert_eq!(area(&[(0.5, 1), (0.5, 0), (0.7, 1)]), Some(0.75));
    assert_eq!((area(&[(0.5, 1)]), area(&[])), (None, None));
}

#[test]
fn brier_score_and_calibration_match_handmade_lists() {
    assert_eq!(brier(&list(&[(1.0, 1), (0.0, 0)])), Some(0.0));
    assert_eq!(brier(&list(&[(0.5, 1), (0.5, 0)])), Some(0.25));
    assert_eq!(brier(&[]), None);
    let bins = calibration(&list(&[(0.0, 0), (0.25, 0), (0.29, 1), (1.0, 1)]));
    assert_eq!(bins.map(|bin| bin.count), [1, 0, 2, 0, 0, 0, 0, 0, 0, 1]);
    assert!((bins[2].predicted - 0.27).abs() < 1e-12 && bins[2].succeeded == 0.5);
    assert_eq!(bins[1], Bin::default());
}

#[test]
fn success_rate_is_the_best_constant_prediction() {
    let outcomes = [1, 1, 1, 0, 1];
    let always = |p: f64| brier(&list(&outcomes.map(|won| (p, won)))).expect("a score");
    let best = brier_of_constant(&list(&outcomes.map(|won| (0.5, won)))).expect("a score");
    assert!((best - always(0.8)).abs() < 1e-12 && (best - 0.16).abs() < 1e-12);
    assert!((0..=100).all(|p| always(f64::from(p) / 100.0) >= best - 1e-12));
    assert_eq!(brier_of_constant(&[]), None);
}

#[test]
fn median_is_the_middle_value() {
    assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(vec![]), None);
}
