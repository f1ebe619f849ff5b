//! Searches for models: values that meet the assumptions at a place and some more conditions.

use std::collections::BTreeMap;

use super::Failure::Reason;
use super::states::variables;
use super::{Budget, Failure, SimulatePlace, Simulation};
use crate::compiler::program::Watch;
use crate::lang::ty::Type;
use crate::testing::decide::Given;
use crate::testing::equivalence::state::EquivalenceState;
use crate::testing::equivalence::terms::{Term, TermValue};
use crate::testing::prove::aig::{Bit, FALSE};
use crate::testing::prove::blast::{Blaster, value};
use crate::testing::prove::guess::{Inputs, guess};
use crate::testing::prove::relation::Relation;
use crate::testing::prove::sat::{SatAnswer, SatSearch};

/// The relations that are assumed at a place, and the values that they relate.
pub(super) struct Assumed {
    pub relations: Vec<Relation>,
    pub values: [BTreeMap<u32, TermValue>; 2],
}

impl Simulation<'_> {
    pub(super) fn assumed(&self, place: SimulatePlace, states: &[EquivalenceState; 2]) -> Assumed {
        let relations = self.nodes.get(&place).map(|node| node.relations.iter().copied().collect());
        let values = [variables(&states[0]), variables(&states[1])];
        Assumed { relations: relations.unwrap_or_default(), values }
    }

    /// Searches for a model of the assumptions in which the bit that `more` returns holds. Returns its arguments.
    pub(super) fn solve(
        &mut self,
        assumed: &Assumed,
        guard: Term,
        more: impl FnOnce(&mut Blaster) -> Option<Bit>,
    ) -> Result<Option<Given>, Failure> {
        let mut blaster = Blaster::new(self.terms, &self.symbols, self.result, self.watch);
        let large = || too_large(self.watch);
        let premise = assumed.premise(&mut blaster, guard).ok_or_else(large)?;
        let wanted = more(&mut blaster).ok_or_else(large)?;
        let found = find(
            &mut blaster,
            &[premise, wanted],
            None,
            (&mut SatSearch::new(self.watch), self.budget),
            self.watch,
        )?;
        Ok(found.map(|inputs| parameters(&mut blaster, self.types, &inputs)))
    }
}

impl Assumed {
    /// Whether the assumptions and a guard hold.
    pub(super) fn premise(&self, blaster: &mut Blaster, guard: Term) -> Option<Bit> {
        let mut all = blaster.truth(guard)?;
        for relation in &self.relations {
            if blaster.watch.cancelled() {
                return None;
            }
            let holds = relation.bit(blaster, &self.values)?;
            all = blaster.aig.and(all, holds);
        }
        Some(all)
    }
}

fn parameters(blaster: &mut Blaster, types: &[Type], inputs: &Inputs) -> Given {
    let (mut slot, mut given) = (0, Given::new());
    for ty in types {
        let bits = blaster.parameter(slot);
        slot += ty.words();
        let model = blaster.aig.evaluate(inputs);
        let words = bits.map_or(vec![0], |bits| value(&model, &bits));
        given.push(match ty.is_list() {
            true => {
                let mut elements = words.get(1..).unwrap_or_default().to_vec();
                elements.truncate(ty.capacity() as usize);
                elements
            }
            false => words,
        });
    }
    given
}

/// Searches for inputs with which all bits and the blaster's constraints hold: guesses, then asks the solver.
pub(super) fn find(
    blaster: &mut Blaster,
    bits: &[Bit],
    earlier: Option<&Inputs>,
    (search, budget): (&mut SatSearch, &mut Budget),
    watch: &dyn Watch,
) -> Result<Option<Inputs>, Failure> {
    let all = bits.iter().copied().chain(blaster.constraints.clone());
    let wanted = blaster.aig.all(all);
    if wanted == FALSE {
        return Ok(None);
    }
    let nodes = blaster.aig.nodes.len() as u64;
    budget.nodes = budget.nodes.checked_sub(nodes).ok_or(Reason("its terms are too large"))?;
    if let Some(inputs) = guess(&blaster.aig, wanted, &blaster.constants, earlier, watch) {
        return Ok(Some(inputs));
    }
    match search.find(&blaster.aig, wanted, &mut budget.work) {
        SatAnswer::Never => Ok(None),
        SatAnswer::Open if watch.cancelled() => Err(Failure::Cancelled),
        SatAnswer::Open => Err(Reason("the solver spent its work")),
        SatAnswer::Model(inputs) => Ok(Some(inputs)),
    }
}

pub(super) fn too_large(watch: &dyn Watch) -> Failure {
    if watch.cancelled() { Failure::Cancelled } else { Reason("its terms are too large") }
}
