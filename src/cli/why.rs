//! `myriad mutate --why`: of each single change that survives why, and a test that would notice it; of those that time out whether
//! they never end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::limit::Limit;
use super::progress::Progress;
use crate::compiler::program::Watch;
use crate::compiler::variants::Variants;
use crate::engine::BaseResult;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::testing::mutation::{Answer, Examiner};

/// What is found on a mutant.
#[derive(Serialize)]
pub struct Why {
    /// Whether it comes back to a state that it was in; of those that time out.
    #[serde(skip_serializing_if = "Option::is_none")]
    never_ends: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survived: Option<Survived>,
}

/// Why a mutant survives.
#[derive(Serialize)]
struct Survived {
    reason: String,
    /// How often the tests came to what it changes, on how many inputs, and on how many a value differed.
    reached: u64,
    inputs: u32,
    differed: u32,
    /// A test that would notice it.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    /// Where none was found, whether there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    equivalent: Option<&'static str>,
    /// What the mutant does there, or what was tried, for people.
    #[serde(skip)]
    answer: Option<String>,
}

/// What is found on those mutants of a program that are `wanted`, by their ids. Each thread has an examiner, which keeps what it learns of
/// the base, and takes the next mutant when it is done with one. Also how many were left when the limit was reached.
pub fn examine(
    base: &BaseResult,
    verdicts: &[Verdict],
    wanted: &(dyn Fn(u32) -> bool + Sync),
    limit: &Limit,
) -> (Vec<Option<Why>>, usize) {
    let singles = Variants::new(base.compiled.clone()).first_order() as usize;
    let singles = &verdicts[..verdicts.len().min(singles)];
    let (next, progress) = (AtomicUsize::new(0), Mutex::new((0, Progress::new("mutants examined"))));
    let found = rayon::broadcast(|_| {
        let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
        let mut found = Vec::new();
        loop {
            let id = next.fetch_add(1, Ordering::Relaxed);
            let Some(verdict) = singles.get(id).filter(|_| !limit.cancelled()) else { return found };
            let why = wanted(id as u32).then(|| of(&mut examiner, base, id as u32, verdict, limit));
            // An answer that was cut short does not count.
            if limit.cancelled() {
                return found;
            }
            found.extend(why.flatten().map(|why| (id, why)));
            let (done, progress) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            progress.update(*done, singles.len());
        }
    });
    let mut all: Vec<Option<Why>> = singles.iter().map(|_| None).collect();
    found.into_iter().flatten().for_each(|(id, why)| all[id] = Some(why));
    let (done, _) = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    (all, singles.len() - done)
}

/// What is found on one.
fn of(examiner: &mut Examiner, base: &BaseResult, id: u32, verdict: &Verdict, limit: &Limit) -> Option<Why> {
    match verdict.status {
        MutantStatus::Timeout => {
            let never_ends = examiner.never_ends(id, verdict, limit);
            Some(Why { never_ends, survived: None })
        }
        MutantStatus::Survived => {
            let why = examiner.why(id, limit)?;
            let answer = examiner.question(id, limit);
            let survived = Survived {
                reason: why.text(&base.compiled),
                reached: why.reached,
                inputs: why.inputs,
                differed: why.differed,
                test: match &answer {
                    Some(Answer::Found(question)) => Some(question.test.clone()),
                    _ => None,
                },
                equivalent: match &answer {
                    Some(Answer::Alike { all, .. }) => Some(if *all { "proved" } else { "probably" }),
                    _ => None,
                },
                answer: answer.map(|answer| answer.text()),
            };
            Some(Why { never_ends: None, survived: Some(survived) })
        }
        _ => None,
    }
}

impl Why {
    /// What is said below a survivor, line by line.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.survived
            .iter()
            .flat_map(|survived| [Some(&*survived.reason), survived.answer.as_deref()])
            .flatten()
    }

    /// Why it survives, where it does.
    pub fn reason(&self) -> Option<&str> {
        self.survived.as_ref().map(|survived| &*survived.reason)
    }

    /// A test that would notice it.
    pub fn test(&self) -> Option<&str> {
        self.survived.as_ref()?.test.as_deref()
    }

    pub fn never_ends(&self) -> bool {
        self.never_ends == Some(true)
    }
}
