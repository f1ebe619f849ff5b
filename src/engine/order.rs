//! Keeps mutants in the order of their ids, over the chunks that an engine judges.
//!
//! Whether a mutant is a duplicate depends on all earlier mutants. An engine that has skipped some, or has
//! seen later ones, first compiles and compares the missing mutants.

use std::ops::Range;

use super::{Chunk, Engine, EngineError, MutantResult};
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

/// Judges mutants in order, as if all before them had been judged.
///
/// # Errors
/// If it is cancelled, or the engine fails.
pub fn judge<E: Engine + ?Sized>(
    engine: &mut E,
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
pub fn part<E: Engine + ?Sized>(
    engine: &mut E,
    ids: Range<u32>,
    watch: &dyn Watch,
) -> Result<Chunk, EngineError> {
    if engine.prepare(ids.end)?.end > ids.start {
        engine.forget()?;
    }
    chunk(engine, ids, ChunkMode::Share, watch)
}

fn chunk<E: Engine + ?Sized>(
    engine: &mut E,
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
            Err(EngineError::Fault(format!("{judged} verdicts on {count} mutants")))
        }
        judged => judged,
    }
}
