//! Engines compile programs, run their tests and judge their mutants.
//!
//! An [`Engine`] works on batches; `session` drives one on its own thread for the workbench. The CPU engine
//! and the GPU engine return equal values, bit for bit, for everything except [`Timings`].
//!
//! An engine implements [`Engine::chunk`], which judges a few mutants. The module `order` keeps mutants in
//! order on top of that, and `multi` divides them among several engines. Abilities that only some engines
//! have are separate traits: [`Sampler`], [`Noisy`], [`RoundTracing`], [`StepTracing`], [`Validator`].

pub mod automatic;
pub mod choose;
pub mod conventional;
pub mod cpu;
pub mod device_cache;
mod difference;
mod error;
pub mod explain;
pub mod extra_inputs;
pub mod gpu;
pub mod measured;
pub mod memory;
pub mod multi;
pub mod news;
mod noisy;
pub mod open;
pub mod oracles;
mod order;
mod results;
pub mod reuse;
mod round_tracing;
mod sampler;
mod step_tracing;
mod tested;
pub mod time_limit;
pub mod timings;
mod validator;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::route::score::{Coefficients, Scored, score_all};
pub use crate::host::measure::Kind;
use crate::lang::index::{Indices, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;
pub use error::EngineError;
use memory::{Memory, NeuralMemory};
pub use noisy::Noisy;
pub use order::{ChunkMode, Seen};
pub use results::{BaseResult, Chunk, EntryResult, MutantCounts, MutantResult, RunResult, Share};
pub use round_tracing::RoundTracing;
pub use sampler::Sampler;
pub use step_tracing::{StepRange, StepTracing, TracedRun};
pub use tested::{Candidate, Change, Sum, Tested};
pub use timings::{Clock, Split, Timings, Transfer};
pub use validator::{EntryRequest, Hunk, Patch, Ran, Suite, Validated, Validator};

/// Compiles programs, runs their tests and judges their mutants. Calls block, so an engine lives on a worker
/// thread and has one caller at a time.
pub trait Engine: Send {
    fn kind(&self) -> Kind;
    /// Returns the name for the status bar: `CPU engine, 2 threads` or the adapter's name.
    fn describe(&self) -> String;

    /// Returns the device whose power the engine draws and whose meter counts. A software adapter draws the
    /// processor's.
    fn power_source(&self) -> Kind {
        self.kind()
    }

    /// Measures the time to copy this many bytes to the device's memory and back. Returns `None` if the engine
    /// works in the host's own memory.
    ///
    /// # Errors
    /// If the device fails.
    fn transfer(&mut self, _bytes: usize) -> Result<Option<Duration>, EngineError> {
        Ok(None)
    }

    /// Sets whether mutants run on every input, including inputs whose outcome is already known. Off by
    /// default; the verdicts are the same either way.
    fn set_exact(&mut self, _exact: bool) {}

    /// Sets the group of operators that make the mutants of later bases. [`Group::default`] applies until the
    /// first call.
    fn set_group(&mut self, group: Group);

    /// Sets the level that bases compiled from now on, and their mutants, are optimized to. The default is
    /// [`OptLevel::Local`].
    fn set_level(&mut self, level: OptLevel);

    /// Sets whether a base starts from the results of the previous base, where they still hold. Off by
    /// default, so that measurements treat every base like the first.
    fn set_reusing(&mut self, _reusing: bool) {}

    /// Returns the verdicts on the first mutants of the range that are known without compiling; `None` if the
    /// first one is not known.
    fn recall(&mut self, _ids: Range<u32>) -> Option<MutantResult> {
        None
    }

    /// Returns the memory held for the last base and its mutants, and for neural compilation once that has
    /// been used.
    fn memory(&self) -> (Memory, Option<NeuralMemory>);

    /// Compiles `text`, runs its tests and keeps it as the base of the mutants judged next. `watch` is polled
    /// every few milliseconds and can cancel the tests.
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError>;

    /// Compiles `text` for inspection or for calls of its functions. Its tests need not run, and it has no
    /// mutants.
    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.base(text, watch).map(|base| (base.compiled, base.timings))
    }

    /// Returns how many mutants the last base has, of first order and of both orders.
    fn variants(&self) -> MutantCounts;

    /// Makes room for mutants with ids below `end` and returns which mutants have been compared with each
    /// other. Making room may require forgetting those.
    ///
    /// # Errors
    /// If the device has no room, or fails.
    fn prepare(&mut self, end: u32) -> Result<Seen, EngineError>;

    /// Forgets all compared mutants: the next ones are compared with the base alone.
    ///
    /// # Errors
    /// If the device fails.
    fn forget(&mut self) -> Result<(), EngineError>;

    /// Judges the first mutants of `ids`, as many as suit the engine. [`Engine::prepare`] must have made room
    /// for `ids`, and they must start at or after [`Seen::end`]. `ask` decides whether the mutants run.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError>;

    /// Judges the mutants `first .. first + count` of the last base (ids as in `crate::compiler::variants`),
    /// clipped to the ids that exist. `watch` is polled between chunks. `sink` receives each finished chunk.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let end = first.saturating_add(count).min(self.variants().all);
        order::judge(self, first..end, watch, sink)
    }

    /// Judges at least one and at most `count` mutants of the last base, from `first` on, for a caller that
    /// divides a base among several engines. `count` is not 0, and the ids exist. Ascending order costs
    /// least.
    ///
    /// # Errors
    /// As [`Engine::mutants`].
    fn part(&mut self, first: u32, count: u32, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        order::part(self, first..first.saturating_add(count), watch)
    }

    /// Returns how many mutants of the last base each device judged; empty if one engine judges all.
    fn shares(&self) -> Vec<Share> {
        vec![]
    }

    /// Runs one function of the last base on argument words, laid out as the start of its frame. A run has at
    /// most [`limits::STEPS`](crate::lang::limits::STEPS) steps. Engines that run in slices poll `watch`
    /// between them.
    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError>;

    /// Whether a program that differs from the last base in a few functions is cheaper to test than an
    /// unrelated one. If so, testing programs does not replace the base.
    fn tests_incrementally(&self) -> bool {
        false
    }

    /// Returns the best batch size for [`Engine::test_all`]: smaller batches take the same time.
    fn at_once(&self) -> usize {
        1
    }

    /// Compiles programs and runs all tests of each. A program's result is `None` if the call was cancelled
    /// before its turn.
    ///
    /// # Errors
    /// If the device fails.
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        tested::one_by_one(self, candidates, watch)
    }

    /// Computes the router's features and scores for some functions of `compiled`, which must be the last
    /// base.
    ///
    /// # Errors
    /// If the device fails.
    fn route(
        &mut self,
        compiled: &Compiled,
        functions: Indices<RoutineId>,
        coefficients: &Coefficients,
    ) -> Result<Vec<Scored>, EngineError> {
        Ok(score_all(compiled, functions, coefficients))
    }

    /// Returns the part of the engine that draws and judges candidates of neural compilation.
    ///
    /// # Errors
    /// If it has none.
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Err(EngineError::Fault(format!("the {} does not sample", self.describe())))
    }

    /// Returns the part of the engine that simulates noise.
    ///
    /// # Errors
    /// If it has none.
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Err(EngineError::Fault(format!("the {} does not simulate noise", self.describe())))
    }

    /// Returns the part of the engine that records the steps of a run; `None` if the host records them.
    fn step_tracing(&mut self) -> Option<&mut dyn StepTracing> {
        None
    }

    /// Returns the part of the engine that validates patches; `None` if the host's threads validate them.
    fn validator(&mut self) -> Option<&mut dyn Validator> {
        None
    }

    /// Returns the part of the engine that reports the rounds of its shaders.
    ///
    /// # Errors
    /// If it has none.
    fn round_tracing(&mut self) -> Result<&mut dyn RoundTracing, EngineError> {
        Err(EngineError::Fault(format!("the {} has no shaders", self.describe())))
    }
}
