//! Rows, and contradictions to the paper.

use myriad::host::measure::energy::Energy;
use myriad::host::measure::origin::Origin;
use myriad::host::measure::quantity::Unit;
use myriad::paper::quoted::Range;
use myriad::paper::table::{Row, contradiction};

#[test]
fn contradiction_states_both_values_and_the_factor() {
    let paper = Range::new(2.0, 5.0);
    assert_eq!(contradiction("x", Unit::Times, paper, 3.0), None);
    assert_eq!(contradiction("x", Unit::Times, paper, 5.2), None);
    assert_eq!(contradiction("x", Unit::Times, paper, f64::NAN), None);
    let more = contradiction("the speedup", Unit::Times, paper, 20.0).unwrap();
    assert_eq!(more, "the speedup: the paper says 2–5×, here it is 20×, 4 times more.");
    let less = contradiction("time", Unit::Milliseconds, Range::of(50.0), 0.05).unwrap();
    assert_eq!(less, "time: the paper says 50 ms, here it is 50.0 µs, 1,000 times less.");
}

#[test]
fn estimate_is_modelled_not_measured() {
    let row = Row::new("e", Unit::Joules).energy(Energy::estimate(65.0, std::time::Duration::from_secs(1)));
    assert!(row.cell(Origin::Measured).is_none() && row.number(Origin::Modelled) == Some(65.0));
    assert_eq!(row.note, "estimate at 65 W");
    let metered =
        Energy { joules: 2.0, error: Some(0.1), source: myriad::host::measure::energy::EnergySource::Rapl };
    let row = Row::new("e", Unit::Joules).energy(metered);
    assert_eq!((row.number(Origin::Measured), row.cell(Origin::Modelled)), (Some(2.0), None));
}

#[test]
fn nan_leaves_its_cell_empty() {
    assert_eq!(Row::new("x", Unit::Count).modelled(f64::NAN).cells, [None, None, None]);
}
