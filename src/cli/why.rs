//! `myriad mutate --why`: explains why each first-order survivor survives, with a test that would notice it,
//! and whether mutants that time out never end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use super::limit::Limit;
use super::progress::CliProgress;
use crate::compiler::program::Watch;
use crate::compiler::variants::Variants;
use crate::engine::BaseResult;
use crate::lang::index::{Index, MutantId};
use crate::lang::set::FunctionSet;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::testing::equivalence::{changes_one_of, doubtful};
use crate::testing::mutation::{Examiner, QuestionAnswer};

#[derive(Clone, Serialize)]
pub struct WhyDocument {
    /// For a timeout: whether the mutant returns to an earlier state, so that it never ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    never_ends: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survived: Option<Survived>,
}

#[derive(Clone, Serialize)]
struct Survived {
    reason: String,
    /// How often the tests reached the change, on how many inputs, and on how many a value differed.
    reached: u64,
    inputs: u32,
    differed: u32,
    /// A test that would notice it.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
    /// If no such test was found: whether the mutant is equivalent.
    #[serde(skip_serializing_if = "Option::is_none")]
    equivalent: Option<&'static str>,
    /// As text: the effect of the mutant in a test, or the inputs that were tried if no test reveals it.
    #[serde(skip)]
    answer: Option<String>,
}

/// Examines the `wanted` mutants of a program. Each thread has its own examiner, which caches facts about the
/// base, and takes the next mutant when it is done with one. Also returns the number of mutants left when the
/// limit was reached.
pub fn examine(
    base: &BaseResult,
    verdicts: &[Verdict],
    wanted: &(dyn Fn(MutantId) -> bool + Sync),
    limit: &Limit,
) -> (Vec<Option<WhyDocument>>, usize) {
    let singles = Variants::new(base.compiled.clone()).first_order() as usize;
    let singles = &verdicts[..verdicts.len().min(singles)];
    let (next, progress) = (AtomicUsize::new(0), Mutex::new((0, CliProgress::new("mutants examined"))));
    let doubtful = doubtful(&base.compiled, &base.entries);
    let found = rayon::broadcast(|_| {
        let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
        let mut found = Vec::new();
        loop {
            let id = next.fetch_add(1, Ordering::Relaxed);
            let Some(verdict) = singles.get(id).filter(|_| !limit.cancelled()) else { return found };
            let why = wanted(MutantId::at(id))
                .then(|| of(&mut examiner, (base, &doubtful), MutantId::at(id), verdict, limit));
            // An interrupted answer does not count.
            if limit.cancelled() {
                return found;
            }
            found.extend(why.flatten().map(|why| (id, why)));
            let (done, progress) = &mut *progress.lock().unwrap_or_else(PoisonError::into_inner);
            *done += 1;
            progress.update(*done, singles.len());
        }
    });
    let mut all: Vec<Option<WhyDocument>> = singles.iter().map(|_| None).collect();
    found.into_iter().flatten().for_each(|(id, why)| all[id] = Some(why));
    let (done, _) = progress.into_inner().unwrap_or_else(PoisonError::into_inner);
    (all, singles.len() - done)
}

/// Examines one mutant.
fn of(
    examiner: &mut Examiner,
    (base, doubtful): (&BaseResult, &FunctionSet),
    id: MutantId,
    verdict: &Verdict,
    limit: &Limit,
) -> Option<WhyDocument> {
    match verdict.status {
        MutantStatus::Timeout => {
            let never_ends = examiner.never_ends(id, verdict, limit);
            Some(WhyDocument { never_ends, survived: None })
        }
        MutantStatus::Survived => {
            let why = examiner.why(id, limit)?;
            // A test would state what the program returns, which a failing test may contradict.
            let is_doubtful = changes_one_of(examiner.variants(), id, doubtful);
            let answer = if is_doubtful { None } else { examiner.question(id, limit) };
            let survived = Survived {
                reason: why.text(&base.compiled),
                reached: why.reached,
                inputs: why.inputs,
                differed: why.infected,
                test: match &answer {
                    Some(QuestionAnswer::Found(question)) => Some(question.test.clone()),
                    _ => None,
                },
                equivalent: match &answer {
                    Some(QuestionAnswer::Alike { all, .. }) => Some(if *all { "proved" } else { "probably" }),
                    _ => None,
                },
                answer: match is_doubtful {
                    true => Some(
                        "repair the failing tests first: what the program returns here may be wrong".into(),
                    ),
                    false => answer.map(|answer| answer.text()),
                },
            };
            Some(WhyDocument { never_ends: None, survived: Some(survived) })
        }
        _ => None,
    }
}

impl WhyDocument {
    /// Returns how often the tests reached a survivor's change.
    pub fn reached(&self) -> Option<u64> {
        self.survived.as_ref().map(|survived| survived.reached)
    }

    /// Returns the lines shown below a survivor.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.survived
            .iter()
            .flat_map(|survived| [Some(&*survived.reason), survived.answer.as_deref()])
            .flatten()
    }

    /// Returns why it survives, if it does.
    pub fn reason(&self) -> Option<&str> {
        self.survived.as_ref().map(|survived| &*survived.reason)
    }

    /// Returns a test that would notice it.
    pub fn test(&self) -> Option<&str> {
        self.survived.as_ref()?.test.as_deref()
    }

    pub fn never_ends(&self) -> bool {
        self.never_ends == Some(true)
    }
}
