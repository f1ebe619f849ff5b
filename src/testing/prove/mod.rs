//! Proves that two functions behave alike for every input, or finds an input on which they differ.
//!
//! Two functions are equal if every call has the same value or the same trap. For a mutant, the place of the trap is
//! also the same. Only the resource traps StepLimit, OutOfMemory and RecursionTooDeep may differ, as at different levels
//! of the optimizer. The contract is `docs/prove.md`.

mod pairs;
mod runs;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{self, Edit};
use crate::host::measure::numbers::grouped;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::testing::decide::{Decider, Decision, Given};
use crate::testing::equivalence::have_equal_forms;
pub use pairs::have_equal_signatures;
pub use runs::Outcome;
use runs::Runs;

/// Two functions with equal parameters and results.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    pub base: &'a Compiled,
    pub function: RoutineId,
    pub other: &'a Compiled,
    pub other_function: RoutineId,
    /// The change that made `other` from `base`; `None` if they are two programs.
    pub edit: Option<Edit>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Proved(Method),
    /// An input on which they differ, with both outcomes.
    Differs {
        arguments: Given,
        outcomes: [Outcome; 2],
    },
    Unknown(Tried),
}

/// How equality was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The code at level 2 has the same normal form.
    Form,
}

/// The work that left a question open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The inputs that show no difference.
    pub decision: Decision,
    /// Why no proof was found, as a clause.
    pub reason: String,
}

impl Method {
    /// Describes the method, as a clause.
    pub fn text(&self) -> String {
        match self {
            Method::Form => "their code at level 2 has the same normal form".into(),
        }
    }

    pub fn ident(&self) -> &'static str {
        match self {
            Method::Form => "normal-form",
        }
    }
}

impl Tried {
    pub fn text(&self) -> String {
        let inputs = grouped(self.decision.inputs.into());
        format!("{inputs} deciding inputs show no difference; {}", self.reason)
    }
}

/// Answers a question. Returns `None` if the work was cancelled.
pub fn prove(question: &Question, watch: &dyn Watch) -> Option<Verdict> {
    let mut compiler = Compiler::default();
    if pairs::equal(question, OptLevel::Whole, &mut compiler, |a, b| have_equal_forms(a, b)) {
        return Some(Verdict::Proved(Method::Form));
    }
    let decider = Decider::new(question.base, question.function);
    let decision = decider.decide_program(
        &question.other.executable,
        question.other_function,
        question.edit.is_some(),
        watch,
    )?;
    let mut runs = Runs::new(question);
    if let Some((arguments, outcomes)) = decision.differs.clone().and_then(|found| runs.smallest(found)) {
        return Some(Verdict::Differs { arguments, outcomes });
    }
    let reason = "their normal forms differ".into();
    Some(Verdict::Unknown(Tried { decision, reason }))
}

/// Compiles a first-order mutant of a program. Returns `None` if it does not compile.
pub fn mutant(base: &Compiled, edit: Edit) -> Option<Compiled> {
    let mut compiler = Compiler::default();
    mutate::apply(&base.tokens, edit.into(), &mut compiler.tokens).then_some(())?;
    compiler.mutant(&base.text, base.facts.names, base.level);
    compiler.compiles().then(|| compiler.compiled(&base.text))
}
