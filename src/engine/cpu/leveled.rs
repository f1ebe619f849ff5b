//! Runs a base whose tests are long at level 2 first, so that its results arrive sooner.
//!
//! Mutants need the base at level 1, so it runs there as well, behind the results that are shown. That run also
//! records the visits for mutants, which would else be a run of their own: verdicts arrive no later.

use std::sync::Arc;
use std::time::Instant;

use super::spent::StageTimings;
use super::{CpuEngine, only};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::{Stage, execute};
use crate::engine::leveled::LeveledBase;
use crate::engine::reuse::{LastResults, same_source};
use crate::engine::{BaseResult, EngineError, EntryResult, TestTotals};
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::verdict::Outcome;

/// The steps of long tests: about a millisecond on one thread. Below, compiling at level 2 takes what it saves.
pub const LONG: u64 = 1 << 19;

/// Whether level 2 serves, and the results there.
#[derive(Default)]
pub struct LongTests {
    last: LastResults,
    /// Whether the next base runs at level 2 first.
    serves: bool,
    /// The steps at level 1 of the base that was last compared at both levels without a gain.
    compared: u64,
}

impl LongTests {
    /// Whether a base of so many steps at level 1 should be compared at both levels.
    fn is_worth_comparing(&self, steps: u64) -> bool {
        steps >= LONG && steps / 2 >= self.compared
    }

    /// Takes the steps of a base at both levels. Level 2 serves if the tests are long and it saves at least a quarter.
    fn compare(&mut self, local: u64, whole: u64) {
        self.serves = local >= LONG && whole <= local / 4 * 3;
        self.compared = if self.serves || local < LONG { 0 } else { local };
    }
}

impl CpuEngine {
    /// Compiles and tests a base, at level 2 first if its tests are long: see [`crate::engine::Engine::leveled`].
    pub(super) fn make_leveled(
        &mut self,
        text: &Arc<str>,
        watch: &dyn Watch,
        show: &mut dyn FnMut(&BaseResult),
    ) -> Result<LeveledBase, EngineError> {
        let started = Instant::now();
        let (compiled, spent) = self.begin(text);
        let may = self.settings.reuses() && compiled.facts.compiles();
        let early = match may && self.long.serves {
            true => Some(self.whole(&compiled, (started, spent), watch)?),
            false => None,
        };
        let early = early.filter(|whole| !lack_resources(whole));
        if let Some(whole) = &early {
            show(whole);
        }
        let is_early = early.is_some();
        let judged = self.tested((compiled, spent), started, is_early, watch)?;
        if !is_early {
            show(&judged);
        }
        if !may {
            return Ok(LeveledBase::level(judged));
        }
        if lack_resources(&judged) {
            // Such results are shown at level 1, and so are the next ones at first.
            self.long = LongTests::default();
            if is_early {
                show(&judged);
            }
            return Ok(LeveledBase::level(judged));
        }
        let steps = |base: &BaseResult| TestTotals::of(&base.entries).steps;
        let whole = match early {
            None if self.long.is_worth_comparing(steps(&judged)) => {
                self.whole(&judged.compiled, (started, spent), watch)?
            }
            None => return Ok(LeveledBase::level(judged)),
            Some(whole) => whole,
        };
        self.long.compare(steps(&judged), steps(&whole));
        if !is_early {
            if !self.long.serves {
                return Ok(LeveledBase::level(judged));
            }
            show(&whole);
        }
        Ok(LeveledBase { shown: whole, judged })
    }

    /// Compiles a base without errors at level 2 and runs its tests, unless its last results still hold.
    fn whole(
        &mut self,
        local: &Compiled,
        (started, mut spent): (Instant, StageTimings),
        watch: &dyn Watch,
    ) -> Result<BaseResult, EngineError> {
        if let Some((before, entries)) = self.long.last.get().filter(|(before, _)| same_source(before, local)) {
            let (ir, executable) = (before.ir.clone(), before.executable.clone());
            let compiled = Arc::new(Compiled { ir, executable, level: OptLevel::Whole, ..local.clone() });
            let entries = entries.to_vec();
            self.long.last.set(&compiled, &entries);
            return Ok(BaseResult { compiled, entries, timings: self.timings(started, spent, 1) });
        }
        let mut compiled = Compiled { level: OptLevel::Whole, ..local.clone() };
        {
            let back = &mut self.pool.worker().compiler.back;
            spent.alone(only(Stage::Optimize, back.compile(&compiled)));
            (compiled.ir, compiled.executable) = (back.ir.clone(), back.executable.clone());
        }
        let compiled = Arc::new(compiled);
        let Compiled { facts, executable, binders, .. } = &*compiled;
        let domains = execute::domains(facts, &executable.routines, binders, limits::SAMPLES);
        let kept = self.long.last.kept(&compiled);
        let running = Instant::now();
        let number = self.next_number();
        let ran = self.results((&compiled, number), &domains, &kept, false, watch);
        let entries: Vec<EntryResult> =
            ran.ok_or(EngineError::Cancelled)?.into_iter().map(|(result, _)| result).collect();
        spent.together(self.pool.take_times(), running.elapsed());
        self.long.last.set(&compiled, &entries);
        Ok(BaseResult { compiled, entries, timings: self.timings(started, spent, 1) })
    }
}

/// Whether a test ends for lack of a resource, which it may lack at level 1 only.
fn lack_resources(base: &BaseResult) -> bool {
    let lacks = |entry: &EntryResult| matches!(entry.outcome, Outcome::Trap(trap) if trap.counts_resources());
    base.entries.iter().any(lacks)
}
