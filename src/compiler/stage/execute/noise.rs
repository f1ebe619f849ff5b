//! Noise: faults drawn for the steps of a run. A simulation; the contract is `docs/noise.md`.
//!
//! Whether a step goes wrong, and how, follows from the seed, the test, the repetition and the number of the step
//! alone, so every engine, in any order, sees the same faults.

use super::machine::{Faults, Machine, Start};
use super::{Domain, holds, mix};
use crate::compiler::program::Executable;
use crate::lang::NONE;
use crate::lang::fault::Fault;
use crate::lang::trap::Trap;

/// How runs are disturbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise {
    pub seed: u32,
    /// A step is struck if a random word is below: the rate times 2³².
    pub threshold: u32,
    /// How often each test is run.
    pub repetitions: u32,
}

impl Noise {
    /// With a rate from 0 to 1, to the nearest 2⁻³² below.
    pub fn new(rate: f64, repetitions: u32, seed: u32) -> Noise {
        Noise { seed, threshold: (rate.clamp(0.0, 1.0) * 4_294_967_296.0) as u32, repetitions }
    }
}

/// Faults of one run whose place is kept.
pub const KEPT: usize = 7;

/// One repetition of a test under noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoisyRun {
    pub end: NoisyEnd,
    pub steps: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub address: u32,
    /// Faults that struck.
    pub faults: u32,
    /// Of the first [`KEPT`] the address of the instruction, and the kind of fault from bit 24 on; `NONE` behind them.
    pub struck: [u32; KEPT],
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoisyEnd {
    /// It was not run: without noise the test does not pass.
    NotRun,
    /// As without noise: the test passed.
    Held,
    /// With another value.
    Wrong,
    Trapped(Trap),
}

impl NoisyRun {
    pub const NOT_RUN: NoisyRun =
        NoisyRun { end: NoisyEnd::NotRun, steps: 0, address: NONE, faults: 0, struck: [NONE; KEPT] };

    /// The faults whose place is kept.
    pub fn kept(&self) -> impl Iterator<Item = (Fault, u32)> + '_ {
        let faults = self.struck.iter().take_while(|word| **word != NONE);
        faults.filter_map(|word| Some((Fault::from_u32(word >> 24)?, word & 0xff_ffff)))
    }
}

/// What a run's faults are drawn from.
fn key(noise: Noise, entry: u32, repetition: u32) -> u32 {
    mix(mix(mix(0x6e6f_6973u32.wrapping_add(noise.seed)).wrapping_add(entry)).wrapping_add(repetition))
}

/// The faults of one run.
struct Drawn {
    key: u32,
    threshold: u32,
    faults: u32,
    struck: [u32; KEPT],
}

impl Faults for Drawn {
    const ON: bool = true;

    fn at(&mut self, step: u32) -> Option<(Fault, u32)> {
        let h = mix(self.key.wrapping_add(step));
        if h >= self.threshold {
            return None;
        }
        let g = mix(h.wrapping_add(0x9e37_79b9));
        Some((Fault::from_u32(g % 3)?, mix(g.wrapping_add(0x85eb_ca6b))))
    }

    fn struck(&mut self, fault: Fault, address: usize) {
        if let Some(word) = self.struck.get_mut(self.faults as usize) {
            *word = address as u32 | (fault as u32) << 24;
        }
        self.faults += 1;
    }
}

/// Runs one repetition of a test, or of a property on the input whose turn it is; `entry` is its number among the tests.
pub fn repetition(
    machine: &mut Machine,
    program: &Executable,
    noise: Noise,
    entry: u32,
    repetition: u32,
    (routine, domain, fuel): (u32, &Domain, u32),
) -> NoisyRun {
    let frame = program.routines.frame.get(routine as usize).map_or(0, |frame| *frame as usize);
    let memory = machine.frame();
    let end = frame.min(memory.len());
    memory[..end].fill(0);
    if domain.inputs() > 0 {
        domain.write(repetition % domain.inputs(), memory);
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
