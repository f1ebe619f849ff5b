//! Translation validation: compares a function's code at two levels of the optimizer (Pnueli, Siegel, Singerman,
//! "Translation validation", 1998).

use super::runs::Runs;
use super::{Method, ProveTried, ProveVerdict, Question, pairs, symbolic};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::testing::decide::{Decider, Effort};
use crate::testing::equivalence::have_equal_forms;

/// Compares a function's code as lowered with that at level 2. A call that level 2 inlines is not understood, so proofs
/// are rare for functions with calls. Returns `None` if the work was cancelled or the program has errors.
pub fn translation(program: &Compiled, function: RoutineId, watch: &dyn Watch) -> Option<ProveVerdict> {
    let mut compiler = Compiler::default();
    let mut at = |level| {
        compiler.tokens.clone_from(&program.tokens);
        compiler.tokens_at(&program.text, program.facts.names, level);
        compiler.compiles().then(|| compiler.compiled(&program.text))
    };
    let (lowered, whole) = (at(OptLevel::Lowered)?, at(OptLevel::Whole)?);
    let question = Question { base: &lowered, function, other: &whole, other_function: function, edit: None };
    compare(&question, Effort::FULL, watch)
}

/// Compares the code of a function in two programs of one text. Returns `None` if the work was cancelled.
pub fn same_function(
    base: &Compiled,
    other: &Compiled,
    function: RoutineId,
    search: Effort,
    watch: &dyn Watch,
) -> Option<ProveVerdict> {
    compare(&Question { base, function, other, other_function: function, edit: None }, search, watch)
}

/// Compares the code of both programs as it is.
fn compare(question: &Question, search: Effort, watch: &dyn Watch) -> Option<ProveVerdict> {
    let Question { base, function, other, .. } = *question;
    if pairs::same_text(question, have_equal_forms) {
        return Some(ProveVerdict::Proved(Method::Form));
    }
    let mut runs = Runs::new(question);
    let attempts = symbolic::translation(question, &mut runs, watch);
    if attempts.cancelled {
        return None;
    }
    if attempts.proved {
        return Some(ProveVerdict::Proved(Method::Symbolic(OptLevel::Whole)));
    }
    if let Some((arguments, outcomes)) = attempts.differs {
        return Some(ProveVerdict::Differs { arguments, outcomes });
    }
    let other = (&other.executable, function);
    let decision = Decider::new(base, function).decide_program(other, false, search, watch)?;
    if let Some((arguments, outcomes)) = decision.differs.clone().and_then(|found| runs.smallest(found)) {
        return Some(ProveVerdict::Differs { arguments, outcomes });
    }
    Some(ProveVerdict::Unknown(ProveTried { decision, reason: attempts.reason.into() }))
}
