//! The repairs that a search has found, ranked, and the question that separates them.

use super::changed::DomainCalls;
use super::compile::JudgeBuffers;
use super::found::{Change, Repair, RepairQuestion, sorted};
use super::judge::{Fate, Fuel};
use super::rewrite::{Rewrite, text_change};
use super::{ASKED, LIKES, RepairCandidate, Search};
use crate::compiler::program::{Executable, Watch};
use crate::engine::explain::Value;
use crate::testing::mutation::behaviour::SeparatingCall;

impl Search {
    /// Returns the repairs found so far, one for each behaviour, best first. If the work is cancelled, returns those that are
    /// ranked until then, and the cheapest in any case.
    pub fn repairs(&mut self, watch: &dyn Watch) -> Vec<Repair> {
        // The results that they change are not known yet.
        let all = sorted(self.now().iter().map(|candidate| self.repair(candidate)).collect());
        let mut bench = JudgeBuffers::default();
        let mut kinds: Vec<([u32; 2], Repair)> = Vec::new();
        for repair in all {
            if watch.cancelled() {
                if kinds.is_empty() {
                    kinds.push(([0; 2], repair));
                }
                break;
            }
            let own = self.catalogue.rewrites(&repair.candidate);
            let Some(program) = bench.compile(&self.ground, &own).cloned() else { continue };
            let kind = self.behaviour.of(&program);
            if let Some((_, best)) = kinds.iter_mut().find(|(known, _)| *known == kind) {
                best.alike += 1;
                if best.likes.len() < LIKES {
                    best.likes.push(repair);
                }
            } else if !self.has_redundant_rewrite(&mut bench, &own, watch) {
                let domain = self.domain.get_or_insert_with(|| DomainCalls::new(&self.ground.base, watch));
                let (changed, calls) = (domain.changed(kind, &program), domain.len() as u32);
                kinds.push((kind, Repair { changed, calls, ..repair }));
            }
        }
        let mut ranked = sorted(kinds.into_iter().map(|(_, repair)| repair).collect());
        for (rank, repair) in ranked.iter_mut().enumerate() {
            if watch.cancelled() {
                break;
            }
            if rank < ASKED {
                let own = self.catalogue.rewrites(&repair.candidate);
                let program = bench.compile(&self.ground, &own).cloned();
                repair.other_use = program.and_then(|program| self.other_use(&repair.candidate, &program));
            }
            repair.other_callers = self.other_callers(&repair.candidate);
            self.find_parts(&mut bench, repair, watch);
        }
        ranked
    }

    /// Determines which changes of a repair can be taken alone.
    fn find_parts(&self, bench: &mut JudgeBuffers, repair: &mut Repair, watch: &dyn Watch) {
        let mut own = self.catalogue.rewrites(&repair.candidate);
        own.sort_by_key(|rewrite| rewrite.lo);
        if own.len() > 1 {
            for (change, rewrite) in repair.changes.iter_mut().zip(own) {
                let judged = self.judge.judge(bench, &self.ground, &[rewrite], Fuel::Estimated, watch);
                change.mends = if let Fate::Mends(set) = judged.fate { set.count_ones() } else { 0 };
            }
        }
    }

    /// Returns whether one of the rewrites can be left out.
    fn has_redundant_rewrite(&self, bench: &mut JudgeBuffers, own: &[&Rewrite], watch: &dyn Watch) -> bool {
        own.len() > 1
            && (0..own.len()).any(|left_out| {
                let mut rest = own.to_vec();
                rest.remove(left_out);
                let judged = self.judge.judge(bench, &self.ground, &rest, Fuel::FullForAll, watch);
                judged.fate == Fate::Mends(self.judge.all())
            })
    }

    /// Converts a candidate to a repair for people.
    fn repair(&self, candidate: &RepairCandidate) -> Repair {
        let change = |rewrite: &Rewrite| {
            let (lo, hi, replacement) = text_change(self.ground.base.view(), rewrite);
            Change { rule: rewrite.rule, lo, hi, replacement, mends: 0 }
        };
        let mut changes: Vec<Change> = self.catalogue.rewrites(candidate).into_iter().map(change).collect();
        changes.sort_by_key(|change| change.lo);
        let (cost, suspicion) = (self.catalogue.cost(candidate), self.catalogue.suspicion(candidate));
        Repair {
            changes,
            cost,
            weight: self.catalogue.weight(candidate),
            suspicion,
            changed: 0,
            calls: 0,
            alike: 0,
            proved: 0,
            likes: Vec::new(),
            other_use: None,
            other_callers: Vec::new(),
            candidate: candidate.clone(),
        }
    }

    /// Returns the question that best separates the first repairs, or `None` if there is only one repair or none
    /// differ.
    pub fn question(&mut self, repairs: &[Repair]) -> Option<RepairQuestion> {
        let Search { ground, catalogue, behaviour, .. } = self;
        let base = &ground.base;
        let mut bench = JudgeBuffers::default();
        let mut compile =
            |repair: &Repair| bench.compile(ground, &catalogue.rewrites(&repair.candidate)).cloned();
        let programs: Vec<Executable> = repairs.iter().take(ASKED).filter_map(&mut compile).collect();
        let parting = behaviour.divergence(base, &programs.iter().collect::<Vec<_>>())?;
        let result = base.executable.routine(parting.function)?.result();
        let SeparatingCall { function, arguments, inside, text, given } = parting;
        let value = |words: &Option<Vec<u32>>| Some(Value::from_words(result, words.as_deref()?));
        let results = (1..).zip(given.iter().map(value));
        Some(RepairQuestion::new(base, (function, arguments, inside), |place| text[place], results))
    }
}
