//! Copies among the mutants that count.
//!
//! An engine reports a mutant as a duplicate of the lowest id with its bytecode. If that one is taken out of the count, the next of
//! its copies counts in its place; otherwise a change that no comment ignores would vanish with one that is ignored.

use std::collections::HashMap;

use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

/// Verdicts among the mutants that count, made from the engine's verdicts in the order of ids.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    /// By the id of each mutant that is taken out: what its copies get.
    out: HashMap<u32, Heir>,
}

/// What the copies of a mutant that is taken out get.
#[derive(Clone, Copy, Debug)]
enum Heir {
    /// Its verdict: no copy of it that counts has been met.
    Verdict(Verdict),
    /// They are duplicates of this copy of it.
    Copy(u32),
}

impl Folding {
    /// The verdict on the next mutant, which the engine has judged so.
    pub fn next(&mut self, id: u32, judged: Verdict, counts: bool) -> Verdict {
        match judged.status {
            MutantStatus::Duplicate if counts => match self.out.get_mut(&judged.original) {
                None => judged,
                Some(Heir::Copy(first)) => Verdict { original: *first, ..judged },
                Some(heir) => {
                    let Heir::Verdict(verdict) = std::mem::replace(heir, Heir::Copy(id)) else { return judged };
                    verdict
                }
            },
            MutantStatus::Killed | MutantStatus::Timeout | MutantStatus::Survived if !counts => {
                self.out.insert(id, Heir::Verdict(Verdict { original: NONE, ..judged }));
                judged
            }
            _ => judged,
        }
    }
}

/// The lowest id below `first` whose verdict is needed to fold the copies from `first` on; `first` if none is.
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
    fn the_first_copy_that_counts_inherits() {
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
    fn a_stretch_needs_the_originals_of_its_copies() {
        let judged = [KILLED, KILLED, copy_of(0), copy_of(1), copy_of(1)];
        let need = |first, out: &[u32]| needed(&judged, first, |id| !out.contains(&id));
        assert_eq!([need(2, &[]), need(2, &[1]), need(2, &[0, 1]), need(2, &[0, 2])], [2, 1, 0, 2]);
        assert_eq!(need(0, &[0, 1]), 0);
    }
}
