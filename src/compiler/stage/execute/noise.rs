//! Noise: simulated random faults in the steps of a run. `docs/noise.md` is the specification.
//!
//! The faults of a step depend only on the seed, the test, the repetition and the step number. So all engines
//! simulate the same faults in any order.

use super::machine::{Faults, Machine, Start};
use super::{Domain, holds, mix};
use crate::compiler::program::Executable;
use crate::lang::NONE;
use crate::lang::fault::LangFault;
use crate::lang::index::{Address, EntryId, Index, Indices, InputId, JobId};
use crate::lang::trap::Trap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    pub seed: u32,
    /// A step is struck if its random word is below this number: the fault rate times 2³².
    pub threshold: u32,
    /// Number of runs of each test.
    pub repetitions: u32,
}

impl Noise {
    /// Creates noise with a fault rate from 0 to 1, rounded down to a multiple of 2⁻³².
    pub fn new(rate: f64, repetitions: u32, seed: u32) -> Noise {
        Noise { seed, threshold: (rate.clamp(0.0, 1.0) * 4_294_967_296.0) as u32, repetitions }
    }

    /// Returns the jobs of an entry, one for each repetition.
    pub fn jobs(self, entry: EntryId) -> Indices<JobId> {
        Indices::starting(JobId::new(entry.number() * self.repetitions), self.repetitions)
    }

    /// Returns the entry that a job runs, and the number of the repetition.
    pub fn run(self, job: JobId) -> (EntryId, u32) {
        let repetitions = self.repetitions.max(1);
        (EntryId::new(job.number() / repetitions), job.number() % repetitions)
    }
}

/// Number of faults of a run whose address is recorded.
pub const KEPT: usize = 7;

/// One repetition of a test under noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoisyRun {
    pub end: NoisyEnd,
    pub steps: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub address: Option<Address>,
    /// Number of faults that struck.
    pub faults: u32,
    /// For each of the first [`KEPT`] faults, the address of the instruction, and the kind of fault from bit
    /// 24 on; then `NONE`.
    pub struck: [u32; KEPT],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisyEnd {
    /// Not run, because the test does not pass without noise.
    NotRun,
    /// The test passed, as without noise.
    Held,
    /// The run ended with another value.
    Wrong,
    Trapped(Trap),
}

impl NoisyRun {
    pub const NOT_RUN: NoisyRun =
        NoisyRun { end: NoisyEnd::NotRun, steps: 0, address: None, faults: 0, struck: [NONE; KEPT] };

    /// The recorded faults: kind, and address of the instruction.
    pub fn kept(&self) -> impl Iterator<Item = (LangFault, Address)> + '_ {
        let faults = self.struck.iter().take_while(|word| **word != NONE);
        faults.filter_map(|word| Some((LangFault::from_u32(word >> 24)?, Address::new(word & 0xff_ffff))))
    }
}

/// The key from which a run's faults are derived.
fn key(noise: Noise, entry: EntryId, repetition: u32) -> u32 {
    mix(mix(mix(0x6e6f_6973u32.wrapping_add(noise.seed)).wrapping_add(entry.number())).wrapping_add(repetition))
}

/// Draws and records the faults of one run.
struct Drawn {
    key: u32,
    threshold: u32,
    faults: u32,
    struck: [u32; KEPT],
}

impl Faults for Drawn {
    const ON: bool = true;

    fn at(&mut self, step: u32) -> Option<(LangFault, u32)> {
        let h = mix(self.key.wrapping_add(step));
        if h >= self.threshold {
            return None;
        }
        let g = mix(h.wrapping_add(0x9e37_79b9));
        Some((LangFault::from_u32(g % 3)?, mix(g.wrapping_add(0x85eb_ca6b))))
    }

    fn struck(&mut self, fault: LangFault, address: usize) {
        if let Some(word) = self.struck.get_mut(self.faults as usize) {
            *word = address as u32 | (fault as u32) << 24;
        }
        self.faults += 1;
    }
}

/// Runs a job: one repetition of a test, or of a property on one of its inputs in rotation.
pub fn repetition(
    machine: &mut Machine,
    program: &Executable,
    noise: Noise,
    job: JobId,
    (domain, fuel): (&Domain, u32),
) -> NoisyRun {
    let (entry, repetition) = noise.run(job);
    let routine = domain.routine;
    let frame = program.routines.frame.get(routine.position()).map_or(0, |frame| *frame as usize);
    let memory = machine.frame();
    let end = frame.min(memory.len());
    memory[..end].fill(0);
    if let Some(input) = repetition.checked_rem(domain.inputs().len()) {
        domain.write(InputId::new(input), memory);
    }
    let mut drawn = Drawn {
        key: key(noise, entry, repetition),
        threshold: noise.threshold,
        faults: 0,
        struck: [NONE; KEPT],
    };
    let record = machine.run_with_faults(program, Start { routine, fuel, depth: 0, origin: 0 }, &mut drawn);
    let end = match record.trap {
        Trap::None if holds(&record) => NoisyEnd::Held,
        Trap::None => NoisyEnd::Wrong,
        trap => NoisyEnd::Trapped(trap),
    };
    NoisyRun { end, steps: record.steps, address: record.address, faults: drawn.faults, struck: drawn.struck }
}
