//! One of the engines that share the work.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::queue::Queue;
use crate::compiler::program::{Compiled, Watch};
use crate::engine::{BaseResult, Chunk, Engine, EngineError, MutantCounts, Timings};

/// What a stretch should take: several to a keystroke, and few enough to be worth a submission each.
const TARGET: Duration = Duration::from_millis(20);
/// Mutants of a stretch, at first, at least and at most.
const FIRST: u32 = 32;
const SIZE: std::ops::RangeInclusive<u32> = 8..=4096;

/// The program that all members are to hold.
pub struct Held {
    pub number: u64,
    pub text: Arc<str>,
    pub base: BaseResult,
    /// `None` of a program that is only to be looked at.
    pub variants: Option<MutantCounts>,
}

/// An engine, and what is known of it.
pub struct Member {
    pub engine: Box<dyn Engine>,
    /// What its last base took.
    pub base_time: Option<Duration>,
    /// Mutants of the base that it has judged.
    pub judged: u32,
    /// Number of the program that it holds; 0 for none.
    holds: u64,
    /// Mutants of its next stretch.
    size: u32,
}

impl Member {
    pub fn new(engine: Box<dyn Engine>) -> Member {
        Member { engine, base_time: None, judged: 0, holds: 0, size: FIRST }
    }

    /// Compiles a text, runs its tests and holds it under a number.
    pub fn base(&mut self, text: &Arc<str>, number: u64, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.holds = 0;
        let base = self.engine.base(text, watch)?;
        self.base_time = Some(base.timings.wall);
        self.holds = number;
        Ok(base)
    }

    /// Compiles a text and holds it under a number.
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

    /// Holds nothing any more.
    pub fn release(&mut self) {
        self.holds = 0;
    }

    /// Takes over what is held in common, if it has not yet.
    ///
    /// # Errors
    /// Also if it finds anything else in it.
    pub fn take_over(&mut self, held: &Held, watch: &dyn Watch) -> Result<(), EngineError> {
        if self.holds == held.number {
            return Ok(());
        }
        if held.variants.is_none() {
            return self.compile(&held.text, held.number, watch).map(|_| ());
        }
        let found = self.base(&held.text, held.number, watch)?;
        match found.difference_from(&held.base) {
            Some(difference) => {
                Err(EngineError::Differs(format!("{difference}, says {}", self.engine.describe())))
            }
            None => Ok(()),
        }
    }

    /// Judges stretches of the queue until it is empty. Where it cannot go on, its stretch is there again for others.
    pub fn work(
        &mut self,
        held: &Held,
        queue: &Mutex<Queue>,
        stop: &AtomicBool,
        tell: &Sender<Chunk>,
    ) -> Result<(), EngineError> {
        // What is locked is a list of numbers, whole whatever happened elsewhere.
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
                    // The receiver is there as long as the threads are.
                    let _ = tell.send(part);
                }
                Err(error) => {
                    locked().give_back(ids);
                    return Err(error);
                }
            }
        }
    }

    /// The next stretch has as many mutants as fit in the target, and at most twice as many as this one.
    fn adapt(&mut self, judged: u32, taken: Duration) {
        let fitting = judged as f64 * TARGET.as_secs_f64() / taken.as_secs_f64().max(1e-6);
        self.size = (fitting as u32).clamp(self.size / 2, self.size * 2).clamp(*SIZE.start(), *SIZE.end());
    }
}
