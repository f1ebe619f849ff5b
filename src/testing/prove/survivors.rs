//! Proofs about the survivors of a program.

use std::sync::Arc;

use super::{Method, Question, Verdict, mutant, prove_only};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::Variants;
use crate::engine::explain::Value;
use crate::lang::index::MutantId;
use crate::testing::equivalence::{NeededRules, Reason, function_of};

/// The finding about a survivor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It equals the program.
    Equal(Reason),
    /// A failed proof found an input on which the mutant differs.
    Differs(Verdict),
    /// No proof was found, for this reason.
    Open(String),
}

/// Looks for a proof that a first-order mutant equals its program. Returns `None` if the work was cancelled.
pub fn survivor(variants: &Variants<Arc<Compiled>>, id: MutantId, watch: &dyn Watch) -> Option<Finding> {
    let base: &Compiled = variants.program();
    let open = |reason: &str| Some(Finding::Open(reason.into()));
    let Some(edits) = variants.edits(id).filter(|edits| edits.second.is_none()) else {
        return open("it has two changes");
    };
    let edit = edits.first;
    let (Some(function), Some(other)) = (function_of(base, edit), mutant(base, edit)) else {
        return open("it does not compile");
    };
    let question = Question { base, function, other: &other, other_function: function, edit: Some(edit) };
    Some(match prove_only(&question, watch)? {
        Verdict::Proved(Method::Form) => Finding::Equal(Reason::Form(NeededRules::default())),
        Verdict::Proved(Method::Inputs(count)) => Finding::Equal(Reason::Inputs(count)),
        Verdict::Proved(Method::Symbolic(level)) => Finding::Equal(Reason::Symbolic(level)),
        Verdict::Unknown(tried) => Finding::Open(tried.text()),
        differs => Finding::Differs(differs),
    })
}

impl Finding {
    /// Describes a finding that is not a proof, as a sentence without a period.
    pub fn text(&self, base: &Compiled, variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<String> {
        match self {
            Finding::Equal(_) => None,
            Finding::Open(reason) => Some(format!("no proof that it equals the program: {reason}")),
            Finding::Differs(Verdict::Differs { arguments, outcomes }) => {
                let function = function_of(base, variants.edits(id)?.first)?;
                let types = base.program().parameters(function);
                let values =
                    types.iter().zip(arguments).map(|(ty, words)| Value::from_words(*ty, words).to_string());
                let call =
                    format!("{}({})", base.function_name(function), values.collect::<Vec<_>>().join(", "));
                let result = base.executable.routine(function)?.result();
                let [own, its] = outcomes.each_ref().map(|outcome| outcome.text(result));
                Some(format!("{call} {own} – the mutant {its}"))
            }
            Finding::Differs(_) => None,
        }
    }
}
