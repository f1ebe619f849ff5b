//! Engines: text in, verdicts out.
//!
//! An [`Engine`] compiles and judges batches; `session` drives one on its own thread for the workbench. The CPU and
//! the GPU engine return equal values, bit for bit, for everything but [`Timings`].

pub mod choose;
pub mod conventional;
pub mod cpu;
mod difference;
pub mod explain;
pub mod gpu;
pub mod judges;
pub mod memory;
pub mod open;
pub mod shared;
pub mod timings;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::lang::trap::Trap;
use crate::lang::verdict::{Outcome, Verdict};
pub use crate::measure::Kind;
use crate::neural::sampling::Sampler;
use crate::program::{Compiled, Watch};
use crate::stage::execute::{Noise, NoisyRun};
use crate::stage::route::score::{Coefficients, Scored, score_all};
use memory::{Memory, NeuralMemory};
pub use timings::{Clock, Split, Timings, Transfer};

/// What running one test or property of the base gave, on any engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryResult {
    pub outcome: Outcome,
    /// Instructions executed; of a property by the inputs up to and including the first failing one.
    pub steps: u64,
    /// Steps of its costliest input: what a mutant's fuel is reckoned from.
    pub costliest: u32,
    /// Inputs run up to and including the first failing one; 1 for a test.
    pub inputs: u32,
    /// Index of the first failing input, or `NONE`.
    pub failing_input: u32,
    /// Address of the instruction that trapped, or `NONE`.
    pub trap_address: u32,
}

/// The base compiled and its tests run.
#[derive(Clone, Debug)]
pub struct BaseResult {
    pub compiled: Arc<Compiled>,
    /// One for each test and property, in source order; empty where the program has errors.
    pub entries: Vec<EntryResult>,
    pub timings: Timings,
}

/// Verdicts on the mutants with ids `first ..`.
#[derive(Clone, Debug)]
pub struct MutantResult {
    pub first: u32,
    pub verdicts: Vec<Verdict>,
    pub timings: Timings,
}

/// Mutants judged by themselves: compared with the base and with what this engine has judged before, but not with
/// mutants that others judge.
#[derive(Clone, Debug)]
pub struct Part {
    pub result: MutantResult,
    /// Of each mutant the hash of its bytecode (`crate::stage::judge::hash`); without meaning where it is invalid.
    pub hashes: Vec<[u32; 2]>,
}

/// What one device of several has done of the mutants of the last base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    pub engine: String,
    /// Mutants judged.
    pub programs: u32,
}

/// Why an engine could not finish. The program under test is never the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineError {
    /// No adapter of the kind asked for.
    NoAdapter(String),
    /// The device went away; the engine is to be built anew.
    Lost(String),
    /// The device refused or broke: out of memory, a validation error, a record of another epoch.
    Fault(String),
    /// Engines that share the work found different things. One of them is wrong, and nobody knows which.
    Differs(String),
    /// The work was called off by a newer revision.
    Cancelled,
}

impl std::fmt::Display for EngineError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            EngineError::NoAdapter(what) => write!(f, "no adapter: {what}"),
            EngineError::Lost(what) => write!(f, "the device was lost: {what}"),
            EngineError::Fault(what) => write!(f, "engine fault: {what}"),
            EngineError::Differs(place) => write!(f, "the engines disagree: {place}"),
            EngineError::Cancelled => f.write_str("called off"),
        }
    }
}

impl std::error::Error for EngineError {}

/// How many mutants a base has. Ids of second order follow those of first order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variants {
    pub first_order: u32,
    /// Both orders together.
    pub all: u32,
}

/// Batches in, verdicts out. One caller at a time; blocking, so it lives on a worker thread.
pub trait Engine: Send {
    fn kind(&self) -> Kind;
    /// For the status bar: `cpu engine, 2 threads` or the adapter's name.
    fn describe(&self) -> String;

    /// The device whose power its work draws, and whose meter counts: a software adapter is the processor's.
    fn powered_by(&self) -> Kind {
        self.kind()
    }

    /// What it takes to bring so many bytes to the device's memory and back, measured now; `None` where it works in the
    /// host's own.
    ///
    /// # Errors
    /// If the device fails.
    fn transfer(&mut self, _bytes: usize) -> Result<Option<Duration>, EngineError> {
        Ok(None)
    }

    /// The memory that it holds for the last base and its mutants, and for neural compilation once that has been used.
    fn memory(&self) -> (Memory, Option<NeuralMemory>);

    /// Compiles `text` and runs its tests; keeps it as the base of the mutants judged next. `watch` is asked every few
    /// milliseconds whether the tests still matter.
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError>;

    /// Compiles `text` to look at it or to call its functions; its tests need not be run, and it has no mutants.
    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.base(text, watch).map(|base| (base.compiled, base.timings))
    }

    /// How many mutants the last base has: of first order, and with those of second order.
    fn variants(&self) -> Variants;

    /// Judges the mutants `first .. first + count` of the last base (ids as in `crate::variants`).
    /// `watch` is asked between chunks. `sink` receives each chunk as it is done.
    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError>;

    /// Judges mutants of the last base from `first` on, at least one and at most `count` (which is not 0 and within the
    /// base's variants), for one who shares a base among several engines. Asked for in ascending order it does least.
    ///
    /// # Errors
    /// As [`Engine::mutants`]; also if the engine does not share.
    fn part(
        &mut self,
        _first: u32,
        _count: u32,
        _watch: &dyn Watch,
    ) -> Result<Part, EngineError> {
        Err(EngineError::Fault(format!("the {} does not share a batch", self.describe())))
    }

    /// Who judged how many mutants of the last base; empty where one does all.
    fn shares(&self) -> Vec<Share> {
        vec![]
    }

    /// Repeats the tests of the last base, whose tests have been run, under noise. Job j is repetition
    /// `j % noise.repetitions` of test `j / noise.repetitions`; those of tests that do not pass are not run.
    fn noise(
        &mut self,
        _noise: Noise,
        _jobs: Range<u32>,
        _watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        Err(EngineError::Fault(format!("the {} does not simulate noise", self.describe())))
    }

    /// Runs one function of the last base on argument words, laid out as the start of its frame. A run is at most
    /// [`limits::STEPS`](crate::lang::limits::STEPS) long; `watch` is asked where the engine works in slices.
    fn run(&mut self, function: u32, arguments: &[u32], watch: &dyn Watch) -> Result<RunResult, EngineError>;

    /// Features and scores of some functions of `compiled`, which must be the last base: what the hybrid's router goes by.
    ///
    /// # Errors
    /// If the device fails.
    fn route(
        &mut self,
        compiled: &Compiled,
        functions: Range<u32>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        Ok(score_all(compiled, functions, coefficients))
    }

    /// The part of the engine that draws and judges candidates of neural compilation.
    ///
    /// # Errors
    /// If it has none.
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Err(EngineError::Fault(format!("the {} does not sample", self.describe())))
    }
}

/// How one call of a function ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunResult {
    pub trap: Trap,
    /// Address of the instruction that trapped, or `NONE`.
    pub trap_address: u32,
    pub steps: u32,
    /// An int or bool as one word; a list as its elements. Empty where it trapped.
    pub value: Vec<u32>,
}
