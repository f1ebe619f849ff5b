//! Results for a base and for programs that were tested near it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::compiler::program::{Compiled, Executable, ExecutableInstruction, Instructions, Routine};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::{self, Domain};
use crate::compiler::stage::splice::{RewriteResult, RewriteScratch, Rewriter, Segment, Splice};
use crate::engine::cpu::Base;
use crate::engine::cpu::fuel::{Fuel, FuelEnd, InputSums};
use crate::engine::cpu::pool::{Pool, Worker};
use crate::engine::cpu::visits::CallProfile;
use crate::engine::oracles::Oracle;
use crate::engine::{CandidateChange, TestTotals, Tested};
use crate::lang::index::{EntryId, Index, Indices, RoutineId};
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::set::FunctionSet;
use crate::lang::verdict::Outcome;

/// Limits: bytes of stored texts and code, and number of stored test results.
const BYTES: usize = 32 << 20;
const ENDS: usize = 1 << 18;

/// A test or property, and the numbers of the changed codes that it can reach: at most two,
/// padded with [`NONE_OF`].
pub type CacheKey = (EntryId, [u32; 2]);
pub const NONE_OF: u32 = u32::MAX;

/// The code of a function with a changed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedCode {
    /// See [`Made::Other`].
    Other,
    Invalid,
    /// Its number and its count of tokens.
    Known(u32, usize),
    /// Compiled just now; its count of tokens.
    New(usize),
}

/// A test or property of the base.
pub struct CacheEntry {
    pub domain: Domain,
    pub end: FuelEnd,
    /// The steps of its longest input.
    pub costliest: u32,
    /// For a passing entry: its index among the oracles, and the sums over the inputs before each input.
    pub passes: Option<(u32, Vec<InputSums>)>,
    /// The functions that it can reach.
    pub reach: FunctionSet,
}

/// Distinct code of a function.
pub struct CachedTests {
    pub segment: Arc<Segment>,
    pub calls: Vec<RoutineId>,
}

/// The stored state and results.
pub struct TestCache {
    pub number: u64,
    pub compiled: Arc<Compiled>,
    rewriter: Rewriter,
    pub entries: Vec<CacheEntry>,
    pub visits: Option<CallProfile>,
    /// For each routine, the functions that it can reach, including a function itself.
    pub reach: Vec<FunctionSet>,
    pub kept: Vec<CachedTests>,
    numbers: HashMap<Arc<Segment>, u32>,
    texts: Vec<HashMap<Box<str>, CachedCode>>,
    ends: HashMap<CacheKey, FuelEnd>,
    /// The size of stored texts and code.
    bytes: usize,
}

impl TestCache {
    /// Creates the state for a base without errors. Returns `None` if stopped.
    pub fn new(pool: &Pool, base: &Base, stop: &AtomicBool) -> Option<TestCache> {
        let compiled = base.compiled.clone();
        let program = &compiled.executable;
        let domains = execute::domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
        let reach: Vec<FunctionSet> = reaches(program, compiled.functions());
        let mut oracles = Vec::new();
        let mut entries = Vec::new();
        for ((entry, domain), result) in EntryId::all().zip(domains).zip(&base.entries) {
            let routine = domain.routine;
            let passes = result.outcome == Outcome::Pass;
            let place = oracles.len() as u32;
            if passes {
                let (fuel, steps) = (limits::STEPS, result.steps);
                oracles.push(Oracle { entry, fuel, steps, domain: domain.clone(), unfinished: Vec::new() });
            }
            entries.push(CacheEntry {
                domain,
                end: FuelEnd { outcome: result.outcome, steps: result.steps },
                costliest: result.costliest,
                passes: passes.then(|| (place, Vec::new())),
                reach: reach.get(routine.position()).copied().unwrap_or_default(),
            });
        }
        let number = base.number;
        entries.par_iter_mut().with_max_len(1).for_each(|entry| {
            let CacheEntry { domain, costliest, passes: Some((_, before)), .. } = entry else { return };
            let Worker { mount, .. } = &mut *pool.worker();
            mount.hold(program, number);
            let mut sum = InputSums::default();
            before.push(sum);
            for input in domain.inputs() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let fuel = Fuel { expected: *costliest };
                let record = fuel.run(&mut mount.machine, program, domain, input);
                sum.add(&record);
                before.push(sum);
            }
        });
        let visits = CallProfile::record(pool, (&compiled, number), &oracles, Vec::new(), stop);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let rewriter = Rewriter::new(&compiled);
        let texts = compiled.functions().iter().map(|_| HashMap::new()).collect();
        let (kept, numbers, ends) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut tester = TestCache {
            number,
            compiled,
            rewriter,
            entries,
            visits,
            reach,
            kept,
            numbers,
            texts,
            ends,
            bytes: 0,
        };
        tester.begin();
        Some(tester)
    }

    /// Resets the results to the base's own code, whose numbers are the functions' indices.
    fn begin(&mut self) {
        self.kept.clear();
        self.numbers.clear();
        self.texts.iter_mut().for_each(HashMap::clear);
        self.ends.clear();
        self.bytes = 0;
        let splice = Splice::new(&self.compiled);
        for function in self.compiled.functions() {
            let own = splice.own(&self.compiled, function);
            self.keep(own);
        }
    }

    /// Drops all results except the base's if too many are stored. Must not be called while code numbers are
    /// in use.
    pub fn preallocate_buffers(&mut self) {
        if self.bytes > BYTES || self.ends.len() > ENDS {
            self.begin();
        }
    }

    /// Returns the code of a function's text, if known.
    pub fn code(&self, function: RoutineId, text: &str) -> Option<CachedCode> {
        self.texts.get(function.position())?.get(text).copied()
    }

    /// Compiles a function with a changed text.
    pub fn compile(
        &self,
        function: RoutineId,
        text: &str,
        with: (&mut Compiler, &mut RewriteScratch),
        out: &mut Segment,
    ) -> RewriteResult {
        self.rewriter.segment(&self.compiled, function, text, with, out)
    }

    pub fn tokens(&self) -> usize {
        self.compiled.tokens.kind.len()
    }

    pub fn tokens_of(&self, function: RoutineId) -> usize {
        let head = self.compiled.executable.routine(function).map(Routine::head);
        head.map_or(0, |head| self.compiled.view().extent(head).len() as usize)
    }

    pub fn is_own(&self, number: u32) -> bool {
        number < self.compiled.facts.functions
    }

    /// Returns the number of a function's code and its count of tokens; `None` if the function has errors.
    pub fn number(
        &mut self,
        change: &CandidateChange,
        code: CachedCode,
        segment: Option<Segment>,
    ) -> Option<(u32, usize)> {
        let known = match (code, segment) {
            (CachedCode::Known(number, tokens), _) => return Some((number, tokens)),
            (CachedCode::New(tokens), Some(segment)) => CachedCode::Known(self.keep(segment), tokens),
            _ => CachedCode::Invalid,
        };
        if let Some(texts) = self.texts.get_mut(change.function.position())
            && texts.insert(change.text.into(), known).is_none()
        {
            self.bytes += change.text.len() + size_of::<(Box<str>, CachedCode)>();
        }
        match known {
            CachedCode::Known(number, tokens) => Some((number, tokens)),
            _ => None,
        }
    }

    fn keep(&mut self, segment: Segment) -> u32 {
        if let Some(number) = self.numbers.get(&segment) {
            return *number;
        }
        let calls = Instructions::of(&segment.words).filter(|instruction| instruction.op == Op::Call);
        let calls: Vec<RoutineId> = calls.map(ExecutableInstruction::function).collect();
        self.bytes += (segment.words.len() + calls.len()) * 4 + 2 * size_of::<CachedTests>();
        let (number, segment) = (self.kept.len() as u32, Arc::new(segment));
        self.numbers.insert(segment.clone(), number);
        self.kept.push(CachedTests { segment, calls });
        number
    }

    /// Returns the result of a test with these codes, if known.
    pub fn ended(&self, key: &CacheKey) -> Option<FuelEnd> {
        self.ends.get(key).copied()
    }

    pub fn note(&mut self, ends: impl Iterator<Item = (CacheKey, FuelEnd)>) {
        self.ends.extend(ends);
    }

    /// Returns the size of everything stored, in bytes.
    pub fn bytes(&self) -> u64 {
        let ends = self.ends.capacity() * size_of::<(CacheKey, FuelEnd)>();
        (self.bytes + ends) as u64 + self.visits.as_ref().map_or(0, CallProfile::bytes)
    }

    pub fn base(&self) -> Tested {
        let mut sum = TestTotals::EMPTY;
        self.entries.iter().for_each(|entry| sum.add(entry.end.outcome, entry.end.steps));
        Tested::Ended(sum)
    }
}

/// Returns, for each routine, the functions that it can reach. A function reaches itself.
fn reaches(program: &Executable, functions: Indices<RoutineId>) -> Vec<FunctionSet> {
    let calls: Vec<Vec<RoutineId>> = { program.routines() }
        .map(|routine| {
            let calls = Instructions::of(routine.words()).filter(|instruction| instruction.op == Op::Call);
            calls.map(ExecutableInstruction::function).collect()
        })
        .collect();
    let reach = |routine: RoutineId| {
        let mut set = FunctionSet::default();
        let mut open = calls[routine.position()].clone();
        if functions.contains(routine) {
            set.insert(routine);
        }
        while let Some(function) = open.pop() {
            if !set.contains(function) {
                set.insert(function);
                open.extend(calls.get(function.position()).into_iter().flatten());
            }
        }
        set
    };
    program.routines().map(|routine| reach(routine.id)).collect()
}
