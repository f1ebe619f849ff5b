//! Quantities as people read them: three digits and a unit that keeps them short.

use crate::host::measure::numbers::grouped_digits;
use crate::host::measure::share;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Joules,
    Watts,
    Bytes,
    /// How many times as much.
    Times,
    Percent,
    Probability,
    PerSecond,
    /// ln of a probability, or minus that.
    Nats,
    Count,
}

impl Unit {
    /// For documents.
    pub fn ident(self) -> &'static str {
        match self {
            Unit::Milliseconds => "ms",
            Unit::Joules => "J",
            Unit::Watts => "W",
            Unit::Bytes => "B",
            Unit::Times => "times",
            Unit::Percent => "%",
            Unit::Probability => "probability",
            Unit::PerSecond => "per second",
            Unit::Nats => "nats",
            Unit::Count => "count",
        }
    }

    /// From one number to another; the unit once where both have it.
    pub fn range(self, low: f64, high: f64) -> String {
        if low == high {
            return self.show(low);
        }
        let (low, high) = (self.show(low), self.show(high));
        let unit = |text: &str| {
            text.trim_start_matches(|c: char| c.is_ascii_digit() || ".,e-".contains(c)).to_string()
        };
        match unit(&low) == unit(&high) {
            true => format!("{}–{high}", low.strip_suffix(&unit(&high)).unwrap_or(&low)),
            false => format!("{low}–{high}"),
        }
    }

    /// A number with its unit.
    pub fn show(self, value: f64) -> String {
        match self {
            _ if value.is_infinite() => "∞".to_string(),
            Unit::Milliseconds => time(value),
            Unit::Joules => energy(value),
            Unit::Watts => format!("{} W", digits(value)),
            Unit::Bytes => bytes(value),
            Unit::Times => format!("{}×", digits(value)),
            Unit::Percent => format!("{} %", share::percent(value / 100.0, 0)),
            Unit::Probability => digits(value),
            Unit::PerSecond => format!("{}/s", digits(value)),
            Unit::Nats | Unit::Count => digits(value),
        }
    }
}

/// A time, from milliseconds.
pub fn time(milliseconds: f64) -> String {
    match milliseconds {
        t if t <= 0.0 => "0".to_string(),
        t if t < 0.001 => format!("{:.0} ns", t * 1e6),
        t if t < 0.1 => format!("{:.1} µs", t * 1e3),
        t if t < 10.0 => format!("{t:.2} ms"),
        t if t < 1000.0 => format!("{t:.0} ms"),
        t if t >= 1e6 => format!("{} s", grouped(t / 1e3)),
        t => format!("{:.2} s", t / 1e3),
    }
}

/// An energy, from joules.
pub fn energy(joules: f64) -> String {
    match joules {
        j if j <= 0.0 => "0".to_string(),
        j if j < 1e-6 => format!("{:.0} nJ", j * 1e9),
        j if j < 1e-3 => format!("{:.1} µJ", j * 1e6),
        j if j < 1.0 => format!("{:.1} mJ", j * 1e3),
        j if j < 1000.0 => format!("{j:.1} J"),
        j => format!("{:.0} kJ", j / 1e3),
    }
}

/// An amount of memory, in decimal units as the paper's.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{} kB", digits(b / 1e3)),
        b if b < 1e9 => format!("{} MB", digits(b / 1e6)),
        b => format!("{} GB", digits(b / 1e9)),
    }
}

/// A number with three digits, thousands set apart.
pub fn digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_string(),
        v if v < 0.001 => format!("{value:.1e}"),
        v if v < 0.01 => format!("{value:.4}"),
        v if v < 1.0 => format!("{value:.3}"),
        v if v < 10.0 => trimmed(format!("{value:.2}")),
        v if v < 100.0 => trimmed(format!("{value:.1}")),
        _ => grouped(value),
    }
}

/// Without zeros behind the point.
fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn grouped(value: f64) -> String {
    let text = grouped_digits(&format!("{:.0}", value.abs()));
    if value < 0.0 { format!("-{text}") } else { text }
}
