//! Repair: finds rewrites of a program that make its failing tests and properties pass and break none.
//!
//! The search tries the rewrites of the functions that failing tests enter in rounds, cheapest and most suspicious first.
//! It is settled once the rounds that are left cost clearly more than a repair that was found.
//! Rewrites that repair some failures are kept and combined with those that repair the others. If nothing repairs a
//! failure, rewrites that only move it are tried with a second rewrite. Functions whose failures are all repaired are
//! deferred, so that a first repair is found early and cheaper ones follow. Repairs with equal results on many inputs
//! are one repair, of which the smallest is shown. (Generate and validate, after Weimer et al., "GenProg", 2009, and
//! Mechtaev et al., "Test-equivalence analysis", 2018.)

mod candidates;
mod catalogue;
mod changed;
mod compile;
mod filled;
mod filling;
mod found;
mod judge;
mod judging;
mod pairs;
mod parts;
mod ranked;
mod reference;
mod rewrite;
mod rules;
mod scope;
mod settled;
mod suspicion;
mod templates;
mod uses;

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError, EntryResult, Kind, Suite};
use crate::lang::index::{EntryId, Index, RewriteId, RoutineId, TokenId};
use crate::testing::mutation::behaviour::Behaviour;
use catalogue::Catalogue;
use changed::DomainCalls;
use compile::{JudgeBuffers, RepairBase};
use filled::Filled;
use filling::TwoHoles;
pub use filling::{Evidence, FillCounter, FillSearch, FillStep, Grammar};
pub use found::{Change, OtherUse, Repair, RepairQuestion, Unmended, reasons};
use judge::{Fate, Fuel, Judge};
use pairs::Pairs;
use parts::Parts;
pub use reference::Reference;
pub use rules::Rule;
use settled::suspect;
use suspicion::spectrum;

/// The default maximum number of candidates that are judged per program.
pub const CANDIDATES: u64 = 200_000;
/// The number of candidates that are judged between two checks for cancellation.
const BATCH: usize = 512;
/// The maximum number of repairs that a question separates; and of those between which it is chosen, if they fill a `?`.
const ASKED: usize = 8;
const WEIGHED: usize = 24;
/// The maximum number of likes of a repair that are kept, to be proved equal to it.
const LIKES: usize = 16;
/// The maximum number of combinations that are tried before the rewrites are exhausted.
const EARLY: usize = 12;

/// A candidate: indices into the catalogue of rewrites.
pub type RepairCandidate = Vec<RewriteId>;

/// The results that a search keeps: full repairs; partial repairs, each with its failures as bits; and rewrites that
/// move failures, likewise.
pub type RepairKept<'a> = (&'a [RepairCandidate], &'a [(u64, RepairCandidate)], &'a [(u64, RewriteId)]);

/// The next phase of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Expressions for a hole, by size.
    Fill,
    /// Single rewrites from this index on, in functions that an unrepaired failing entry enters.
    First(usize),
    /// Pairs from this number on, while a failure is unrepaired.
    Second(usize),
    /// The deferred single rewrites, from this index on.
    Rest(usize),
    /// Combinations of partial repairs.
    Combine,
    Done,
}

pub struct Search {
    ground: RepairBase,
    judge: Judge,
    /// The test suite for engines that validate patches; the kind of engine that judged the last batch; and the error
    /// that ended an engine's validation.
    suite: Suite,
    by: Kind,
    instead: Option<EngineError>,
    catalogue: Catalogue,
    /// For each function, the failing entries that enter it, as bits.
    entered: Vec<u64>,
    phase: Phase,
    /// The search for what fills the program's hole, if it has one.
    fill: Option<FillSearch>,
    /// The search for what fills two holes.
    two: Option<TwoHoles>,
    /// What fills the holes, while it is judged.
    filled: Option<Filled>,
    /// Single rewrites that were deferred.
    rest: Vec<RewriteId>,
    pairs: Pairs,
    /// Fates by the hash of bytecode. Bytecode that waits to be judged again has the fate `Useless`.
    known: HashSet<([u32; 2], Fate)>,
    /// Candidates that ran out of estimated fuel. They are judged once more with full fuel.
    out_of_fuel: Vec<RepairCandidate>,
    parts: Parts,
    /// Rewrites that move failures, each with these failures as bits.
    moved: Vec<(u64, RewriteId)>,
    behaviour: Behaviour,
    /// Built when there are repairs to rank.
    domain: Option<DomainCalls>,
    found: Vec<RepairCandidate>,
    /// Combinations of the first partial repairs, to show a repair early; and the number of partial repairs that were
    /// combined.
    early: Vec<RepairCandidate>,
    parts_combined: usize,
    searched: u64,
    /// The number of candidates that an engine validated.
    validated: u64,
    /// The most suspicious token of a function.
    suspect: Option<TokenId>,
}

impl Search {
    /// Starts a search for a program with the results of its entries, which may be those of all values of small domains
    /// ([`with_small_domains`](crate::engine::extra_inputs::with_small_domains)). Returns `None` if there is nothing to repair, the
    /// program does not compile, or the work was cancelled. In a program with a `?` only that is filled; `None` if it cannot be.
    pub fn new(base: Arc<Compiled>, results: &[EntryResult], watch: &dyn Watch) -> Option<Search> {
        if !base.facts.compiles() {
            return None;
        }
        results.iter().find(|result| result.outcome.fails())?;
        let ground = RepairBase::new(&base);
        let judge = Judge::new(&base, results, watch)?;
        let spectrum = spectrum(&base, results, watch)?;
        let enters = |function: RoutineId, entry: EntryId| {
            let executed = spectrum.executed.get(entry.position())?.as_ref()?;
            let head = base.executable.routine(function)?.head();
            base.view().extent(head).iter().any(|t| executed.get(t.position()) == Some(&true)).then_some(())
        };
        let bits = |function: RoutineId| {
            let entries = (0..).zip(judge.failing(base.facts));
            entries.filter(|(_, entry)| enters(function, *entry).is_some()).map(|(bit, _)| 1 << bit).sum()
        };
        let fill = FillSearch::new(&base, watch);
        let two = if fill.is_some() { None } else { TwoHoles::new(&base, watch) };
        let (catalogue, phase) = match fill.is_some() || two.is_some() {
            true => (Catalogue::empty(), Phase::Fill),
            false if base.view().holes().next().is_some() => return None,
            false => (Catalogue::new(&base, &spectrum.suspicion, watch)?, Phase::First(0)),
        };
        Some(Search {
            suite: judge.suite(&ground.base),
            by: Kind::Cpu,
            instead: None,
            catalogue,
            entered: base.functions().iter().map(bits).collect(),
            phase,
            fill,
            two,
            filled: None,
            rest: Vec::new(),
            pairs: Pairs::default(),
            known: HashSet::new(),
            out_of_fuel: Vec::new(),
            parts: Parts::default(),
            moved: Vec::new(),
            behaviour: Behaviour::new(&base),
            domain: None,
            found: Vec::new(),
            early: Vec::new(),
            parts_combined: 0,
            searched: 0,
            validated: 0,
            suspect: suspect(&base, &spectrum.suspicion),
            judge,
            ground,
        })
    }

    /// Continues with a reformatted program: the same tokens, whose tests ended as before. Only the positions of
    /// repairs in the text change.
    pub fn rewritten(&mut self, base: &Compiled) {
        self.ground = RepairBase::new(base);
        self.suite = self.judge.suite(&self.ground.base);
    }

    pub fn is_done(&self) -> bool {
        self.phase == Phase::Done && !self.waits_for_full_fuel()
    }

    /// Returns the number of repairs found. Some of them may behave alike.
    pub fn count(&self) -> usize {
        self.now().len()
    }

    /// Returns whether the repairs are early combinations, which will be replaced when the search completes.
    pub fn is_early(&self) -> bool {
        self.found.is_empty() && !self.early.is_empty()
    }

    fn now(&self) -> &[RepairCandidate] {
        if self.found.is_empty() { &self.early } else { &self.found }
    }

    /// Returns the number of candidates judged so far.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// Returns an upper bound on the number of candidates, as known so far.
    pub fn expected(&self) -> usize {
        let all = self.catalogue.len();
        match self.phase {
            Phase::First(_) => all,
            Phase::Second(_) => all + self.pairs.len(),
            Phase::Rest(from) => self.searched as usize + self.rest.len() - from,
            Phase::Fill | Phase::Combine | Phase::Done => self.searched as usize,
        }
    }

    /// Returns the kind of engine that judged the last batch, and the error that ended the use of another engine.
    pub fn judged_by(&self) -> (Kind, Option<&EngineError>) {
        (self.by, self.instead.as_ref().or(self.fill.as_ref().and_then(FillSearch::failure)))
    }

    /// Returns the search for what fills the program's hole, or the first of two, if it has one.
    pub fn fill(&self) -> Option<&FillSearch> {
        self.fill.as_ref().or(self.two.as_ref().map(TwoHoles::first))
    }

    /// Restricts the expressions for the program's hole. The search for them begins again.
    pub fn restrict_fill(&mut self, grammar: Grammar) {
        if let Some(fill) = &mut self.fill {
            fill.restrict(grammar);
        }
    }

    /// Returns the number of candidates that an engine validated.
    pub fn validated(&self) -> u64 {
        self.validated
    }

    /// Returns the results kept so far.
    pub fn kept(&self) -> RepairKept<'_> {
        (&self.found, self.parts.as_slice(), &self.moved)
    }

    /// Judges one batch of candidates on the host's threads. Returns `None` if the work was cancelled; the same batch
    /// is then repeated.
    pub fn step(&mut self, watch: &(dyn Watch + Sync)) -> Option<()> {
        self.advance(None, watch).ok()
    }

    /// Judges one batch on an engine whose last base is the program, if the engine validates patches. Falls back to the
    /// host's threads if the engine fails.
    ///
    /// # Errors
    /// If the work is cancelled.
    pub fn step_on(&mut self, engine: &mut dyn Engine, watch: &(dyn Watch + Sync)) -> Result<(), EngineError> {
        if let Some(fill) = self.fill.as_mut().filter(|_| self.phase == Phase::Fill) {
            fill.search_on(engine, watch);
        }
        let runs_on_device = self.instead.is_none() && self.judge.fails_on_first_inputs;
        if runs_on_device && engine.validates() {
            self.by = Kind::Gpu;
            match self.advance(Some(engine), watch) {
                Ok(()) => return Ok(()),
                Err(EngineError::Cancelled) => return Err(EngineError::Cancelled),
                // The host takes over: a lost device must not end the search.
                Err(error) => self.instead = Some(error),
            }
        }
        self.by = Kind::Cpu;
        self.advance(None, watch)
    }

    fn advance(
        &mut self,
        mut engine: Option<&mut dyn Engine>,
        watch: &(dyn Watch + Sync),
    ) -> Result<(), EngineError> {
        // Rewrites that need more steps may repair the failures for which pairs would be tried.
        let tries_singles = matches!(self.phase, Phase::First(_) | Phase::Rest(_)) && !self.only_costly_left();
        if !tries_singles && self.waits_for_full_fuel() {
            return self.judge_with_full_fuel(watch);
        }
        let mut judge = |search: &mut Search, batch: Vec<RepairCandidate>| match &mut engine {
            Some(engine) => search.judge(batch, Some(&mut **engine), watch),
            None => search.judge(batch, None, watch),
        };
        match self.phase {
            Phase::Done => {}
            Phase::Fill => {
                let mut filled = match self.filled.take() {
                    Some(filled) => filled,
                    None => {
                        let had_some = !self.found.is_empty();
                        let new = self.next_filled(watch).ok_or(EngineError::Cancelled)?;
                        Filled { new, judged: 0, had_some }
                    }
                };
                // The rest of a stopped batch is judged when the search goes on.
                while filled.judged < filled.new.len() {
                    let batch: Vec<_> = filled.new.iter().skip(filled.judged).take(BATCH).cloned().collect();
                    let count = batch.len();
                    if let Err(error) = judge(self, batch) {
                        self.filled = Some(filled);
                        return Err(error);
                    }
                    filled.judged += count;
                }
                let is_refuted = self.found.is_empty() && self.refute(&filled.new, watch);
                if watch.cancelled() && !is_refuted {
                    self.filled = Some(filled);
                    return Err(EngineError::Cancelled);
                }
                if !is_refuted && self.is_filled(filled.had_some) {
                    self.end_filling();
                    self.phase = Phase::Done;
                }
            }
            Phase::First(from) => {
                let (batch, passed, next) = self.singles(from);
                if batch.is_empty() {
                    let open = self.open();
                    // A rewrite that moves a repaired failure is of no use any more.
                    let moved: Vec<(u64, RewriteId)> =
                        self.moved.iter().copied().filter(|(set, _)| set & open != 0).collect();
                    let ground = (&self.judge, &self.ground, &self.catalogue);
                    self.pairs = Pairs::new(&moved, ground, watch).ok_or(EngineError::Cancelled)?;
                    self.phase = Phase::Second(0);
                } else {
                    judge(self, batch)?;
                    self.phase = Phase::First(next);
                }
                self.rest.extend(passed);
            }
            Phase::Second(from) => {
                let (batch, next) = self.pairs.some(from, self.open(), BATCH);
                let done = batch.is_empty();
                judge(self, batch)?;
                self.phase = if done { Phase::Rest(0) } else { Phase::Second(next) };
            }
            Phase::Rest(from) => {
                let end = (from + BATCH).min(self.rest.len());
                judge(self, self.rest[from..end].iter().map(|one| vec![*one]).collect())?;
                self.phase = if end == self.rest.len() { Phase::Combine } else { Phase::Rest(end) };
            }
            Phase::Combine => {
                let combined = self.parts.combinations(&self.catalogue, self.judge.all());
                judge(self, combined)?;
                self.early.clear();
                self.phase = Phase::Done;
            }
        }
        self.combine_early(watch);
        Ok(())
    }

    /// Returns the failures that nothing repairs yet, as bits.
    fn open(&self) -> u64 {
        if self.found.is_empty() { self.judge.all() & !self.parts.mended() } else { 0 }
    }

    /// Returns single rewrites from an index on for unrepaired failures, the rewrites deferred meanwhile, and the next
    /// index.
    fn singles(&self, from: usize) -> (Vec<RepairCandidate>, Vec<RewriteId>, usize) {
        let (open, mut at) = (self.open(), from);
        let (mut batch, mut passed) = (Vec::new(), Vec::new());
        while batch.len() < BATCH && at < self.catalogue.len() {
            let one = RewriteId::at(at);
            at += 1;
            match self.entered.get(self.catalogue.function(one).position()) {
                // Other functions cannot repair a failure that does not enter them.
                Some(entered) if entered & open != 0 => batch.push(vec![one]),
                _ => passed.push(one),
            }
        }
        (batch, passed, at)
    }

    /// Combines the known partial repairs if they cover all failures and no full repair exists. This does not affect
    /// the search itself.
    fn combine_early(&mut self, watch: &(dyn Watch + Sync)) {
        let all = self.judge.all();
        let known = self.parts.as_slice().len();
        if self.is_done()
            || !self.now().is_empty()
            || self.parts.mended() != all
            || self.parts_combined == known
        {
            return;
        }
        let mut combined = self.parts.combinations(&self.catalogue, all);
        combined.truncate(EARLY);
        let mends = |bench: &mut JudgeBuffers, candidate: RepairCandidate| {
            let own = self.catalogue.rewrites(&candidate);
            // Full fuel: nothing judges these candidates again.
            let judged = self.judge.judge(bench, &self.ground, &own, Fuel::FullForAll, watch);
            (judged.fate == Fate::Mends(all)).then_some(candidate)
        };
        let whole: Vec<Option<RepairCandidate>> =
            combined.into_par_iter().map_init(JudgeBuffers::default, mends).collect();
        if !watch.cancelled() {
            self.early = whole.into_iter().flatten().collect();
            self.parts_combined = known;
        }
    }
}
