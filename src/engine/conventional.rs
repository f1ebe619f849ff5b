//! The paper's conventional loop (section 6.1, equation 16), to be measured against: one program after the other on
//! one thread, each generated as a text, copied to where it is compiled, compiled from its first character, run, and
//! its result copied back.
//!
//! It uses the same stages and the same machine as the engines, so what differs is the loop alone.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::EntryResult;
use super::oracles::{self, Oracle};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::compiler::variants::Variants;
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

/// What one iteration took: the terms of equation 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub generate: Duration,
    /// There and back.
    pub transfers: Duration,
    pub compile: Duration,
    pub execute: Duration,
}

/// One program through the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    pub terms: Terms,
    /// [`MutantStatus::Invalid`], `Killed`, `Timeout` or `Survived`: the loop does not look for equal bytecode.
    pub verdict: Verdict,
}

/// The loop for one base: its mutants by number.
pub struct Conventional {
    variants: Variants<Arc<Compiled>>,
    oracles: Vec<Oracle>,
    compiler: Compiler,
    machine: Machine,
    /// Where a program is copied to before it is compiled.
    received: String,
}

impl Conventional {
    /// For a compiled base and how its tests ended.
    pub fn new(compiled: Arc<Compiled>, entries: &[EntryResult]) -> Conventional {
        Conventional {
            oracles: oracles::oracles(&compiled, entries),
            variants: Variants::new(compiled),
            compiler: Compiler::default(),
            machine: Machine::default(),
            received: String::new(),
        }
    }

    /// Bytes of the program that went through the loop last.
    pub fn received(&self) -> usize {
        self.received.len()
    }

    /// One mutant through the loop; `None` for a number that is none, and if it has been cancelled. Its transfers are
    /// copies in the host's memory: where a device generates programs, [`super::Engine::transfer`] of
    /// [`Self::received`] takes their place. Where its two changes overlap it is invalid without going further, for no
    /// text has both.
    pub fn iterate(&mut self, id: u32, watch: &dyn Watch) -> Option<Iteration> {
        let started = Instant::now();
        let description = self.variants.describe(id)?;
        if description.overlaps() {
            let terms = Terms { generate: started.elapsed(), ..Terms::default() };
            return Some(Iteration { terms, verdict: INVALID });
        }
        let text = self.variants.source(id)?;
        let generated = Instant::now();
        self.received.clear();
        self.received.push_str(black_box(&text));
        let copied = Instant::now();
        self.compiler.compile(&self.received);
        let compiled = Instant::now();
        let verdict = self.judge(watch)?;
        let executed = Instant::now();
        let back = black_box(verdict);
        let terms = Terms {
            generate: generated - started,
            transfers: (copied - generated) + executed.elapsed(),
            compile: compiled - copied,
            execute: executed - compiled,
        };
        Some(Iteration { terms, verdict: back })
    }

    /// Runs what was compiled last, up to its killer.
    fn judge(&mut self, watch: &dyn Watch) -> Option<Verdict> {
        if !self.compiler.compiles() {
            return Some(INVALID);
        }
        let program = &self.compiler.back.executable;
        oracles::verdict(&self.oracles, &mut self.machine, program, watch)
    }
}

const INVALID: Verdict = Verdict { status: MutantStatus::Invalid, killer: NONE, original: NONE };
