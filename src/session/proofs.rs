//! Proofs that survivors equal the program or an earlier survivor, made when a text has been judged.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::testing::equivalence::{Equality, Prover, prove};

/// Proofs about mutants that survived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proved {
    /// The verdicts that they change, ascending.
    pub verdicts: Vec<(MutantId, Verdict)>,
    /// By mutant: the program or the mutant that it equals, and why.
    pub equal: BTreeMap<MutantId, Equality>,
}

impl Proved {
    /// Examines the survivors among `verdicts`, which an engine reported. `shown` are the verdicts with ignored mutants
    /// marked; they are updated. Returns `None` if cancelled.
    pub fn of(
        prover: &mut Prover,
        base: &Arc<Compiled>,
        verdicts: &[Verdict],
        shown: &mut Vec<Verdict>,
        watch: &dyn Watch,
    ) -> Option<Proved> {
        if verdicts.iter().all(|verdict| verdict.status != MutantStatus::Survived) {
            return Some(Proved::default());
        }
        let variants = Variants::new(base.clone());
        let mut now = verdicts.to_vec();
        let found = prove(prover, &variants, &mut now, watch)?;
        Ignored::new(base).apply(&variants, &mut Folding::default(), MutantId::FIRST, &mut now);
        let changes = MutantId::all().zip(shown.iter().zip(&now)).filter(|(_, (before, now))| before != now);
        let verdicts = changes.map(|(id, (_, now))| (id, *now)).collect();
        *shown = now;
        Some(Proved { verdicts, equal: found.into_iter().collect() })
    }
}
