//! A member of several engines that share the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::queue::Queue;
use crate::compiler::program::{Compiled, Watch};
use crate::engine::{BaseResult, Engine, EngineError, Kind, MutantCounts, Timings};
use crate::lang::index::{Index, Indices};

/// The target time of a stretch: short enough for several per keystroke, long enough to be worth a
/// submission.
const TARGET: Duration = Duration::from_millis(20);
/// The length of a stretch: initially, and its bounds.
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

/// A description of a member, available while the member works.
#[derive(Clone, Debug)]
pub struct Info {
    /// The number of the member, in the order of arrival.
    pub place: usize,
    pub name: String,
    pub kind: Kind,
    pub power_source: Kind,
    pub tests_incrementally: bool,
    pub at_once: usize,
}

impl Info {
    pub fn is_software(&self) -> bool {
        self.kind == Kind::Gpu && self.power_source == Kind::Cpu
    }

    /// The order of members for work that only one does: hardware, the processor, software adapters.
    pub fn by_speed(&self) -> (bool, bool, usize) {
        (self.is_software(), self.kind == Kind::Cpu, self.place)
    }

    /// The order of members for work that needs shaders.
    pub fn by_shaders(&self) -> (bool, bool, usize) {
        (self.kind == Kind::Cpu, self.is_software(), self.place)
    }
}

/// An engine with its state as a member.
pub struct Member {
    pub engine: Box<dyn Engine>,
    place: usize,
    /// The time that its last base took.
    base_time: Option<Duration>,
    /// The number of the program that it holds; 0 for none.
    holds: u64,
    /// The length of its next stretch.
    size: u32,
}

impl Member {
    pub fn new(engine: Box<dyn Engine>, place: usize) -> Member {
        Member { engine, place, base_time: None, holds: 0, size: FIRST }
    }

    pub fn place(&self) -> usize {
        self.place
    }

    pub fn info(&self) -> Info {
        Info {
            place: self.place,
            name: self.engine.describe(),
            kind: self.engine.kind(),
            power_source: self.engine.power_source(),
            tests_incrementally: self.engine.tests_incrementally(),
            at_once: self.engine.at_once(),
        }
    }

    /// The order of members for a base: by the time of their last one. Without one, processors precede devices.
    pub fn readiness(&self) -> (Duration, bool, usize) {
        (self.base_time.unwrap_or(Duration::MAX), self.engine.kind() == Kind::Gpu, self.place)
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

    /// Does stretches of the queue until no work is left. Their length is `length`, or adapts to the time that they
    /// take. `stretch` returns how many of its numbers are done, from the first on; the others return to the queue.
    ///
    /// # Errors
    /// If `stretch` fails or `stop` is set.
    pub fn work<I: Index>(
        &mut self,
        queue: &Queue<I>,
        length: Option<u32>,
        stop: &AtomicBool,
        mut stretch: impl FnMut(&mut Member, Indices<I>) -> Result<u32, EngineError>,
    ) -> Result<(), EngineError> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(EngineError::Cancelled);
            }
            let taken = queue.lock().take(self.place, length.unwrap_or(self.size));
            let Some(taken) = taken else { return Ok(()) };
            let since = Instant::now();
            let result = stretch(self, taken);
            let count = result.as_ref().map_or(0, |count| *count);
            let (done, left) = taken.split_at(count);
            let mut queue = queue.lock();
            queue.give_back(self.place, left);
            queue.finish(done);
            drop(queue);
            result?;
            self.adapt(count, since.elapsed());
        }
    }

    /// Sets the length of the next stretch by the target time, at most twice the last one.
    fn adapt(&mut self, count: u32, taken: Duration) {
        let fitting = f64::from(count) * TARGET.as_secs_f64() / taken.as_secs_f64().max(1e-6);
        self.size = (fitting as u32).clamp(self.size / 2, self.size * 2).clamp(*SIZE.start(), *SIZE.end());
    }
}
