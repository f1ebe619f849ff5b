//! What a piece of work took: by stage, on the way to a device and back, and on the wall.

use std::ops::AddAssign;
use std::time::Duration;

use crate::compiler::stage::Stage;

/// A time for each stage, by its number.
pub type StageTimes = [Duration; Stage::ALL.len()];

/// How a time was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Clock {
    /// The host's clock.
    #[default]
    Wall,
    /// The device's timestamp queries.
    Timestamps,
}

/// What it took to bring data to a device's memory and results back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfer {
    /// No device took part: the work was done in the host's own memory.
    #[default]
    NoDevice,
    /// A device took part that times no copies, as it has no timestamps.
    Untimed,
    /// There and back together: the host's writes and reads, and the device's copies of its results. The memory of a
    /// `software` adapter is the host's, so these are copies within it.
    Measured { time: Duration, software: bool },
}

impl Transfer {
    /// There and back together, where it was measured.
    pub fn time(self) -> Option<Duration> {
        match self {
            Transfer::Measured { time, .. } => Some(time),
            Transfer::NoDevice | Transfer::Untimed => None,
        }
    }

    /// Those of two pieces of work: nothing is known of the sum if nothing is of a part.
    pub fn and(self, other: Transfer) -> Transfer {
        use Transfer::{Measured, NoDevice, Untimed};
        match (self, other) {
            (NoDevice, one) | (one, NoDevice) => one,
            (Untimed, _) | (_, Untimed) => Untimed,
            (Measured { time, software }, Measured { time: more, software: both }) => {
                Measured { time: time + more, software: software && both }
            }
        }
    }
}

/// What a piece of work took, as it was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Processor time by stage: the sum over all `threads`, so that one stage may have more than the `wall`. Of a device
    /// it is the device's own time.
    pub stages: StageTimes,
    /// Which part of the `wall` each stage had. One thread's time is the wall's; where several worked at once, what that
    /// took is split by the stages' shares of the processor time. Of engines side by side each tells its own, so that
    /// the sum may exceed the wall: see [`Timings::split`].
    pub parts: StageTimes,
    pub transfer: Transfer,
    /// What a person waits.
    pub wall: Duration,
    pub clock: Clock,
    /// Threads whose time `stages` adds up; a device counts as one, and 0 is nobody.
    pub threads: u32,
    /// Programs that this covers.
    pub programs: u32,
}

/// A wall, split into what it went by with. The parts add up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    pub stages: StageTimes,
    /// There and back, where it was measured.
    pub transfer: Option<Duration>,
    /// What is left: between the stages, and before and behind them.
    pub rest: Duration,
    /// Whether some of the stages' parts follow from their shares, because work went on side by side.
    pub modelled: bool,
}

impl Timings {
    /// The wall by stage.
    pub fn split(&self) -> Split {
        let moved = self.transfer.time();
        let known = self.parts.iter().sum::<Duration>() + moved.unwrap_or_default();
        let factor = excess(known, self.wall);
        let stages = self.parts.map(|part| part.mul_f64(factor));
        let transfer = moved.map(|time| time.mul_f64(factor));
        let told = stages.iter().sum::<Duration>() + transfer.unwrap_or_default();
        let rest = self.wall.saturating_sub(told);
        Split { stages, transfer, rest, modelled: factor < 1.0 || self.threads > 1 }
    }
}

impl AddAssign<&Timings> for Timings {
    /// Two pieces of work, one after the other.
    fn add_assign(&mut self, more: &Timings) {
        for stage in 0..Stage::ALL.len() {
            self.stages[stage] += more.stages[stage];
            self.parts[stage] += more.parts[stage];
        }
        self.transfer = self.transfer.and(more.transfer);
        self.wall += more.wall;
        if more.programs > 0 {
            self.clock = more.clock;
        }
        self.threads = self.threads.max(more.threads);
        self.programs += more.programs;
    }
}

/// Times of work that went on side by side for so long, made parts of that: by their shares where they exceed it.
pub fn within(times: StageTimes, wall: Duration) -> StageTimes {
    let factor = excess(times.iter().sum(), wall);
    times.map(|time| time.mul_f64(factor))
}

/// What a sum is to be multiplied by so as not to exceed the wall.
fn excess(sum: Duration, wall: Duration) -> f64 {
    if sum > wall { wall.as_secs_f64() / sum.as_secs_f64() } else { 1.0 }
}
