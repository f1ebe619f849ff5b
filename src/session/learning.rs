//! Searches for better code of the judged text's functions and tests, while the user is idle and works at level 3.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::comparison::MeteredWork;
use super::judged::Judged;
use super::task::{Setup, Step, Task};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::optimize::learned::rule::Rule;
use crate::compiler::stage::optimize::learned::{Learned, add_function, current};
use crate::engine::{Engine, EngineError};
use crate::host::measure::date;
use crate::host::measure::energy::Energy;
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::learned::improve::savings::{self, Day, SavingRecord};
use crate::learned::improve::store::Store;
use crate::learned::improve::{
    Identity, LearnOutcome, Tried, identities, learn, name, names_hash, routines, rule_hits, steps,
};

/// The revisions of the session whose steps are remembered.
const REVISIONS: usize = 512;
/// The routines whose searches without a result are remembered.
const MOST: usize = 4_096;

/// The progress of the searches, and what level 3 saves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learning {
    /// The routines with better code, each with the steps of the tests on few inputs, before and after.
    pub better: Vec<(String, [u64; 2])>,
    /// Routines that were searched, and all.
    pub done: usize,
    pub all: usize,
    /// Why better code could not be kept for later sessions.
    pub failed: Option<String>,
    /// The steps of all tests at levels 2 and 3, for each revision of this session whose search has ended, oldest first.
    pub revisions: Vec<[u64; 2]>,
    /// The sums of each day, oldest first.
    pub days: Vec<Day>,
    /// All rules with the number of windows that each replaces in this text, and whether it is on. Most hits first.
    pub rules: Vec<(String, u32, bool)>,
    /// Moves of this session, and those without success, by reason.
    pub tried: Tried,
    /// Routines that were not searched again, because the same search found nothing before.
    pub skipped: usize,
    /// The cost of all searches of this session.
    pub energy: Option<Energy>,
    pub time: Duration,
    /// Files of the store that were ignored, each with the reason.
    pub ignored: Vec<String>,
}

#[derive(Default)]
pub struct Searches {
    begun: Option<Begun>,
    /// The searches without a result, so that a text that changes little is not searched from the start.
    nothing: HashSet<Identity>,
    revisions: Vec<[u64; 2]>,
    tried: Tried,
    energy: Option<Energy>,
    time: Duration,
    /// The ignored files of the store, once it was read.
    ignored: Option<Vec<String>>,
}

/// The search of a text.
struct Begun {
    judged: Arc<Judged>,
    /// The program at level 2.
    program: Compiled,
    identities: Vec<Identity>,
    /// The routines left, the next one last.
    left: Vec<RoutineId>,
    found: Learning,
}

impl Begun {
    fn new(judged: Arc<Judged>) -> Begun {
        let program = at_level(&judged.base.compiled, OptLevel::Whole);
        let mut left = routines(&program);
        left.reverse();
        let found = Learning { all: left.len(), ..Learning::default() };
        Begun { judged, identities: identities(&program), program, left, found }
    }
}

fn at_level(base: &Compiled, level: OptLevel) -> Compiled {
    let mut compiler = Compiler::default();
    compiler.tokens.clone_from(&base.tokens);
    compiler.tokens_at(&base.text, base.facts.names, level);
    compiler.compiled(&base.text)
}

impl Searches {
    /// Searches for better code of the next function; continues a search of this text, and skips functions whose search
    /// found nothing before. Later texts are compiled with the code. Reports [`Learning`].
    ///
    /// # Errors
    /// If the work was cancelled.
    pub fn serve(&mut self, setup: &Setup, task: &Task, engine: &mut dyn Engine) -> Result<Step, EngineError> {
        let metered = MeteredWork::begin(&task.shared, engine.power_source());
        let step = self.search(setup, task);
        let (energy, time) = metered.end();
        self.energy = Some(self.energy.map_or(energy, |sum| sum.plus(energy)));
        self.time += time;
        let step = step?;
        self.report(task);
        Ok(step)
    }

    fn search(&mut self, setup: &Setup, task: &Task) -> Result<Step, EngineError> {
        let store = setup.learned.clone().map(Store::new);
        if self.ignored.is_none() {
            self.read_store(store.as_ref(), task)?;
        }
        let mut now = match self.begun.take() {
            Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
            _ => Begun::new(task.judged.clone()),
        };
        let step = self.next(&mut now, store.as_ref(), task);
        self.begun = Some(now);
        step
    }

    /// Searches the next function, or counts the steps after the last one.
    fn next(&mut self, now: &mut Begun, store: Option<&Store>, task: &Task) -> Result<Step, EngineError> {
        while let Some(function) = now.left.last().copied() {
            let known = now.identities.get(function.position()).copied();
            if known.is_none_or(|own| !self.nothing.contains(&own)) {
                break;
            }
            now.left.pop();
            now.found.done += 1;
            now.found.skipped += 1;
        }
        let Some(function) = now.left.last().copied() else {
            return self.count(now, store, task);
        };
        let outcome = learn(&now.program, function, &current(), store, task);
        let outcome = outcome.ok_or(EngineError::Cancelled)?;
        now.left.pop();
        now.found.done += 1;
        if let Some(entry) = outcome.entry() {
            add_function(entry.key, entry.code.clone());
            let kept = store.map_or(Ok(()), |store| store.keep(entry));
            now.found.failed = kept.err().map(|error| crate::host::files::message(&error));
        }
        match &outcome {
            LearnOutcome::Better(entry, _) | LearnOutcome::ProvedAgain(entry) => {
                now.found.better.push((name(&now.program, function), entry.steps));
            }
            LearnOutcome::Nothing(_) => {
                if self.nothing.len() >= MOST {
                    self.nothing.clear();
                }
                self.nothing.extend(now.identities.get(function.position()));
            }
            LearnOutcome::Known => {}
        }
        self.tried.add(&outcome.tried());
        Ok(Step::Begun)
    }

    /// Counts the steps of all tests at levels 2 and 3, and keeps the numbers.
    fn count(&mut self, now: &mut Begun, store: Option<&Store>, task: &Task) -> Result<Step, EngineError> {
        let better = at_level(&now.program, OptLevel::Learned);
        let counted = [&now.program, &better].map(|program| steps(program, task));
        let [Some(before), Some(after)] = counted else { return Err(EngineError::Cancelled) };
        self.revisions.push([before, after]);
        self.revisions.drain(..self.revisions.len().saturating_sub(REVISIONS));
        now.found.rules = rules(&now.program, &current());
        if let Some(store) = store.filter(|_| before > 0) {
            let record =
                SavingRecord { day: date::today(), program: names_hash(&now.program), steps: [before, after] };
            let kept = savings::append(store.folder(), record);
            now.found.failed =
                kept.err().map(|error| crate::host::files::message(&error)).or(now.found.failed.take());
            now.found.days = savings::by_day(&savings::load(store.folder()));
        }
        Ok(Step::Done)
    }

    /// Reads the store once more, to report the files that are ignored.
    fn read_store(&mut self, store: Option<&Store>, task: &Task) -> Result<(), EngineError> {
        let Some(store) = store else {
            self.ignored = Some(Vec::new());
            return Ok(());
        };
        let ignored = store.load(task).ignored;
        if task.cancelled() {
            return Err(EngineError::Cancelled);
        }
        if let Some(first) = ignored.first() {
            let more = match ignored.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            let notice = format!("learned code: {first}{more}; the Learned panel lists them");
            task.shared.change(|state| state.notice(Some(notice)));
        }
        self.ignored = Some(ignored);
        Ok(())
    }

    fn report(&self, task: &Task) {
        let Some(now) = &self.begun else { return };
        task.found(Learning {
            revisions: self.revisions.clone(),
            tried: self.tried,
            energy: self.energy,
            time: self.time,
            ignored: self.ignored.clone().unwrap_or_default(),
            ..now.found.clone()
        });
    }
}

/// All rules with their hits in a program, most hits first.
fn rules(program: &Compiled, learned: &Learned) -> Vec<(String, u32, bool)> {
    let hits = rule_hits(program, learned);
    let row = |rule: &Rule| {
        let on = !learned.off.contains(&rule.name);
        (rule.name.clone(), hits.get(&rule.name).copied().unwrap_or(0), on)
    };
    let mut rows: Vec<(String, u32, bool)> = learned.rules.iter().map(row).collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    rows
}
