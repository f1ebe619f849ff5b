//! Calls as uninterpreted functions (Ackermann, "Solvable cases of the decision problem", 1954): equal arguments imply
//! equal results and equal traps.

use super::Blaster;
use super::values::Bits;
use crate::lang::index::RoutineId;
use crate::testing::equivalence::terms::{Head, Node, Term};
use crate::testing::prove::aig::{Bit, FALSE, TRUE, Word};

/// The maximum number of calls of one function that are compared with each other.
const CALLS: usize = 12;

/// A call, with the unknown results.
pub(super) struct Called {
    arguments: Vec<Term>,
    pub value: Term,
    pub traps: Bit,
}

impl Blaster<'_> {
    /// Records a call. Adds the constraints that it has the result of each earlier call with equal arguments.
    pub(super) fn called(
        &mut self,
        routine: RoutineId,
        operands: &[Term],
        term: Term,
        bits: &Bits,
    ) -> Option<()> {
        let traps = self.aig.input();
        let known: Vec<(Vec<Term>, Term, Bit)> = { self.calls.entry(routine).or_default() }
            .iter()
            .map(|call| (call.arguments.clone(), call.value, call.traps))
            .collect();
        for (arguments, value, other) in known.iter().take(CALLS) {
            let mut same = TRUE;
            for (a, b) in arguments.iter().zip(operands) {
                let (a, b) = (self.bits.get(a)?.clone(), self.bits.get(b)?.clone());
                let equal = self.equal(&a, &b)?;
                same = self.aig.and(same, equal);
            }
            if same == FALSE {
                continue;
            }
            let value = self.bits.get(value)?.clone();
            let values = self.equal(&value, bits)?;
            let ways = !self.aig.xor(*other, traps);
            let results = self.aig.and(values, ways);
            let implied = self.aig.or(!same, results);
            self.constraints.push(implied);
        }
        let call = Called { arguments: operands.to_vec(), value: term, traps };
        self.calls.entry(routine).or_default().push(call);
        Some(())
    }

    /// Adds the constraints that calls with equal arguments trap in the same way at a place.
    pub(super) fn same_codes(&mut self, call: Term, place: Term, word: &Word) -> Option<()> {
        let Node::Apply(Head::Call(routine), operands) = self.terms.node(call).clone() else { return None };
        let known: Vec<(Vec<Term>, Term)> =
            { self.calls.get(&routine)? }.iter().map(|call| (call.arguments.clone(), call.value)).collect();
        for (arguments, value) in known.iter().take(CALLS) {
            let there = self.codes.get(value).into_iter().flatten().find(|(at, _)| *at == place);
            let Some(other) = there.map(|(_, word)| *word) else { continue };
            let mut same = TRUE;
            for (a, b) in arguments.iter().zip(operands.iter()) {
                let (a, b) = (self.bits.get(a)?.clone(), self.bits.get(b)?.clone());
                let equal = self.equal(&a, &b)?;
                same = self.aig.and(same, equal);
            }
            let equal = self.aig.equal(&other, word);
            let implied = self.aig.or(!same, equal);
            self.constraints.push(implied);
        }
        Some(())
    }
}
