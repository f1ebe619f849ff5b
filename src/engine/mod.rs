//! Engines: text in, verdicts out.
//!
//! An [`Engine`] compiles and judges batches; `session` drives one on its own thread for the workbench. The CPU and
//! the GPU engine return equal values, bit for bit, for everything but [`Timings`].
//!
//! An engine says how it judges a chunk of mutants. Order and what was left out are seen to above that, in `order`, and
//! sharing among several in `shared`. What not every engine can do are traits of their own: [`Sampler`], [`Noisy`], [`Told`], [`Traced`], [`Validator`].

pub mod automatic;
pub mod choose;
pub mod conventional;
pub mod cpu;
pub mod device_cache;
mod difference;
mod error;
pub mod explain;
pub mod further;
pub mod gpu;
pub mod measured;
pub mod memory;
pub mod news;
mod noisy;
pub mod open;
pub mod oracles;
mod order;
pub mod patience;
mod results;
pub mod reuse;
mod rounds;
mod sampler;
pub mod shared;
mod tested;
pub mod timings;
mod traced;
mod validator;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::route::score::{Coefficients, Scored, score_all};
pub use crate::host::measure::Kind;
use crate::lang::mutation::Group;
pub use error::EngineError;
use memory::{Memory, NeuralMemory};
pub use noisy::Noisy;
pub use order::{Ask, Seen};
pub use results::{BaseResult, Chunk, EntryResult, MutantCounts, MutantResult, RunResult, Share};
pub use rounds::Told;
pub use sampler::Sampler;
pub use tested::{Candidate, Change, Sum, Tested};
pub use timings::{Clock, Split, Timings, Transfer};
pub use traced::{Noted, Stretch, Traced};
pub use validator::{Asked, Hunk, Patch, Ran, Suite, Validated, Validator};

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

    /// Whether mutants run on every input from now on, also where it is known without how they end there. At first they do not; the
    /// verdicts are the same.
    fn set_exact(&mut self, _exact: bool) {}

    /// Whose operators make the mutants of bases from now on. At first those of the default group.
    fn set_group(&mut self, group: Group);

    /// Whether from now on a base begins with what is known of the one before it, where that holds for both. At first none does: who measures wants
    /// every base to be as the first.
    fn set_reusing(&mut self, _reusing: bool) {}

    /// The verdicts on the first of some mutants of the last base, as far as they are known without compiling; `None` where none is.
    fn recall(&mut self, _ids: Range<u32>) -> Option<MutantResult> {
        None
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
    fn variants(&self) -> MutantCounts;

    /// Makes room for mutants with ids below `end`, and says which it has compared with each other; for the room it may have to forget
    /// them.
    ///
    /// # Errors
    /// If the device has no room, or fails.
    fn prepare(&mut self, end: u32) -> Result<Seen, EngineError>;

    /// Forgets all mutants that were compared: the next are compared with the base alone.
    ///
    /// # Errors
    /// If the device fails.
    fn forget(&mut self) -> Result<(), EngineError>;

    /// Judges mutants of the last base: of these ids, for which room was made and which are not below the end of what it has seen,
    /// the first ones, as many as suit it. What is asked for them says whether they are run.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn chunk(&mut self, ids: Range<u32>, ask: Ask, watch: &dyn Watch) -> Result<Chunk, EngineError>;

    /// Judges the mutants `first .. first + count` of the last base (ids as in `crate::compiler::variants`), as far as it has so many.
    /// `watch` is asked between chunks. `sink` receives each chunk as it is done.
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

    /// Judges mutants of the last base from `first` on, at least one and at most `count` (which is not 0 and within the
    /// base's variants), for one who shares a base among several engines. Asked for in ascending order it does least.
    ///
    /// # Errors
    /// As [`Engine::mutants`].
    fn part(&mut self, first: u32, count: u32, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        order::part(self, first..first.saturating_add(count), watch)
    }

    /// Who judged how many mutants of the last base; empty where one does all.
    fn shares(&self) -> Vec<Share> {
        vec![]
    }

    /// Runs one function of the last base on argument words, laid out as the start of its frame. A run is at most
    /// [`limits::STEPS`](crate::lang::limits::STEPS) long; `watch` is asked where the engine works in slices.
    fn run(&mut self, function: u32, arguments: &[u32], watch: &dyn Watch) -> Result<RunResult, EngineError>;

    /// Whether a program that differs from the last base in a few functions takes it less than any other. Then the base stays what it is while
    /// programs are tested.
    fn tests_near(&self) -> bool {
        false
    }

    /// As many programs as [`Engine::test_all`] should be given at once, where there are so many: with fewer it does less in the same time.
    fn at_once(&self) -> usize {
        1
    }

    /// Compiles programs and runs all tests of each. `None` for those that it did not come to, as it was cancelled.
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

    /// The part of the engine that simulates noise.
    ///
    /// # Errors
    /// If it has none.
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Err(EngineError::Fault(format!("the {} does not simulate noise", self.describe())))
    }

    /// The part of the engine that notes the steps of a run; none of one that runs them as the host does.
    fn traced(&mut self) -> Option<&mut dyn Traced> {
        None
    }

    /// The part of the engine that validates patches; none of one that leaves that to the host's threads.
    fn validator(&mut self) -> Option<&mut dyn Validator> {
        None
    }

    /// The part of the engine that tells how its shaders work.
    ///
    /// # Errors
    /// If it has none.
    fn told(&mut self) -> Result<&mut dyn Told, EngineError> {
        Err(EngineError::Fault(format!("the {} has no shaders", self.describe())))
    }
}
