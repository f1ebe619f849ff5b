//! A race's result: for people, for machines, for spreadsheets, as a picture.

pub mod csv;
pub mod document;
pub mod svg;
pub mod text;

use super::{Contestant, End, Score};
use crate::energy::Energy;
use crate::report::origin::Origin;

/// A time in the unit that suits it.
pub fn seconds(time: std::time::Duration) -> String {
    match time.as_secs_f64() {
        s if s < 0.001 => format!("{:.0} µs", s * 1e6),
        s if s < 0.1 => format!("{:.2} ms", s * 1e3),
        s if s < 10.0 => format!("{s:.2} s"),
        s => format!("{s:.1} s"),
    }
}

/// A count or rate with its thousands apart.
pub fn grouped(number: f64) -> String {
    if number < 10.0 {
        return format!("{number:.1}");
    }
    let digits = format!("{number:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How many times faster.
pub fn times(factor: f64) -> String {
    match factor {
        f if f < 0.1 => format!("{f:.3}×"),
        f if f < 10.0 => format!("{f:.1}×"),
        f => format!("{}×", grouped(f)),
    }
}

/// An energy in the unit that suits it; an estimate has a `~` before it.
pub fn energy(energy: Energy) -> String {
    let mark = if energy.origin() == Origin::Measured { "" } else { "~" };
    match energy.joules {
        j if j < 0.001 => format!("{mark}{:.0} µJ", j * 1e6),
        j if j < 1.0 => format!("{mark}{:.1} mJ", j * 1e3),
        j => format!("{mark}{j:.2} J"),
    }
}

/// The paper's expectation, as it writes it.
pub fn quoted(contestant: Contestant) -> Option<String> {
    contestant.quoted().map(|(low, high)| format!("{low}–{high}×"))
}

/// How a contestant's run ended, in a word, and why where it did not finish.
pub fn end(score: &Score) -> (&'static str, Option<&str>) {
    match &score.end {
        End::Finished => ("finished", None),
        End::OutOfTime => ("out of time", None),
        End::Stopped => ("stopped", None),
        End::LeftOut(why) => ("left out", Some(why)),
        End::Failed(why) => ("failed", Some(why)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn numbers_are_written_with_the_digits_that_count() {
        assert_eq!(
            [0.04, 3.0, 12.0, 1234.0, 1234567.0].map(grouped),
            ["0.0", "3.0", "12", "1,234", "1,234,567"]
        );
        assert_eq!([0.05, 0.5, 1.0, 12.3, 4567.0].map(times), ["0.050×", "0.5×", "1.0×", "12×", "4,567×"]);
        let micro = [12, 3_400, 340_000, 34_000_000].map(|n| seconds(Duration::from_micros(n)));
        assert_eq!(micro, ["12 µs", "3.40 ms", "0.34 s", "34.0 s"]);
    }
}
