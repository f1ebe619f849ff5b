//! Searches for models: values that meet the assumptions at a place and some more conditions.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::Failure::Reason;
use super::states::variables;
use super::{Failure, Place, Simulation};
use crate::testing::decide::Given;
use crate::testing::equivalence::state::State;
use crate::testing::equivalence::terms::{Node, Term, Value};
use crate::testing::prove::aig::{Bit, FALSE};
use crate::testing::prove::blast::{Bits, Blaster, value};
use crate::testing::prove::relation::{Item, Relation};
use crate::testing::prove::sat::{Answer, solve};

/// A model: the values of items, and the arguments of both routines.
pub(super) struct Model {
    pub values: Vec<(Item, Vec<u32>)>,
    pub parameters: Given,
}

/// The relations that are assumed at a place, and the values that they relate.
pub(super) struct Assumed {
    pub relations: Vec<Relation>,
    pub values: [BTreeMap<u32, Value>; 2],
}

impl Simulation<'_> {
    /// The relations that are assumed at a place.
    pub(super) fn assumed(&self, place: Place, states: &[State; 2]) -> Assumed {
        let relations = self.nodes.get(&place).map(|node| node.relations.iter().copied().collect());
        let values = [variables(&states[0]), variables(&states[1])];
        Assumed { relations: relations.unwrap_or_default(), values }
    }

    /// Searches for a model in which the assumptions, `guard` and the bit that `more` returns hold. The model has
    /// the values of the items that `more` lists.
    pub(super) fn solve(
        &mut self,
        assumed: &Assumed,
        guard: Term,
        more: impl FnOnce(&mut Blaster, &mut Vec<(Item, Rc<Bits>)>) -> Option<Bit>,
    ) -> Result<Option<Model>, Failure> {
        let large = if self.watch.cancelled() { Failure::Cancelled } else { Reason("its terms are too large") };
        let mut blaster = Blaster::new(self.terms, &self.symbols, self.result, self.watch);
        let mut bits = Vec::new();
        bits.push(blaster.truth(guard).ok_or(large.clone())?);
        for relation in &assumed.relations {
            bits.push(relation.bit(&mut blaster, &assumed.values).ok_or(large.clone())?);
        }
        let mut shown = Vec::new();
        bits.push(more(&mut blaster, &mut shown).ok_or(large.clone())?);
        bits.append(&mut blaster.constraints.clone());
        let wanted = blaster.aig.all(bits);
        if wanted == FALSE {
            return Ok(None);
        }
        let nodes = blaster.aig.nodes.len() as u64;
        self.budget.nodes = self.budget.nodes.checked_sub(nodes).ok_or(Reason("its terms are too large"))?;
        match solve(&blaster.aig, wanted, &mut self.budget.conflicts, self.watch) {
            Answer::Never => Ok(None),
            Answer::Open if self.watch.cancelled() => Err(Failure::Cancelled),
            Answer::Open => Err(Reason("the solver spent its conflicts")),
            Answer::Model(inputs) => {
                let model = blaster.aig.evaluate(&inputs);
                let values = shown.into_iter().map(|(item, bits)| (item, value(&model, &bits))).collect();
                let parameters = self.parameters(&mut blaster, &inputs);
                Ok(Some(Model { values, parameters }))
            }
        }
    }

    /// Returns the arguments of a model.
    fn parameters(&self, blaster: &mut Blaster, inputs: &HashMap<usize, bool>) -> Given {
        let (mut slot, mut given) = (0, Given::new());
        for ty in self.types {
            let term = self.terms.find(&Node::Parameter(slot));
            slot += ty.words();
            let bits = term.and_then(|term| blaster.bits(term));
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
}
