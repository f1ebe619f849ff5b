//! Formats quantities for people: about three digits and a suitable unit.

use crate::host::measure::numbers::grouped_digits;
use crate::host::measure::share;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Joules,
    Watts,
    Bytes,
    /// A ratio: how many times as much.
    Times,
    Percent,
    Probability,
    PerSecond,
    /// The natural logarithm of a probability, or its negative.
    Nats,
    Count,
}

impl Unit {
    /// Returns the unit's name in documents.
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

    /// Formats a range. A common unit is written once.
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

    /// Formats a number with its unit.
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

/// Formats a time given in milliseconds.
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

/// Formats an energy given in joules.
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

/// Formats an amount of memory in decimal units, like the paper.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{} kB", digits(b / 1e3)),
        b if b < 1e9 => format!("{} MB", digits(b / 1e6)),
        b => format!("{} GB", digits(b / 1e9)),
    }
}

/// Formats a number with about three digits and grouped thousands.
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

/// Removes trailing zeros after the decimal point.
fn trimmed(text: String) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn grouped(value: f64) -> String {
    let text = grouped_digits(&format!("{:.0}", value.abs()));
    if value < 0.0 { format!("-{text}") } else { text }
}
