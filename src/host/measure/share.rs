//! Shares of a whole in percent: compared exactly, and shown as 100 % only if the share is the whole.

use std::fmt;
use std::str::FromStr;

/// The share `part` of `all` equal items.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    part: u64,
    all: u64,
}

/// A percentage as a decimal number: `units` / 10^`decimals`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent {
    units: u64,
    decimals: u32,
}

/// The most decimals of a percentage; the limit keeps comparisons with a share within 128 bits.
const MOST_DECIMALS: u32 = 15;

impl Share {
    /// Returns `None` if `all` is 0.
    pub fn new(part: u64, all: u64) -> Option<Share> {
        (all > 0).then_some(Share { part: part.min(all), all })
    }

    /// Returns whether the share is smaller than a percentage, without rounding.
    pub fn is_below(self, least: Percent) -> bool {
        let scale = 10u128.pow(least.decimals);
        100 * scale * u128::from(self.part) < u128::from(least.units) * u128::from(self.all)
    }

    /// Returns the percentage, rounded half up; 100 only for the whole.
    pub fn percent(self, decimals: u32) -> Percent {
        let decimals = decimals.min(MOST_DECIMALS);
        let whole = 100 * 10u128.pow(decimals);
        let (part, all) = (u128::from(self.part), u128::from(self.all));
        let rounded = (2 * whole * part + all) / (2 * all);
        let most = if part < all { whole - 1 } else { whole };
        Percent { units: rounded.min(most) as u64, decimals }
    }

    /// Returns the percentage with the fewest decimals, at least one, that show it below `least`.
    pub fn percent_below(self, least: Percent) -> Percent {
        let shows = |decimals: &u32| self.percent(*decimals).to_share().is_below(least);
        self.percent((1..MOST_DECIMALS).find(shows).unwrap_or(MOST_DECIMALS))
    }

    /// Returns the percentage with one decimal, as in documents.
    pub fn decimal(self) -> f64 {
        self.percent(1).units as f64 / 10.0
    }
}

/// Formats with one decimal: `87.5 %`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} %", self.percent(1))
    }
}

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    fn cmp(&self, other: &Share) -> std::cmp::Ordering {
        let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
        product(self.part, other.all).cmp(&product(other.part, self.all))
    }
}

impl Percent {
    fn to_share(self) -> Share {
        Share { part: self.units, all: 100 * 10u64.pow(self.decimals) }
    }
}

/// Formats only the digits: `66.7`.
impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let scale = 10u64.pow(self.decimals);
        let whole = (self.units / scale).to_string();
        f.pad(&match self.decimals as usize {
            0 => whole,
            decimals => format!("{whole}.{:0decimals$}", self.units % scale),
        })
    }
}

/// Parses a decimal number from 0 to 100, such as `66.7` or `1e2`. The error describes the expected format.
impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Percent, String> {
        decimal(text)
            .filter(|percent| percent.units <= 100 * 10u64.pow(percent.decimals))
            .ok_or_else(|| format!("expected a percentage between 0 and 100, such as 90 or 87.5, with at most {MOST_DECIMALS} decimals"))
    }
}

/// Parses a decimal number without a minus sign, with at most [`MOST_DECIMALS`] decimals.
fn decimal(text: &str) -> Option<Percent> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    let zeros = (digits.len() - significant.len()) as i32;
    let decimals = (fraction.len() as i32).checked_sub(zeros)?.checked_sub(exponent)?;
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Some(Percent { units: 0, decimals: 0 });
    }
    let units: u64 = significant.parse().ok()?;
    if decimals < 0 {
        let scale = 10u64.checked_pow(decimals.unsigned_abs())?;
        return Some(Percent { units: units.checked_mul(scale)?, decimals: 0 });
    }
    let decimals = decimals as u32;
    (decimals <= MOST_DECIMALS).then_some(Percent { units, decimals })
}

/// Formats a ratio of measured quantities, from 0 to 1, in percent without the sign. Shows 100 only for a
/// ratio of 1.
pub fn percent(ratio: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * ratio);
    if ratio.is_nan() || ratio >= 1.0 || text.parse().is_ok_and(|shown: f64| shown < 100.0) {
        return text;
    }
    format!("{:.decimals$}", 100.0 - 0.1f64.powi(decimals as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(part: u64, all: u64) -> Share {
        Share::new(part, all).expect("something")
    }

    fn percent_of(text: &str) -> Percent {
        text.parse().expect(text)
    }

    #[test]
    fn shares_are_compared_exactly() {
        assert!(share(2, 3).is_below(percent_of("66.7")) && !share(2, 3).is_below(percent_of("66.66")));
        assert!(share(5, 7).is_below(percent_of("71.43")) && !share(5, 7).is_below(percent_of("71.42")));
        assert!(
            share(2763, 2764).is_below(percent_of("100")) && !share(2764, 2764).is_below(percent_of("100"))
        );
        // Decimal fractions without an exact binary representation.
        for tenths in 0..=1000 {
            let written = format!("{}.{}", tenths / 10, tenths % 10);
            assert!(!share(tenths, 1000).is_below(percent_of(&written)), "{written}");
            assert!(tenths == 0 || share(tenths - 1, 1000).is_below(percent_of(&written)), "{written}");
        }
        assert_eq!(share(2, 4), share(1, 2));
        assert!(share(u64::MAX - 1, u64::MAX) < share(1, 1));
        assert!(share(u64::MAX - 1, u64::MAX).is_below(percent_of("100")));
        assert!(Share::new(0, 0).is_none());
    }

    #[test]
    fn only_the_whole_is_shown_as_100() {
        let shown = |part, all| share(part, all).to_string();
        assert_eq!(shown(2, 3), "66.7 %");
        assert_eq!(shown(0, 7), "0.0 %");
        assert_eq!(shown(1999, 2000), "99.9 %");
        assert_eq!(shown(u64::MAX - 1, u64::MAX), "99.9 %");
        assert_eq!(shown(2000, 2000), "100.0 %");
        assert_eq!((share(1999, 2000).decimal(), share(3, 3).decimal()), (99.9, 100.0));
        assert_eq!(share(1999, 2000).percent(0).to_string(), "99");
        assert_eq!([percent(0.9999, 1), percent(0.9999, 0), percent(1.0, 0)], ["99.9", "99", "100"]);
        assert_eq!([percent(0.5, 2), percent(0.99994, 2), percent(0.99999, 2)], ["50.00", "99.99", "99.99"]);
    }

    #[test]
    fn a_score_below_its_bound_is_shown_as_lower() {
        let shown = |part, all, least| share(part, all).percent_below(percent_of(least)).to_string();
        assert_eq!(shown(2, 3, "66.7"), "66.67");
        assert_eq!(shown(2, 3, "90"), "66.7");
        assert_eq!(shown(2763, 2764, "100"), "99.9");
        assert_eq!(shown(2, 3, "66.67"), "66.667");
    }

    #[test]
    fn percentages_are_parsed_exactly() {
        for (text, shown) in [("0", "0"), ("66.70", "66.7"), ("1e2", "100"), (".5", "0.5"), ("005.", "5")] {
            assert_eq!(percent_of(text).to_string(), shown);
        }
        assert_eq!(percent_of("8.75e+1"), percent_of("87.5"));
        assert_eq!(percent_of("0.000000000000001").decimals, 15);
        for wrong in ["", ".", "-1", "100.1", "1e3", "nan", "inf", "0x10", "1e-99", "e5", "1e99999999999", "٣"]
        {
            assert!(wrong.parse::<Percent>().is_err(), "{wrong}");
        }
    }
}
