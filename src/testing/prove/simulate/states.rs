//! The states of both routines where a step begins, and where it ends.

use std::collections::{BTreeMap, HashMap};

use super::{Point, SimulatePlace, Simulation, Stop};
use crate::compiler::stage::flow::ranges::Range;
use crate::lang::ty::Type;
use crate::testing::equivalence::state::{EquivalenceState, OPERAND};
use crate::testing::equivalence::terms::{Node, TermValue};
use crate::testing::prove::blast::{BlastKind, Symbol};
use crate::testing::prove::logic;
use crate::testing::prove::region::{Ending, Stops};
use crate::testing::prove::relation::Item;

impl Simulation<'_> {
    /// Returns the states of both routines at a place. Items that are assumed equal share one symbol.
    pub(super) fn states(&mut self, place: SimulatePlace) -> [EquivalenceState; 2] {
        if place.at == [Point::Begin; 2] {
            let state = self.routines[0].entry(self.terms);
            let mut slot = 0;
            for ty in self.types {
                let term = self.terms.intern(Node::Parameter(slot));
                let bools = *ty == Type::BOOL || ty.is_list() && ty.element() == Type::BOOL;
                let known = state.variables.get(&slot).map_or(Range::ANY, |value| value.known);
                self.symbols.insert(term, Symbol { kind: BlastKind::of(*ty), known, bools });
                slot += ty.words();
            }
            return [state.clone(), state];
        }
        let Some(node) = self.nodes.get(&place).cloned() else { return Default::default() };
        // The facts of all items of a class hold for its value.
        let mut known: HashMap<u32, (Range, BlastKind)> = HashMap::new();
        for (item, class) in &node.classes {
            let (fact, kind) = (self.fact(place, *item), node.kinds[item]);
            let own = known.entry(*class).or_insert((fact, kind));
            own.0 = own.0.meet(fact).unwrap_or(own.0);
            own.1 = own.1.join(kind).unwrap_or(own.1);
        }
        let mut states: [EquivalenceState; 2] = Default::default();
        for (item, class) in &node.classes {
            let first =
                node.classes.iter().find(|(_, other)| *other == class).map_or(*item, |(first, _)| *first);
            let count = self.numbers.len() as u32;
            let number = *self.numbers.entry((place, first)).or_insert(count);
            let term = self.terms.intern(Node::Symbol(number));
            let (known, kind) = known[class];
            self.symbols.insert(term, Symbol { kind, known, bools: false });
            let value = TermValue { term, known };
            let state = &mut states[item.0];
            if item.1 & OPERAND != 0 {
                state.stack.push(value);
            } else {
                state.variables.insert(item.1, value);
            }
        }
        states
    }

    pub(super) fn fact(&self, place: SimulatePlace, (side, variable): Item) -> Range {
        let Point::Loop(number) = place.at[side] else { return Range::ANY };
        let routine = self.routines[side];
        let head = routine.loops[number].head;
        match variable & OPERAND {
            0 => routine.code.variable(head, variable),
            _ => routine.code.operand(head, (variable & !OPERAND) as usize),
        }
    }

    /// Returns the points at which a region may end.
    pub(super) fn stops(&mut self, side: usize, stops: Stops) -> Vec<Stop> {
        let routine = self.routines[side];
        let mut found = Vec::new();
        for (number, own) in routine.loops.iter().enumerate() {
            if let Some((guard, state)) = stops.heads.get(&own.head) {
                found.push(Stop { at: Point::Loop(number), guard: *guard, values: variables(state) });
            }
        }
        if let Some(Ending { guard, code, value }) = stops.ending {
            let value = value.unwrap_or_else(|| self.terms.constant(0));
            let [code, value] = [code, value].map(logic::any);
            found.push(Stop { at: Point::End, guard, values: [(0, code), (1, value)].into() });
        }
        found
    }
}

pub(super) fn variables(state: &EquivalenceState) -> BTreeMap<u32, TermValue> {
    let stack = (0..).zip(&state.stack).map(|(place, value)| (OPERAND | place, *value));
    state.variables.iter().map(|(variable, value)| (*variable, *value)).chain(stack).collect()
}
