//! Proves that two functions behave alike for every input, or finds an input on which they differ.
//!
//! Two functions are equal if every call has the same value or the same trap. For a mutant, the place of the trap is
//! also the same. Only the resource traps StepLimit, OutOfMemory and RecursionTooDeep may differ, as at different levels
//! of the optimizer. The contract is `docs/prove.md`.

mod aig;
mod blast;
mod domain;
mod guess;
mod logic;
mod pairs;
mod region;
mod relation;
mod repairs;
mod runs;
mod sat;
mod simulate;
mod steps;
mod survivors;
mod symbolic;
mod translation;
mod window;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::mutate::{self, Edit};
use crate::host::measure::numbers::grouped;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::testing::decide::{CallOutcome, Decider, Decision, Effort, Given};
use crate::testing::equivalence::have_equal_forms;
pub use pairs::have_equal_signatures;
pub use repairs::settle;
use runs::Runs;
pub use steps::ProveStep;
pub use survivors::{Examined, Finding, Open, examine, survivor};
pub use translation::{same_function, translation};
pub use window::{BELOW, RuleVerdict, WindowValues, refute, rule};

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
pub enum ProveVerdict {
    Proved(Method),
    /// An input on which they differ, with both outcomes.
    Differs {
        arguments: Given,
        outcomes: [CallOutcome; 2],
    },
    Unknown(ProveTried),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The code at level 2 has the same normal form.
    Form,
    /// All inputs were run, and none shows a difference.
    Inputs(u32),
    /// A symbolic proof at a level of the optimizer.
    Symbolic(OptLevel),
}

/// The work that left a question open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProveTried {
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
            Method::Inputs(1) => "they have one input, and do the same on it".into(),
            Method::Inputs(count) => format!("they do the same on all {} inputs", grouped((*count).into())),
            Method::Symbolic(level) => format!("a symbolic proof of their code at level {}", level.number()),
        }
    }

    pub fn ident(&self) -> &'static str {
        match self {
            Method::Form => "normal-form",
            Method::Inputs(_) => "exhaustion",
            Method::Symbolic(_) => "symbolic",
        }
    }
}

impl ProveTried {
    pub fn text(&self) -> String {
        let inputs = grouped(self.decision.inputs.into());
        format!("{inputs} deciding inputs show no difference; {}", self.reason)
    }
}

/// The work that an answer may take. No part of it depends on time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofEffort {
    /// The steps of the search for deciding inputs; with 0, there is none.
    pub search: u64,
    /// The steps of the runs on all inputs.
    pub exhaustion: u64,
    /// The work of the solver for one pair of functions at one level, and for one plan: conflicts times gates.
    pub solver: u64,
    pub plan: u64,
    /// The nodes of all graphs of one pair of functions at one level.
    pub nodes: u64,
}

impl ProofEffort {
    /// The effort of `mutate --prove` for a survivor.
    pub const BRIEF: ProofEffort = ProofEffort::searching(1 << 21);
    /// The effort for a survivor while the workbench is idle.
    pub const IDLE: ProofEffort =
        ProofEffort { search: 1 << 19, exhaustion: 1 << 22, solver: 4 << 20, plan: 3 << 20, nodes: 1 << 20 };

    /// The effort for two repairs that are alike.
    pub const REPAIR: ProofEffort =
        ProofEffort { search: 1 << 17, exhaustion: 1 << 20, solver: 1 << 19, plan: 3 << 17, nodes: 1 << 17 };

    /// The full effort, with about `search` steps for deciding inputs.
    pub const fn searching(search: u64) -> ProofEffort {
        ProofEffort { search, exhaustion: 1 << 25, solver: 10 << 20, plan: 7 << 20, nodes: 1 << 22 }
    }
}

/// Answers a question. Returns `None` if the work was cancelled.
pub fn prove(question: &Question, effort: &ProofEffort, watch: &dyn Watch) -> Option<ProveVerdict> {
    prove_in_steps(question, effort, &mut Vec::new(), watch)
}

/// Answers a question and adds each step of the answer to `steps`.
pub fn prove_in_steps(
    question: &Question,
    effort: &ProofEffort,
    steps: &mut Vec<ProveStep>,
    watch: &dyn Watch,
) -> Option<ProveVerdict> {
    let (mut compiler, mut runs) = (Compiler::default(), Runs::new(question));
    // The cheapest first: normal forms, then runs, and the solver only for what they leave open.
    let at_once = at_once(question, effort, &mut compiler, &mut runs, watch)?;
    steps.push(ProveStep::at_once(at_once.as_ref()));
    if let Some(verdict) = at_once {
        return Some(verdict);
    }
    let decision = match effort.search {
        0 => Decision::default(),
        steps => Decider::new(question.base, question.function).decide_program(
            (&question.other.executable, question.other_function),
            question.edit.is_some(),
            Effort { steps, ..Effort::FULL },
            watch,
        )?,
    };
    let differs = decision.differs.clone().and_then(|found| runs.smallest(found));
    steps.extend((effort.search > 0).then(|| ProveStep::search(&decision, differs.is_some())));
    if let Some((arguments, outcomes)) = differs {
        return Some(ProveVerdict::Differs { arguments, outcomes });
    }
    Some(match by_terms(question, effort, (&mut compiler, &mut runs, &mut *steps), watch)? {
        Ok(verdict) => verdict,
        Err(reason) => ProveVerdict::Unknown(ProveTried { decision, reason: reason.into() }),
    })
}

/// Compares normal forms. If the functions have few inputs, also runs both on all of them.
fn at_once(
    question: &Question,
    effort: &ProofEffort,
    compiler: &mut Compiler,
    runs: &mut Runs,
    watch: &dyn Watch,
) -> Option<Option<ProveVerdict>> {
    if pairs::equal(question, OptLevel::Whole, compiler, have_equal_forms) {
        return Some(Some(ProveVerdict::Proved(Method::Form)));
    }
    Some(match domain::all_inputs(runs, effort.exhaustion, watch)? {
        Some(domain::All::Equal(count)) => Some(ProveVerdict::Proved(Method::Inputs(count))),
        Some(domain::All::Differ(given)) => {
            runs.smallest(given).map(|(arguments, outcomes)| ProveVerdict::Differs { arguments, outcomes })
        }
        None => None,
    })
}

/// Looks for a symbolic proof, or for a model that is an input on which the functions differ. The error says
/// why neither was found.
fn by_terms(
    question: &Question,
    effort: &ProofEffort,
    (compiler, runs, steps): (&mut Compiler, &mut Runs, &mut Vec<ProveStep>),
    watch: &dyn Watch,
) -> Option<Result<ProveVerdict, &'static str>> {
    let mut reason = "";
    for level in [OptLevel::Lowered, OptLevel::Whole] {
        let attempts = symbolic::prove(question, (level, effort), compiler, (runs, &mut *steps), watch);
        if attempts.cancelled {
            return None;
        }
        if attempts.proved {
            return Some(Ok(ProveVerdict::Proved(Method::Symbolic(level))));
        }
        if let Some((arguments, outcomes)) = attempts.differs {
            return Some(Ok(ProveVerdict::Differs { arguments, outcomes }));
        }
        reason = if reason.is_empty() { attempts.reason } else { reason };
    }
    Some(Err(reason))
}

/// Compiles a first-order mutant of a program. Returns `None` if it does not compile.
pub fn mutant(base: &Compiled, edit: Edit) -> Option<Compiled> {
    let mut compiler = Compiler::default();
    mutate::apply(&base.tokens, edit.into(), &mut compiler.tokens).then_some(())?;
    compiler.mutant(&base.text, base.facts.names, base.level);
    compiler.compiles().then(|| compiler.compiled(&base.text))
}
