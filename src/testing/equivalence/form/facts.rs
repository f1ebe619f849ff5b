//! The first pass: facts about all variables where each block begins.

use std::collections::BTreeSet;

use super::{Analysis, ROUNDS};
use crate::testing::equivalence::known::Known;
use crate::testing::equivalence::state::{Operand, Origin, State};
use crate::testing::equivalence::terms::Value;

/// Changes of a loop's facts before these are widened.
const PATIENCE: u32 = 3;

impl Analysis<'_> {
    /// Returns the facts where each block begins; `None` for a block that is not reached.
    pub fn facts(&mut self) -> Option<Vec<Option<State>>> {
        let count = self.blocks.len();
        let entry = self.entry();
        let mut states: Vec<Option<State>> = vec![None; count];
        states[0] = Some(entry.clone());
        let mut changes = vec![0; count];
        let mut open: BTreeSet<usize> = [0].into();
        let mut budget = ROUNDS * count;
        while let Some(number) = open.pop_first() {
            budget = budget.checked_sub(1)?;
            let Some(state) = states[number].clone() else { continue };
            for (next, state) in self.run(number, state, false)?.next {
                let merged = match &states[next] {
                    None => state,
                    Some(before) => {
                        let widens = next <= number && changes[next] >= PATIENCE;
                        join(before, &state, widens)?
                    }
                };
                if states[next].as_ref().is_none_or(|before| !same(before, &merged)) {
                    changes[next] += 1;
                    states[next] = Some(merged);
                    open.insert(next);
                }
            }
        }
        // Widening went too far: compute all facts from these once more. The result holds if it allows all that
        // follows from it.
        let narrowed = self.step(&entry, &states)?;
        let again = self.step(&entry, &narrowed)?;
        let holds = narrowed.iter().zip(&again).all(|(known, found)| match (known, found) {
            (Some(known), Some(found)) => covers(known, found),
            (_, None) => true,
            (None, Some(_)) => false,
        });
        Some(if holds { narrowed } else { states })
    }

    /// Returns the facts where each block begins that follow from `states` if every block runs once.
    fn step(&mut self, entry: &State, states: &[Option<State>]) -> Option<Vec<Option<State>>> {
        let mut found: Vec<Option<State>> = vec![None; states.len()];
        found[0] = Some(entry.clone());
        for (number, state) in states.iter().enumerate() {
            let Some(state) = state else { continue };
            for (next, state) in self.run(number, state.clone(), false)?.next {
                found[next] = Some(match &found[next] {
                    None => state,
                    Some(before) => join(before, &state, false)?,
                });
            }
        }
        Some(found)
    }
}

/// The facts of both states; those about variables that one of them lacks are dropped.
fn join(before: &State, other: &State, widens: bool) -> Option<State> {
    let known = |before: Known, other: Known| {
        let joined = before.join(other);
        if widens { joined.widened(before) } else { joined }
    };
    if before.stack.len() != other.stack.len() {
        return None;
    }
    let stack = before.stack.iter().zip(&other.stack).map(|(one, two)| Operand {
        value: Value { known: known(one.value.known, two.value.known), ..one.value },
        origin: Origin::None,
    });
    let variables = before.variables.iter().filter_map(|(variable, value)| {
        let other = other.variables.get(variable)?;
        Some((*variable, Value { known: known(value.known, other.known), ..*value }))
    });
    Some(State { stack: stack.collect(), variables: variables.collect() })
}

fn same(one: &State, other: &State) -> bool {
    covers(one, other) && covers(other, one)
}

/// Whether a state allows all that another does.
fn covers(one: &State, other: &State) -> bool {
    one.stack.len() == other.stack.len()
        && one.stack.iter().zip(&other.stack).all(|(a, b)| a.value.known.covers(b.value.known))
        && one.variables.iter().all(|(variable, value)| {
            other.variables.get(variable).is_some_and(|other| value.known.covers(other.known))
        })
}
