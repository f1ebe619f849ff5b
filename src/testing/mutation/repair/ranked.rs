//! The repairs that a search has found, ranked, and the question that separates them.

use super::changed::DomainCalls;
use super::compile::JudgeBuffers;
use super::found::{Change, Repair, RepairQuestion, sorted};
use super::judge::{Fate, Fuel};
use super::rewrite::{Rewrite, text_change};
use super::{ASKED, LIKES, RepairCandidate, Search, TwoHoles, WEIGHED};
use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::execute::Machine;
use crate::engine::explain::Value;
use crate::testing::decide::call_words;
use crate::testing::equivalence::closure;
use crate::testing::mutation::behaviour::{BehaviourCall, FUEL, SeparatingCall, VariantResult, unevenness};

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

    /// Returns the question that best separates the first repairs, or `None` if there is only one repair, none
    /// differ, or the work was cancelled.
    pub fn question(&mut self, repairs: &[Repair], watch: &dyn Watch) -> Option<RepairQuestion> {
        let fill = self.fill.as_ref().or(self.two.as_ref().map(TwoHoles::first));
        let count = if fill.is_some() { WEIGHED } else { ASKED };
        let Search { ground, catalogue, behaviour, .. } = self;
        let base = &ground.base;
        let mut bench = JudgeBuffers::default();
        let mut compile =
            |repair: &Repair| bench.compile(ground, &catalogue.rewrites(&repair.candidate)).cloned();
        let programs: Vec<Executable> = repairs.iter().take(count).filter_map(&mut compile).collect();
        let programs: Vec<&Executable> = programs.iter().collect();
        let parting = match fill {
            None => {
                let mut weigh = |_: &BehaviourCall, given: &[VariantResult]| unevenness(given);
                behaviour.divergence((base, &programs), FUEL, |_| true, &mut weigh, watch)
            }
            Some(fill) => {
                let mut machine = Machine::default();
                machine.load(fill.executable());
                let reaches = |function| closure(base, function).contains(&fill.function());
                let mut weigh = |(function, given, types): &BehaviourCall, weight: Option<u64>| {
                    Some(
                        weight?
                            + DULL * fill.dullness(&mut machine, *function, &call_words(given, types)) as u64,
                    )
                };
                let mut of_values =
                    |call: &BehaviourCall, given: &[VariantResult]| weigh(call, weight_of_values(given));
                let parting = behaviour.divergence((base, &programs), FUEL, reaches, &mut of_values, watch);
                let mut of_traps =
                    |call: &BehaviourCall, given: &[VariantResult]| weigh(call, weight_of_traps(given));
                parting.or_else(|| {
                    behaviour.divergence((base, &programs), TRAPPING, reaches, &mut of_traps, watch)
                })
            }
        }?;
        let result = base.executable.routine(parting.function)?.result();
        let SeparatingCall { function, arguments, inside, text, given } = parting;
        let value = |words: &VariantResult| Some(Value::from_words(result, words.as_deref()?));
        let results: Vec<(usize, Option<Value>)> = (1..=ASKED).zip(given.iter().map(value)).collect();
        let differ = results.iter().any(|(_, one)| *one != results[0].1);
        let question =
            RepairQuestion::new(base, (function, arguments, inside), |place| text[place], results.into_iter());
        (differ && !question.answers.is_empty()).then_some(question)
    }
}

/// The weight of an int of a hole's scope that says little.
const DULL: u64 = 4;
/// The steps in which a call that recurses without end traps.
const TRAPPING: u32 = 1 << 17;

/// Returns the weight of the results of filled programs: their unevenness, and how many are those of the first one, since its
/// answer is to exclude the others. `None` if no values differ.
fn weight_of_values(given: &[VariantResult]) -> Option<u64> {
    let count = given.len().max(1) as u64;
    Some(64 * unevenness(given)? / (count * count) + weight_of_traps(given).unwrap_or(64))
}

/// Returns the part of the results that are those of the first program; `None` if all are.
fn weight_of_traps(given: &[VariantResult]) -> Option<u64> {
    let (first, count) = (given.first()?, given.len());
    let alike = given.iter().filter(|other| *other == first).count();
    (alike < count && given.iter().any(Option::is_some)).then_some((64 * alike / count) as u64)
}
