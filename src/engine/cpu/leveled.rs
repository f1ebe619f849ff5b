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

    /// Takes the steps of a base at both levels. Level 2 serves if it saves at least a quarter of many.
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
        let early = early.filter(|whole| !whole.entries.iter().any(lacks_resources));
        if let Some(whole) = &early {
            show(whole);
        }
        let is_early = early.is_some();
        let judged = self.tested((compiled, spent), started, is_early, watch)?;
        if !is_early {
            show(&judged);
        }
        let steps = |base: &BaseResult| TestTotals::of(&base.entries).steps;
        let compares = may && self.long.is_worth_comparing(steps(&judged));
        let whole = match early {
            None if compares => Some(self.whole(&judged.compiled, (started, spent), watch)?),
            early => early,
        };
        let Some(whole) = whole else { return Ok(LeveledBase::level(judged)) };
        // A run may lack a resource at level 1 only.
        let alike = judged.entries.iter().zip(&whole.entries).all(|(a, b)| same_end(a, b));
        self.long.compare(steps(&judged), if alike { steps(&whole) } else { u64::MAX });
        let is_shown = alike && (is_early || self.long.serves);
        if is_shown != is_early {
            show(if is_shown { &whole } else { &judged });
        }
        Ok(if is_shown { LeveledBase { shown: whole, judged } } else { LeveledBase::level(judged) })
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

/// Whether an entry ends for lack of a resource, which it may lack sooner at level 1.
fn lacks_resources(entry: &EntryResult) -> bool {
    matches!(entry.outcome, Outcome::Trap(trap) if trap.counts_resources())
}

/// Whether an entry ends alike at both levels.
fn same_end(a: &EntryResult, b: &EntryResult) -> bool {
    let end = |entry: &EntryResult| (entry.outcome, entry.inputs, entry.discarded, entry.failing_input);
    end(a) == end(b) && !lacks_resources(a)
}
