//! Searches repairs of failing tests as soon as a text has been judged.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::judged::Judged;
use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::explain::Value;
use crate::engine::extra_inputs::with_small_domains;
use crate::engine::reuse::same_tokens;
use crate::engine::{Engine, EngineError, Kind};
use crate::lang::index::EntryId;
use crate::testing::mutation::repair::{
    CANDIDATES, Evidence, FillCounter, FillSearch, Repair, RepairQuestion, Search,
};
use crate::testing::prove::settle;

/// Time between two polls of the shared state.
const STRETCH: Duration = Duration::from_millis(30);

/// Time between two reports of a search for what fills a `?`.
const REPORTED: Duration = Duration::from_millis(200);

/// The search for what fills a `?`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filling {
    /// The size that is being tried, the candidates so far, and those of a second.
    pub size: u64,
    pub tried: u64,
    pub rate: f64,
    /// The values that tests need in the place of the `?`.
    pub needed: Arc<Vec<(EntryId, Value)>>,
}

/// Repairs found so far, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Repairs {
    pub found: Arc<Vec<Repair>>,
    /// An input on which the first repairs differ.
    pub question: Option<Arc<RepairQuestion>>,
    /// How many expressions fit a `?`, if the tests say little.
    pub evidence: Option<Evidence>,
    pub filling: Option<Filling>,
    /// Number of candidates judged.
    pub searched: u64,
    /// The engine that judged the last of them, and why the serving engine did not, if it could have.
    pub by: Kind,
    pub instead: Option<EngineError>,
    pub done: bool,
}

pub struct RepairBegun {
    judged: Arc<Judged>,
    search: Search,
    found: Arc<Vec<Repair>>,
    question: Option<Arc<RepairQuestion>>,
    /// Number of repairs in `found`, and whether they are early ones.
    known: (usize, bool),
    /// Whether the repairs that are alike have been examined by the prover.
    settled: bool,
    /// Time that was spent on filling a `?`, and its limit.
    spent: Duration,
    limit: Duration,
    needed: Arc<Vec<(EntryId, Value)>>,
}

/// Cancels the search for what fills a `?` when its time is up, and reports how far it is.
struct FillingWatch<'a> {
    task: &'a Task,
    started: Instant,
    spent: Duration,
    limit: Duration,
    counter: FillCounter,
    last: Mutex<Instant>,
    report: Repairs,
}

impl Watch for FillingWatch<'_> {
    fn cancelled(&self) -> bool {
        if self.task.cancelled() {
            return true;
        }
        // Another thread that asks does not wait.
        if let Ok(mut last) = self.last.try_lock()
            && last.elapsed() >= REPORTED
        {
            *last = Instant::now();
            let filling = self
                .report
                .filling
                .as_ref()
                .map(|own| own.at(&self.counter, self.spent + self.started.elapsed()));
            self.task.found(Repairs { filling, ..self.report.clone() });
        }
        self.spent + self.started.elapsed() >= self.limit
    }
}

impl Filling {
    fn at(&self, counter: &FillCounter, spent: Duration) -> Filling {
        let (size, tried) = (counter.size(), counter.tried());
        Filling { size, tried, rate: tried as f64 / spent.as_secs_f64().max(1e-3), needed: self.needed.clone() }
    }
}

impl RepairBegun {
    fn new(task: &Task, limit: Duration) -> Option<RepairBegun> {
        let (judged, base) = (task.judged.clone(), &task.judged.base);
        let entries = with_small_domains(&base.compiled, &base.entries, task)?;
        let search = Search::new(base.compiled.clone(), &entries, task)?;
        let needed = Arc::new(search.fill().map(FillSearch::needed).unwrap_or_default());
        Some(RepairBegun {
            judged,
            search,
            found: Arc::default(),
            question: None,
            known: (0, false),
            settled: false,
            spent: Duration::ZERO,
            limit,
            needed,
        })
    }

    /// Returns whether the search can continue in `judged`: either the text is the same, or it has the same
    /// tokens in a different layout.
    fn can_continue_in(&mut self, judged: &Arc<Judged>) -> bool {
        if self.judged.epoch == judged.epoch {
            return true;
        }
        let (before, now) = (&self.judged.base, &judged.base);
        let same = before.entries == now.entries && same_tokens(&before.compiled, &now.compiled);
        if same {
            self.search.rewritten(&now.compiled);
            // The repairs have moved to other positions in the text.
            (self.judged, self.known) = (judged.clone(), (0, false));
        }
        same
    }

    fn is_done(&self) -> bool {
        self.search.is_done() || self.search.searched() >= CANDIDATES || self.spent >= self.limit
    }

    fn report(&self, question: Option<&Arc<RepairQuestion>>) -> Repairs {
        let (by, instead) = self.search.judged_by();
        let begun = || Filling { needed: self.needed.clone(), ..Filling::default() };
        let filling = self.search.fill().map(|fill| begun().at(&fill.counter(), self.spent));
        Repairs {
            found: self.found.clone(),
            question: question.cloned(),
            evidence: self.search.fill().and_then(FillSearch::evidence),
            filling,
            searched: self.search.searched(),
            by,
            instead: instead.cloned(),
            done: self.is_done(),
        }
    }

    fn tell(&self, task: &Task, question: Option<&Arc<RepairQuestion>>) {
        task.found(self.report(question));
    }

    /// Judges one batch. A search for what fills a `?` ends when its time is up. Returns `None` if cancelled.
    fn step(&mut self, task: &Task, engine: &mut dyn Engine) -> Option<()> {
        let Some(fill) = self.search.fill() else { return self.search.step_on(engine, task).ok() };
        let (started, spent, limit) = (Instant::now(), self.spent, self.limit);
        let (counter, report) = (fill.counter(), self.report(self.question.as_ref()));
        let watch = FillingWatch { task, started, spent, limit, counter, last: Mutex::new(started), report };
        let stepped = self.search.step_on(engine, &watch);
        self.spent += started.elapsed();
        (stepped.is_ok() || self.spent >= limit && !task.cancelled()).then_some(())
    }

    /// Searches for a stretch of time, or until the first repair is found, and reports the result. Returns
    /// `None` if cancelled.
    fn go_on(&mut self, task: &Task, engine: &mut dyn Engine) -> Option<()> {
        let (started, waited) = (Instant::now(), self.known.0 == 0);
        while !self.is_done() && started.elapsed() < STRETCH {
            self.step(task, engine)?;
            if waited && self.search.count() > 0 {
                break;
            }
        }
        let known = (self.search.count(), self.search.is_early());
        if known != self.known {
            self.found = Arc::new(self.search.repairs(task));
            if task.cancelled() {
                return None;
            }
            // The first repair is shown while the question is still being sought.
            if waited {
                self.tell(task, None);
            }
            self.question = self.search.question(&self.found, task).map(Arc::new);
            if task.cancelled() {
                return None;
            }
            self.known = known;
            self.settled = false;
        }
        if self.is_done() && !self.settled {
            self.tell(task, self.question.as_ref());
            let mut found = self.found.to_vec();
            let apart = settle(&self.judged.base.compiled, &mut found, task)?;
            self.found = Arc::new(found);
            self.question = self.question.take().or(apart.map(Arc::new));
            self.settled = true;
            self.search.end_filling();
        }
        self.tell(task, self.question.as_ref());
        Some(())
    }
}

/// Continues the search on the serving engine; reuses `begun` if it is of this text. Reports [`Repairs`] if any
/// test fails. A `?` is filled within the time `filling`. If the device refuses or is lost, host threads continue the search.
pub fn serve(
    filling: Duration,
    begun: &mut Option<RepairBegun>,
    task: &Task,
    engine: &mut dyn Engine,
) -> Result<Step, EngineError> {
    if begun.as_mut().is_none_or(|begun| !begun.can_continue_in(&task.judged)) {
        // Its memory is free before the next search takes some.
        *begun = None;
        *begun = RepairBegun::new(task, filling);
    }
    let Some(now) = begun else {
        return if task.cancelled() { Err(EngineError::Cancelled) } else { Ok(Step::Done) };
    };
    let stopped = now.go_on(task, engine).is_none();
    // The worker must learn that its device is lost.
    if let (_, Some(error)) = now.search.judged_by()
        && error.is_lost()
    {
        return Err(error.clone());
    }
    match (stopped, now.is_done()) {
        (true, _) => Err(EngineError::Cancelled),
        (_, true) => Ok(Step::Done),
        _ => Ok(Step::Begun),
    }
}
