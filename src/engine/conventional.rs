//! The paper's conventional loop (section 6.1, equation 16), as the baseline of measurements. It runs one
//! program after another on one thread. Each program is generated as text, copied, compiled from its first
//! character and run, and its result is copied back.
//!
//! The loop uses the same stages and the same machine as the engines, so only the loop itself differs.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::EntryResult;
use super::oracles::{self, Oracle};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::compiler::variants::Variants;
use crate::lang::index::MutantId;
use crate::lang::verdict::{MutantStatus, Verdict};

/// The times of one iteration: the terms of equation 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConventionalTerms {
    pub generate: Duration,
    /// Both directions together.
    pub transfers: Duration,
    pub compile: Duration,
    pub execute: Duration,
}

/// The result of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    pub terms: ConventionalTerms,
    /// [`MutantStatus::Invalid`], `Killed`, `Timeout` or `Survived`: the loop does not look for equal
    /// bytecode.
    pub verdict: Verdict,
}

/// The loop for one base, whose mutants are numbered.
pub struct Conventional {
    variants: Variants<Arc<Compiled>>,
    oracles: Vec<Oracle>,
    compiler: Compiler,
    machine: Machine,
    /// The buffer that a program is copied to before it is compiled.
    received: String,
}

impl Conventional {
    /// Creates a loop for a compiled base, given the results of its tests.
    pub fn new(compiled: Arc<Compiled>, entries: &[EntryResult]) -> Conventional {
        Conventional {
            oracles: oracles::oracles(&compiled, entries),
            compiler: Compiler::at(compiled.level),
            variants: Variants::new(compiled),
            machine: Machine::default(),
            received: String::new(),
        }
    }

    /// Returns the length in bytes of the last program.
    pub fn received(&self) -> usize {
        self.received.len()
    }

    /// Runs one mutant through the loop. Returns `None` if no mutant has this number or the run was
    /// cancelled. Transfers are copies in the host's memory; if a device generates the programs,
    /// [`super::Engine::transfer`] of [`Self::received`] replaces them. A mutant whose two changes overlap is
    /// invalid at once, because no text contains both.
    pub fn iterate(&mut self, id: MutantId, watch: &dyn Watch) -> Option<Iteration> {
        let started = Instant::now();
        let description = self.variants.describe(id)?;
        if description.overlaps() {
            let terms = ConventionalTerms { generate: started.elapsed(), ..ConventionalTerms::default() };
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
        let terms = ConventionalTerms {
            generate: generated - started,
            transfers: (copied - generated) + executed.elapsed(),
            compile: compiled - copied,
            execute: executed - compiled,
        };
        Some(Iteration { terms, verdict: back })
    }

    /// Runs the program that was compiled last, up to its first failing oracle.
    fn judge(&mut self, watch: &dyn Watch) -> Option<Verdict> {
        if !self.compiler.compiles() {
            return Some(INVALID);
        }
        let program = &self.compiler.back.executable;
        oracles::verdict(&self.oracles, &mut self.machine, program, watch)
    }
}

const INVALID: Verdict = Verdict::of(MutantStatus::Invalid);
