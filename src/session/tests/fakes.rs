//! Engines and devices that judge at once, block or break on request.

use crate::lang::index::{EntryId, Index, Indices, MutantId};
use std::sync::Condvar;

use super::*;

/// An engine that reports every mutant as killed by test 0. It can break, be slow, block, or judge one mutant
/// differently.
#[derive(Default)]
pub struct Fake {
    pub gpu: bool,
    /// Whether the device is hardware.
    pub hardware: bool,
    pub breaks: bool,
    pub slow: bool,
    pub odd: Option<MutantId>,
    /// Reports its tests as failed, or breaks at the first mutant.
    pub wrong: bool,
    pub fragile: bool,
    /// Blocks until it is opened, and does not poll for cancellation.
    pub gate: Option<Arc<Gate>>,
    /// Number of bases judged.
    pub asked: Arc<Mutex<u32>>,
    pub seen: Seen,
}

#[derive(Default)]
pub struct Gate {
    pub open: Mutex<bool>,
    pub opened: Condvar,
}

impl Gate {
    pub fn pass(&self) {
        drop(self.opened.wait_while(self.open.lock().unwrap(), |open| !*open).unwrap());
    }
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

/// Devices with fake engines.
pub struct Fakes {
    pub make: Box<dyn Fn() -> Fake + Send + Sync>,
    pub preferred: bool,
    /// Number of steps to build it, and the processor time of each.
    pub pieces: (u32, Duration),
}

impl Devices for Fakes {
    fn find(&self) -> Result<Found, EngineError> {
        Ok(Found {
            name: "fake device".into(),
            preferred: self.preferred,
            reason: "only software adapters found".into(),
        })
    }
    fn build(
        &self,
        _: Purpose,
        pace: &mut dyn FnMut(BuildProgress) -> bool,
        _: &Reporter,
    ) -> Result<Vec<Box<dyn Engine>>, EngineError> {
        let (of, takes) = self.pieces;
        for done in 0..of {
            if !pace(BuildProgress { done, of }) {
                return Err(EngineError::Cancelled);
            }
            let begin = processor_time();
            while processor_time().saturating_sub(begin) < takes {
                std::hint::spin_loop();
            }
        }
        Ok(vec![Box::new(Fake { gpu: true, ..(self.make)() })])
    }
    fn processor(&self) -> Box<dyn Engine> {
        Box::new(Fake::default())
    }
}

impl Engine for Fake {
    fn kind(&self) -> Kind {
        if self.gpu { Kind::Gpu } else { Kind::Cpu }
    }
    fn describe(&self) -> String {
        format!("fake {:?}", self.kind())
    }
    fn power_source(&self) -> Kind {
        if self.gpu && self.hardware { Kind::Gpu } else { Kind::Cpu }
    }
    fn settings(&self) -> EngineSettings {
        EngineSettings::default()
    }
    fn configure(&mut self, _: EngineSettings) {}
    fn base(&mut self, text: &Arc<str>, _: &dyn Watch) -> Result<BaseResult, EngineError> {
        *self.asked.lock().unwrap() += 1;
        self.seen = Seen::default();
        if self.breaks {
            return Err(DeviceFailure::Lost.because("unplugged"));
        }
        let compiled = crate::compiler::program::Compiled { text: text.clone(), ..Default::default() };
        let entry = EntryResult {
            outcome: if self.wrong { Outcome::Fail } else { Outcome::Pass },
            steps: 1,
            costliest: 1,
            inputs: 1,
            discarded: 0,
            unfinished: 0,
            samples: SAMPLES,
            failing_input: None,
            trap_address: None,
        };
        Ok(BaseResult { compiled: Arc::new(compiled), entries: vec![entry], timings: Timings::default() })
    }
    fn variants(&self) -> MutantCounts {
        MutantCounts { first_order: 100, all: 5050 }
    }
    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }
    fn run(&mut self, _: RoutineId, _: &[u32], _: &dyn Watch) -> Result<RunResult, EngineError> {
        Err(EngineError::Call("not asked for here".into()))
    }
}

impl Abilities for Fake {}

impl ChunkJudge for Fake {
    fn prepare(&mut self, _: MutantId) -> Result<Seen, EngineError> {
        self.gate.iter().for_each(|gate| gate.pass());
        Ok(self.seen)
    }
    fn forget(&mut self) -> Result<(), EngineError> {
        self.seen = Seen::default();
        Ok(())
    }
    fn chunk(&mut self, ids: Indices<MutantId>, _: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        if self.fragile {
            return Err(DeviceFailure::Lost.because("unplugged"));
        }
        if self.slow {
            std::thread::sleep(Duration::from_millis(2));
        }
        let (ids, _) = ids.split_at(1);
        let first = ids.start();
        let killer = Some(EntryId::new(u32::from(self.odd == Some(first))));
        let verdicts = vec![Verdict { killer, ..Verdict::of(MutantStatus::Killed) }];
        self.seen.add(ids);
        Ok(Chunk {
            result: MutantResult { first, verdicts, reused: 0, timings: Timings::default() },
            hashes: vec![],
        })
    }
}
