//! Judges a text from scratch, for callers without results of the engine.

use std::collections::HashMap;
use std::sync::Arc;

use super::judge::{EngineResults, Judgement, Mutants, judge};
use super::lesson::Lesson;
use crate::compiler::program::Watch;
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::engine::{Engine, EngineError};
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::diagnostics::diagnostics;
use crate::testing::mutation::{Examiner, QuestionAnswer};

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
    let base = engine.base(text, watch)?;
    let found = diagnostics(&base.compiled);
    let (mut verdicts, mut indistinguishable): (Vec<Verdict>, HashMap<MutantId, bool>) = Default::default();
    if lesson.needs_verdicts() {
        let singles = engine.variants().first_order;
        engine.mutants(Indices::first(singles), watch, &mut |part| verdicts.extend(part.verdicts))?;
        let variants = Variants::new(base.compiled.clone());
        Ignored::new(&base.compiled).apply(&variants, &mut Folding::default(), MutantId::FIRST, &mut verdicts);
        let survivors =
            MutantId::all().zip(&verdicts).filter(|(_, verdict)| verdict.status == MutantStatus::Survived);
        let survivors: Vec<MutantId> = survivors.map(|(id, _)| id).collect();
        let mut examiner = None;
        for id in survivors {
            if watch.cancelled() {
                return Err(EngineError::Cancelled);
            }
            let examiner = examiner.get_or_insert_with(|| Examiner::new(base.compiled.clone(), &base.entries));
            let answer = examiner.question(id, &|| watch.cancelled());
            indistinguishable.insert(id, matches!(answer, Some(QuestionAnswer::Alike { .. })));
        }
    }
    let known = |id: MutantId| indistinguishable.get(&id).copied();
    let mutants = Mutants { verdicts: &verdicts, indistinguishable: &known };
    let given = EngineResults {
        compiled: &base.compiled,
        entries: &base.entries,
        diagnostics: &found,
        mutants: lesson.needs_verdicts().then_some(mutants),
    };
    Ok(judge(lesson, given))
}
