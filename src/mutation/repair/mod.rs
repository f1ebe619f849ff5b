//! Repair: rewrites of a program that make its failing tests and properties pass and break none.
//!
//! The search goes through all rewrites of the functions that failing tests enter, the cheapest and most suspicious first. What
//! mends some of the failing ones is kept, and combined with what mends the others; what only moves a failure on is tried with a
//! second rewrite. Repairs that give the same on many inputs are one, of which the least is shown. (Generate and validate, after
//! Weimer et al., "GenProg", 2009, and Mechtaev et al., "Test-equivalence analysis", 2018.)

mod candidates;
mod found;
mod judge;
mod reference;
mod rewrite;
mod rules;
mod scope;
mod suspicion;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::engine::explain::Value;
use crate::engine::{Engine, EngineError, EntryResult, Kind, Patch, Suite, Validator};
use crate::lang::mutation::Group;
use crate::mutation::behaviour::Behaviour;
use crate::mutation::question::test;
use crate::program::{Compiled, Executable, Watch};
use crate::stage::mutate::Plan;
use candidates::{Collector, MOST};
use found::order;
pub use found::{Change, Question, Repair};
use judge::{Bench, Fate, Ground, Judge};
pub use reference::Reference;
use rewrite::{Rewrite, in_text};
pub use rules::Rule;

/// Candidates of a program that are judged, if nothing else is said.
pub const CANDIDATES: u64 = 200_000;
/// Candidates that are judged between two looks at whether the search is still wanted.
const BATCH: usize = 512;
/// Repairs of some of the failing ones that are combined, of each set of them; rewrites that move a failure; repairs that are kept.
const PARTS: usize = 6;
const MOVED: usize = 48;
const KEPT: usize = 200;
/// What a second rewrite of the same function costs more.
const AGAIN: u32 = 3;
/// Repairs that a question is to tell apart.
const ASKED: usize = 8;
/// Combinations of parts that are tried, incomplete ones that are looked at for them, and what a rewrite costs at least.
const COMBINATIONS: usize = 400;
const TAKEN: usize = 4_000;
const LEAST: u32 = 2;
/// Combinations that are tried before all single rewrites are known.
const EARLY: usize = 64;

/// A candidate: places in the list of rewrites.
pub type Candidate = Vec<u32>;

/// What a search has kept: what mends all; which of the failing ones, as bits, are mended by what; and likewise what moves failures.
pub type Kept<'a> = (&'a [Candidate], &'a [(u64, Candidate)], &'a [(u64, u32)]);

/// What the search does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Single rewrites, from one on.
    First(usize),
    /// Parts combined.
    Combine,
    /// What moves a failure with every other rewrite of its function, from a pair on.
    Second(usize),
    Done,
}

/// A search for repairs of one program.
pub struct Search {
    ground: Ground,
    judge: Judge,
    /// What an engine is asked that validates patches itself; whether one does, and why it does so no more.
    suite: Suite,
    by: Kind,
    instead: Option<EngineError>,
    rewrites: Vec<Rewrite>,
    /// Of each rewrite the function that it is in, and how suspicious its place is.
    places: Vec<(u32, f64)>,
    phase: Phase,
    /// Hashes of bytecode that was judged.
    known: HashSet<[u32; 2]>,
    /// What mends some of the failing ones: which, and by what.
    parts: Vec<(u64, Candidate)>,
    /// What moves failures on: which, and by what.
    moved: Vec<(u64, u32)>,
    behaviour: Behaviour,
    found: Vec<Candidate>,
    /// What combines of the parts that are known, while not all single rewrites are: for who waits for a first repair. And of how many parts
    /// that was sought.
    early: Vec<Candidate>,
    sought: usize,
    searched: u64,
    /// How many of them an engine has validated itself.
    validated: u64,
}

impl Search {
    /// For repairs of a program whose entries ended like that; `None` where there is nothing to repair, or it does not compile, or if
    /// it was stopped.
    pub fn new(base: Arc<Compiled>, results: &[EntryResult], watch: &dyn Watch) -> Option<Search> {
        if base.facts.errors > 0 || base.facts.stopped() {
            return None;
        }
        results.iter().find(|result| result.outcome.fails())?;
        let ground = Ground::new(&base);
        let judge = Judge::new(&base, results, watch)?;
        let suspicion = suspicion::suspicion(&base, results, watch)?;
        let of = |rewrite: &Rewrite| {
            let tokens = rewrite.lo as usize..(rewrite.hi.max(rewrite.lo + 1)) as usize;
            suspicion.get(tokens).unwrap_or_default().iter().copied().fold(0.0, f64::max)
        };
        let (children, mut plan) = (base.view().children(), Plan::default());
        plan.build(base.view(), Group::Repair);
        let mut all: Vec<(Rewrite, u32, f64)> = Vec::new();
        for function in 0..base.facts.functions {
            let extent = base.executable.routine(function).map(|routine| base.view().extent(routine.head()));
            let entered = { extent.iter() }.flat_map(Clone::clone).any(|t| suspicion[t as usize] > 0.0);
            if watch.cancelled() {
                return None;
            }
            let room = MOST.saturating_sub(all.len());
            let collector = Collector::new(&base, &children, function, room).filter(|_| entered);
            let own = extent.map_or(0..0, |extent| plan.of(extent));
            let edits = own.filter_map(|number| Some((number, plan.edit(base.view(), number)?)));
            for rewrite in collector.map_or(Vec::new(), |collector| collector.collect(edits)) {
                let suspicion = of(&rewrite);
                all.push((rewrite, function, suspicion));
            }
        }
        let order = |(rewrite, _, suspicion): &(Rewrite, u32, f64)| (rewrite.rule.cost(), -suspicion);
        all.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        let places = all.iter().map(|(_, function, suspicion)| (*function, *suspicion)).collect();
        Some(Search {
            suite: judge.suite(&ground.base),
            by: Kind::Cpu,
            instead: None,
            behaviour: Behaviour::new(&base),
            rewrites: all.into_iter().map(|(rewrite, ..)| rewrite).collect(),
            judge,
            places,
            phase: Phase::First(0),
            known: HashSet::new(),
            parts: Vec::new(),
            moved: Vec::new(),
            found: Vec::new(),
            early: Vec::new(),
            sought: 0,
            searched: 0,
            validated: 0,
            ground,
        })
    }

    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done
    }

    /// How many repairs have been found; some of them do the same.
    pub fn count(&self) -> usize {
        self.now().len()
    }

    /// Whether these are what the first parts gave, before all single rewrites are known: then there will be others in their place.
    pub fn is_early(&self) -> bool {
        self.found.is_empty() && !self.early.is_empty()
    }

    fn now(&self) -> &[Candidate] {
        if self.found.is_empty() { &self.early } else { &self.found }
    }

    /// How many candidates have been judged.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// How many candidates there are, as far as that is known: what moves a failure is tried with all others.
    pub fn expected(&self) -> usize {
        match self.phase {
            Phase::Second(_) => self.rewrites.len() * (1 + self.moved.len()),
            _ => self.rewrites.len(),
        }
    }

    /// Who has judged the last candidates, and why another one does no more.
    pub fn judged_by(&self) -> (Kind, Option<&EngineError>) {
        (self.by, self.instead.as_ref())
    }

    /// How many candidates an engine has validated itself.
    pub fn validated(&self) -> u64 {
        self.validated
    }

    /// What has been kept.
    pub fn kept(&self) -> Kept<'_> {
        (&self.found, &self.parts, &self.moved)
    }

    /// Goes on for a batch of candidates, on the host's threads. `None` if it was stopped: then the same batch comes again.
    pub fn step(&mut self, watch: &(dyn Watch + Sync)) -> Option<()> {
        self.advance(None, watch).ok()
    }

    /// The same on an engine whose last base the program is, if that validates patches itself; on the host's threads where it fails.
    ///
    /// # Errors
    /// If it is stopped.
    pub fn step_on(&mut self, engine: &mut dyn Engine, watch: &(dyn Watch + Sync)) -> Result<(), EngineError> {
        if let Some(validator) = engine.validator().filter(|_| self.instead.is_none()) {
            self.by = Kind::Gpu;
            match self.advance(Some(validator), watch) {
                Ok(()) => return Ok(()),
                Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
                Err(error) => self.instead = Some(error),
            }
        }
        self.by = Kind::Cpu;
        self.advance(None, watch)
    }

    fn advance(
        &mut self,
        mut validator: Option<&mut dyn Validator>,
        watch: &(dyn Watch + Sync),
    ) -> Result<(), EngineError> {
        let mut judge = |search: &mut Search, batch: Vec<Candidate>| match &mut validator {
            Some(validator) => search.judge(batch, Some(&mut **validator), watch),
            None => search.judge(batch, None, watch),
        };
        match self.phase {
            Phase::Done => {}
            Phase::First(from) => {
                let end = (from + BATCH).min(self.rewrites.len());
                judge(self, (from as u32..end as u32).map(|one| vec![one]).collect())?;
                let all = self.rewrites.len();
                self.phase = if end == all { Phase::Combine } else { Phase::First(end) };
                self.combine_early(watch);
            }
            Phase::Combine => {
                let combined = self.combinations();
                judge(self, combined)?;
                self.early.clear();
                self.phase = if self.found.is_empty() { Phase::Second(0) } else { Phase::Done };
            }
            Phase::Second(from) => {
                let parts = self.parts.len();
                let (batch, next) = self.seconds(from);
                let done = batch.is_empty();
                judge(self, batch)?;
                // What mends a part by two rewrites may go with what mends the others.
                if self.found.is_empty() && self.parts.len() > parts {
                    let combined = self.combinations();
                    judge(self, combined)?;
                }
                self.phase = if done || !self.found.is_empty() { Phase::Done } else { Phase::Second(next) };
            }
        }
        Ok(())
    }

    /// Combines the parts that are known, where they mend all and nothing else does. It counts for nothing in the search itself.
    fn combine_early(&mut self, watch: &(dyn Watch + Sync)) {
        let mended = self.parts.iter().fold(0, |all, (set, _)| all | set);
        if !self.now().is_empty() || mended != self.judge.all() || self.sought == self.parts.len() {
            return;
        }
        let mut combined = self.combinations();
        combined.truncate(EARLY);
        let mends = |bench: &mut Bench, candidate: Candidate| {
            let fate = self.judge.fate(bench, &self.ground, &self.rewrites_of(&candidate), watch).0;
            (fate == Fate::Mends(self.judge.all())).then_some(candidate)
        };
        let whole: Vec<Option<Candidate>> = combined.into_par_iter().map_init(Bench::default, mends).collect();
        if !watch.cancelled() {
            self.early = whole.into_iter().flatten().collect();
            self.sought = self.parts.len();
        }
    }

    /// Judges candidates: a validator those that it can make, all threads together the others.
    fn judge(
        &mut self,
        batch: Vec<Candidate>,
        validator: Option<&mut dyn Validator>,
        watch: &(dyn Watch + Sync),
    ) -> Result<(), EngineError> {
        let (mut fates, mut own) = (vec![None; batch.len()], 0);
        if let Some(validator) = validator {
            let patches: Vec<Patch> = batch.iter().map(|candidate| self.patch(candidate)).collect();
            let validated = validator.validate(&self.suite, &patches, watch)?;
            own = validated.iter().flatten().count() as u64;
            for (fate, validated) in fates.iter_mut().zip(&validated) {
                *fate = validated.as_ref().map(|validated| self.judge.fate_of(validated));
            }
        }
        let Search { ground, judge, rewrites, .. } = self;
        let of = |bench: &mut Bench, (candidate, known): (&Candidate, Option<(Fate, [u32; 2])>)| {
            if watch.cancelled() {
                return (Fate::Useless, [0; 2]);
            }
            known.unwrap_or_else(|| {
                let own: Vec<&Rewrite> = candidate.iter().map(|place| &rewrites[*place as usize]).collect();
                judge.fate(bench, ground, &own, watch)
            })
        };
        let fates: Vec<(Fate, [u32; 2])> = batch.par_iter().zip(fates).map_init(Bench::default, of).collect();
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        self.searched += batch.len() as u64;
        self.validated += own;
        for (candidate, (fate, hash)) in batch.into_iter().zip(fates) {
            if fate != Fate::Useless && self.known.insert(hash) {
                self.keep(candidate, fate);
            }
        }
        Ok(())
    }

    /// A candidate as engines validate it.
    fn patch(&self, candidate: &Candidate) -> Patch<'_> {
        let mut patch: Patch = candidate.iter().map(|place| self.rewrites[*place as usize].hunk()).collect();
        patch.sort_by_key(|hunk| hunk.lo);
        patch
    }

    /// Keeps a candidate that does something, as long as there are few like it.
    fn keep(&mut self, candidate: Candidate, fate: Fate) {
        let all = self.judge.all();
        let parts = |set| self.parts.iter().filter(|(known, _)| *known == set).count();
        match fate {
            Fate::Mends(set) if set == all && self.found.len() < KEPT => self.found.push(candidate),
            Fate::Mends(set) if set != all && parts(set) < PARTS => self.parts.push((set, candidate)),
            Fate::Moved(set) if candidate.len() == 1 => self.moved.push((set, candidate[0])),
            _ => {}
        }
    }

    /// Parts that together mend all, the cheapest first: best first, so that many parts that mend little do not stand before few that
    /// mend much.
    fn combinations(&self) -> Vec<Candidate> {
        let mut parts: Vec<&(u64, Candidate)> = self.parts.iter().collect();
        parts.sort_by_key(|(set, candidate)| (self.cost(candidate), Reverse(set.count_ones())));
        let mut open = BinaryHeap::from([(Reverse(0), 0, Reverse(0), 0, Vec::new())]);
        let (mut whole, mut taken, mut number) = (Vec::new(), 0, 0);
        while let Some((_, _, _, set, candidate)) = open.pop() {
            taken += 1;
            if whole.len() >= COMBINATIONS || taken > TAKEN {
                break;
            }
            if set == self.judge.all() {
                whole.push(candidate);
                continue;
            }
            // The first that is not mended yet.
            let missing = (!set).trailing_zeros();
            for (more, part) in parts.iter().filter(|(more, _)| more >> missing & 1 != 0) {
                let overlap = part.iter().any(|new| {
                    let new = &self.rewrites[*new as usize];
                    candidate.iter().any(|old: &u32| self.rewrites[*old as usize].overlaps(new))
                });
                if !overlap {
                    let (set, candidate) = (set | more, [candidate.clone(), part.clone()].concat());
                    number += 1;
                    // What is not whole takes at least one rewrite more.
                    let rest = if set == self.judge.all() { 0 } else { LEAST };
                    let cost = Reverse(self.cost(&candidate) + rest);
                    open.push((cost, set.count_ones(), Reverse(number), set, candidate));
                }
            }
        }
        whole.sort_by_key(|candidate| self.cost(candidate));
        whole
    }

    /// The next pairs of what moves a failure and another rewrite of its function, and where to go on.
    fn seconds(&self, from: usize) -> (Vec<Candidate>, usize) {
        let count = self.rewrites.len();
        // Of what is mended already none is needed.
        let open = self.judge.all() & !self.parts.iter().fold(0, |all, (set, _)| all | set);
        let moved: Vec<u32> =
            self.moved.iter().filter(|(set, _)| set & open != 0).map(|(_, first)| *first).take(MOVED).collect();
        let (mut batch, mut at) = (Vec::new(), from);
        while batch.len() < BATCH && at < moved.len() * count {
            // Cheap seconds of every first one come before dear seconds of any.
            let (second, first) = (at / moved.len(), moved[at % moved.len()]);
            at += 1;
            let (a, b) = (&self.rewrites[first as usize], &self.rewrites[second]);
            if self.places[first as usize].0 == self.places[second].0 && !a.overlaps(b) {
                batch.push(vec![first, second as u32]);
            }
        }
        (batch, at)
    }

    /// How much a candidate changes: several rewrites of one function are less likely than one that costs as much.
    fn cost(&self, candidate: &Candidate) -> u32 {
        let rewrites: u32 = candidate.iter().map(|place| self.rewrites[*place as usize].rule.cost()).sum();
        let mut functions: Vec<u32> = candidate.iter().map(|place| self.places[*place as usize].0).collect();
        functions.sort_unstable();
        functions.dedup();
        rewrites + AGAIN * (candidate.len() - functions.len()) as u32
    }

    /// The repairs found so far, one of each kind of behaviour, the best first. Fewer if it was stopped.
    pub fn repairs(&mut self, watch: &dyn Watch) -> Vec<Repair> {
        let mut all: Vec<Repair> = self.now().iter().map(|candidate| self.repair(candidate)).collect();
        all.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        let mut bench = Bench::default();
        let mut kinds: Vec<([u32; 2], Repair)> = Vec::new();
        for repair in all {
            if watch.cancelled() {
                break;
            }
            let own = self.rewrites_of(&repair.candidate);
            let Some(program) = bench.compile(&self.ground, &own).cloned() else { continue };
            let kind = self.behaviour.of(&program);
            if let Some((_, best)) = kinds.iter_mut().find(|(known, _)| *known == kind) {
                best.alike += 1;
            } else if !self.says_more_than_it_need(&mut bench, &self.rewrites_of(&repair.candidate)) {
                kinds.push((kind, repair));
            }
        }
        kinds.into_iter().map(|(_, repair)| repair).collect()
    }

    fn rewrites_of(&self, candidate: &Candidate) -> Vec<&Rewrite> {
        candidate.iter().map(|place| &self.rewrites[*place as usize]).collect()
    }

    /// Whether some rewrites do as well without one of them.
    fn says_more_than_it_need(&self, bench: &mut Bench, own: &[&Rewrite]) -> bool {
        own.len() > 1
            && (0..own.len()).any(|left_out| {
                let mut rest = own.to_vec();
                rest.remove(left_out);
                self.judge.fate(bench, &self.ground, &rest, &|| false).0 == Fate::Mends(self.judge.all())
            })
    }

    /// A candidate as people see it.
    fn repair(&self, candidate: &Candidate) -> Repair {
        let change = |rewrite: &Rewrite| {
            let (lo, hi, replacement) = in_text(self.ground.base.view(), rewrite);
            Change { rule: rewrite.rule, lo, hi, replacement }
        };
        let mut changes: Vec<Change> = self.rewrites_of(candidate).into_iter().map(change).collect();
        changes.sort_by_key(|change| change.lo);
        let suspicion = candidate.iter().map(|place| self.places[*place as usize].1).fold(1.0, f64::min);
        let cost = self.cost(candidate);
        Repair { changes, cost, suspicion, alike: 0, candidate: candidate.clone() }
    }

    /// The question that tells the first of some repairs apart best; none where there is one repair, or none differ.
    pub fn question(&mut self, repairs: &[Repair]) -> Option<Question> {
        let Search { ground, rewrites, behaviour, .. } = self;
        let base = &ground.base;
        let mut bench = Bench::default();
        let mut compile = |repair: &Repair| {
            let own: Vec<&Rewrite> =
                { &repair.candidate }.iter().map(|place| &rewrites[*place as usize]).collect();
            bench.compile(ground, &own).cloned()
        };
        let programs: Vec<Executable> = repairs.iter().take(ASKED).filter_map(&mut compile).collect();
        let parting = behaviour.parting(&programs.iter().collect::<Vec<_>>())?;
        let name = base.function_name(parting.function);
        let types = base.program().parameters(parting.function);
        let result = base.executable.routine(parting.function)?.result();
        let arguments: Vec<Value> =
            parting.arguments.iter().zip(&types).map(|(words, ty)| Value::from_words(*ty, words)).collect();
        let mut answers: Vec<(String, Vec<usize>)> = Vec::new();
        for (rank, given) in (1..).zip(&parting.given) {
            let Some(words) = given else { continue };
            let test = test(name, &arguments, &Value::from_words(result, words));
            match answers.iter_mut().find(|(known, _)| *known == test) {
                Some((_, ranks)) => ranks.push(rank),
                None => answers.push((test, vec![rank])),
            }
        }
        let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
        Some(Question { call: format!("{name}({})", arguments.join(", ")), answers })
    }
}
