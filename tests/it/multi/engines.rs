//! Engines that misbehave in a known way: they are lost, or block until a test lets them continue.

use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use myriad::compiler::program::Watch;
use myriad::compiler::stage::execute::{Noise, NoisyRun};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{BaseResult, Candidate, Chunk, ChunkMode, Engine, EngineError, Kind, Noisy, Tested};

use super::{cpu, shared};
use crate::common::forward::forward_engine;
use myriad::engine::multi::MultiEngine;

/// An engine that judges a number of parts and is then lost.
pub struct Mortal {
    engine: Box<dyn Engine>,
    parts: u32,
    /// Where it waits for the others before its first part.
    meeting: Option<Arc<Meeting>>,
}

pub fn mortal(parts: u32) -> Box<dyn Engine> {
    Box::new(Mortal { engine: cpu(), parts, meeting: None })
}

/// The number of engines that have not arrived yet.
pub struct Meeting {
    missing: Mutex<usize>,
    all: Condvar,
}

impl Meeting {
    pub fn all_came(&self) -> bool {
        *self.missing.lock().expect("nobody panics here") == 0
    }

    /// Returns once all have arrived, or after an ample time.
    pub fn attend(&self) {
        let mut missing = self.missing.lock().expect("nobody panics here");
        *missing = missing.saturating_sub(1);
        self.all.notify_all();
        let waited = self.all.wait_timeout_while(missing, Duration::from_secs(200), |missing| *missing > 0);
        drop(waited.expect("nobody panics here"));
    }
}

/// Wraps engines so that none judges anything before each has received work. Otherwise one engine might do all
/// work before another's thread has started.
pub fn meeting(engines: Vec<Box<dyn Engine>>) -> (Vec<Box<dyn Engine>>, Arc<Meeting>) {
    let meeting = Arc::new(Meeting { missing: Mutex::new(engines.len()), all: Condvar::new() });
    let mortal = |engine| Box::new(Mortal { engine, parts: u32::MAX, meeting: Some(meeting.clone()) }) as _;
    (engines.into_iter().map(mortal).collect(), meeting.clone())
}

impl Engine for Mortal {
    forward_engine!(engine, run);
    fn kind(&self) -> Kind {
        self.engine.kind()
    }
    fn describe(&self) -> String {
        "mortal engine".into()
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.engine.base(text, watch)
    }
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        match self.parts.checked_sub(1) {
            Some(left) => self.parts = left,
            None => return Err(EngineError::Lost("unplugged".into())),
        }
        match self.meeting.take() {
            Some(meeting) => meeting.attend(),
            // Slow, so that the others have something to do.
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        self.engine.chunk(ids, ask, watch)
    }
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        match self.parts.checked_sub(1) {
            Some(left) => self.parts = left,
            None => return Err(EngineError::Lost("unplugged".into())),
        }
        self.engine.test_all(candidates, watch)
    }
}

/// The kind of call at which a straggler blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Base,
    Chunk,
    Test,
    Repeat,
}

/// A device that blocks in one kind of call until the test opens its gate.
pub struct Straggler {
    engine: CpuEngine,
    at: Call,
    gate: Arc<Gate>,
    /// It meets the other member before it blocks.
    meeting: Arc<Meeting>,
}

/// Blocks calls until it is opened. Counts the calls that have blocked, and those that have continued.
#[derive(Default)]
pub struct Gate {
    state: Mutex<(usize, bool, usize)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().expect("nobody panics here");
        state.0 += 1;
        let mut state = self.changed.wait_while(state, |state| !state.1).expect("nobody panics here");
        state.2 += 1;
        self.changed.notify_all();
    }

    pub fn stopped(&self) -> usize {
        self.state.lock().expect("nobody panics here").0
    }

    /// Lets all calls continue, and waits until they have.
    pub fn open(&self) {
        let mut state = self.state.lock().expect("nobody panics here");
        state.1 = true;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| state.2 < state.0).expect("nobody panics here"));
    }
}

impl Straggler {
    fn come_to(&mut self, call: Call) {
        if call == self.at {
            self.meeting.attend();
            self.gate.pass();
        }
    }
}

impl Engine for Straggler {
    forward_engine!(engine, run);
    fn kind(&self) -> Kind {
        Kind::Gpu
    }
    fn describe(&self) -> String {
        "straggler".into()
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.come_to(Call::Base);
        self.engine.base(text, watch)
    }
    // It ignores cancellation, so that it answers late.
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, _: &dyn Watch) -> Result<Chunk, EngineError> {
        self.come_to(Call::Chunk);
        self.engine.chunk(ids, ask, &|| false)
    }
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        _: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.come_to(Call::Test);
        self.engine.test_all(candidates, &|| false)
    }
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Ok(self)
    }
}

impl Noisy for Straggler {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.come_to(Call::Repeat);
        self.engine.noisy()?.repeat(noise, jobs, watch)
    }
}

/// A processor that begins its first stretch after the straggler has taken one.
pub struct Patient {
    engine: CpuEngine,
    meeting: Option<Arc<Meeting>>,
}

impl Patient {
    fn begin(&mut self) {
        if let Some(meeting) = self.meeting.take() {
            meeting.attend();
        }
    }
}

impl Engine for Patient {
    forward_engine!(engine, run);
    fn kind(&self) -> Kind {
        Kind::Cpu
    }
    fn describe(&self) -> String {
        "processor".into()
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.engine.base(text, watch)
    }
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        self.begin();
        self.engine.chunk(ids, ask, watch)
    }
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.begin();
        self.engine.test_all(candidates, watch)
    }
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Ok(self)
    }
}

impl Noisy for Patient {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.begin();
        self.engine.noisy()?.repeat(noise, jobs, watch)
    }
}

/// Returns a straggler with a processor, and the gate that blocks it.
pub fn with_straggler(at: Call) -> (MultiEngine, Arc<Gate>) {
    let meeting = Arc::new(Meeting { missing: Mutex::new(2), all: Condvar::new() });
    let gate = Arc::new(Gate::default());
    let straggler =
        Straggler { engine: CpuEngine::with_threads(1), at, gate: gate.clone(), meeting: meeting.clone() };
    let patient = Patient { engine: CpuEngine::with_threads(1), meeting: Some(meeting) };
    (shared(vec![Box::new(straggler), Box::new(patient)]), gate)
}
