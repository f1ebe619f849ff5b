//! The CPU engine: the twins on a few threads.
//!
//! Mutants go in chunks of three steps: all threads compile them, one thread sorts out those whose bytecode is known
//! already, all threads run the rest. A chunk is what a newer edit waits for at most.

mod compiler;
pub mod splice;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use rayon::prelude::*;

pub use compiler::Compiler;
use splice::Splice;

use super::{
    BaseResult, Clock, Compiled, Engine, EngineError, EntryResult, Kind, MutantResult, MutantStatus, Outcome,
    RunResult, Stage, Timings, Variants, Verdict,
};
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::lang::{NONE, limits};
use crate::stage::execute::{self, Domain, Machine, Program, Tally};
use crate::stage::judge::{self, Known, Likeness};
use crate::stage::{Bytecode, Routines, mutate};

/// Mutants that a chunk has for each thread.
const CHUNK: usize = 64;

/// Compiles and runs on this machine's cores.
pub struct CpuEngine {
    /// Where no threads could be had, the caller's own does all.
    pool: Option<rayon::ThreadPool>,
    workers: Vec<Mutex<Worker>>,
    slots: Vec<Slot>,
    base: Option<Base>,
    known: Known,
    /// Ids that `known` has seen: all below this one.
    seen: u32,
}

/// What one thread keeps.
#[derive(Default)]
struct Worker {
    compiler: Compiler,
    splice: splice::Scratch,
    machine: Machine,
}

/// The program whose mutants are judged.
struct Base {
    compiled: Arc<Compiled>,
    plan: mutate::Plan,
    splice: Option<Splice>,
    /// The entries that judge: those that pass.
    judges: Vec<Judge>,
}

struct Judge {
    entry: u32,
    fuel: u32,
    domain: Domain,
}

/// One mutant of a chunk.
struct Slot {
    verdict: Verdict,
    code: Bytecode,
    routines: Routines,
    sequence: Vec<u32>,
    hash: [u32; 2],
}

const PENDING: Verdict = Verdict { status: MutantStatus::Pending, killer: NONE, twin: NONE };

impl Default for CpuEngine {
    fn default() -> Self {
        CpuEngine::new()
    }
}

impl CpuEngine {
    /// An engine on as many threads as the machine runs at once.
    pub fn new() -> CpuEngine {
        CpuEngine::with_threads(std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    /// An engine on this many threads.
    pub fn with_threads(threads: usize) -> CpuEngine {
        let name = |i| format!("cpu engine {i}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(name).build().ok();
        let threads = pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads);
        CpuEngine {
            pool,
            workers: (0..threads).map(|_| Mutex::default()).collect(),
            slots: Vec::new(),
            base: None,
            known: Known::default(),
            seen: 0,
        }
    }

    /// Judges the mutants from `first` on, one for each slot. Those that need not be `executed` are compiled and
    /// compared only.
    fn chunk(&mut self, first: u32, count: usize, executed: bool) -> Option<MutantResult> {
        let started = Instant::now();
        let (base, workers) = (self.base.as_ref()?, &self.workers);
        let slots = &mut self.slots[..count];
        on(&self.pool, || {
            slots.par_iter_mut().enumerate().with_max_len(1).for_each(|(i, slot)| {
                compile(base, first + i as u32, slot, &mut worker(workers));
            });
        });
        let judging = Instant::now();
        for (i, slot) in
            slots.iter_mut().enumerate().filter(|(_, slot)| slot.verdict.status == MutantStatus::Pending)
        {
            match self.known.add(first + i as u32, slot.hash, &slot.sequence) {
                Likeness::New => {}
                Likeness::Base => slot.verdict.status = MutantStatus::Equivalent,
                Likeness::Mutant(twin) => {
                    slot.verdict = Verdict { status: MutantStatus::Duplicate, killer: NONE, twin };
                }
            }
        }
        let judged = judging.elapsed();
        if executed {
            on(&self.pool, || {
                let pending = slots.par_iter_mut().with_max_len(1);
                pending.filter(|slot| slot.verdict.status == MutantStatus::Pending).for_each(|slot| {
                    execute(base, slot, &mut worker(workers));
                });
            });
        }
        let mut timings = self.timings(started, count as u32);
        timings.stages[Stage::Judge as usize] += judged;
        let verdicts = self.slots[..count].iter().map(|slot| slot.verdict).collect();
        Some(MutantResult { first, verdicts, timings })
    }

    /// The time of all threads by stage since it was last asked, and that since `started`.
    fn timings(&self, started: Instant, programs: u32) -> Timings {
        let mut timings =
            Timings { wall: started.elapsed(), clock: Clock::Wall, programs, ..Timings::default() };
        for worker in &self.workers {
            let taken = std::mem::take(&mut lock(worker).compiler.times);
            for (sum, time) in timings.stages.iter_mut().zip(taken) {
                *sum += time;
            }
        }
        timings
    }
}

impl Engine for CpuEngine {
    fn kind(&self) -> Kind {
        Kind::Cpu
    }

    fn describe(&self) -> String {
        match self.workers.len() {
            1 => "CPU engine, 1 thread".into(),
            n => format!("CPU engine, {n} threads"),
        }
    }

    fn base(&mut self, text: &Arc<str>) -> Result<BaseResult, EngineError> {
        let started = Instant::now();
        let mut first = lock(&self.workers[0]);
        first.compiler.text(text);
        let compiled = Arc::new(first.compiler.compiled(text));
        drop(first);
        let program = Program { code: &compiled.code, routines: &compiled.routines };
        let functions = compiled.facts.functions;
        let domains = execute::domains(&compiled.facts, &compiled.routines, &compiled.binders, limits::SAMPLES);
        let workers = &self.workers;
        let tallies: Vec<Tally> = on(&self.pool, || {
            let entries = domains.par_iter().enumerate().with_max_len(1);
            let run = |(entry, domain): (usize, &Domain)| {
                let Worker { compiler, machine, .. } = &mut *worker(workers);
                let from = Instant::now();
                machine.load(program);
                let tally = execute::entry(machine, program, functions + entry as u32, domain, limits::STEPS);
                compiler.took(Stage::Execute, from);
                tally
            };
            entries.map(run).collect()
        });

        let mut base = self.base.take().unwrap_or_else(|| Base {
            compiled: compiled.clone(),
            plan: mutate::Plan::default(),
            splice: None,
            judges: Vec::new(),
        });
        base.plan.clear();
        base.judges.clear();
        base.splice = None;
        let from = Instant::now();
        if !compiled.facts.stopped() && compiled.facts.errors == 0 {
            base.plan.build(mutable(&compiled));
            let passing = tallies.iter().zip(domains).enumerate().filter(|(_, (tally, _))| tally.passes());
            base.judges.extend(passing.map(|(entry, (tally, domain))| Judge {
                entry: entry as u32,
                fuel: execute::mutant_fuel(tally.costliest),
                domain,
            }));
        }
        base.compiled = compiled.clone();
        self.base = Some(base);
        self.restart();
        let mutating = from.elapsed();
        let entries = tallies.iter().map(entry_result).collect();
        let mut timings = self.timings(started, 1);
        timings.stages[Stage::Mutate as usize] += mutating;
        Ok(BaseResult { compiled, entries, timings })
    }

    fn compile(&mut self, text: &Arc<str>) -> Result<(Arc<Compiled>, Timings), EngineError> {
        let started = Instant::now();
        let mut first = lock(&self.workers[0]);
        first.compiler.text(text);
        let compiled = Arc::new(first.compiler.compiled(text));
        drop(first);
        self.base = Some(Base {
            compiled: compiled.clone(),
            plan: mutate::Plan::default(),
            splice: None,
            judges: Vec::new(),
        });
        self.restart();
        Ok((compiled, self.timings(started, 1)))
    }

    fn variants(&self) -> Variants {
        let plan = self.base.as_ref().map(|base| &base.plan);
        plan.map_or(Variants::default(), |plan| Variants { first_order: plan.first_order(), all: plan.all() })
    }

    fn mutants(
        &mut self,
        first: u32,
        count: u32,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn FnMut(MutantResult),
    ) -> Result<(), EngineError> {
        let end = first.saturating_add(count).min(self.variants().all);
        let size = CHUNK * self.workers.len();
        self.slots.resize_with(size, || Slot {
            verdict: PENDING,
            code: Bytecode::default(),
            routines: Routines::default(),
            sequence: Vec::new(),
            hash: [0; 2],
        });
        if let Some(base) = self.base.as_mut().filter(|base| base.splice.is_none() && end > 0) {
            base.splice = Some(Splice::new(&base.compiled));
        }
        if first < self.seen {
            self.restart();
        }
        while self.seen < end {
            if cancelled() {
                return Err(EngineError::Cancelled);
            }
            let wanted = self.seen >= first;
            let limit = if wanted { end } else { first };
            let count = size.min((limit - self.seen) as usize);
            let Some(result) = self.chunk(self.seen, count, wanted) else { return Ok(()) };
            self.seen += count as u32;
            if wanted {
                sink(result);
            }
        }
        Ok(())
    }

    fn run(&mut self, function: u32, arguments: &[u32]) -> Result<RunResult, EngineError> {
        let base = self.base.as_ref().filter(|base| function < base.compiled.facts.functions);
        let Some(Base { compiled, .. }) = base else {
            return Err(EngineError::Fault(format!("no function has the number {function}")));
        };
        let program = Program { code: &compiled.code, routines: &compiled.routines };
        let machine = &mut lock(&self.workers[0]).machine;
        machine.load(program);
        for (word, argument) in machine.frame().iter_mut().zip(arguments) {
            *word = *argument;
        }
        let record = machine.run(program, function, limits::STEPS, 1);
        let list = Type(compiled.routines.result[function as usize]).is_list();
        let value = match record.trap {
            Trap::None if list => machine.frame()[..record.value as usize].to_vec(),
            Trap::None => vec![record.value],
            _ => vec![],
        };
        Ok(RunResult { trap: record.trap, trap_address: record.address, steps: record.steps, value })
    }
}

impl CpuEngine {
    /// Forgets all mutants seen; the next ones are compared with the base alone.
    fn restart(&mut self) {
        self.seen = 0;
        let mut sequence = Vec::new();
        if let Some(base) = &self.base {
            judge::sequence(&base.compiled.code, &base.compiled.routines, &mut sequence);
        }
        self.known.start(&sequence);
    }
}

/// What mutate needs of a compiled program.
fn mutable(compiled: &Compiled) -> mutate::Base<'_> {
    mutate::Base { tokens: &compiled.tokens, tree: &compiled.tree, checked: &compiled.checked }
}

/// Makes and compiles a mutant: pending if it compiles, else invalid.
fn compile(base: &Base, id: u32, slot: &mut Slot, worker: &mut Worker) {
    let Worker { compiler, splice: scratch, .. } = worker;
    let from = Instant::now();
    slot.verdict = Verdict { status: MutantStatus::Invalid, ..PENDING };
    let Some(edits) = base.plan.variant(mutable(&base.compiled), id) else { return };
    let Some(splice) = &base.splice else { return };
    compiler.took(Stage::Mutate, from);
    if !splice.compile(&base.compiled, edits, compiler, scratch, &mut slot.code, &mut slot.routines) {
        return;
    }
    let from = Instant::now();
    slot.verdict = PENDING;
    judge::sequence(&slot.code, &slot.routines, &mut slot.sequence);
    slot.hash = judge::hash(&slot.sequence);
    compiler.took(Stage::Judge, from);
}

/// Runs a mutant up to its killer.
fn execute(base: &Base, slot: &mut Slot, worker: &mut Worker) {
    let from = Instant::now();
    let program = Program { code: &slot.code, routines: &slot.routines };
    let functions = base.compiled.facts.functions;
    worker.machine.load(program);
    slot.verdict.status = MutantStatus::Survived;
    for judge in &base.judges {
        let routine = functions + judge.entry;
        let tally = execute::entry(&mut worker.machine, program, routine, &judge.domain, judge.fuel);
        if !tally.passes() {
            let timeout = tally.last.trap == Trap::StepLimit;
            slot.verdict.status = if timeout { MutantStatus::Timeout } else { MutantStatus::Killed };
            slot.verdict.killer = judge.entry;
            break;
        }
    }
    worker.compiler.took(Stage::Execute, from);
}

fn entry_result(tally: &Tally) -> EntryResult {
    let outcome = match tally.last.trap {
        _ if tally.passes() => Outcome::Pass,
        Trap::None => Outcome::Fail,
        trap => Outcome::Trap(trap),
    };
    EntryResult {
        outcome,
        steps: tally.steps,
        costliest: tally.costliest,
        inputs: tally.inputs,
        failing_input: tally.failing_input,
        trap_address: tally.last.address,
    }
}

/// Does work on the pool's threads.
fn on<R: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// What the current thread keeps. Each thread of the pool has its own, so nobody waits.
fn worker(workers: &[Mutex<Worker>]) -> MutexGuard<'_, Worker> {
    let index = rayon::current_thread_index().unwrap_or(0);
    lock(&workers[index % workers.len()])
}

/// A worker holds nothing that a panic elsewhere could have left half done: each use begins anew.
fn lock(worker: &Mutex<Worker>) -> MutexGuard<'_, Worker> {
    worker.lock().unwrap_or_else(PoisonError::into_inner)
}
