//! Keeps mutants in the order of their ids, over the chunks that an engine judges.
//!
//! Whether a mutant is a duplicate depends on all earlier mutants. An engine that has skipped some, or has
//! seen later ones, first compiles and compares the missing mutants.

use std::time::Instant;

use super::{Chunk, EngineError, MutantResult, Timings};
use crate::compiler::program::Watch;
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::Verdict;

/// Which mutants of its base an engine has compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// One past the last id.
    pub end: MutantId,
    /// Whether some ids below `end` are missing because other engines judged them.
    pub holes: bool,
}

impl Seen {
    /// Adds mutants, which must not be below the end.
    pub fn add(&mut self, ids: Indices<MutantId>) {
        self.holes |= ids.start() > self.end;
        self.end = ids.end();
    }

    /// Whether mutants in this mode continue those judged in order from the first on.
    pub fn continues(&self, ids: Indices<MutantId>, ask: ChunkMode) -> bool {
        ask == ChunkMode::Judge && !self.holes && self.end == ids.start()
    }
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { end: MutantId::FIRST, holes: false }
    }
}

/// The results that a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkMode {
    /// None: mutants are only compiled and compared with each other.
    Compare,
    Judge,
    /// Verdicts and bytecode hashes, for a caller that shares the base among several engines.
    Share,
}

/// Judges mutants of the last base in chunks. [`judge`] and [`part`] keep them in order.
pub trait ChunkJudge {
    /// Returns the known verdicts on the base's first mutants, which were judged in order.
    fn known(&self) -> &[Verdict] {
        &[]
    }

    /// Makes room for mutants with ids below `end` and returns which mutants have been compared with each
    /// other. Making room may require forgetting those.
    ///
    /// # Errors
    /// If the device has no room, or fails.
    fn prepare(&mut self, end: MutantId) -> Result<Seen, EngineError>;

    /// Forgets all compared mutants: the next ones are compared with the base alone.
    ///
    /// # Errors
    /// If the device fails.
    fn forget(&mut self) -> Result<(), EngineError>;

    /// Judges the first mutants of `ids`, as many as suit the engine. [`ChunkJudge::prepare`] must have made
    /// room for `ids`, and they must start at or after [`Seen::end`]. `ask` decides whether the mutants run.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn chunk(
        &mut self,
        ids: Indices<MutantId>,
        ask: ChunkMode,
        watch: &dyn Watch,
    ) -> Result<Chunk, EngineError>;
}

/// Judges mutants in order, as if all before them had been judged.
///
/// # Errors
/// If it is cancelled, or the engine fails.
pub fn judge(
    engine: &mut dyn ChunkJudge,
    ids: Indices<MutantId>,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(MutantResult),
) -> Result<(), EngineError> {
    if ids.is_empty() {
        return Ok(());
    }
    let (started, known) = (Instant::now(), engine.known());
    let known = known.get(ids.start().position()..known.len().min(ids.end().position())).unwrap_or_default();
    let (verdicts, reused) = (known.to_vec(), known.len() as u32);
    let (first, ids) = (ids.start(), ids.split_at(reused).1);
    if reused > 0 {
        let timings = Timings { wall: started.elapsed(), ..Timings::default() };
        sink(MutantResult { first, verdicts, reused, timings });
        if ids.is_empty() {
            return Ok(());
        }
    }
    let Seen { end: mut next, holes } = engine.prepare(ids.end())?;
    if holes || next > ids.start() {
        engine.forget()?;
        next = MutantId::FIRST;
    }
    while next < ids.end() {
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        let wanted = next >= ids.start();
        let limit = if wanted { ids.end() } else { ids.start() };
        let ask = if wanted { ChunkMode::Judge } else { ChunkMode::Compare };
        let Chunk { result, .. } = chunk(engine, Indices::new(next, limit), ask, watch)?;
        next = result.ids().end();
        if wanted {
            sink(result);
        }
    }
    Ok(())
}

/// Judges the first mutants of `ids`, compared only with those of the same calls.
///
/// # Errors
/// As [`judge`].
pub fn part(
    engine: &mut dyn ChunkJudge,
    ids: Indices<MutantId>,
    watch: &dyn Watch,
) -> Result<Chunk, EngineError> {
    if engine.prepare(ids.end())?.end > ids.start() {
        engine.forget()?;
    }
    chunk(engine, ids, ChunkMode::Share, watch)
}

fn chunk(
    engine: &mut dyn ChunkJudge,
    ids: Indices<MutantId>,
    ask: ChunkMode,
    watch: &dyn Watch,
) -> Result<Chunk, EngineError> {
    let count = ids.len() as usize;
    match engine.chunk(ids, ask, watch) {
        // A cancelled chunk is incomplete, so it is judged again with all mutants before it.
        Err(EngineError::Cancelled) => engine.forget().and(Err(EngineError::Cancelled)),
        Ok(chunk) if !(1..=count).contains(&chunk.result.verdicts.len()) => {
            let judged = chunk.result.verdicts.len();
            Err(EngineError::Bug(format!("{judged} verdicts on {count} mutants")))
        }
        judged => judged,
    }
}
