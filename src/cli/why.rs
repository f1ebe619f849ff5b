//! `myriad mutate --why`: of each single change that survives why, and a test that would notice it; of those that time out whether
//! they never end.

use serde::Serialize;

use super::progress::Progress;
use crate::engine::BaseResult;
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::mutation::{Answer, Examiner};

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

/// What is found on mutants of a program, by their ids.
pub fn examine(base: &BaseResult, verdicts: &[Verdict]) -> Vec<Option<Why>> {
    let mut examiner = Examiner::new(base.compiled.clone(), &base.entries);
    let mut progress = Progress::new("mutants examined");
    let singles = examiner.singles() as usize;
    let mut of = |id: u32, verdict: &Verdict| match verdict.status {
        MutantStatus::Timeout => {
            let never_ends = examiner.never_ends(id, verdict, &|| false);
            Some(Why { never_ends, survived: None })
        }
        MutantStatus::Survived => {
            let why = examiner.why(id, &|| false)?;
            let answer = examiner.question(id, &|| false);
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
    };
    let mut found = Vec::new();
    for (id, verdict) in (0..).zip(verdicts).take(singles) {
        found.push(of(id, verdict));
        progress.update(found.len(), verdicts.len().min(singles));
    }
    found
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
