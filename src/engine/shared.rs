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
//! samples as fast as one with two threads (`cargo test --test it shared::figures`).
//!
//! A member that fails is excluded, and its stretch goes to another. An error is returned only if no member
//! is left.

mod duplicates;
mod engine_set;
mod member;
mod queue;
mod testing;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use super::memory::{Memory, NeuralMemory};
use super::{
    BaseResult, Candidate, Chunk, ChunkMode, Engine, EngineError, Kind, MutantCounts, MutantResult, Noisy,
    RoundTracing, RunResult, Sampler, Seen, Share, StepTracing, Tested, Timings, Validator,
};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{Noise, NoisyRun};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;
use duplicates::Duplicates;
pub use engine_set::EngineSet;
use member::{Member, SharedProgram};
use queue::Queue;

/// The interval at which the caller is polled for cancellation.
const ASK: Duration = Duration::from_millis(2);

/// Several engines that work as one.
pub struct Shared {
    members: Vec<Member>,
    /// The number of members that failed.
    lost: usize,
    held: Option<SharedProgram>,
    /// The number of the last program.
    number: u64,
    /// The duplicates of the current base, once mutants have been requested.
    duplicates: Option<Duplicates>,
}

impl Shared {
    /// Creates the shared engine. The first member samples and, until times are known, compiles the base.
    pub fn new(engines: Vec<Box<dyn Engine>>) -> Shared {
        let members = engines.into_iter().map(Member::new).collect();
        Shared { members, lost: 0, held: None, number: 0, duplicates: None }
    }

    /// Returns the index of the member with the fastest known base compilation.
    fn lead(&self) -> usize {
        let time = |i: &usize| self.members[*i].base_time.unwrap_or(Duration::MAX);
        (0..self.members.len()).min_by_key(time).unwrap_or(0)
    }

    /// Runs work on one member, or on another if it fails. Failed members are excluded, including the last
    /// one.
    fn on_one<T>(
        &mut self,
        choose: impl Fn(&Shared) -> usize,
        work: impl Fn(&mut Member, Option<&SharedProgram>) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        loop {
            let index = choose(self);
            let Some(member) = self.members.get_mut(index) else { return Err(no_members()) };
            match work(member, self.held.as_ref()) {
                Err(error) if error != EngineError::Cancelled => {
                    self.leave_out(index);
                    if self.members.is_empty() {
                        return Err(error);
                    }
                }
                done => return done,
            }
        }
    }

    fn leave_out(&mut self, index: usize) {
        self.members.remove(index);
        self.lost += 1;
    }

    /// Sets the program that all members must hold.
    fn hold(&mut self, text: &Arc<str>, base: BaseResult, variants: Option<MutantCounts>) {
        self.held = Some(SharedProgram { number: self.number, text: text.clone(), base, variants });
        self.duplicates = None;
        self.members.iter_mut().for_each(|member| member.judged = 0);
    }

    /// Runs all members until the queue is empty, and passes their chunks to `settle`. Failed members are
    /// excluded; returns the error of one of them, if any.
    fn judge(
        &mut self,
        queue: &Mutex<Queue>,
        stop: &AtomicBool,
        watch: &dyn Watch,
        mut settle: impl FnMut(Chunk),
    ) -> Result<Option<EngineError>, EngineError> {
        let Some(held) = &self.held else { return Ok(None) };
        let (tell, parts) = mpsc::channel();
        let members = &mut self.members;
        let ended = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for member in members.iter_mut() {
                let tell = tell.clone();
                let work = move || member.work(held, queue, stop, &tell);
                threads.push(std::thread::Builder::new().name("share".into()).spawn_scoped(scope, work));
            }
            drop(tell);
            loop {
                match parts.recv_timeout(ASK) {
                    Ok(part) => settle(part),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                if watch.cancelled() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            threads.into_iter().map(joined).collect::<Vec<Result<(), EngineError>>>()
        });
        self.sort_out(ended)
    }

    /// Excludes the members that ended with an error; returns the first one's error.
    fn sort_out(&mut self, ended: Vec<Result<(), EngineError>>) -> Result<Option<EngineError>, EngineError> {
        let mut failed = None;
        for (index, end) in ended.into_iter().enumerate().rev() {
            match end {
                Ok(()) | Err(EngineError::Cancelled) => {}
                Err(error @ EngineError::Differs(_)) => return Err(error),
                Err(error) => {
                    self.leave_out(index);
                    failed = Some(error);
                }
            }
        }
        Ok(failed)
    }

    /// Judges mutants on all members, and passes the chunks to `sink` in the order of ids.
    fn share(
        &mut self,
        ids: Range<u32>,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(Chunk),
    ) -> Result<(), EngineError> {
        let Some(held) = self.held.as_ref().filter(|_| !ids.is_empty()) else { return Ok(()) };
        let mut duplicates = self.duplicates.take().unwrap_or_else(|| Duplicates::new(&held.base.compiled));
        duplicates.advance_to(ids.start, watch)?;
        let queue = Mutex::new(Queue::new(ids.clone(), self.members.len()));
        let stop = AtomicBool::new(false);
        let mut waiting: BTreeMap<u32, Chunk> = BTreeMap::new();
        let (mut next, mut since) = (ids.start, Instant::now());
        while next < ids.end {
            let failed = self.judge(&queue, &stop, watch, |part| {
                waiting.insert(part.result.first, part);
                while let Some(mut part) = waiting.remove(&next) {
                    duplicates.settle(&mut part);
                    next += part.result.verdicts.len() as u32;
                    // The elapsed time since the previous part, because parts are judged in parallel.
                    part.result.timings.wall = std::mem::replace(&mut since, Instant::now()).elapsed();
                    sink(part);
                }
            })?;
            if stop.load(Ordering::Relaxed) && next < ids.end {
                self.duplicates = Some(duplicates);
                return Err(EngineError::Cancelled);
            }
            if self.members.is_empty() {
                return Err(failed.unwrap_or_else(no_members));
            }
        }
        self.duplicates = Some(duplicates);
        Ok(())
    }
}

/// Waits for a member's thread and returns its result.
fn joined(thread: std::io::Result<ScopedJoinHandle<Result<(), EngineError>>>) -> Result<(), EngineError> {
    match thread {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(error) => Err(EngineError::Fault(format!("no thread could be started: {error}"))),
    }
}

fn no_members() -> EngineError {
    EngineError::Lost("none of the engines that shared the work is left".into())
}

impl Engine for Shared {
    fn kind(&self) -> Kind {
        let gpu = self.members.iter().any(|member| member.engine.kind() == Kind::Gpu);
        if gpu { Kind::Gpu } else { Kind::Cpu }
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.members.iter().map(|member| member.engine.describe()).collect();
        let lost = match self.lost {
            0 => String::new(),
            n => format!(" ({n} lost)"),
        };
        names.join(" + ") + &lost
    }

    fn set_group(&mut self, group: Group) {
        self.members.iter_mut().for_each(|member| member.engine.set_group(group));
    }

    fn set_level(&mut self, level: OptLevel) {
        self.members.iter_mut().for_each(|member| member.engine.set_level(level));
    }

    fn set_reusing(&mut self, reusing: bool) {
        self.members.iter_mut().for_each(|member| member.engine.set_reusing(reusing));
    }

    fn set_exact(&mut self, exact: bool) {
        self.members.iter_mut().for_each(|member| member.engine.set_exact(exact));
    }

    /// A device if one takes part. One device's meter then reports less than the energy of all members.
    fn power_source(&self) -> Kind {
        let gpu = self.members.iter().any(|member| member.engine.power_source() == Kind::Gpu);
        if gpu { Kind::Gpu } else { Kind::Cpu }
    }

    /// Measures the first member, which samples.
    fn transfer(&mut self, bytes: usize) -> Result<Option<Duration>, EngineError> {
        self.on_one(|_| 0, |member, _| member.engine.transfer(bytes))
    }

    /// Returns the sum over the members; the neural part is the first member's.
    fn memory(&self) -> (Memory, Option<NeuralMemory>) {
        let mut sum = Memory::default();
        for member in &self.members {
            sum += member.engine.memory().0;
        }
        (sum, self.members.first().and_then(|member| member.engine.memory().1))
    }

    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.number += 1;
        let number = self.number;
        let work = |member: &mut Member, _: Option<&SharedProgram>| {
            Ok((member.base(text, number, watch)?, member.engine.variants()))
        };
        let (base, variants) = self.on_one(Shared::lead, work)?;
        self.hold(text, base.clone(), Some(variants));
        Ok(base)
    }

    fn compile(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<(Arc<Compiled>, Timings), EngineError> {
        self.number += 1;
        let number = self.number;
        let (compiled, timings) = self.on_one(Shared::lead, |member, _| member.compile(text, number, watch))?;
        let base = BaseResult { compiled: compiled.clone(), entries: vec![], timings };
        self.hold(text, base, None);
        Ok((compiled, timings))
    }

    fn variants(&self) -> MutantCounts {
        self.held.as_ref().and_then(|held| held.variants).unwrap_or_default()
    }

    fn prepare(&mut self, _: u32) -> Result<Seen, EngineError> {
        Ok(Seen { end: self.duplicates.as_ref().map_or(0, Duplicates::seen), holes: false })
    }

    fn forget(&mut self) -> Result<(), EngineError> {
        self.duplicates = None;
        Ok(())
    }

    /// A chunk has as many mutants as requested: each member takes stretches of it.
    fn chunk(&mut self, ids: Range<u32>, _: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        let result =
            MutantResult { first: ids.start, verdicts: Vec::new(), reused: 0, timings: Timings::default() };
        let mut all = Chunk { result, hashes: Vec::new() };
        self.share(ids, watch, &mut |part| {
            all.result.verdicts.extend(part.result.verdicts);
            all.result.timings += &part.result.timings;
            all.hashes.extend(part.hashes);
        })?;
        Ok(all)
    }

    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let end = first.saturating_add(count).min(self.variants().all);
        self.share(first..end, watch, &mut |part| sink(part.result))
    }

    fn shares(&self) -> Vec<Share> {
        let share = |member: &Member| Share { engine: member.engine.describe(), programs: member.judged };
        self.members.iter().map(share).collect()
    }

    fn run(&mut self, function: u32, arguments: &[u32], watch: &dyn Watch) -> Result<RunResult, EngineError> {
        let functions = self.held.as_ref().map_or(0, |held| held.base.compiled.facts.functions);
        if function >= functions {
            return Err(EngineError::Fault(format!("no function has the number {function}")));
        }
        self.on_one(Shared::lead, |member, held| {
            held.map_or(Ok(()), |held| member.take_over(held, watch))?;
            member.engine.run(function, arguments, watch)
        })
    }

    fn tests_incrementally(&self) -> bool {
        self.members.iter().any(|member| member.engine.tests_incrementally())
    }

    fn at_once(&self) -> usize {
        self.members.iter().map(|member| member.engine.at_once()).sum()
    }

    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.test_together(candidates, watch)
    }

    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        self.on_one(|_| 0, |member, held| held.map_or(Ok(()), |held| member.take_over(held, &|| false)))?;
        self.members.first_mut().ok_or_else(no_members)?.engine.sampler()
    }

    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Ok(self)
    }

    /// Uses the first member: a run needs one thread, and later members may be the processor.
    fn traced(&mut self) -> Option<&mut dyn StepTracing> {
        self.on_one(|_| 0, |member, held| held.map_or(Ok(()), |held| member.take_over(held, &|| false)))
            .ok()?;
        self.members.first_mut()?.engine.traced()
    }

    fn validator(&mut self) -> Option<&mut dyn Validator> {
        // If the processor takes part, its threads validate.
        if self.members.iter().any(|member| member.engine.kind() == Kind::Cpu) {
            return None;
        }
        self.on_one(|_| 0, |member, held| held.map_or(Ok(()), |held| member.take_over(held, &|| false)))
            .ok()?;
        self.members.first_mut()?.engine.validator()
    }

    fn told(&mut self) -> Result<&mut dyn RoundTracing, EngineError> {
        self.members.first_mut().ok_or_else(no_members)?.engine.told()
    }
}

impl Noisy for Shared {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.on_one(Shared::lead, |member, held| {
            held.map_or(Ok(()), |held| member.take_over(held, watch))?;
            member.engine.noisy()?.repeat(noise, jobs.clone(), watch)
        })
    }
}
