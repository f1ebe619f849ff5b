//! Figures of the panels.

use std::time::Duration;

use myriad::engine::timings::StageTimes;
use myriad::engine::{Timings, Transfer};
use myriad::workbench::panels::figures::{FigureTerms, percents};

#[test]
fn paper_terms_sum_to_the_papers_totals() {
    let (least, most) = FigureTerms::paper();
    assert_eq!((least.total(), most.total()), (72.0, 1512.0));
}

fn micros(times: [u64; 9]) -> StageTimes {
    times.map(Duration::from_micros)
}

#[test]
fn terms_add_up_to_wall_time() {
    let parts = micros([1, 2, 3, 4, 5, 6, 70, 8, 9]);
    let wall = Duration::from_micros(200);
    let alone = Timings { parts, wall, programs: 1, threads: 2, ..Timings::default() };
    let terms = FigureTerms::of_wall(&alone);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    near(terms.total(), 0.2);
    assert_eq!(terms.transfers, None);
    near(terms.rest, 0.092);
    let transfer = Transfer::Measured { time: Duration::from_micros(50), software: false };
    let terms = FigureTerms::of_wall(&Timings { transfer, ..alone });
    near(terms.total(), 0.2);
    assert_eq!(terms.transfers, Some(0.05));
}

#[test]
fn percents_add_up_to_a_hundred() {
    for times in [
        [1; 9],
        [1, 1, 1, 1, 1, 1, 1, 0, 0],
        [3, 0, 0, 0, 0, 0, 0, 0, 0],
        [7, 11, 13, 1, 1, 2, 500, 3, 9],
        [1, 9990, 0, 0, 0, 0, 0, 0, 0],
    ] {
        let sum: f64 = times.iter().sum::<u64>() as f64;
        let parts = times.map(|time| time as f64 / sum);
        let percents = percents(&parts);
        assert_eq!(percents.iter().sum::<u32>(), 100, "{times:?}");
        assert!(
            parts.iter().zip(&percents).all(|(part, percent)| (100.0 * part - f64::from(*percent)).abs() < 1.0)
        );
        assert!(parts.iter().zip(&percents).all(|(part, percent)| *percent < 100 || *part == 1.0));
    }
    assert!(percents(&[]).is_empty());
}
