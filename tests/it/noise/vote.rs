//! Number of repetitions that must vote.

use myriad::testing::noise::vote::{Vote, size, tail};

#[test]
fn tails_are_sums_of_binomials() {
    for (n, p) in [(1, 0.2), (3, 0.1), (5, 0.4), (21, 0.3), (21, 0.7), (31, 0.499)] {
        let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(n - i) / f64::from(i + 1));
        let sum: f64 = (n / 2 + 1..=n)
            .map(|k| choose(k) * f64::powi(p, k as i32) * f64::powi(1.0 - p, (n - k) as i32))
            .sum();
        assert!((tail(n, p) - sum).abs() < 1e-12, "{n} {p}: {} and {sum}", tail(n, p));
    }
    assert_eq!((tail(9, 0.0), tail(9, 1.0)), (0.0, 1.0));
    assert!((tail(10_001, 0.5) - 0.5).abs() < 1e-9);
    assert!(tail(10_001, 0.4) < 1e-80);
}

#[test]
fn vote_size_is_the_smallest_within_the_bound() {
    assert_eq!(size(0.0, 0.001), Some(1));
    assert_eq!(size(0.1, 0.1), Some(1));
    // 3·0.01² − 2·0.01³ is 0.000298.
    assert_eq!(size(0.01, 0.0003), Some(3));
    assert_eq!(size(0.01, 0.000_29), Some(5));
    for (p, bound) in [(0.05, 1e-6), (0.3, 0.001), (0.45, 0.01), (0.49, 0.05)] {
        let n = size(p, bound).expect("a number");
        assert!(n % 2 == 1 && tail(n, p) <= bound && tail(n - 2, p) > bound, "{p} {bound}: {n}");
    }
    assert_eq!(size(0.5, 0.01), None);
    assert_eq!(size(0.8, 0.01), None);
    assert_eq!(size(0.499_999, 1e-9), None);
}

#[test]
fn vote_is_measured_in_complete_groups() {
    let held = [true, false, true, false, false, true, true];
    let vote = Vote::measured(3, 0.25, &held);
    assert_eq!((vote.groups, vote.lost), (2, 1));
    assert_eq!(Vote::measured(9, 0.25, &held).groups, 0);
}
