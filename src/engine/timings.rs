//! The time of a piece of work: by stage, for transfers to and from a device, and in total.

use std::ops::AddAssign;
use std::time::Duration;

use crate::compiler::stage::Stage;

/// One time for each stage, by its index.
pub type StageTimes = [Duration; Stage::ALL.len()];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Clock {
    /// The host's clock.
    #[default]
    Wall,
    /// The device's timestamp queries.
    Timestamps,
}

/// The time of transfers to a device's memory and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transfer {
    /// No device took part: the work was done in the host's own memory.
    #[default]
    NoDevice,
    /// A device without timestamps took part, so its copies were not timed.
    Untimed,
    /// Both directions: the host's writes and reads, and the device's copies of its results. The memory of a
    /// `software` adapter is the host's, so these are copies within it.
    Measured { time: Duration, software: bool },
}

impl Transfer {
    /// Returns the time of both directions, if measured.
    pub fn time(self) -> Option<Duration> {
        match self {
            Transfer::Measured { time, .. } => Some(time),
            Transfer::NoDevice | Transfer::Untimed => None,
        }
    }

    /// Adds the transfers of two pieces of work. If one of them is unknown, so is the sum.
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

/// The time of proofs that survivors equal their program or each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofTimes {
    /// Processor time, summed over threads.
    pub spent: Duration,
    /// The part of the wall that they take.
    pub part: Duration,
}

impl ProofTimes {
    /// Returns the times of proofs that `threads` threads shared.
    pub fn shared(spent: Duration, threads: usize) -> ProofTimes {
        ProofTimes { spent, part: spent / threads.max(1) as u32 }
    }
}

/// The measured times of a piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// Processor time by stage, summed over all `threads`, so that it may exceed the `wall`. For a device,
    /// its own time.
    pub stages: StageTimes,
    /// The part of the `wall` that each stage takes. For one thread it is that thread's time. If several
    /// threads ran at once, their elapsed time is split among the stages in proportion to processor time. Engines that
    /// run in parallel each report their own times, so the sum may exceed the wall: see [`Timings::split`].
    pub parts: StageTimes,
    pub transfer: Transfer,
    pub proofs: ProofTimes,
    pub wall: Duration,
    pub clock: Clock,
    /// Threads whose time `stages` adds up. A device counts as one; 0 if nothing ran.
    pub threads: u32,
    pub programs: u32,
}

/// The elapsed time by purpose. The parts add up to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    pub stages: StageTimes,
    /// Both directions, if measured.
    pub transfer: Option<Duration>,
    /// Proofs about survivors.
    pub proofs: Duration,
    /// The remainder: time before, between and after the stages.
    pub rest: Duration,
    /// Whether some parts are estimated from shares, because work ran in parallel.
    pub modelled: bool,
}

impl Timings {
    /// Splits the wall by stage.
    pub fn split(&self) -> Split {
        let moved = self.transfer.time();
        let known = self.parts.iter().sum::<Duration>() + moved.unwrap_or_default() + self.proofs.part;
        let factor = excess(known, self.wall);
        let stages = self.parts.map(|part| part.mul_f64(factor));
        let transfer = moved.map(|time| time.mul_f64(factor));
        let proofs = self.proofs.part.mul_f64(factor);
        let listed = stages.iter().sum::<Duration>() + transfer.unwrap_or_default() + proofs;
        let rest = self.wall.saturating_sub(listed);
        Split { stages, transfer, proofs, rest, modelled: factor < 1.0 || self.threads > 1 }
    }
}

impl AddAssign<&Timings> for Timings {
    /// Adds work that ran after this.
    fn add_assign(&mut self, more: &Timings) {
        for stage in 0..Stage::ALL.len() {
            self.stages[stage] += more.stages[stage];
            self.parts[stage] += more.parts[stage];
        }
        self.transfer = self.transfer.and(more.transfer);
        self.proofs.spent += more.proofs.spent;
        self.proofs.part += more.proofs.part;
        self.wall += more.wall;
        if more.programs > 0 {
            self.clock = more.clock;
        }
        self.threads = self.threads.max(more.threads);
        self.programs += more.programs;
    }
}

/// Scales times of parallel work to fit in `wall`, in proportion, if their sum exceeds it.
pub fn within(times: StageTimes, wall: Duration) -> StageTimes {
    let factor = excess(times.iter().sum(), wall);
    times.map(|time| time.mul_f64(factor))
}

/// Returns the factor that scales `sum` down to at most `wall`.
fn excess(sum: Duration, wall: Duration) -> f64 {
    if sum > wall { wall.as_secs_f64() / sum.as_secs_f64() } else { 1.0 }
}
