//! The adjustable quantities of the model: k, P, p and T. An unset quantity has this machine's value, or else the
//! paper's.

use super::quoted;
use crate::host::measure::quantity::Unit;

/// A quantity that several equations share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lever {
    /// k: the number of programs, or of candidates of one program.
    Programs,
    /// P: the number of programs processed at once.
    Cores,
    /// p: the probability that a candidate is correct.
    Correct,
    /// T: the time of one program on the traditional path, compiled and run.
    Time,
}

/// The constant properties of a lever.
pub struct Range {
    pub lever: Lever,
    /// The symbol in the equations.
    pub name: &'static str,
    pub what: &'static str,
    pub unit: Unit,
    pub least: f64,
    pub most: f64,
    pub paper: f64,
}

const fn range(
    lever: Lever,
    name: &'static str,
    what: &'static str,
    unit: Unit,
    ends: [f64; 2],
    paper: f64,
) -> Range {
    Range { lever, name, what, unit, least: ends[0], most: ends[1], paper }
}

/// All levers, in the order of their discriminants.
pub const LEVERS: [Range; 4] = [
    range(Lever::Programs, "k", "programs", Unit::Count, [1.0, 1e6], quoted::NEURAL_K),
    range(Lever::Cores, "P", "at once", Unit::Count, [1.0, 1e5], quoted::CORES),
    range(Lever::Correct, "p", "correct", Unit::Probability, [1e-3, 1.0], quoted::P_SIMPLE.low),
    range(Lever::Time, "T", "a program", Unit::Milliseconds, [1e-3, 1e5], quoted::CPU),
];

impl Lever {
    pub fn range(self) -> &'static Range {
        &LEVERS[self as usize]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    Set,
    Measured,
    Paper,
}

impl ValueOrigin {
    pub fn word(self) -> &'static str {
        match self {
            ValueOrigin::Set => "set",
            ValueOrigin::Measured => "here",
            ValueOrigin::Paper => "paper",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Levers {
    set: [Option<f64>; LEVERS.len()],
}

impl Levers {
    pub fn paper() -> Levers {
        Levers { set: LEVERS.map(|range| Some(range.paper)) }
    }

    /// Returns the value of a lever and its origin. `here` holds this machine's values.
    pub fn value(&self, lever: Lever, here: [Option<f64>; LEVERS.len()]) -> (f64, ValueOrigin) {
        let at = lever as usize;
        match (self.set[at], here[at].filter(|value| value.is_finite())) {
            (Some(value), _) if value == lever.range().paper => (value, ValueOrigin::Paper),
            (Some(value), _) => (value, ValueOrigin::Set),
            (None, Some(value)) => (value, ValueOrigin::Measured),
            (None, None) => (lever.range().paper, ValueOrigin::Paper),
        }
    }

    /// Sets a lever to the next notch above or below its value.
    pub fn turn(&mut self, lever: Lever, here: [Option<f64>; LEVERS.len()], up: bool) {
        let (value, _) = self.value(lever, here);
        let Range { least, most, .. } = *lever.range();
        self.set[lever as usize] = Some(notch(value, up).clamp(least, most));
    }
}

/// Returns the next of 1, 2, 5, 10, 20 … above or below a value.
fn notch(value: f64, up: bool) -> f64 {
    let value = value.max(f64::MIN_POSITIVE);
    let power = value.log10().floor();
    // One more power on either side compensates inexact logarithms.
    let notches = (-1..=1).flat_map(|more| [1.0, 2.0, 5.0].map(|digit| scaled(digit, power as i32 + more)));
    let near = |notch: &f64| (notch / value - 1.0).abs() < 1e-9;
    let mut beyond = notches.filter(|notch| !near(notch) && (*notch > value) == up);
    match up {
        true => beyond.next().unwrap_or(value),
        false => beyond.next_back().unwrap_or(value),
    }
}

/// Returns a digit times a power of ten, as exact as a literal.
fn scaled(digit: f64, power: i32) -> f64 {
    match power {
        0.. => digit * 10f64.powi(power),
        _ => digit / 10f64.powi(-power),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levers_step_through_the_same_values_up_and_down() {
        let mut levers = Levers::default();
        let here = [Some(201.0), None, Some(0.0), None];
        let mut up = vec![];
        for _ in 0..4 {
            levers.turn(Lever::Programs, here, true);
            up.push(levers.value(Lever::Programs, here));
        }
        assert_eq!(
            up,
            [
                (500.0, ValueOrigin::Set),
                (1e3, ValueOrigin::Paper),
                (2e3, ValueOrigin::Set),
                (5e3, ValueOrigin::Set)
            ]
        );
        for wanted in [2e3, 1e3, 500.0, 200.0, 100.0, 50.0] {
            levers.turn(Lever::Programs, here, false);
            assert_eq!(levers.value(Lever::Programs, here).0, wanted);
        }
        for range in &LEVERS {
            let (mut levers, mut values) = (Levers::default(), vec![]);
            for _ in 0..40 {
                levers.turn(range.lever, here, false);
            }
            assert_eq!(levers.value(range.lever, here).0, range.least, "{}", range.name);
            for _ in 0..40 {
                values.push(levers.value(range.lever, here).0);
                levers.turn(range.lever, here, true);
            }
            assert_eq!(values.last(), Some(&range.most), "{}", range.name);
            assert!(values.windows(2).all(|pair| pair[0] <= pair[1]), "{values:?}");
        }
    }

    #[test]
    fn unset_lever_takes_the_value_of_this_machine() {
        let here = [None, Some(2.0), None, Some(f64::NAN)];
        let value = |levers: Levers| LEVERS.map(|range| levers.value(range.lever, here).1);
        assert_eq!(
            value(Levers::default()),
            [ValueOrigin::Paper, ValueOrigin::Measured, ValueOrigin::Paper, ValueOrigin::Paper]
        );
        assert_eq!(value(Levers::paper()), [ValueOrigin::Paper; 4]);
    }
}
