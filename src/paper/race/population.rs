//! The population: the variants that race, with the engine's verdicts. Every contestant is compared with it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Fate, Field, Flag};
use crate::compiler::variants::Variants;
use crate::engine::Engine;
use crate::engine::cpu::CpuEngine;
use crate::lang::index::{Index, Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::report::mutants::Counts;
use crate::testing::equivalence::{Prover, prove};

/// The variants that race, with the engine's verdicts on them.
#[derive(Clone, Debug)]
pub struct Population {
    /// The number of first-order variants of the program, whether they race or not. The others are of second order.
    first_order: u32,
    /// The statuses by id, as in `myriad mutate`.
    statuses: Arc<[MutantStatus]>,
    /// The fate of running each variant.
    fates: Arc<[Option<Fate>]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub variants: u32,
    pub counts: Counts,
    /// The number of variants with unknown status.
    pub no_answer: u32,
}

const PENDING: Verdict = Verdict::of(MutantStatus::Pending);

impl Population {
    /// Builds a population from the engine's verdicts on the variants from id 0 on. Variants with ids below
    /// `first_order` have one change.
    pub fn new(first_order: u32, verdicts: &[Verdict]) -> Population {
        let mut fates: Vec<Option<Fate>> = Vec::with_capacity(verdicts.len());
        for verdict in verdicts {
            let fate = Fate::of(*verdict, |original| fates.get(original.position()).copied().flatten());
            fates.push(Some(fate).filter(|fate| *fate != Fate::NoAnswer));
        }
        Population {
            first_order,
            statuses: verdicts.iter().map(|verdict| verdict.status).collect(),
            fates: fates.into(),
        }
    }

    /// Judges all racing variants with the CPU engine, without a time limit.
    pub fn of(field: &Field) -> Population {
        let nobody = AtomicBool::new(false);
        Population::judge(field, Flag::new(&nobody, Duration::from_secs(u32::MAX.into())))
    }

    /// Likewise, until the flag is up.
    pub(super) fn judge(field: &Field, flag: Flag) -> Population {
        let mut verdicts = vec![PENDING; field.k as usize];
        let mut engine = CpuEngine::new();
        // Variants that are not reached stay without an answer.
        if let Ok(base) = engine.base(&field.program.text, &|| flag.is_up()) {
            let _ = engine.mutants(Indices::first(field.k), &|| flag.is_up(), &mut |part| {
                let places = verdicts.iter_mut().skip(part.first.position());
                places.zip(part.verdicts).for_each(|(place, verdict)| *place = verdict);
            });
            let variants = Variants::new(base.compiled);
            prove(&mut Prover::default(), &variants, &mut verdicts, &|| flag.is_up());
        }
        Population::new(field.first_order(), &verdicts)
    }

    pub fn len(&self) -> u32 {
        self.statuses.len() as u32
    }

    pub fn is_empty(&self) -> bool {
        self.statuses.is_empty()
    }

    /// Returns the ids of first-order variants.
    pub fn singles(&self) -> Indices<MutantId> {
        Indices::first(self.first_order.min(self.len()))
    }

    /// Returns whether all first-order variants race.
    pub fn has_all_singles(&self) -> bool {
        self.first_order <= self.len()
    }

    /// Returns the ids of second-order variants.
    pub fn pairs(&self) -> Indices<MutantId> {
        Indices::first(self.len()).after(self.singles().end())
    }

    /// Returns the fate of running a variant, or `None` if the engine has not judged it.
    pub fn fate(&self, id: MutantId) -> Option<Fate> {
        self.fates.get(id.position()).copied().flatten()
    }

    /// Returns the engine's verdicts on some variants, as in `myriad mutate`.
    pub fn tally(&self, ids: Indices<MutantId>) -> Tally {
        self.tally_of(ids, |id| Some(self.fate(id).unwrap_or(Fate::NoAnswer)))
    }

    /// Tallies a contestant's fates on some variants. A contestant that runs a copy cannot recognise it, so copies
    /// count as the engine's status. A survivor without the engine's verdict counts as no answer, because it may be a
    /// copy.
    pub fn tally_of(&self, ids: Indices<MutantId>, said: impl Fn(MutantId) -> Option<Fate>) -> Tally {
        let mut tally = Tally::default();
        for id in ids {
            let Some(fate) = said(id) else { continue };
            let status = self.statuses.get(id.position()).copied().unwrap_or(MutantStatus::Pending);
            tally.variants += 1;
            match counted(status, fate) {
                Some(status) => tally.counts.add(status),
                None => tally.no_answer += 1,
            }
        }
        tally
    }
}

/// Returns the status that a variant counts as, given the engine's status and the contestant's fate.
fn counted(status: MutantStatus, fate: Fate) -> Option<MutantStatus> {
    match (status, fate) {
        (_, Fate::NoAnswer) | (MutantStatus::Pending, Fate::Survived) => None,
        (MutantStatus::Equivalent | MutantStatus::Duplicate, _) => Some(status),
        (_, Fate::Killed) => Some(MutantStatus::Killed),
        (_, Fate::Timeout) => Some(MutantStatus::Timeout),
        (_, Fate::Survived) => Some(MutantStatus::Survived),
        (_, Fate::Invalid) => Some(MutantStatus::Invalid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_not_counted_as_survivors() {
        let ids = Indices::<MutantId>::numbered;
        let verdicts = [
            Verdict::of(MutantStatus::Survived),
            Verdict::of(MutantStatus::Equivalent),
            Verdict::duplicate_of(MutantId::new(0)),
            Verdict::of(MutantStatus::Killed),
            Verdict::duplicate_of(MutantId::new(3)),
            PENDING,
        ];
        let population = Population::new(4, &verdicts);
        assert_eq!((population.singles(), population.pairs()), (ids(0..4), ids(4..6)));
        let singles = Counts { survived: 1, equivalent: 1, duplicate: 1, killed: 1, ..Counts::default() };
        assert_eq!(population.tally(ids(0..4)), Tally { variants: 4, counts: singles, no_answer: 0 });
        let pairs = Counts { duplicate: 1, ..Counts::default() };
        assert_eq!(population.tally(ids(4..6)), Tally { variants: 2, counts: pairs, no_answer: 1 });
        // A contestant that runs every variant has the same counts if it agrees on their fates.
        let ran = [Fate::Survived, Fate::Survived, Fate::Survived, Fate::Killed, Fate::Killed, Fate::Survived];
        let said = |id: MutantId| ran.get(id.position()).copied();
        assert_eq!(population.tally_of(ids(0..4), said), population.tally(ids(0..4)));
        assert_eq!(population.tally_of(ids(4..6), said), population.tally(ids(4..6)));
        assert!(ids(0..5).iter().all(|id| population.fate(id) == said(id)));
        // Variants that were not reached do not count.
        assert_eq!(population.tally_of(ids(0..4), |id| said(id).filter(|_| id.number() < 2)).variants, 2);
    }
}
