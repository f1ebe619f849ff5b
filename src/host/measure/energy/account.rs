//! Computes an energy and its error from readings.
//!
//! A counter's energy is the difference between its first and last value. The error of each value is the
//! counter's resolution plus the energy that flows between two updates. Power is integrated by trapezoids.
//! The true power is assumed to stay between two adjacent samples, so the error of a trapezoid is at most
//! half the interval times the change.

use std::time::Instant;

use super::{Energy, EnergySource, Reading};

/// A reading, with its time and source.
#[derive(Clone, Copy, Debug)]
pub struct AccountSample {
    pub at: Instant,
    pub reading: Reading,
    pub source: EnergySource,
}

/// A mean power in watts, and its maximum error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    pub watts: f64,
    pub error: f64,
}

/// The sum of the readings so far.
#[derive(Clone, Debug)]
pub struct EnergyAccount {
    first: AccountSample,
    last: AccountSample,
    joules: f64,
    /// The error of the integration; that of a counter is computed at the end.
    error: f64,
}

impl EnergyAccount {
    pub fn begin(first: AccountSample) -> EnergyAccount {
        EnergyAccount { first, last: first, joules: 0.0, error: 0.0 }
    }

    /// Returns whether power is sampled. A counter is read only at the ends.
    pub fn sampled(&self) -> bool {
        matches!(self.first.reading, Reading::Power { .. })
    }

    pub fn add(&mut self, next: AccountSample) {
        let seconds = next.at.saturating_duration_since(self.last.at).as_secs_f64();
        match (self.last.reading, next.reading) {
            (Reading::Total { joules: before, .. }, Reading::Total { joules: after, .. }) => {
                self.joules += (after - before).max(0.0);
            }
            (Reading::Power { watts: before }, Reading::Power { watts: after }) => {
                self.joules += seconds * (before + after) / 2.0;
                self.error += seconds * (after - before).abs() / 2.0;
            }
            // A device that loses its counter is read as power from then on; the energy in between is
            // unknown.
            _ => {}
        }
        self.last = next;
    }

    fn seconds(&self) -> f64 {
        self.last.at.saturating_duration_since(self.first.at).as_secs_f64()
    }

    /// Returns the error of the joules. For a counter, the flow of energy is assumed to be at least `idle`
    /// watts.
    fn total_error(&self, idle: f64) -> f64 {
        let ends = match self.last.reading {
            Reading::Total { step, .. } if self.seconds() > 0.0 => {
                let flow = (self.joules / self.seconds()).max(idle);
                2.0 * (step.joules + step.seconds * flow)
            }
            _ => 0.0,
        };
        self.error + ends
    }

    /// Returns the energy beyond the idle power, or `None` if it is not finite.
    pub fn energy(&self, idle: Option<Power>) -> Option<Energy> {
        let idle = idle.unwrap_or(Power { watts: 0.0, error: 0.0 });
        let seconds = self.seconds();
        let joules = self.joules - idle.watts * seconds;
        let error = self.total_error(idle.watts) + idle.error * seconds;
        let found = Energy { joules: joules.max(0.0), error: Some(error), source: self.last.source };
        (joules.is_finite() && error.is_finite()).then_some(found)
    }

    /// Returns the mean power.
    pub fn power(&self) -> Option<Power> {
        let seconds = self.seconds();
        let power = Power { watts: self.joules / seconds, error: self.total_error(0.0) / seconds };
        (seconds > 0.0 && power.watts.is_finite()).then_some(power)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::GaugeStep;
    use super::*;

    const STEP: GaugeStep = GaugeStep { joules: 0.001, seconds: 0.02 };

    /// Creates an account from readings at times in seconds.
    fn account(readings: &[(f64, Reading)]) -> EnergyAccount {
        let start = Instant::now();
        let sample = |(seconds, reading): &(f64, Reading)| AccountSample {
            at: start + Duration::from_secs_f64(*seconds),
            reading: *reading,
            source: EnergySource::Nvml,
        };
        let mut account = EnergyAccount::begin(sample(&readings[0]));
        readings[1..].iter().for_each(|reading| account.add(sample(reading)));
        account
    }

    fn total(joules: f64) -> Reading {
        Reading::Total { joules, step: STEP }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    }

    #[test]
    fn power_is_integrated_by_trapezoids() {
        let power = |watts| Reading::Power { watts };
        let account = account(&[(0.0, power(100.0)), (1.0, power(200.0)), (3.0, power(200.0))]);
        let energy = account.energy(None).unwrap();
        near(energy.joules, 150.0 + 400.0);
        // The error is half the interval times the change; constant power has no error.
        near(energy.error.unwrap(), 50.0);
        assert_eq!(energy.origin(), crate::host::measure::origin::Origin::Measured);
    }

    #[test]
    fn counter_error_is_the_sum_of_the_errors_of_both_ends() {
        let account = account(&[(0.0, total(10.0)), (0.5, total(40.0)), (1.0, total(110.0))]);
        let energy = account.energy(None).unwrap();
        near(energy.joules, 100.0);
        near(energy.error.unwrap(), 2.0 * (0.001 + 0.02 * 100.0));
    }

    #[test]
    fn idle_power_is_subtracted_with_its_error() {
        let idle = account(&[(0.0, total(0.0)), (2.0, total(60.0))]).power().unwrap();
        near(idle.watts, 30.0);
        near(idle.error, 2.0 * (0.001 + 0.02 * 30.0) / 2.0);
        let energy = account(&[(0.0, total(0.0)), (1.0, total(100.0))]).energy(Some(idle)).unwrap();
        near(energy.joules, 70.0);
        near(energy.error.unwrap(), 2.0 * (0.001 + 0.02 * 100.0) + idle.error);
    }

    #[test]
    fn energy_below_idle_power_is_zero() {
        let idle = Power { watts: 50.0, error: 0.0 };
        let energy = account(&[(0.0, total(0.0)), (1.0, total(49.0))]).energy(Some(idle)).unwrap();
        assert_eq!(energy.joules, 0.0);
    }

    #[test]
    fn a_single_reading_has_no_power() {
        assert_eq!(account(&[(0.0, total(1.0))]).power(), None);
    }
}
