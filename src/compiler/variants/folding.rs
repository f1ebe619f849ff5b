//! Duplicates of ignored mutants.
//!
//! An engine reports a mutant as a duplicate of the lowest id with the same bytecode. If that original is
//! ignored, its first duplicate that is not ignored counts in its place. Otherwise ignoring a change would
//! also hide its duplicates.

use std::collections::HashMap;

use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

/// Converts the engine's verdicts, in the order of ids, to verdicts among the mutants that are not ignored.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    /// For each ignored mutant with a verdict of its own: the verdict for its duplicates.
    out: HashMap<u32, DuplicateVerdict>,
}

/// The verdict for the duplicates of an ignored mutant.
#[derive(Clone, Copy, Debug)]
enum DuplicateVerdict {
    /// The ignored mutant's own verdict; no duplicate has taken its place yet.
    Verdict(Verdict),
    /// Duplicate of the mutant that took its place.
    Copy(u32),
}

impl Folding {
    /// Returns the verdict on the next mutant, which the engine judged as `judged`. `counts` is false for an
    /// ignored mutant.
    pub fn next(&mut self, id: u32, judged: Verdict, counts: bool) -> Verdict {
        match judged.status {
            MutantStatus::Duplicate if counts => match self.out.get_mut(&judged.original) {
                None => judged,
                Some(DuplicateVerdict::Copy(first)) => Verdict { original: *first, ..judged },
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
                self.out.insert(id, DuplicateVerdict::Verdict(Verdict { original: NONE, ..judged }));
                judged
            }
            _ => judged,
        }
    }
}

/// Returns the lowest id whose verdict is needed to fold the duplicates from `first` on; `first` if no
/// earlier id is.
pub fn needed(verdicts: &[Verdict], first: u32, counts: impl Fn(u32) -> bool) -> u32 {
    let originals = (first..).zip(verdicts.iter().skip(first as usize)).filter_map(|(id, verdict)| {
        let copy = verdict.status == MutantStatus::Duplicate && verdict.original < first;
        (copy && counts(id) && !counts(verdict.original)).then_some(verdict.original)
    });
    originals.min().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KILLED: Verdict = Verdict { status: MutantStatus::Killed, killer: 3, original: NONE };

    fn copy_of(original: u32) -> Verdict {
        Verdict { status: MutantStatus::Duplicate, killer: NONE, original }
    }

    #[test]
    fn first_counted_duplicate_inherits_an_ignored_verdict() {
        let judged = [KILLED, copy_of(0), copy_of(0), copy_of(0), KILLED, copy_of(4)];
        let fold = |out: &[u32]| -> Vec<Verdict> {
            let mut folding = Folding::default();
            (0..).zip(judged).map(|(id, verdict)| folding.next(id, verdict, !out.contains(&id))).collect()
        };
        assert_eq!(fold(&[]), judged);
        assert_eq!(fold(&[0]), [KILLED, KILLED, copy_of(1), copy_of(1), KILLED, copy_of(4)]);
        assert_eq!(fold(&[0, 1]), [KILLED, copy_of(0), KILLED, copy_of(2), KILLED, copy_of(4)]);
        assert_eq!(fold(&[1, 4, 5]), judged);
    }

    #[test]
    fn range_starts_at_the_first_original_that_it_needs() {
        let judged = [KILLED, KILLED, copy_of(0), copy_of(1), copy_of(1)];
        let need = |first, out: &[u32]| needed(&judged, first, |id| !out.contains(&id));
        assert_eq!([need(2, &[]), need(2, &[1]), need(2, &[0, 1]), need(2, &[0, 2])], [2, 1, 0, 2]);
        assert_eq!(need(0, &[0, 1]), 0);
    }
}
