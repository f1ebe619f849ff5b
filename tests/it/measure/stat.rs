//! Medians, lines and power laws.

use myriad::host::measure::stat::{Power, Stat, StatLine};

#[test]
fn power_law_fit_returns_exponent_and_error() {
    let square: Vec<(f64, f64)> = [1.0, 2.0, 4.0, 8.0].map(|x| (x, 3.0 * x * x)).to_vec();
    let power = Power::through(&square).unwrap();
    assert!((power.exponent - 2.0).abs() < 1e-9 && power.error < 1e-9 && power.of == 4, "{power:?}");
    let rough = Power::through(&[(1.0, 1.0), (2.0, 2.5), (4.0, 3.6), (8.0, 9.0)]).unwrap();
    assert!((rough.exponent - 1.0).abs() < 0.1 && rough.error > 0.01, "{rough:?}");
    assert_eq!(Power::through(&[(1.0, 1.0), (2.0, 2.0), (2.0, 2.1)]), None);
    assert_eq!(Power::through(&[(1.0, 1.0), (2.0, 0.0), (4.0, f64::NAN)]), None);
}

#[test]
fn stat_returns_median_and_spread() {
    assert_eq!(Stat::of(vec![]), None);
    assert_eq!(Stat::of(vec![f64::NAN]), None);
    assert_eq!(Stat::of(vec![3.0]), Some(Stat { median: 3.0, spread: 0.0, of: 1 }));
    let stat = Stat::of(vec![5.0, 1.0, 2.0, 4.0, 3.0]).unwrap();
    assert_eq!((stat.median, stat.spread, stat.of), (3.0, 1.0, 5));
    assert_eq!(stat.times(2.0).median, 6.0);
}

#[test]
fn line_fit_returns_fixed_and_per_item_cost() {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let line = StatLine::through(&[(1.0, 5.0), (10.0, 23.0), (100.0, 203.0)]).unwrap();
    assert!(near(line.fixed, 3.0) && near(line.each, 2.0), "{line:?}");
    let steep = StatLine::through(&[(1.0, 1.0), (10.0, 100.0)]).unwrap();
    assert!(steep.fixed >= 0.0 && steep.each > 0.0);
    let falling = StatLine::through(&[(1.0, 10.0), (100.0, 1.0)]).unwrap();
    assert!(falling.each >= 0.0);
    assert_eq!(StatLine::through(&[]), None);
    assert!(near(StatLine::through(&[(100.0, 50.0)]).unwrap().each, 0.5));
}

#[test]
fn lines_cross_once_or_never() {
    let (flat, steep) = (StatLine { fixed: 100.0, each: 1.0 }, StatLine { fixed: 0.0, each: 11.0 });
    assert_eq!(flat.crosses(steep), Some(10.0));
    assert_eq!(steep.crosses(flat), Some(10.0));
    assert_eq!(flat.crosses(StatLine { fixed: 200.0, each: 1.0 }), None);
    assert_eq!(flat.crosses(StatLine { fixed: 200.0, each: 2.0 }), None);
}
