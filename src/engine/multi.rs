//! Several engines share each base: devices of one machine, with or without its processor.
//!
//! One member compiles the base and answers. The others compile it on their own threads when the first mutant
//! is requested, and must find the same results. Each then takes a stretch of ids from one [`Queue`], sized
//! by its speed, judges it and takes the next. Verdicts are delivered in the order of ids, so a stretch may
//! wait for a lower one.
//!
//! A verdict may depend on earlier mutants: a mutant with known bytecode is a duplicate. No member has the
//! bytecode of the others, so [`Duplicates`] finds these cases afterwards from the reported hashes. The cost
//! is that a mutant that equals another member's is run unnecessarily, although its verdict is duplicate.
//! This is cheaper than compiling everything on each member: two CPU engines with one thread each judge the
//! samples as fast as one with two threads (`cargo test --test it multi::figures`).
//!
//! A member that fails is excluded, and its stretch goes to another. An error is returned only if no member
//! is left. An idle member takes over a stretch that another is still judging, and the first answer counts, so
//! no member waits for the slowest. Devices may join while others work.

mod duplicates;
mod engine_set;
mod member;
mod members;
mod queue;
mod testing;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use super::memory::{Memory, NeuralMemory};
use super::news::Reporter;
use super::{
    Abilities, BaseResult, Chunk, ChunkJudge, ChunkMode, DeviceFailure, Engine, EngineError, EngineSettings,
    Kind, MutantCounts, MutantResult, Patch, RunResult, Sampler, Seen, Share, StepRange, Suite, Tested,
    TestedCandidate, Timings, TracedRun, Validated,
};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::rounds::Recording;
use crate::compiler::stage::execute::{Noise, NoisyRun, Record};
use crate::lang::index::{Index, Indices, JobId, MutantId, RoutineId};
use duplicates::Duplicates;
pub use engine_set::EngineSet;
use member::{Info, Member, SharedProgram};
use members::Members;
pub use members::Opening;
use queue::Queue;

/// Several engines that work as one.
pub struct MultiEngine {
    members: Members,
    held: Option<Arc<SharedProgram>>,
    /// The number of the last program.
    number: u64,
    /// The duplicates of the current base, once mutants have been requested.
    duplicates: Option<Duplicates>,
    /// How many mutants of the base each member has judged, by its place.
    judged: BTreeMap<usize, u32>,
}

impl MultiEngine {
    /// Creates the shared engine. `news` reports members that fail.
    pub fn new(engines: Vec<Box<dyn Engine>>, news: &Reporter) -> MultiEngine {
        let members = Members::new(engines, news.clone());
        MultiEngine { members, held: None, number: 0, duplicates: None, judged: BTreeMap::new() }
    }

    /// Creates the shared engine from one that begins at once, and devices that `open` opens on a separate thread.
    pub fn with_devices(
        engine: Box<dyn Engine>,
        open: impl FnOnce(Opening) + Send + 'static,
        news: &Reporter,
    ) -> MultiEngine {
        let mut shared = MultiEngine::new(vec![engine], news);
        shared.members.open(open);
        shared
    }

    /// Waits until all devices have been opened, at most for `limit`.
    pub fn complete(&mut self, limit: Duration) {
        self.members.complete(limit);
    }

    /// Sets the program that all members must hold.
    fn hold(&mut self, text: &Arc<str>, base: BaseResult, variants: Option<MutantCounts>) {
        self.held = Some(Arc::new(SharedProgram { number: self.number, text: text.clone(), base, variants }));
        self.duplicates = None;
        self.judged.clear();
    }

    /// Returns the engine of the fastest member, with the common program.
    fn first(&mut self) -> Result<&mut dyn Engine, EngineError> {
        let held = self.held.clone();
        let take_over =
            |member: &mut Member| held.as_ref().map_or(Ok(()), |held| member.take_over(held, &|| false));
        Ok(&mut *self.members.first(Info::by_speed, take_over)?.engine)
    }

    /// Judges mutants on all members, and passes the chunks to `sink` in the order of ids.
    fn share(
        &mut self,
        ids: Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(Chunk),
    ) -> Result<(), EngineError> {
        let Some(held) = self.held.clone().filter(|_| !ids.is_empty()) else { return Ok(()) };
        let mut duplicates = self.duplicates.take().unwrap_or_else(|| Duplicates::new(&held.base.compiled));
        duplicates.advance_to(ids.start(), watch)?;
        // Parts that wait for a lower one, by their first id, with the places of their members.
        let mut waiting: BTreeMap<MutantId, (usize, Chunk)> = BTreeMap::new();
        let (mut next, mut since) = (ids.start(), Instant::now());
        let length = |part: &Chunk| part.result.verdicts.len();
        let settle = |(place, part): (usize, Chunk)| {
            let known = waiting.get(&part.result.first).map_or(0, |(_, known)| length(known));
            if length(&part) > known {
                waiting.insert(part.result.first, (place, part));
            }
            while let Some(entry) = waiting.first_entry().filter(|entry| *entry.key() <= next) {
                let (place, mut part) = entry.remove();
                // Another member may have judged the first ids as well, or all.
                let done = next.position() - part.result.first.position();
                if done >= length(&part) {
                    continue;
                }
                part.result.verdicts.drain(..done);
                part.hashes.drain(..done.min(part.hashes.len()));
                part.result.first = next;
                duplicates.settle(&mut part);
                next = part.result.ids().end();
                *self.judged.entry(place).or_default() += length(&part) as u32;
                // The elapsed time since the previous part, because parts are judged in parallel.
                part.result.timings.wall = std::mem::replace(&mut since, Instant::now()).elapsed();
                sink(part);
            }
            next >= ids.end()
        };
        let queue = Queue::new(ids);
        let taken = queue.clone();
        let work = move |member: &mut Member, stop: &AtomicBool, results: &Sender<(usize, Chunk)>| {
            member.take_over(&held, stop)?;
            member.work(&taken, None, stop, |member, ids| {
                let part = member.engine.part(ids, stop)?;
                let judged = length(&part) as u32;
                // The call may be finished by now.
                let _ = results.send((member.place(), part));
                Ok(judged)
            })
        };
        let shared = self.members.share(&queue, work, watch, settle);
        self.duplicates = Some(duplicates);
        shared
    }
}

fn no_members() -> EngineError {
    DeviceFailure::Lost.because("none of the engines that shared the work is left")
}

impl Engine for MultiEngine {
    fn kind(&self) -> Kind {
        let gpu = self.members.infos().iter().any(|info| info.kind == Kind::Gpu);
        if gpu { Kind::Gpu } else { Kind::Cpu }
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.members.infos().into_iter().map(|info| info.name).collect();
        let lost = match self.members.lost() {
            0 => String::new(),
            n => format!(" ({n} lost)"),
        };
        names.join(" + ") + &lost
    }

    /// A device if one takes part. One device's meter then reports less than the energy of all members.
    fn power_source(&self) -> Kind {
        let gpu = self.members.infos().iter().any(|info| info.power_source == Kind::Gpu);
        if gpu { Kind::Gpu } else { Kind::Cpu }
    }

    fn settings(&self) -> EngineSettings {
        self.members.settings()
    }

    fn configure(&mut self, settings: EngineSettings) {
        self.members.configure(settings);
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.number += 1;
        let number = self.number;
        let work = |member: &mut Member| Ok((member.base(text, number, watch)?, member.engine.variants()));
        let (base, variants) = self.members.on_lead(work)?;
        self.hold(text, base.clone(), Some(variants));
        Ok(base)
    }

    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.number += 1;
        let number = self.number;
        let (compiled, timings) = self.members.on_lead(|member| member.compile(text, number, watch))?;
        let base = BaseResult { compiled: compiled.clone(), entries: vec![], timings };
        self.hold(text, base, None);
        Ok((compiled, timings))
    }

    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        let held = self.held.clone();
        self.members.on_lead(|member| {
            held.as_ref().map_or(Ok(()), |held| member.take_over(held, watch))?;
            member.engine.run(function, arguments, watch)
        })
    }

    fn variants(&self) -> MutantCounts {
        self.held.as_ref().and_then(|held| held.variants).unwrap_or_default()
    }

    fn chunks(&mut self) -> &mut dyn ChunkJudge {
        self
    }

    fn mutants(
        &mut self,
        ids: Indices<MutantId>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        self.share(self.variants().clip(ids), watch, &mut |part| sink(part.result))
    }
}

impl ChunkJudge for MultiEngine {
    fn prepare(&mut self, _: MutantId) -> Result<Seen, EngineError> {
        Ok(Seen { end: self.duplicates.as_ref().map_or(MutantId::FIRST, Duplicates::seen), holes: false })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.duplicates = None;
        Ok(())
    }

    /// A chunk has exactly the requested mutants. The members divide it among themselves.
    fn chunk(&mut self, ids: Indices<MutantId>, _: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        let result =
            MutantResult { first: ids.start(), verdicts: Vec::new(), reused: 0, timings: Timings::default() };
        let mut all = Chunk { result, hashes: Vec::new() };
        self.share(ids, watch, &mut |part| {
            all.result.verdicts.extend(part.result.verdicts);
            all.result.timings += &part.result.timings;
            all.hashes.extend(part.hashes);
        })?;
        Ok(all)
    }
}

impl Abilities for MultiEngine {
    fn tests_incrementally(&self) -> bool {
        self.members.infos().iter().any(|info| info.tests_incrementally)
    }

    fn at_once(&self) -> usize {
        self.members.infos().iter().map(|info| info.at_once).sum()
    }

    fn test_all(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.test_together(candidates, watch)
    }

    /// Returns the sum over the idle members; the neural part is that of the member that samples.
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        let (mut sum, mut neural) = (Memory::default(), None);
        for (memory, own) in self.members.idle().map(|engine| engine.memory()) {
            sum += memory;
            neural = neural.or(own);
        }
        (sum, neural)
    }

    /// Measures the member that samples.
    fn transfer(&mut self, bytes: usize) -> Result<Option<Duration>, EngineError> {
        self.members.first(Info::by_speed, |_| Ok(()))?.engine.transfer(bytes)
    }

    fn shares(&self) -> Vec<Share> {
        let judged = |info: &Info| self.judged.get(&info.place).copied().unwrap_or(0);
        let share = |info: Info| Share { programs: judged(&info), engine: info.name };
        self.members.infos().into_iter().map(share).collect()
    }

    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        self.first()?.sampler()
    }

    fn rounds(&mut self, compiled: &Compiled, watch: &dyn Watch) -> Result<Recording, EngineError> {
        self.members.first(Info::by_shaders, |_| Ok(()))?.engine.rounds(compiled, watch)
    }

    /// Uses one member: a run needs one thread.
    fn trace(
        &mut self,
        run: TracedRun,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Option<Result<Record, EngineError>> {
        self.first().ok()?.trace(run, watch, sink)
    }

    /// If the processor takes part, its threads validate.
    fn validates(&mut self) -> bool {
        let devices = self.members.infos().iter().all(|info| info.kind == Kind::Gpu);
        devices && self.first().is_ok_and(|engine| engine.validates())
    }

    fn validate(
        &mut self,
        suite: &Suite,
        patches: &[Patch],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Validated>>, EngineError> {
        self.first()?.validate(suite, patches, watch)
    }

    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Indices<JobId>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        let held = self.held.clone();
        let mut runs = vec![None; jobs.len() as usize];
        self.spread(&mut runs, jobs, watch, move |member, (queue, stop), done| {
            held.as_ref().map_or(Ok(()), |held| member.take_over(held, stop))?;
            member.work(queue, None, stop, |member, jobs| {
                done(jobs, member.engine.repeat(noise, jobs, stop)?);
                Ok(jobs.len())
            })
        })?;
        runs.into_iter().collect::<Option<_>>().ok_or(EngineError::Cancelled)
    }
}
