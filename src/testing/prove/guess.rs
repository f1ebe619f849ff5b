//! Guesses models of a bit: evaluates its graph on many inputs at once, before a solver searches for one.

use std::collections::HashMap;

use super::aig::{Aig, Bit, Word};
use crate::compiler::program::Watch;
use crate::lang::random::Rng;

/// The inputs of one model.
pub type Inputs = HashMap<usize, bool>;

/// The number of times that 64 inputs are evaluated at once.
const ROUNDS: u32 = 4;
/// The random seed of every guess.
const SEED: u64 = 0x6775_6573_7365_6421;

/// Returns inputs that make `wanted` true, if one of 256 guesses does. They are drawn from small numbers, the
/// constants ±1 and extremes, and near the inputs of an earlier model. Returns `None` if the work was cancelled.
pub fn guess(
    aig: &Aig,
    wanted: Bit,
    constants: &[u32],
    earlier: Option<&Inputs>,
    watch: &dyn Watch,
) -> Option<Inputs> {
    let mut random = Rng::new(SEED, 0);
    let count = wanted.node() + 1;
    let mut values = vec![0u64; count];
    let inputs: Vec<usize> = (1..count).filter(|node| aig.nodes[*node].is_none()).collect();
    for round in 0..ROUNDS {
        if watch.cancelled() {
            return None;
        }
        inputs.iter().for_each(|input| values[*input] = random.bits());
        let earlier = earlier.filter(|_| round % 2 == 0);
        let near: [u32; 64] = std::array::from_fn(|_| number(&mut random, constants));
        for word in &aig.words {
            let own = earlier.map(|inputs| {
                (0..32).filter(|i| inputs.get(&word[*i].node()) == Some(&true)).map(|i| 1 << i).sum::<u32>()
            });
            let lanes = near.map(|near| match (own, random.bits() % 8) {
                (Some(own), 0..=5) => own,
                (Some(own), 6) => own.wrapping_add(1 + random.bits() as u32 % 2 * (u32::MAX - 1)),
                (_, 0..=1) => near,
                (_, 2) => near.wrapping_add(1),
                (_, 3) => near.wrapping_sub(1),
                _ => number(&mut random, constants),
            });
            spread(&mut values, word, &lanes);
        }
        // False is node 0.
        for node in 1..count {
            if let Some([a, b]) = aig.nodes[node] {
                values[node] = lanes_of(&values, a) & lanes_of(&values, b);
            }
        }
        let holds = lanes_of(&values, wanted);
        if holds != 0 {
            let lane = holds.trailing_zeros();
            return Some(inputs.into_iter().map(|node| (node, values[node] >> lane & 1 == 1)).collect());
        }
    }
    None
}

/// The values of a bit in 64 evaluations.
fn lanes_of(values: &[u64], bit: Bit) -> u64 {
    values[bit.node()] ^ if bit.is_negated() { u64::MAX } else { 0 }
}

/// Sets the inputs of a word to one value for each evaluation.
fn spread(values: &mut [u64], word: &Word, lanes: &[u32; 64]) {
    for (i, bit) in word.iter().enumerate().filter(|(_, bit)| bit.node() != 0) {
        if let Some(value) = values.get_mut(bit.node()) {
            *value = (0..64).map(|lane| u64::from(lanes[lane] >> i & 1) << lane).sum();
        }
    }
}

/// Draws a number: small ones, extremes, and those near constants are frequent.
fn number(random: &mut Rng, constants: &[u32]) -> u32 {
    let draw = random.bits();
    let small = (draw >> 8) as u32;
    match draw % 16 {
        0..=5 => small % 8,
        6 => (small % 4).wrapping_neg(),
        7..=10 if !constants.is_empty() => constants[small as usize % constants.len()]
            .wrapping_add(small >> 16 & 1)
            .wrapping_sub(small >> 17 & 1),
        11 => 0x8000_0000u32.wrapping_sub(small % 3),
        12..=13 => small % 128,
        _ => (random.word() as i32 >> (draw >> 59)) as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::super::aig::{TRUE, bit_value, constant};
    use super::*;

    #[test]
    fn guesses_are_models() {
        let mut aig = Aig::default();
        let (a, b) = (aig.input_word(), aig.input_word());
        let less = aig.less(&a, &b);
        let next = aig.add(&a, &constant(1));
        let equal = aig.equal(&next, &b);
        let letter = aig.equal(&b, &constant(98));
        for wanted in [less, !less, equal, letter] {
            let inputs = guess(&aig, wanted, &[97], None, &|| false).expect("a model");
            assert!(bit_value(&aig.evaluate(&inputs), wanted));
        }
        let both = aig.and(letter, equal);
        let near = guess(&aig, letter, &[97], None, &|| false);
        assert!(guess(&aig, both, &[97], near.as_ref(), &|| false).is_some());
        let never = aig.and(equal, !less);
        let rare = aig.equal(&a, &constant(0x1234_5678));
        assert_eq!((guess(&aig, rare, &[], None, &|| false), TRUE == !TRUE), (None, false));
        // It holds for the largest number only.
        let largest = guess(&aig, never, &[i32::MAX as u32], None, &|| false);
        assert!(largest.is_none_or(|inputs| bit_value(&aig.evaluate(&inputs), never)));
    }
}
