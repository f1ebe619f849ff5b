//! Explains why mutants survive and finds tests that would notice them, while their panel is open. All reasons
//! come first, then a test for each survivor; survivors that existing tests nearly notice come first. A text with
//! errors has survivors, too: mutants whose runs reach no hole.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::follow::Follow;
use super::judged::Judged;
use super::task::{Step, Task};
use crate::compiler::program::Watch;
use crate::engine::EngineError;
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::testing::mutation::{Examiner, KillReason, QuestionAnswer};

/// Time between two polls of the shared state.
const STRETCH: Duration = Duration::from_millis(30);

/// Results so far, by mutant id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survivors {
    pub why: BTreeMap<MutantId, Arc<KillReason>>,
    pub answers: BTreeMap<MutantId, Arc<QuestionAnswer>>,
    /// Mutants that time out and never end.
    pub never_end: BTreeSet<MutantId>,
    /// Survivors that behave like one of a lower id, with that id.
    pub like: BTreeMap<MutantId, MutantId>,
    /// Whether every survivor is examined.
    pub done: bool,
}

impl Survivors {
    /// Returns what is known of a test for a survivor: of the first mutant of its behaviour, since one test notices all.
    pub fn answer(&self, id: MutantId) -> Option<&QuestionAnswer> {
        let first = self.like.get(&id).unwrap_or(&id);
        let found = self.answers.get(first).filter(|answer| matches!(***answer, QuestionAnswer::Found(_)));
        found.or_else(|| self.answers.get(&id)).or_else(|| self.answers.get(first)).map(|answer| &**answer)
    }

    /// Returns what was found for the mutants that a later text also has. It need not hold there.
    pub fn follow(&self, follow: &Follow) -> Survivors {
        let now: BTreeMap<MutantId, MutantId> =
            self.why.keys().filter_map(|id| Some((*id, follow.mutant(*id)?))).collect();
        let numbered = follow.has_same_items();
        let reason = |(id, why): (&MutantId, &Arc<KillReason>)| {
            let why = why.follow(|token| follow.token(token).filter(|_| numbered))?;
            Some((*now.get(id)?, Arc::new(why)))
        };
        let answer = |(id, answer): (&MutantId, &Arc<QuestionAnswer>)| Some((*now.get(id)?, answer.clone()));
        let like = |(id, first): (&MutantId, &MutantId)| Some((*now.get(id)?, *now.get(first)?));
        Survivors {
            why: self.why.iter().filter_map(reason).collect(),
            answers: self.answers.iter().filter_map(answer).collect(),
            never_end: BTreeSet::new(),
            like: self.like.iter().filter_map(like).collect(),
            done: false,
        }
    }

    /// Adds what was found for the text itself. While tests are unfinished, `waits`, they give no reasons for what is known
    /// already.
    pub fn take(&mut self, found: &Survivors, waits: bool) {
        if waits {
            let known = std::mem::replace(self, found.clone());
            self.take(&known, false);
            self.done = false;
            return;
        }
        if found.done {
            return self.clone_from(found);
        }
        self.why.extend(found.why.iter().map(|(id, why)| (*id, why.clone())));
        self.answers.extend(found.answers.iter().map(|(id, answer)| (*id, answer.clone())));
        self.never_end.extend(&found.never_end);
        self.like.extend(&found.like);
    }
}

pub struct Examination {
    judged: Arc<Judged>,
    examiner: Examiner,
    /// Questions left, the next one last.
    left: Vec<Ask>,
    found: Survivors,
    /// Whether the questions for tests have been ranked and added.
    ranked: bool,
    /// The first survivor of each behaviour.
    kinds: HashMap<[u32; 2], MutantId>,
}

#[derive(Clone, Copy)]
enum Ask {
    Why(MutantId),
    NeverEnds(MutantId),
    Question(MutantId),
}

impl Examination {
    fn new(judged: Arc<Judged>) -> Examination {
        let examiner = Examiner::new(judged.base.compiled.clone(), &judged.base.entries);
        let ask = |(id, verdict): (MutantId, &Verdict)| match verdict.status {
            MutantStatus::Survived => Some(Ask::Why(id)),
            MutantStatus::Timeout => Some(Ask::NeverEnds(id)),
            _ => None,
        };
        let mut left: Vec<Ask> =
            Indices::first(examiner.first_order()).iter().zip(&judged.counted).filter_map(ask).collect();
        // Reasons first, each kind in the order of the ids.
        left.reverse();
        left.sort_by_key(|ask| matches!(ask, Ask::Why(_)));
        Examination {
            judged,
            examiner,
            left,
            found: Survivors::default(),
            ranked: false,
            kinds: HashMap::new(),
        }
    }

    /// Answers the next question. Returns `None` if cancelled; the question is then asked again.
    fn step(&mut self, task: &Task) -> Option<()> {
        let Some(ask) = self.left.last().copied() else {
            self.ranked = true;
            // One test notices all mutants of the same behaviour, so the first of each behaviour is asked before
            // the others.
            let rank =
                |(id, why): (&MutantId, &Arc<KillReason>)| (self.found.like.contains_key(id), why.rank(), *id);
            let mut survivors: Vec<(bool, u32, MutantId)> = self.found.why.iter().map(rank).collect();
            survivors.sort_unstable();
            self.left.extend(survivors.into_iter().rev().map(|(.., id)| Ask::Question(id)));
            return Some(());
        };
        match ask {
            Ask::Why(id) => {
                let why = self.examiner.why(id, task);
                if why.is_none() && task.cancelled() {
                    return None;
                }
                self.found.why.extend(why.map(|why| (id, Arc::new(why))));
                if let Some(kind) = self.examiner.behaviour(id) {
                    let first = *self.kinds.entry(kind).or_insert(id);
                    self.found.like.extend((first != id).then_some((id, first)));
                }
            }
            Ask::NeverEnds(id) => {
                let verdict = self.judged.counted.get(id.position())?;
                if self.examiner.never_ends(id, verdict, task)? {
                    self.found.never_end.insert(id);
                }
            }
            Ask::Question(id) => {
                let answer = self.examiner.question(id, task);
                if answer.is_none() && task.cancelled() {
                    return None;
                }
                self.found.answers.extend(answer.map(|answer| (id, Arc::new(answer))));
            }
        }
        self.left.pop();
        Some(())
    }

    fn is_done(&self) -> bool {
        self.ranked && self.left.is_empty()
    }
}

/// Continues the examination; reuses `begun` if it is of this text. Reports [`Survivors`].
pub fn serve(begun: &mut Option<Examination>, task: &Task) -> Result<Step, EngineError> {
    let examination = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => Examination::new(task.judged.clone()),
    };
    let examination = begun.insert(examination);
    let started = Instant::now();
    while !examination.is_done() && started.elapsed() < STRETCH {
        examination.step(task).ok_or(EngineError::Cancelled)?;
    }
    examination.found.done = examination.is_done();
    task.found(examination.found.clone());
    Ok(if examination.is_done() { Step::Done } else { Step::Begun })
}
