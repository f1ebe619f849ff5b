//! Which oracles notice which mutants, and what that says of both: which tests notice nothing that others do not, and which mutants
//! are noticed by whatever notices another.

use std::collections::HashMap;

use super::cover::{self, Least};
use super::why::Entered;
use super::{Examiner, pair};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::holds;
use crate::lang::limits;
use crate::lang::verdict::{MutantStatus, Verdict};

/// Some of the tests and properties of a program, by their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entries([u64; limits::TESTS / 64]);

impl Entries {
    pub fn insert(&mut self, entry: u32) {
        if let Some(word) = self.0.get_mut(entry as usize / 64) {
            *word |= 1 << (entry % 64);
        }
    }

    pub fn contains(&self, entry: u32) -> bool {
        self.0.get(entry as usize / 64).is_some_and(|word| word >> (entry % 64) & 1 != 0)
    }

    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all of them are among others.
    pub fn is_subset(&self, others: &Entries) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & !other == 0)
    }

    /// Whether none of them is among others.
    pub fn is_disjoint(&self, others: &Entries) -> bool {
        self.0.iter().zip(&others.0).all(|(own, other)| own & other == 0)
    }

    /// Their places, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..limits::TESTS as u32).filter(|entry| self.contains(*entry))
    }
}

impl FromIterator<u32> for Entries {
    fn from_iter<I: IntoIterator<Item = u32>>(entries: I) -> Entries {
        let mut all = Entries::default();
        entries.into_iter().for_each(|entry| all.insert(entry));
        all
    }
}

/// Which oracle notices which mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The tests and properties that judge, by their places, ascending.
    pub oracles: Vec<u32>,
    /// Of single changes that are killed or time out who notices them, by ids, ascending.
    pub rows: Vec<(u32, Entries)>,
}

/// A mutant that no other stands for: whatever notices it need not notice any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minimal {
    pub id: u32,
    pub noticed_by: Entries,
    /// Others that whatever notices this one notices, too. Of several that they could be counted at, they are at the first.
    pub follow: u32,
}

/// What an oracle is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It alone notices so many mutants.
    Needed(u32),
    /// All that it notices others notice, too.
    Redundant,
    /// It notices none.
    Idle,
}

impl Matrix {
    /// How many mutants an oracle notices.
    pub fn notices(&self, entry: u32) -> u32 {
        self.rows.iter().filter(|(_, noticed)| noticed.contains(entry)).count() as u32
    }

    pub fn standing(&self, entry: u32) -> Standing {
        let alone = self.rows.iter().filter(|(_, by)| by.len() == 1 && by.contains(entry)).count() as u32;
        match self.notices(entry) {
            0 => Standing::Idle,
            _ if alone > 0 => Standing::Needed(alone),
            _ => Standing::Redundant,
        }
    }

    /// The mutants that stand for all, by their ids: no other is noticed by a part of what notices one of these. (Minimal mutant
    /// sets: Ammann et al., "Establishing theoretical minimal sets of mutants", ICST 2014.)
    pub fn minimal(&self) -> Vec<Minimal> {
        let mut distinct: HashMap<Entries, Minimal> = HashMap::new();
        for (id, noticed_by) in &self.rows {
            let one = Minimal { id: *id, noticed_by: *noticed_by, follow: 0 };
            distinct.entry(*noticed_by).and_modify(|known| known.follow += 1).or_insert(one);
        }
        // What could stand for another is noticed by fewer.
        let mut distinct: Vec<Minimal> = distinct.into_values().collect();
        distinct.sort_by_key(|one| (one.noticed_by.len(), one.id));
        let mut minimal: Vec<Minimal> = Vec::new();
        for one in distinct {
            match minimal.iter_mut().find(|known| known.noticed_by.is_subset(&one.noticed_by)) {
                Some(known) => known.follow += 1 + one.follow,
                None => minimal.push(one),
            }
        }
        minimal.sort_by_key(|one| one.id);
        minimal
    }

    /// A least set of oracles that notices all that is noticed.
    pub fn least(&self) -> Least {
        let sets: Vec<Entries> = self.minimal().iter().map(|one| one.noticed_by).collect();
        cover::least(&sets)
    }
}

impl Examiner {
    /// The oracles, by their places, ascending.
    pub fn oracles(&self) -> Vec<u32> {
        let mut oracles: Vec<u32> = self.oracles.iter().map(|oracle| oracle.entry).collect();
        oracles.sort_unstable();
        oracles
    }

    /// All oracles that notice a mutant with this verdict, each with the fuel that it judges with. `None` if it was stopped.
    pub fn noticed(&mut self, id: u32, verdict: &Verdict, watch: &dyn Watch) -> Option<Entries> {
        let mut noticed = Entries::default();
        if !matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout) {
            return Some(noticed);
        }
        let Some(edits) = self.compile(id) else { return Some(noticed) };
        noticed.insert(verdict.killer);
        let Examiner { base, oracles, machines: [machine, _], entered, compiler, .. } = self;
        let entered = match entered {
            Some(entered) => entered,
            none => none.insert(Entered::record(machine, &base.executable, oracles, watch)?),
        };
        let (program, functions) = (&compiler.back.executable, pair::changed(base, &edits));
        machine.translate(program);
        // Those before the killer do not notice it.
        let killer = oracles.iter().position(|oracle| oracle.entry == verdict.killer);
        for (place, oracle) in oracles.iter().enumerate().skip(killer? + 1) {
            for input in (0..oracle.domain.inputs()).filter(|input| entered.enters((place, *input), &functions))
            {
                if watch.cancelled() {
                    return None;
                }
                oracle.domain.write(input, machine.frame());
                if !holds(&machine.run(program, oracle.routine, oracle.fuel, 0)) {
                    noticed.insert(oracle.entry);
                    break;
                }
            }
        }
        Some(noticed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: &[&[u32]]) -> Matrix {
        let rows = (0..).zip(rows).map(|(id, row)| (id, row.iter().copied().collect())).collect();
        Matrix { oracles: vec![0, 1, 2, 200], rows }
    }

    #[test]
    fn oracles_are_needed_redundant_or_idle() {
        let matrix = matrix(&[&[0], &[0, 1], &[0, 1], &[200], &[0]]);
        let standings: Vec<Standing> = matrix.oracles.iter().map(|entry| matrix.standing(*entry)).collect();
        assert_eq!(standings, [Standing::Needed(2), Standing::Redundant, Standing::Idle, Standing::Needed(1)]);
        assert_eq!(matrix.notices(0), 4);
        assert_eq!(matrix.least(), Least { entries: vec![0, 200], proved: true });
    }

    #[test]
    fn minimal_mutants_stand_for_all() {
        let matrix = matrix(&[&[0, 1, 2], &[0, 1], &[1, 2], &[0, 1], &[0, 1, 200]]);
        let minimal: Vec<(u32, u32)> = matrix.minimal().iter().map(|one| (one.id, one.follow)).collect();
        assert_eq!(minimal, [(1, 3), (2, 0)]);
        assert_eq!(matrix.least().entries, [1]);
    }
}
