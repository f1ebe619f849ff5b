//! What is known of a base, and of programs that were tested beside it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::run::{End, Fuel};
use crate::compiler::program::{Compiled, Executable, Instructions, Routine};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::{self, Domain};
use crate::compiler::stage::splice::{Made, Rewriter, Segment, Splice, Workshop};
use crate::engine::cpu::Base;
use crate::engine::cpu::pool::{Pool, Worker};
use crate::engine::cpu::visits::Visits;
use crate::engine::oracles::Oracle;
use crate::engine::{Change, Sum, Tested};
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::verdict::Outcome;

/// Bytes of texts and code that are kept, and ends of tests.
const BYTES: usize = 32 << 20;
const ENDS: usize = 1 << 18;

/// A test or property, by its index, and the numbers of the changed code that it can reach: two at most, [`NONE_OF`] for none.
pub type Key = (u32, [u32; 2]);
pub const NONE_OF: u32 = u32::MAX;

/// What a function in another writing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// See [`Made::Other`].
    Other,
    Invalid,
    /// It has this number, and so many tokens.
    Known(u32, usize),
    /// It has been compiled now; so many tokens.
    New(usize),
}

/// A set of functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set([u64; limits::FUNCTIONS / 64]);

impl Set {
    pub fn add(&mut self, function: u32) {
        if let Some(word) = self.0.get_mut(function as usize / 64) {
            *word |= 1 << (function % 64);
        }
    }

    pub fn has(&self, function: u32) -> bool {
        self.0.get(function as usize / 64).is_some_and(|word| word >> (function % 64) & 1 == 1)
    }

    pub fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

/// What inputs came to: their steps, and how many of them did not meet the condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    pub steps: u64,
    pub discarded: u32,
}

/// A test or property of the base.
pub struct Entry {
    pub routine: u32,
    pub domain: Domain,
    pub end: End,
    /// Steps of its longest input.
    pub costliest: u32,
    /// Its place among the oracles, and of the inputs before each the steps and how many were discarded; of one that passes.
    pub passes: Option<(u32, Vec<Spent>)>,
    /// The functions that it can reach.
    pub reach: Set,
}

/// Code that a function may have.
pub struct Kept {
    pub segment: Arc<Segment>,
    /// The functions that it calls.
    pub calls: Vec<u32>,
}

/// All that is known.
pub struct Tester {
    /// The number of the base.
    pub number: u64,
    pub compiled: Arc<Compiled>,
    rewriter: Rewriter,
    pub entries: Vec<Entry>,
    pub visits: Option<Visits>,
    /// Of each function those that it reaches, itself included.
    pub reach: Vec<Set>,
    pub kept: Vec<Kept>,
    numbers: HashMap<Arc<Segment>, u32>,
    texts: Vec<HashMap<Box<str>, Code>>,
    ends: HashMap<Key, End>,
    /// Bytes of texts and code.
    bytes: usize,
}

impl Tester {
    /// Of a base without errors. `None` if it was stopped.
    pub fn new(pool: &Pool, base: &Base, stop: &AtomicBool) -> Option<Tester> {
        let compiled = base.compiled.clone();
        let (program, functions) = (&compiled.executable, compiled.facts.functions);
        let domains = execute::domains(&compiled.facts, &program.routines, &compiled.binders, limits::SAMPLES);
        let reach: Vec<Set> = reaches(program, functions);
        let mut oracles = Vec::new();
        let mut entries = Vec::new();
        for ((entry, domain), result) in (0..).zip(domains).zip(&base.entries) {
            let routine = functions + entry;
            let passes = result.outcome == Outcome::Pass;
            let place = oracles.len() as u32;
            if passes {
                let (fuel, steps) = (limits::STEPS, result.steps);
                oracles.push(Oracle { entry, routine, fuel, steps, domain: domain.clone() });
            }
            entries.push(Entry {
                routine,
                domain,
                end: End { outcome: result.outcome, steps: result.steps },
                costliest: result.costliest,
                passes: passes.then(|| (place, Vec::new())),
                reach: reach.get(routine as usize).copied().unwrap_or_default(),
            });
        }
        let number = base.number;
        entries.par_iter_mut().with_max_len(1).for_each(|entry| {
            let Entry { routine, domain, costliest, passes: Some((_, before)), .. } = entry else { return };
            let Worker { mount, .. } = &mut *pool.worker();
            mount.hold(program, number);
            let mut sum = Spent::default();
            before.push(sum);
            for input in 0..domain.inputs() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let fuel = Fuel { expected: *costliest };
                let record = fuel.run(&mut mount.machine, program, *routine, domain, input);
                sum.steps += u64::from(record.steps);
                sum.discarded += u32::from(execute::discards(&record));
                before.push(sum);
            }
        });
        let visits = Visits::record(pool, (program, number), functions, &oracles, stop);
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let rewriter = Rewriter::new(&compiled);
        let texts = (0..functions).map(|_| HashMap::new()).collect();
        let (kept, numbers, ends) = (Vec::new(), HashMap::new(), HashMap::new());
        let mut tester =
            Tester { number, compiled, rewriter, entries, visits, reach, kept, numbers, texts, ends, bytes: 0 };
        tester.begin();
        Some(tester)
    }

    /// Knows the base's own code alone; its numbers are the functions'.
    fn begin(&mut self) {
        self.kept.clear();
        self.numbers.clear();
        self.texts.iter_mut().for_each(HashMap::clear);
        self.ends.clear();
        self.bytes = 0;
        let splice = Splice::new(&self.compiled);
        for function in 0..self.compiled.facts.functions {
            let own = splice.own(&self.compiled, function as usize);
            self.keep(own);
        }
    }

    /// Forgets all but the base where too much is kept. Not while numbers are in use.
    pub fn make_room(&mut self) {
        if self.bytes > BYTES || self.ends.len() > ENDS {
            self.begin();
        }
    }

    /// What a text is as a function, if that is known.
    pub fn code(&self, function: u32, text: &str) -> Option<Code> {
        self.texts.get(function as usize)?.get(text).copied()
    }

    /// Compiles a function in another writing.
    pub fn compile(
        &self,
        function: u32,
        text: &str,
        with: (&mut Compiler, &mut Workshop),
        out: &mut Segment,
    ) -> Made {
        self.rewriter.segment(&self.compiled, function, text, with, out)
    }

    /// Tokens of the base, and of one of its functions.
    pub fn tokens(&self) -> usize {
        self.compiled.tokens.kind.len()
    }

    pub fn tokens_of(&self, function: u32) -> usize {
        let head = self.compiled.executable.routine(function).map_or(0, Routine::head);
        self.compiled.view().extent(head).len()
    }

    pub fn is_own(&self, number: u32) -> bool {
        number < self.compiled.facts.functions
    }

    /// The number of a function's code, and its tokens; `None` where it has errors.
    pub fn number(&mut self, change: &Change, code: Code, segment: Option<Segment>) -> Option<(u32, usize)> {
        let known = match (code, segment) {
            // What was forgotten in between is looked up again.
            (Code::Known(number, tokens), _) => return Some((number, tokens)),
            (Code::New(tokens), Some(segment)) => Code::Known(self.keep(segment), tokens),
            _ => Code::Invalid,
        };
        if let Some(texts) = self.texts.get_mut(change.function as usize)
            && texts.insert(change.text.into(), known).is_none()
        {
            self.bytes += change.text.len() + size_of::<(Box<str>, Code)>();
        }
        match known {
            Code::Known(number, tokens) => Some((number, tokens)),
            _ => None,
        }
    }

    fn keep(&mut self, segment: Segment) -> u32 {
        if let Some(number) = self.numbers.get(&segment) {
            return *number;
        }
        let calls = Instructions::of(&segment.words).filter(|instruction| instruction.op == Op::Call);
        let calls: Vec<u32> = calls.map(|call| call.operand).collect();
        self.bytes += (segment.words.len() + calls.len()) * 4 + 2 * size_of::<Kept>();
        let (number, segment) = (self.kept.len() as u32, Arc::new(segment));
        self.numbers.insert(segment.clone(), number);
        self.kept.push(Kept { segment, calls });
        number
    }

    /// How a test ended with this code, if that was seen.
    pub fn ended(&self, key: &Key) -> Option<End> {
        self.ends.get(key).copied()
    }

    pub fn note(&mut self, ends: impl Iterator<Item = (Key, End)>) {
        self.ends.extend(ends);
    }

    /// The base's own sum.
    pub fn base(&self) -> Tested {
        let mut sum = Sum::EMPTY;
        self.entries.iter().for_each(|entry| sum.add(entry.end.outcome, entry.end.steps));
        Tested::Ended(sum)
    }
}

/// Of each routine the functions that it can reach; of functions themselves, too.
fn reaches(program: &Executable, functions: u32) -> Vec<Set> {
    let calls: Vec<Vec<u32>> = { program.routines() }
        .map(|routine| {
            let calls = Instructions::of(routine.words()).filter(|instruction| instruction.op == Op::Call);
            calls.map(|call| call.operand).collect()
        })
        .collect();
    let reach = |routine: usize| {
        let mut set = Set::default();
        let mut open = calls[routine].clone();
        if routine < functions as usize {
            set.add(routine as u32);
        }
        while let Some(function) = open.pop() {
            if !set.has(function) || function as usize == routine {
                let first = !set.has(function);
                set.add(function);
                if first {
                    open.extend(calls.get(function as usize).into_iter().flatten());
                }
            }
        }
        set
    };
    (0..calls.len()).map(reach).collect()
}
