//! Records which oracles kill which mutants. From this follow the tests that kill nothing that others do not, and the
//! mutants that every oracle killing another mutant kills.

use std::collections::HashMap;

use super::cover::{self, Least};
use super::why::EnteredFunctions;
use super::{Examiner, pair};
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::holds;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, InputId, MutantId};
use crate::lang::set::Entries;
use crate::lang::verdict::{MutantStatus, Verdict};

/// The kill matrix: which oracle kills which mutant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The indices of the tests and properties that are oracles, ascending.
    pub oracles: Vec<EntryId>,
    /// For each first-order mutant that is killed or times out, its id and the oracles that kill it. Ascending by id.
    pub rows: Vec<(MutantId, Entries)>,
}

/// A mutant of the minimal set: no other mutant's oracles are a proper subset of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minimal {
    pub id: MutantId,
    pub noticed_by: Entries,
    /// The number of other mutants that every oracle killing this one kills too. A mutant that follows several minimal
    /// ones is counted at the first.
    pub follow: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OracleRole {
    /// It is the only one to kill this number of mutants.
    Needed(u32),
    /// Other oracles kill all mutants that it kills.
    Redundant,
    /// It kills none.
    Idle,
}

impl OracleRole {
    /// Returns the number of mutants that no other oracle kills.
    pub fn alone(self) -> u32 {
        if let OracleRole::Needed(alone) = self { alone } else { 0 }
    }

    /// Describes the contribution of an oracle that kills `count` mutants.
    pub fn text(self, count: u32) -> String {
        let count = grouped(count.into());
        match self {
            OracleRole::Idle => "notices nothing".to_string(),
            OracleRole::Redundant => format!("notices {count}, as others do"),
            OracleRole::Needed(alone) => format!("notices {count}, {} alone", grouped(alone.into())),
        }
    }
}

impl Matrix {
    /// Returns those of `candidates` that can be removed together: each mutant is still killed by another oracle.
    pub fn superfluous(&self, candidates: &[EntryId]) -> Vec<EntryId> {
        let least = self.least().entries;
        let mut order = candidates.to_vec();
        order.sort_by_key(|entry| (least.contains(entry), std::cmp::Reverse(*entry)));
        let mut kept: Entries = self.oracles.iter().copied().collect();
        let mut removed = Vec::new();
        for entry in order {
            let rest: Entries = kept.iter().filter(|other| *other != entry).collect();
            if self.rows.iter().all(|(_, by)| !by.is_disjoint(&rest)) {
                kept = rest;
                removed.push(entry);
            }
        }
        removed.sort_unstable();
        removed
    }

    /// Returns the number of mutants that an oracle kills.
    pub fn kill_count(&self, entry: EntryId) -> u32 {
        self.rows.iter().filter(|(_, noticed)| noticed.contains(entry)).count() as u32
    }

    pub fn oracle_role(&self, entry: EntryId) -> OracleRole {
        let alone = self.rows.iter().filter(|(_, by)| by.len() == 1 && by.contains(entry)).count() as u32;
        match self.kill_count(entry) {
            0 => OracleRole::Idle,
            _ if alone > 0 => OracleRole::Needed(alone),
            _ => OracleRole::Redundant,
        }
    }

    /// Returns the minimal mutants by id: those for which no other mutant is killed by a proper subset of their
    /// oracles. (Minimal mutant sets: Ammann et al., "Establishing theoretical minimal sets of mutants", ICST 2014.)
    pub fn minimal(&self) -> Vec<Minimal> {
        let mut distinct: HashMap<Entries, Minimal> = HashMap::new();
        for (id, noticed_by) in &self.rows {
            let one = Minimal { id: *id, noticed_by: *noticed_by, follow: 0 };
            distinct.entry(*noticed_by).and_modify(|known| known.follow += 1).or_insert(one);
        }
        // A subset has fewer oracles, so the mutants with fewer oracles come first.
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

    /// Returns a smallest set of oracles that kills every killed mutant.
    pub fn least(&self) -> Least {
        let sets: Vec<Entries> = self.minimal().iter().map(|one| one.noticed_by).collect();
        cover::least(&sets)
    }
}

impl Examiner {
    /// Returns the indices of the oracles, ascending.
    pub fn oracles(&self) -> Vec<EntryId> {
        let mut oracles: Vec<EntryId> = self.oracles.iter().map(|oracle| oracle.entry).collect();
        oracles.sort_unstable();
        oracles
    }

    /// Returns all oracles that kill a mutant with this verdict, each run with its own fuel. Returns `None` if the work
    /// was cancelled.
    pub fn noticed(&mut self, id: MutantId, verdict: &Verdict, watch: &dyn Watch) -> Option<Entries> {
        let mut noticed = Entries::default();
        if !matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout) {
            return Some(noticed);
        }
        let Some(edits) = self.compile(id) else { return Some(noticed) };
        noticed.extend(verdict.killer);
        let Examiner { base, oracles, machines: [machine, _], entered, compiler, .. } = self;
        let entered = match entered {
            Some(entered) => entered,
            none => none.insert(EnteredFunctions::record(machine, &base.executable, oracles, watch)?),
        };
        let (program, functions) = (&compiler.back.executable, pair::changed(base, &edits));
        machine.translate(program);
        // Oracles before the killer do not kill the mutant.
        let killer = oracles.iter().position(|oracle| Some(oracle.entry) == verdict.killer);
        for (place, oracle) in oracles.iter().enumerate().skip(killer? + 1) {
            let enters = |input: &InputId| entered.enters(place, *input, &functions);
            for input in oracle.domain.inputs().iter().filter(enters) {
                if watch.cancelled() {
                    return None;
                }
                if !holds(&oracle.domain.run(machine, program, input, oracle.fuel)) {
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
    use crate::lang::index::Index;

    fn entries(numbers: &[u32]) -> Vec<EntryId> {
        numbers.iter().map(|number| EntryId::new(*number)).collect()
    }

    fn matrix(rows: &[&[u32]]) -> Matrix {
        let rows =
            MutantId::all().zip(rows).map(|(id, row)| (id, entries(row).into_iter().collect())).collect();
        Matrix { oracles: entries(&[0, 1, 2, 200]), rows }
    }

    #[test]
    fn oracles_are_needed_redundant_or_idle() {
        let matrix = matrix(&[&[0], &[0, 1], &[0, 1], &[200], &[0]]);
        let standings: Vec<OracleRole> =
            matrix.oracles.iter().map(|entry| matrix.oracle_role(*entry)).collect();
        assert_eq!(
            standings,
            [OracleRole::Needed(2), OracleRole::Redundant, OracleRole::Idle, OracleRole::Needed(1)]
        );
        assert_eq!(matrix.kill_count(EntryId::FIRST), 4);
        assert_eq!(matrix.least(), Least { entries: entries(&[0, 200]), proved: true });
    }

    #[test]
    fn oracles_that_add_nothing_are_removed_together() {
        let matrix = matrix(&[&[0, 1], &[1, 2], &[0, 2]]);
        // Any two of the first three suffice, but no single one. The last one kills nothing.
        assert_eq!(matrix.superfluous(&entries(&[0, 1, 2, 200])).len(), 2);
        // Oracles that are no candidates stay.
        assert_eq!(matrix.superfluous(&entries(&[2])), entries(&[2]));
        assert!(matrix.superfluous(&[]).is_empty());
    }

    #[test]
    fn minimal_mutants_subsume_all_others() {
        let matrix = matrix(&[&[0, 1, 2], &[0, 1], &[1, 2], &[0, 1], &[0, 1, 200]]);
        let minimal: Vec<(u32, u32)> =
            matrix.minimal().iter().map(|one| (one.id.number(), one.follow)).collect();
        assert_eq!(minimal, [(1, 3), (2, 0)]);
        assert_eq!(matrix.least().entries, entries(&[1]));
    }
}
