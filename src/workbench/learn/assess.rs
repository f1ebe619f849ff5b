//! Judges a text from scratch, for callers without results of the engine.

use std::collections::HashMap;
use std::sync::Arc;

use super::judge::{EngineResults, Judgement, Mutants, judge};
use super::lesson::Lesson;
use crate::compiler::program::Watch;
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::engine::{BaseResult, Engine, EngineError};
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Outcome, Verdict};
use crate::report::diagnostics::diagnostics;
use crate::testing::mutation::{Examiner, MutationQuestion, QuestionAnswer};
use crate::testing::rules::{KnownRules, ProgramRules};

/// A judged text, with the results that it was judged by.
pub struct Assessment {
    pub judgement: Judgement,
    pub base: BaseResult,
    /// The first-order mutants that no test notices, each with a test that would. `None` if they were not judged.
    pub missed: Option<Vec<(MutantId, MutationQuestion)>>,
}

/// The verdicts on first-order mutants, and the answers about survivors.
#[derive(Default)]
struct JudgedMutants {
    verdicts: Vec<Verdict>,
    answers: HashMap<MutantId, Option<QuestionAnswer>>,
}

/// Compiles a text, runs its tests, judges its first-order mutants if a goal needs that, and returns which
/// goals are reached.
///
/// # Errors
/// If `watch` cancels the work, or the engine fails.
pub fn assess(
    lesson: &Lesson,
    text: &Arc<str>,
    engine: &mut dyn Engine,
    watch: &dyn Watch,
) -> Result<Judgement, EngineError> {
    assess_with(lesson, text, engine, watch, false).map(|assessed| assessed.judgement)
}

/// Likewise. `wants_missed` asks for the mutants that tests miss, if all tests pass and there is time.
///
/// # Errors
/// As [`assess`].
pub fn assess_with(
    lesson: &Lesson,
    text: &Arc<str>,
    engine: &mut dyn Engine,
    watch: &dyn Watch,
    wants_missed: bool,
) -> Result<Assessment, EngineError> {
    let base = engine.base(text, watch)?;
    let found = diagnostics(&base.compiled);
    let passes = !base.entries.is_empty() && base.entries.iter().all(|entry| entry.outcome == Outcome::Pass);
    let judged = match lesson.needs_verdicts() {
        true => Some(judge_mutants(&base, engine, watch)?),
        false if wants_missed && passes => judge_mutants(&base, engine, watch).ok(),
        false => None,
    };
    let known = |id: MutantId| {
        let answer = judged.as_ref()?.answers.get(&id)?;
        Some(matches!(answer, Some(QuestionAnswer::Alike { .. })))
    };
    let mutants = judged.as_ref().filter(|_| lesson.needs_verdicts());
    let has_rules = lesson.aims.iter().any(|aim| aim.goal.needs_rules());
    let rules = has_rules.then(|| ProgramRules::of(text, text, &mut KnownRules::default(), watch));
    let rules = rules.map(|rules| rules.ok_or(EngineError::Cancelled)).transpose()?;
    let given = EngineResults {
        compiled: &base.compiled,
        entries: &base.entries,
        diagnostics: &found,
        rules: rules.as_ref(),
        mutants: mutants.map(|judged| Mutants { verdicts: &judged.verdicts, indistinguishable: &known }),
    };
    let judgement = judge(lesson, given);
    let missed = judged.filter(|_| passes).map(|judged| {
        let mut missed: Vec<(MutantId, MutationQuestion)> = { judged.answers.into_iter() }
            .filter_map(|(id, answer)| match answer {
                Some(QuestionAnswer::Found(question)) => Some((id, question)),
                _ => None,
            })
            .collect();
        missed.sort_by_key(|(id, _)| *id);
        missed
    });
    Ok(Assessment { judgement, base, missed })
}

fn judge_mutants(
    base: &BaseResult,
    engine: &mut dyn Engine,
    watch: &dyn Watch,
) -> Result<JudgedMutants, EngineError> {
    let mut judged = JudgedMutants::default();
    let singles = engine.variants().first_order;
    engine.mutants(Indices::first(singles), watch, &mut |part| judged.verdicts.extend(part.verdicts))?;
    let variants = Variants::new(base.compiled.clone());
    let ignored = Ignored::new(&base.compiled);
    ignored.apply(&variants, &mut Folding::default(), MutantId::FIRST, &mut judged.verdicts);
    let mut examiner = None;
    for (id, verdict) in MutantId::all().zip(&judged.verdicts) {
        if verdict.status != MutantStatus::Survived {
            continue;
        }
        if watch.cancelled() {
            return Err(EngineError::Cancelled);
        }
        let examiner = examiner.get_or_insert_with(|| Examiner::new(base.compiled.clone(), &base.entries));
        judged.answers.insert(id, examiner.question(id, &|| watch.cancelled()));
    }
    Ok(judged)
}
