//! A member of several engines that share the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::queue::Queue;
use crate::compiler::program::{Compiled, Watch};
use crate::engine::{BaseResult, Chunk, Engine, EngineError, MutantCounts, Timings};

/// The target time of a stretch: short enough for several per keystroke, long enough to be worth a
/// submission.
const TARGET: Duration = Duration::from_millis(20);
/// The size of a stretch in mutants: initially, and its bounds.
const FIRST: u32 = 32;
const SIZE: std::ops::RangeInclusive<u32> = 8..=4096;

/// The program that all members must hold.
pub struct SharedProgram {
    pub number: u64,
    pub text: Arc<str>,
    pub base: BaseResult,
    /// `None` if the program was only compiled.
    pub variants: Option<MutantCounts>,
}

/// An engine with its state as a member.
pub struct Member {
    pub engine: Box<dyn Engine>,
    /// The time that its last base took.
    pub base_time: Option<Duration>,
    /// How many mutants of the base it has judged.
    pub judged: u32,
    /// The number of the program that it holds; 0 for none.
    holds: u64,
    /// The size of its next stretch in mutants.
    size: u32,
}

impl Member {
    pub fn new(engine: Box<dyn Engine>) -> Member {
        Member { engine, base_time: None, judged: 0, holds: 0, size: FIRST }
    }

    /// Compiles a text, runs its tests and holds it under this number.
    pub fn base(&mut self, text: &Arc<str>, number: u64, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.holds = 0;
        let base = self.engine.base(text, watch)?;
        self.base_time = Some(base.timings.wall);
        self.holds = number;
        Ok(base)
    }

    /// Compiles a text and holds it under this number.
    pub fn compile(
        &mut self,
        text: &Arc<str>,
        number: u64,
        watch: &dyn Watch,
    ) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.holds = 0;
        let compiled = self.engine.compile(text, watch)?;
        self.holds = number;
        Ok(compiled)
    }

    /// Marks the member as holding no program.
    pub fn release(&mut self) {
        self.holds = 0;
    }

    /// Compiles the common program if the member does not hold it yet.
    ///
    /// # Errors
    /// If the engine fails, or its results differ from the common ones.
    pub fn take_over(&mut self, held: &SharedProgram, watch: &dyn Watch) -> Result<(), EngineError> {
        if self.holds == held.number {
            return Ok(());
        }
        if held.variants.is_none() {
            return self.compile(&held.text, held.number, watch).map(|_| ());
        }
        let found = self.base(&held.text, held.number, watch)?;
        match found.difference_from(&held.base) {
            Some(difference) => {
                Err(EngineError::Differs(format!("{difference} on {}", self.engine.describe())))
            }
            None => Ok(()),
        }
    }

    /// Judges stretches of the queue until it is empty. After an error the stretch is returned to the queue.
    pub fn work(
        &mut self,
        held: &SharedProgram,
        queue: &Mutex<Queue>,
        stop: &AtomicBool,
        tell: &Sender<Chunk>,
    ) -> Result<(), EngineError> {
        // The lock guards a list of ranges, which is valid even after a panic elsewhere.
        let locked = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        self.take_over(held, stop)?;
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(EngineError::Cancelled);
            }
            let Some(ids) = locked().take(self.size) else { return Ok(()) };
            match self.engine.part(ids.start, ids.len() as u32, stop) {
                Ok(part) => {
                    let judged = part.result.verdicts.len() as u32;
                    locked().give_back(ids.start + judged..ids.end);
                    self.judged += judged;
                    self.adapt(judged, part.result.timings.wall);
                    // The receiver outlives the threads.
                    let _ = tell.send(part);
                }
                Err(error) => {
                    locked().give_back(ids);
                    return Err(error);
                }
            }
        }
    }

    /// Sets the size of the next stretch by the target time, at most twice the last one.
    fn adapt(&mut self, judged: u32, taken: Duration) {
        let fitting = judged as f64 * TARGET.as_secs_f64() / taken.as_secs_f64().max(1e-6);
        self.size = (fitting as u32).clamp(self.size / 2, self.size * 2).clamp(*SIZE.start(), *SIZE.end());
    }
}
