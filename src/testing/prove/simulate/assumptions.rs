//! The assumptions at a place. They are as strong as possible at first. If a model of a step breaks some of them,
//! these are removed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Failure::Reason;
use super::models::{Assumed, find, too_large};
use super::{Failure, Point, SimulatePlace, Simulation, Stop};
use crate::lang::hash::QuickMap;
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::Op;
use crate::testing::equivalence::terms::{Head, Node, Term};
use crate::testing::prove::aig::truth;
use crate::testing::prove::blast::{Bits, BlastKind, Blaster, value};
use crate::testing::prove::relation::{Item, Relation, opposed, related};
use crate::testing::prove::sat::SatSearch;

#[derive(Clone, Debug)]
pub(super) struct Assumptions {
    pub kinds: BTreeMap<Item, BlastKind>,
    /// Items of one class are equal.
    pub classes: BTreeMap<Item, u32>,
    pub relations: BTreeSet<Relation>,
}

impl Simulation<'_> {
    /// Weakens the assumptions at a place until a step keeps them. Returns whether they were weakened.
    pub(super) fn keeps(
        &mut self,
        (assumed, guard): (&Assumed, Term),
        [place, next]: [SimulatePlace; 2],
        stops: [&Stop; 2],
    ) -> Result<bool, Failure> {
        let mut changed = self.arrive(next, stops)?;
        let values = [stops[0].values.clone(), stops[1].values.clone()];
        let mut blaster = Blaster::new(self.terms, &self.symbols, self.result, self.watch);
        let (mut search, mut earlier) = (SatSearch::new(self.watch), None);
        let large = || too_large(self.watch);
        loop {
            let node = self.nodes.get_mut(&next).ok_or(Reason("a step has no place"))?;
            let mut firsts: BTreeMap<u32, Item> = BTreeMap::new();
            let (mut pairs, mut kept) = (Vec::new(), Vec::new());
            for (item, class) in &node.classes {
                let first = *firsts.entry(*class).or_insert(*item);
                let [a, b] = [first, *item].map(|(side, variable)| values[side][&variable].term);
                if a != b {
                    pairs.push((a, b));
                    kept.push((*item, [a, b]));
                }
            }
            self.kept.insert([place, next], kept);
            if pairs.is_empty() && node.relations.is_empty() {
                return Ok(changed);
            }
            let premise = assumed.premise(&mut blaster, guard).ok_or_else(large)?;
            let (mut broken, mut shown) = (Vec::new(), Vec::new());
            for (a, b) in &pairs {
                let (a, b) = (blaster.bits(*a).ok_or_else(large)?, blaster.bits(*b).ok_or_else(large)?);
                broken.push(!blaster.equal(&a, &b).ok_or_else(large)?);
            }
            for item in node.classes.keys() {
                let bits = blaster.bits(values[item.0][&item.1].term).ok_or_else(large)?;
                shown.push((*item, bits));
            }
            for (number, relation) in (0..).zip(&node.relations) {
                if self.watch.cancelled() {
                    return Err(Failure::Cancelled);
                }
                let holds = relation.bit(&mut blaster, &values).ok_or_else(large)?;
                broken.push(!holds);
                shown.push(((2, number), Rc::new(Bits::Word(truth(holds)))));
            }
            let broken = blaster.aig.any(broken);
            let work = (&mut search, &mut *self.budget);
            let found = find(&mut blaster, &[premise, broken], earlier.as_ref(), work, self.watch)?;
            let Some(inputs) = found else { return Ok(changed) };
            let model = blaster.aig.evaluate(&inputs);
            earlier = Some(inputs);
            let values: BTreeMap<Item, Vec<u32>> =
                shown.into_iter().map(|(item, bits)| (item, value(&model, &bits))).collect();
            changed = true;
            let before = (node.classes.values().collect::<BTreeSet<_>>().len(), node.relations.len());
            // Items of a class with different values are in different classes from now on.
            let mut groups: BTreeMap<(u32, &[u32]), u32> = BTreeMap::new();
            let old = node.classes.clone();
            for (item, class) in &old {
                let count = groups.len() as u32;
                let group = *groups.entry((*class, &values[item])).or_insert(count);
                node.classes.insert(*item, group);
            }
            let kept = (0..).zip(std::mem::take(&mut node.relations));
            node.relations =
                kept.filter(|(number, _)| values[&(2, *number)][0] == 1).map(|(_, kept)| kept).collect();
            if before == (node.classes.values().collect::<BTreeSet<_>>().len(), node.relations.len()) {
                return Err(Reason("a model breaks no assumption"));
            }
        }
    }

    /// Records an arrival at a place. Returns whether its assumptions are new or weaker.
    fn arrive(&mut self, place: SimulatePlace, stops: [&Stop; 2]) -> Result<bool, Failure> {
        let (mut kinds, mut of_terms) = (BTreeMap::new(), QuickMap::default());
        for (side, stop) in stops.iter().enumerate() {
            for (variable, value) in &stop.values {
                if matches!(place.at[side], Point::Loop(number) if !self.routines[side].matters(number, *variable))
                {
                    continue;
                }
                let kind = self
                    .kind(value.term, &mut of_terms)
                    .ok_or(Reason("its code is too large or not understood"))?;
                kinds.insert((side, *variable), kind);
            }
        }
        let ends = place.at.contains(&Point::End);
        let Some(node) = self.nodes.get_mut(&place) else {
            let mut numbers: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            let mut classes = BTreeMap::new();
            let number = |kind: &BlastKind| match kind {
                BlastKind::Word => 0,
                BlastKind::List(_) => 1,
                BlastKind::Range => 2,
                BlastKind::Cursor(_) => 3,
            };
            for (item, kind) in &kinds {
                let count = numbers.len() as u32;
                // The value of a routine that has ended may equal any variable of the other.
                let variable = if ends { 0 } else { item.1 };
                classes.insert(*item, *numbers.entry((variable, number(kind))).or_insert(count));
            }
            let mut relations = match self.plan.relates {
                true => {
                    related(&kinds, &self.routines.iter().flat_map(|routine| routine.range_ends()).collect())
                }
                false => BTreeSet::new(),
            };
            relations.extend(opposed(&kinds).filter(|_| self.plan.opposes));
            // Where one routine goes on alone, the other waits with its values. Most ranges are empty there.
            if self.corresponds(place.at) != Some(true) {
                for (item, kind) in &kinds {
                    let value = self.terms.value_of(stops[item.0].values[&item.1].term);
                    let is_range = *kind == BlastKind::Range;
                    relations.extend(is_range.then_some(Relation::Empty(*item)));
                    relations.extend((is_range && self.is_mutant).then_some(Relation::Few(*item)));
                    relations.extend(value.map(|value| Relation::Is(*item, value as u32)));
                }
            }
            self.nodes.insert(place, Assumptions { kinds, classes, relations });
            self.order.push(place);
            return Ok(true);
        };
        let mut changed = false;
        for (item, own) in &mut node.kinds {
            let other = kinds.get(item).ok_or(Reason("their variables do not correspond"))?;
            let joined = own.join(*other).ok_or(Reason("their variables do not correspond"))?;
            changed |= joined != *own;
            *own = joined;
        }
        Ok(changed)
    }

    /// The kind of a term. `known` has those of terms seen before: terms share operands.
    fn kind(&self, term: Term, known: &mut QuickMap<Term, Option<BlastKind>>) -> Option<BlastKind> {
        if let Some(kind) = known.get(&term) {
            return *kind;
        }
        let kind = self.new_kind(term, known);
        known.insert(term, kind);
        kind
    }

    fn new_kind(&self, term: Term, known: &mut QuickMap<Term, Option<BlastKind>>) -> Option<BlastKind> {
        let mut list = |term: Term| match self.kind(term, known)? {
            BlastKind::List(capacity) | BlastKind::Cursor(capacity) => Some(capacity),
            _ => None,
        };
        Some(match self.terms.node(term) {
            Node::Parameter(_) | Node::Symbol(_) => self.symbols.get(&term)?.kind,
            Node::Constant(_) | Node::Sum(..) => BlastKind::Word,
            Node::Joined { .. } => return None,
            Node::Apply(head, operands) => match head {
                Head::Op(Op::BuildList) => BlastKind::List(operands.len() as u32),
                Head::Op(Op::RepeatList) => {
                    BlastKind::List(u32::try_from(self.terms.value_of(operands[1])?).ok()?)
                }
                Head::Op(Op::JoinList) => {
                    BlastKind::List((list(operands[0])? + list(operands[1])?).min(CAPACITY))
                }
                Head::Op(Op::Slice) | Head::Replaced => BlastKind::List(list(operands[0])?),
                Head::Call(routine) => BlastKind::of((self.result)(*routine)?),
                Head::Range(_) => BlastKind::Range,
                Head::Elements => BlastKind::Cursor(list(operands[0])?),
                Head::Rest => self.kind(operands[0], known)?,
                Head::If => self.kind(operands[1], known)?.join(self.kind(operands[2], known)?)?,
                _ => BlastKind::Word,
            },
        })
    }
}
