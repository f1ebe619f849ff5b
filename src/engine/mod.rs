//! Engines compile programs, run their tests and judge their mutants.
//!
//! An [`Engine`] works on batches; `session` drives one on its own thread for the workbench. The CPU engine
//! and the GPU engine return equal values, bit for bit, for everything except [`Timings`].
//!
//! [`Engine`] is what every caller needs. Below it, a [`ChunkJudge`] judges a few mutants at once; the module
//! `order` keeps mutants in order on top of that, and `multi` divides them among several engines. [`Abilities`]
//! serve single callers: to test whole programs, to measure, and what only some engines can do.

// A path begins with its room, in every member.
extern crate self as engine;
use {::compiler, ::fill, ::host, ::lang, ::network};

mod abilities;
pub mod automatic;
pub mod choose;
pub mod conventional;
pub mod cpu;
mod difference;
mod error;
pub mod explain;
pub mod extra_inputs;
pub mod gpu;
pub mod leveled;
pub mod lockstep;
pub mod measured;
pub mod memory;
pub mod multi;
pub mod news;
pub mod open;
pub mod oracles;
mod order;
mod patch;
mod results;
pub mod reuse;
mod sampler;
mod settings;
mod tested;
pub mod time_limit;
pub mod timings;
mod traced;

use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
pub use crate::host::measure::Kind;
use crate::lang::index::{Indices, MutantId, RoutineId};
pub use abilities::Abilities;
use error::refuse_whole;
pub use error::{DeviceFailure, EngineError};
use leveled::LeveledBase;
pub use order::{ChunkJudge, ChunkMode, Seen};
pub use patch::{EntryRequest, Hunk, Patch, Ran, Suite, Validated};
pub use results::{BaseResult, Chunk, EntryResult, MutantCounts, MutantResult, RunResult, Share};
pub use sampler::Sampler;
pub use settings::EngineSettings;
pub use tested::{CandidateChange, TestTotals, Tested, TestedCandidate};
pub use timings::{Clock, ProofTimes, Split, Timings, Transfer};
pub use traced::{StepRange, TracedRun};

/// Compiles programs, runs their tests and judges their mutants. Calls block, so an engine lives on a worker
/// thread and has one caller at a time.
pub trait Engine: Abilities + Send {
    fn kind(&self) -> Kind;
    /// Returns the name for the status bar: `CPU engine, 2 threads` or the adapter's name.
    fn describe(&self) -> String;

    /// Returns the device whose power the engine draws and whose meter counts. A software adapter draws the
    /// processor's.
    fn power_source(&self) -> Kind {
        self.kind()
    }

    fn settings(&self) -> EngineSettings;

    /// Sets how later bases are compiled, and how their mutants are judged.
    fn configure(&mut self, settings: EngineSettings);

    /// Compiles `text`, runs its tests and keeps it as the base of the mutants judged next. `watch` is polled
    /// every few milliseconds and can cancel the tests.
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError>;

    /// Like [`Engine::base`], at a level of the engine's choice. `show` receives the results that the user reads,
    /// as soon as they are known; the last one counts. The engine then holds the base at the level of variants.
    ///
    /// # Errors
    /// As [`Engine::base`].
    fn leveled(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
        show: &mut dyn FnMut(&BaseResult),
    ) -> Result<LeveledBase, EngineError> {
        let judged = self.base(text, watch)?;
        show(&judged);
        Ok(LeveledBase::level(judged))
    }

    /// Compiles `text` for inspection or for calls of its functions. Its tests need not run, and it has no
    /// mutants.
    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.base(text, watch).map(|base| (base.compiled, base.timings))
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

    /// Returns how many mutants the last base has, of first order and of both orders.
    fn variants(&self) -> MutantCounts;

    /// Returns the part of the engine that judges mutants in chunks.
    fn chunks(&mut self) -> &mut dyn ChunkJudge;

    /// Judges mutants of the last base, clipped to the ids that exist. `watch` is polled between chunks. `sink`
    /// receives each finished chunk.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn mutants(
        &mut self,
        ids: Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let ids = self.variants().clip(ids);
        order::judge(self.chunks(), ids, watch, sink)
    }

    /// Judges the first mutants of `ids`, at least one, for a caller that divides a base among several
    /// engines. `ids` is not empty, and the ids exist. Ascending order costs least.
    ///
    /// # Errors
    /// As [`Engine::mutants`].
    fn part(&mut self, ids: Indices<MutantId>, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        order::part(self.chunks(), ids, watch)
    }
}
