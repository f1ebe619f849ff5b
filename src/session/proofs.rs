//! The prover's answers about survivors, found while the user is idle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::follow::Follow;
use super::judged::Judged;
use super::messages::Update;
use super::proved::{Keys, Proved, survivors};
use super::task::{Setup, Step, Task};
use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::engine::EngineError;
use crate::lang::index::{Index, MutantId};
use crate::lang::set::FunctionSet;
use crate::lang::verdict::Verdict;
use crate::testing::equivalence::Equality;
use crate::testing::prove::{self, Finding, Open, ProofEffort, examine};

/// The answers of the prover about survivors, so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proofs {
    pub found: BTreeMap<MutantId, Arc<Proof>>,
    /// The number of survivors that are not examined yet.
    pub left: usize,
}

impl Proofs {
    /// Returns the answers that hold for a later text, too: about mutants of untouched functions.
    pub fn follow(&self, follow: &Follow) -> Proofs {
        let untouched = if self.found.is_empty() { FunctionSet::default() } else { follow.untouched() };
        let holds = |id: &MutantId| follow.function(*id).is_some_and(|own| untouched.contains(own));
        let own = |(id, proof): (&MutantId, &Arc<Proof>)| {
            follow.mutant(*id).filter(holds).map(|id| (id, proof.clone()))
        };
        Proofs { found: self.found.iter().filter_map(own).collect(), left: 0 }
    }
}

/// The answer of the prover about a survivor.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// What is known without a proof; `None` if it is proved equivalent.
    pub open: Option<Open>,
    pub steps: Vec<prove::ProveStep>,
}

pub struct ProofBegun {
    judged: Arc<Judged>,
    variants: Variants<Arc<Compiled>>,
    keys: Keys,
    /// Survivors that are not examined yet, the next one last.
    left: Vec<MutantId>,
    found: BTreeMap<MutantId, Arc<Proof>>,
    equal: BTreeMap<MutantId, Equality>,
    by_prover: BTreeSet<MutantId>,
    /// The verdicts with all proofs so far.
    counted: Vec<Verdict>,
}

impl ProofBegun {
    fn new(judged: Arc<Judged>) -> ProofBegun {
        let variants = Variants::new(judged.base.compiled.clone());
        let first_order = variants.first_order();
        let mut left = survivors(&judged.counted);
        left.retain(|id| id.number() < first_order);
        left.reverse();
        let (equal, by_prover) = (judged.equal.clone(), judged.by_prover.clone());
        let counted = judged.counted.clone();
        ProofBegun {
            judged,
            variants,
            keys: Keys::new(),
            left,
            found: BTreeMap::new(),
            equal,
            by_prover,
            counted,
        }
    }

    /// Examines the next survivor. Returns `None` if cancelled.
    fn step(&mut self, setup: &Setup, task: &Task) -> Option<()> {
        let Some(id) = self.left.last().copied() else { return Some(()) };
        let known = setup.proofs(|known| known.get(&self.variants, id, &mut self.keys));
        let examined = match known {
            Some(known) => known,
            // A text with errors has only the answers that are known already.
            None if !self.judged.base.compiled.facts.compiles() => {
                self.left.pop();
                return Some(());
            }
            None => {
                let new = Arc::new(examine(&self.variants, id, &ProofEffort::IDLE, task)?);
                setup.proofs(|known| known.put(&self.variants, id, &mut self.keys, new.clone()));
                new
            }
        };
        self.left.pop();
        let open = examined.finding.open(self.variants.program(), &self.variants, id);
        self.found.insert(id, Arc::new(Proof { open, steps: examined.steps.clone() }));
        if let Finding::Equal(reason) = examined.finding {
            self.equal.insert(id, Equality::Base(reason));
            self.by_prover.insert(id);
            let (equal, by_prover) = (self.equal.clone(), self.by_prover.clone());
            let verdicts = &self.judged.verdicts;
            let proved = Proved::by(equal, by_prover, &self.variants, verdicts, &mut self.counted);
            let revision = self.judged.revision;
            task.shared.tell(self.judged.epoch, Update::Proved { revision, proved: Arc::new(proved) });
        }
        Some(())
    }
}

/// Examines the next survivor; continues `begun` if it is of this text. Reports [`Proofs`] and what they prove.
pub fn serve(setup: &Setup, begun: &mut Option<ProofBegun>, task: &Task) -> Result<Step, EngineError> {
    let now = match begun.take() {
        Some(begun) if begun.judged.epoch == task.judged.epoch => begun,
        _ => ProofBegun::new(task.judged.clone()),
    };
    let now = begun.insert(now);
    if now.left.is_empty() {
        return Ok(Step::Done);
    }
    now.step(setup, task).ok_or(EngineError::Cancelled)?;
    task.found(Proofs { found: now.found.clone(), left: now.left.len() });
    Ok(if now.left.is_empty() { Step::Done } else { Step::Begun })
}
