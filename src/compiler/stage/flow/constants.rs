//! Constants and copies: the variables with one known value, and those that equal others (Wegman, Zadeck 1991:
//! "Constant Propagation with Conditional Branches").

use super::copies;
use super::sweeps::{Analysis, SweepRows, solve};
use super::transfer::{Code, Domain, FlowOperand, Test};
use crate::lang::opcode::Op;
use crate::lang::{NONE, arithmetic};

/// A fact about a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its value, if it always has the same one.
    pub value: Option<u32>,
    /// The least variable that equals it: see [`copies`].
    pub same: u32,
}

/// Returns the facts of a routine's blocks.
pub fn find(code: Code, routine: usize) -> SweepRows<Constant> {
    solve(code.flow, routine, &mut Constants { code, variables: code.flow.spans.variables[routine] })
}

struct Constants<'a> {
    code: Code<'a>,
    variables: u32,
}

impl Analysis for Constants<'_> {
    type Fact = Constant;

    fn entry(&self) -> Vec<Constant> {
        (0..self.variables).map(|same| Constant { value: None, same }).collect()
    }

    fn meet(&self, facts: &mut [Constant], other: &[Constant]) {
        with_partition(facts, |same| copies::meet(same, &partition(other)));
        for (fact, other) in facts.iter_mut().zip(other) {
            fact.value = fact.value.filter(|_| fact.value == other.value);
        }
    }

    fn leave(&mut self, block: usize, facts: &[Constant]) -> Vec<(usize, Vec<Constant>)> {
        super::transfer::leave(self.code, self, block, facts)
    }
}

fn partition(facts: &[Constant]) -> Vec<u32> {
    facts.iter().map(|fact| fact.same).collect()
}

fn with_partition(facts: &mut [Constant], change: impl FnOnce(&mut [u32])) {
    let mut same = partition(facts);
    change(&mut same);
    facts.iter_mut().zip(same).for_each(|(fact, same)| fact.same = same);
}

impl Domain for Constants<'_> {
    type Fact = Constant;
    type Value = Option<u32>;
    const ANY: Option<u32> = None;
    const LENGTHS: bool = false;

    fn word(&self, word: u32) -> Option<u32> {
        Some(word)
    }

    fn load(&self, fact: &Constant) -> Option<u32> {
        fact.value
    }

    fn unary(&self, op: Op, operand: Option<u32>) -> Option<u32> {
        Some(arithmetic::unary(op as u32, operand?))
    }

    fn binary(&self, op: Op, left: Option<u32>, right: Option<u32>) -> Option<u32> {
        arithmetic::binary(op as u32, left?, right?).ok()
    }

    fn result(&self, _: usize, _: Op, _: &[FlowOperand<Option<u32>>]) -> Option<u32> {
        None
    }

    fn forget(&self, facts: &mut [Constant], variable: usize) {
        facts[variable].value = None;
        with_partition(facts, |same| copies::leave(same, variable));
    }

    fn store(&self, _: usize, facts: &mut [Constant], variable: usize, operand: FlowOperand<Option<u32>>) {
        facts[variable].value = operand.value;
        if operand.variable != NONE {
            with_partition(facts, |same| copies::join(same, variable, operand.variable as usize));
        }
    }

    fn store_element(&self, facts: &mut [Constant], variable: usize) {
        with_partition(facts, |same| copies::leave(same, variable));
    }

    fn assume(&self, _: &mut [Constant], test: &Test<Option<u32>>, result: bool) -> bool {
        let known = self.binary(test.op, test.left.value, test.right.value);
        known.is_none_or(|known| (known != 0) == result)
    }
}
