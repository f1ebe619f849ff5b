//! Keeps mutants in the order of their ids, over the chunks that an engine judges.
//!
//! Whether a mutant is a duplicate depends on all earlier mutants. An engine that has skipped some, or has
//! seen later ones, first compiles and compares the missing mutants.

use std::ops::Range;

use super::{Chunk, EngineError, MutantResult};
use crate::compiler::program::Watch;

/// Which mutants of its base an engine has compared with each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// One past the last id.
    pub end: u32,
    /// Whether some ids below `end` are missing because other engines judged them.
    pub holes: bool,
}

impl Seen {
    /// Adds `count` mutants from `first` on, which must not be below the end.
    pub fn add(&mut self, first: u32, count: u32) {
        self.holes |= first > self.end;
        self.end = first + count;
    }
}

/// The results that a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkMode {
    /// None: mutants are only compiled and compared with each other.
    Compare,
    /// Verdicts.
    Judge,
    /// Verdicts and bytecode hashes, for a caller that shares the base among several engines.
    Share,
}

/// Judges mutants of the last base in chunks. [`judge`] and [`part`] keep them in order.
pub trait ChunkJudge {
    /// Returns the verdicts on the first mutants of the range that are known without compiling; `None` if the
    /// first one is not known.
    fn recall(&mut self, _ids: Range<u32>) -> Option<MutantResult> {
        None
    }

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

    /// Judges the first mutants of `ids`, as many as suit the engine. [`ChunkJudge::prepare`] must have made
    /// room for `ids`, and they must start at or after [`Seen::end`]. `ask` decides whether the mutants run.
    ///
    /// # Errors
    /// If it is cancelled, or the device fails.
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError>;
}

/// Judges mutants in order, as if all before them had been judged.
///
/// # Errors
/// If it is cancelled, or the engine fails.
pub fn judge(
    engine: &mut dyn ChunkJudge,
    ids: Range<u32>,
    watch: &dyn Watch,
    sink: &mut dyn FnMut(MutantResult),
) -> Result<(), EngineError> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut ids = ids;
    if let Some(known) = engine.recall(ids.clone()) {
        ids.start += known.verdicts.len() as u32;
        sink(known);
        if ids.is_empty() {
            return Ok(());
        }
    }
    let Seen { end: mut next, holes } = engine.prepare(ids.end)?;
    if holes || next > ids.start {
        engine.forget()?;
        next = 0;
    }
    while next < ids.end {
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        let wanted = next >= ids.start;
        let limit = if wanted { ids.end } else { ids.start };
        let Chunk { result, .. } =
            chunk(engine, next..limit, if wanted { ChunkMode::Judge } else { ChunkMode::Compare }, watch)?;
        next += result.verdicts.len() as u32;
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
pub fn part(engine: &mut dyn ChunkJudge, ids: Range<u32>, watch: &dyn Watch) -> Result<Chunk, EngineError> {
    if engine.prepare(ids.end)?.end > ids.start {
        engine.forget()?;
    }
    chunk(engine, ids, ChunkMode::Share, watch)
}

fn chunk(
    engine: &mut dyn ChunkJudge,
    ids: Range<u32>,
    ask: ChunkMode,
    watch: &dyn Watch,
) -> Result<Chunk, EngineError> {
    let count = ids.len();
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
