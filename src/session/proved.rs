//! Proofs that survivors equal the program or an earlier survivor: by their code, and those that the prover found
//! before.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::mutate::Edit;
use crate::compiler::variants::{Folding, Ignored, Variants};
use crate::lang::index::{Index, MutantId, RoutineId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::testing::equivalence::{self, Equality, Prover, edit_in_function};
use crate::testing::prove::{Examined, Finding};

/// The number of examined mutants above which those of other texts are forgotten.
const MOST: usize = 1 << 13;

/// Proofs about mutants that survived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proved {
    /// The verdicts that they change, ascending.
    pub verdicts: Vec<(MutantId, Verdict)>,
    /// By mutant: the program or the mutant that it equals, and why.
    pub equal: BTreeMap<MutantId, Equality>,
    /// Those that the prover found while the user was idle.
    pub by_prover: BTreeSet<MutantId>,
}

impl Proved {
    /// Examines the survivors among `verdicts`, which an engine reported. `shown` are the verdicts with ignored mutants
    /// marked; they are updated. Returns `None` if cancelled.
    pub fn of(
        prover: &mut Prover,
        variants: &Variants<Arc<Compiled>>,
        verdicts: &[Verdict],
        shown: &mut Vec<Verdict>,
        watch: &(dyn Watch + Sync),
    ) -> Option<Proved> {
        let survivors = survivors(verdicts);
        if survivors.is_empty() {
            return Some(Proved::default());
        }
        let equal = prover.examine(variants, survivors, watch)?.into_iter().collect();
        Some(Proved::by(equal, BTreeSet::new(), variants, verdicts, shown))
    }

    /// Adds the proofs that were found while the user was idle.
    pub fn with_known(
        self,
        known: &KnownProofs,
        base: &Arc<Compiled>,
        verdicts: &[Verdict],
        shown: &mut Vec<Verdict>,
    ) -> Proved {
        let (variants, mut keys, mut equal) =
            (Variants::new(base.clone()), Keys::default(), self.equal.clone());
        let mut by_prover = BTreeSet::new();
        for id in survivors(verdicts) {
            if matches!(equal.get(&id), Some(Equality::Base(_))) {
                continue;
            }
            let Some(examined) = known.get(&variants, id, &mut keys) else { continue };
            if let Finding::Equal(reason) = examined.finding {
                equal.insert(id, Equality::Base(reason));
                by_prover.insert(id);
            }
        }
        if equal == self.equal {
            return self;
        }
        let before = self.verdicts;
        let mut proved = Proved::by(equal, by_prover, &variants, verdicts, shown);
        // `shown` already had the first changes.
        let mut all: BTreeMap<MutantId, Verdict> = before.into_iter().collect();
        all.extend(proved.verdicts);
        proved.verdicts = all.into_iter().collect();
        proved
    }

    /// Applies proofs to the verdicts that an engine reported. `shown` are updated.
    pub fn by(
        equal: BTreeMap<MutantId, Equality>,
        by_prover: BTreeSet<MutantId>,
        variants: &Variants<Arc<Compiled>>,
        verdicts: &[Verdict],
        shown: &mut Vec<Verdict>,
    ) -> Proved {
        let mut now = verdicts.to_vec();
        let all: Vec<(MutantId, Equality)> = equal.iter().map(|(id, equality)| (*id, *equality)).collect();
        equivalence::apply(&all, &mut now);
        Ignored::new(variants.program()).apply(variants, &mut Folding::default(), MutantId::FIRST, &mut now);
        let changes = MutantId::all().zip(shown.iter().zip(&now)).filter(|(_, (before, now))| before != now);
        let verdicts = changes.map(|(id, (_, now))| (id, *now)).collect();
        *shown = now;
        Proved { verdicts, equal, by_prover }
    }
}

/// Returns the survivors among verdicts, which begin with the first mutant.
pub fn survivors(verdicts: &[Verdict]) -> Vec<MutantId> {
    let survives = |(_, verdict): &(MutantId, &Verdict)| verdict.status == MutantStatus::Survived;
    MutantId::all().zip(verdicts).filter(survives).map(|(id, _)| id).collect()
}

/// Examined mutants by function and edit. They stay valid for as long as the function, and all that its code depends
/// on, has the same tokens.
#[derive(Default)]
pub struct KnownProofs {
    functions: HashMap<Arc<str>, HashMap<Edit, Arc<Examined>>>,
    count: usize,
}

/// The keys of a program's functions.
pub type Keys = HashMap<RoutineId, Arc<str>>;

impl KnownProofs {
    pub fn get(
        &self,
        variants: &Variants<Arc<Compiled>>,
        id: MutantId,
        keys: &mut Keys,
    ) -> Option<Arc<Examined>> {
        if self.count == 0 {
            return None;
        }
        let (key, edit) = key(variants, id, keys)?;
        self.functions.get(&key)?.get(&edit).cloned()
    }

    pub fn put(
        &mut self,
        variants: &Variants<Arc<Compiled>>,
        id: MutantId,
        keys: &mut Keys,
        found: Arc<Examined>,
    ) {
        let Some((key, edit)) = key(variants, id, keys) else { return };
        if self.count > MOST {
            self.functions.retain(|other, _| *other == key);
            self.count = self.functions.values().map(HashMap::len).sum();
        }
        self.count += usize::from(self.functions.entry(key).or_default().insert(edit, found).is_none());
    }
}

/// Returns the key of a mutant's function, and the mutant's edit relative to the function.
fn key(variants: &Variants<Arc<Compiled>>, id: MutantId, keys: &mut Keys) -> Option<(Arc<str>, Edit)> {
    let edits = variants.edits(id).filter(|edits| edits.second.is_none())?;
    let (function, edit) = edit_in_function(variants.program(), edits.first)?;
    let key = keys.entry(function).or_insert_with(|| equivalence::key(variants.program(), function));
    Some((key.clone(), edit))
}
