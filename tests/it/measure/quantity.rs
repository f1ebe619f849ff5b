//! Units and their display.

use myriad::host::measure::quantity::Unit;

#[test]
fn ranges_name_their_unit_once() {
    for (unit, low, high, text) in [
        (Unit::Milliseconds, 50.0, 500.0, "50–500 ms"),
        (Unit::Milliseconds, 70.0, 1500.0, "70 ms–1.50 s"),
        (Unit::Times, 2.0, 5.0, "2–5×"),
        (Unit::Percent, 50.0, 80.0, "50–80 %"),
        (Unit::Probability, 0.3, 0.5, "0.300–0.500"),
        (Unit::Count, 7.0, 7.0, "7"),
    ] {
        assert_eq!(unit.range(low, high), text);
    }
}

#[test]
fn quantities_are_shown_short_with_scaled_units() {
    for (unit, value, text) in [
        (Unit::Milliseconds, 0.0123, "12.3 µs"),
        (Unit::Milliseconds, 1500.0, "1.50 s"),
        (Unit::Milliseconds, 4_254_310.0, "4,254 s"),
        (Unit::Joules, 25e-3, "25.0 mJ"),
        (Unit::Joules, 70_000.0, "70 kJ"),
        (Unit::Joules, 5e-8, "50 nJ"),
        (Unit::Bytes, 12.5e6, "12.5 MB"),
        (Unit::Bytes, 640.0, "640 B"),
        (Unit::Times, 400.0, "400×"),
        (Unit::Times, 2.0, "2×"),
        (Unit::PerSecond, 1_234_567.0, "1,234,567/s"),
        (Unit::Probability, 0.3, "0.300"),
        (Unit::Count, f64::INFINITY, "∞"),
        (Unit::Nats, -12.34, "-12.3"),
    ] {
        assert_eq!(unit.show(value), text);
    }
}
