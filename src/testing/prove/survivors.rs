//! Proofs about the survivors of a program.

use std::sync::Arc;

use super::{Method, ProofEffort, ProveStep, ProveVerdict, Question, mutant, prove_in_steps};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::Variants;
use crate::lang::index::MutantId;
use crate::testing::decide::{has_strings, is_text};
use crate::testing::equivalence::{NeededRules, Reason, function_of};
use crate::testing::mutation::{call_text, kills, literals, test_of};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It equals the program.
    Equal(Reason),
    /// A failed proof found an input on which the mutant differs.
    Differs(ProveVerdict),
    /// No proof was found, for this reason.
    Open(String),
}

/// A finding, and the steps that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examined {
    pub finding: Finding,
    pub steps: Vec<ProveStep>,
}

/// Looks for a proof that a first-order mutant equals its program. Returns `None` if the work was cancelled.
pub fn survivor(variants: &Variants<Arc<Compiled>>, id: MutantId, watch: &dyn Watch) -> Option<Finding> {
    Some(examine(variants, id, &ProofEffort::BRIEF, watch)?.finding)
}

/// Likewise with this effort. Also returns the steps.
pub fn examine(
    variants: &Variants<Arc<Compiled>>,
    id: MutantId,
    effort: &ProofEffort,
    watch: &dyn Watch,
) -> Option<Examined> {
    let base: &Compiled = variants.program();
    let open = |reason: &str| Some(Examined { finding: Finding::Open(reason.into()), steps: Vec::new() });
    let Some(edits) = variants.edits(id).filter(|edits| edits.second.is_none()) else {
        return open("it has two changes");
    };
    let edit = edits.first;
    let (Some(function), Some(other)) = (function_of(base, edit), mutant(base, edit)) else {
        return open("it does not compile");
    };
    let question = Question { base, function, other: &other, other_function: function, edit: Some(edit) };
    let mut steps = Vec::new();
    let finding = match prove_in_steps(&question, effort, &mut steps, watch)? {
        ProveVerdict::Proved(Method::Form) => Finding::Equal(Reason::Form(NeededRules::default())),
        ProveVerdict::Proved(Method::Inputs(count)) => Finding::Equal(Reason::Inputs(count)),
        ProveVerdict::Proved(Method::Symbolic(level)) => Finding::Equal(Reason::Symbolic(level)),
        ProveVerdict::Unknown(tried) => Finding::Open(tried.text()),
        differs => Finding::Differs(differs),
    };
    Some(Examined { finding, steps })
}

/// What is known about a survivor without a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// As a sentence without a period.
    pub text: String,
    /// A test that passes on the program and notices the survivor.
    pub test: Option<String>,
}

impl Finding {
    /// Describes a finding that is not a proof.
    pub fn open(&self, base: &Compiled, variants: &Variants<Arc<Compiled>>, id: MutantId) -> Option<Open> {
        match self {
            Finding::Equal(_) => None,
            Finding::Open(tried) => Some(Open { text: format!("unknown: {tried}"), test: None }),
            Finding::Differs(ProveVerdict::Differs { arguments, outcomes: [own, its] }) => {
                let edits = variants.edits(id)?;
                let function = function_of(base, edits.first)?;
                let types = base.program().parameters(function);
                let strings = has_strings(base.view());
                let texts = literals(arguments, &types, |place| strings && is_text(&arguments[place]));
                let test = own.value().map(|value| test_of(base, function, &texts, value));
                // A run of the finished test decides whether it takes longer than its fuel.
                let test = test.filter(|test| !its.exhausts() || kills(base, edits, test));
                let its = its.text();
                Some(match test {
                    Some(test) => {
                        let text = format!("killable by this test, if it is right: {test} The mutant {its}");
                        Open { text, test: Some(test) }
                    }
                    // No test expects a trap, or the mutant's run is just within the fuel of one.
                    None => {
                        let call = call_text(base, function, &texts);
                        let text = format!("differs: {call} {}; the mutant {its}", own.text());
                        Open { text, test: None }
                    }
                })
            }
            Finding::Differs(_) => None,
        }
    }
}
