//! Duplicates of ignored mutants.
//!
//! An engine reports a mutant as a duplicate of the lowest id with the same bytecode. If that original is
//! ignored, its first duplicate that is not ignored counts in its place. Otherwise ignoring a change would
//! also hide its duplicates.

use std::collections::HashMap;

use crate::lang::index::{Index, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};

/// Converts the engine's verdicts, in the order of ids, to verdicts among the mutants that are not ignored.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    /// For each ignored mutant with a verdict of its own: the verdict for its duplicates.
    out: HashMap<MutantId, DuplicateVerdict>,
}

#[derive(Clone, Copy, Debug)]
enum DuplicateVerdict {
    /// The ignored mutant's own verdict; no duplicate has taken its place yet.
    Verdict(Verdict),
    /// Duplicate of the mutant that took its place.
    Copy(MutantId),
}

impl Folding {
    /// Returns the verdict on the next mutant, which the engine judged as `judged`. `counts` is false for an
    /// ignored mutant.
    pub fn next(&mut self, id: MutantId, judged: Verdict, counts: bool) -> Verdict {
        match judged.status {
            MutantStatus::Duplicate if counts => match judged.original.and_then(|id| self.out.get_mut(&id)) {
                None => judged,
                Some(DuplicateVerdict::Copy(first)) => Verdict::duplicate_of(*first),
                Some(heir) => {
                    let DuplicateVerdict::Verdict(verdict) =
                        std::mem::replace(heir, DuplicateVerdict::Copy(id))
                    else {
                        return judged;
                    };
                    verdict
                }
            },
            MutantStatus::Killed | MutantStatus::Timeout | MutantStatus::Survived if !counts => {
                self.out.insert(id, DuplicateVerdict::Verdict(Verdict { original: None, ..judged }));
                judged
            }
            _ => judged,
        }
    }
}

/// Returns the lowest id whose verdict is needed to fold the duplicates from `first` on; `first` if no
/// earlier id is.
pub fn needed(verdicts: &[Verdict], first: MutantId, counts: impl Fn(MutantId) -> bool) -> MutantId {
    let originals = MutantId::all().zip(verdicts).skip(first.position()).filter_map(|(id, verdict)| {
        let original = verdict.original.filter(|original| *original < first)?;
        (counts(id) && !counts(original)).then_some(original)
    });
    originals.min().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KILLED: Verdict = Verdict::of(MutantStatus::Killed);

    fn copy_of(original: u32) -> Verdict {
        Verdict::duplicate_of(MutantId::new(original))
    }

    #[test]
    fn first_counted_duplicate_inherits_an_ignored_verdict() {
        let judged = [KILLED, copy_of(0), copy_of(0), copy_of(0), KILLED, copy_of(4)];
        let fold = |out: &[u32]| -> Vec<Verdict> {
            let mut folding = Folding::default();
            MutantId::all()
                .zip(judged)
                .map(|(id, verdict)| folding.next(id, verdict, !out.contains(&id.number())))
                .collect()
        };
        assert_eq!(fold(&[]), judged);
        assert_eq!(fold(&[0]), [KILLED, KILLED, copy_of(1), copy_of(1), KILLED, copy_of(4)]);
        assert_eq!(fold(&[0, 1]), [KILLED, copy_of(0), KILLED, copy_of(2), KILLED, copy_of(4)]);
        assert_eq!(fold(&[1, 4, 5]), judged);
    }

    #[test]
    fn range_starts_at_the_first_original_that_it_needs() {
        let judged = [KILLED, KILLED, copy_of(0), copy_of(1), copy_of(1)];
        let need = |first, out: &[u32]| {
            needed(&judged, MutantId::new(first), |id| !out.contains(&id.number())).number()
        };
        assert_eq!([need(2, &[]), need(2, &[1]), need(2, &[0, 1]), need(2, &[0, 2])], [2, 1, 0, 2]);
        assert_eq!(need(0, &[0, 1]), 0);
    }
}
