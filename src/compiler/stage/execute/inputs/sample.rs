//! A sample of a large domain without repetition: small and extreme values first, then random values.
//!
//! Each binder has *codes*: one for each of its values or, if there are too many, one for each of some
//! disjoint groups of values. Its first codes, for small and extreme values, are *special*. An input is a
//! tuple of codes, and all tuples differ. Tuples of special codes only come first. Then tuples with and
//! without a special code alternate, each kind in random order. That order is a permutation of the tuples'
//! numbers: a Feistel network, which is reapplied while the number is too large (Black and Rogaway, "Ciphers
//! with arbitrary finite domains", 2002). The specification is docs/stages/execute.md.

use super::{Binder, mix};
use crate::lang::index::{Index, InputId};
use crate::lang::limits::INPUTS;

const SEED: u32 = 0x6d79_7269;
/// Added to the first random word of a value to get the second one; also derives the keys of the network's
/// rounds.
const SECOND: u32 = 0x9e37_79b9;
/// The multiplier of a round of the network.
const ROUND: u32 = 0x846c_a68b;
/// The most tuples of a domain.
const TUPLES: u64 = 1 << 31;
/// The most tuples of special codes only.
const SMALL: u32 = 256;
/// One of this many inputs has a special code, as long as such tuples are left.
const SPECIAL_PERIOD: u32 = 4;
/// The most values of a list's element with a code of their own, and the number of values that are preferred
/// if there is only one code.
const PREFERRED_VALUES: u32 = 8;

#[derive(Clone, Debug)]
struct Codes {
    count: u32,
    special: u32,
    /// Number of tuples in which this binder's code is the first special one.
    block: u32,
    /// For a list, the number of codes of each length; empty if there are fewer codes than lengths.
    lengths: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct InputSample {
    codes: Vec<Codes>,
    /// Number of tuples; of tuples with a special code, which have the lowest numbers; and of tuples of
    /// special codes only.
    tuples: u32,
    special: u32,
    small: u32,
}

/// A tuple: the first binder with a special code, and a number that encodes the codes.
#[derive(Clone, Copy)]
struct Tuple {
    first: usize,
    rest: u32,
    /// Whether all codes are special.
    small: bool,
}

impl InputSample {
    pub fn new(binders: &[Binder]) -> InputSample {
        let sizes = binders.iter().map(|binder| u64::from(binder.size));
        let all = |most: u64| sizes.clone().fold(1, |all: u64, size| all.saturating_mul(size.min(most)));
        let mut most = u64::from(INPUTS);
        while most > 2 && all(most) > TUPLES {
            most /= 2;
        }
        let special = (1..=SMALL).rev().find(|n| n.saturating_pow(binders.len() as u32) <= SMALL).unwrap_or(1);
        let mut tuples = 1;
        let mut codes = Vec::new();
        for binder in binders {
            let count = u64::from(binder.size).min(most);
            let count = if tuples * count > TUPLES { 1 } else { count };
            tuples *= count;
            codes.push(Codes::new(binder, count as u32, special));
        }
        let (mut plain, mut behind) = (1, tuples as u32);
        for codes in &mut codes {
            behind /= codes.count;
            codes.block = plain * codes.special * behind;
            plain *= codes.count - codes.special;
        }
        let small = codes.iter().map(|codes| codes.special).product();
        InputSample { codes, tuples: tuples as u32, special: tuples as u32 - plain, small }
    }

    /// Writes the values of an input to the start of a frame, unless they do not fit.
    pub fn write(&self, binders: &[Binder], input: InputId, frame: &mut [u32]) {
        let tuple = self.tuple(input);
        let mut rest = tuple.rest;
        for (b, (binder, codes)) in binders.iter().zip(&self.codes).enumerate() {
            let code = codes.next(b, tuple, &mut rest);
            if binder.fits(frame) {
                codes.write(binder, code, |element| draw(input, b as u32, element), frame);
            }
        }
    }

    fn tuple(&self, input: InputId) -> Tuple {
        let input = input.number();
        if input < self.small {
            return Tuple { first: 0, rest: input, small: true };
        }
        let (others, plain) = (self.special - self.small, self.tuples - self.special);
        let turn = input - self.small;
        // Numbers of earlier inputs of each kind.
        let mut with = (turn / SPECIAL_PERIOD).min(others);
        let mut without = turn - with;
        if without > plain {
            (with, without) = (turn - plain, plain);
        }
        if without < plain && (turn % SPECIAL_PERIOD < SPECIAL_PERIOD - 1 || with == others) {
            return self.numbered(self.special + permuted(without, plain));
        }
        let mut number = permuted(self.small + with, self.special);
        loop {
            let tuple = self.numbered(number);
            // Numbers below `small` replace those of tuples of special codes only, which came first.
            match self.small_number(tuple) {
                Some(small) => number = permuted(small, self.special),
                None => return tuple,
            }
        }
    }

    /// Returns the tuple with this number. Tuples are ordered by the first binder with a special code.
    fn numbered(&self, number: u32) -> Tuple {
        let mut rest = number;
        for (first, codes) in self.codes.iter().enumerate() {
            if rest < codes.block {
                return Tuple { first, rest, small: false };
            }
            rest -= codes.block;
        }
        Tuple { first: self.codes.len(), rest, small: false }
    }

    /// Returns the number of a tuple among those of special codes only, if it is one.
    fn small_number(&self, tuple: Tuple) -> Option<u32> {
        let (mut rest, mut number, mut unit) = (tuple.rest, 0, 1);
        for (b, codes) in self.codes.iter().enumerate() {
            let code = codes.next(b, tuple, &mut rest);
            if code >= codes.special {
                return None;
            }
            number += unit * code;
            unit *= codes.special;
        }
        Some(number)
    }
}

impl Codes {
    fn new(binder: &Binder, count: u32, special: u32) -> Codes {
        let mut lengths = Vec::new();
        if binder.list && binder.range > 0 && count > binder.max_len {
            // Shorter lists are cheaper and get more codes, but no length gets more codes than it has values.
            let (mut left, mut values) = (count, 1u32);
            for length in 0..=binder.max_len {
                let own = (2 * left / (binder.max_len + 2 - length)).min(values);
                lengths.push(own);
                left -= own;
                values = values.saturating_mul(binder.range).min(INPUTS);
            }
        }
        Codes { count, special: special.min(count), block: 0, lengths }
    }

    /// Takes the code of binder `b` in a tuple from `rest`.
    fn next(&self, b: usize, tuple: Tuple, rest: &mut u32) -> u32 {
        let (from, count) = match b.cmp(&tuple.first) {
            _ if tuple.small => (0, self.special),
            std::cmp::Ordering::Less => (self.special, self.count - self.special),
            std::cmp::Ordering::Equal => (0, self.special),
            std::cmp::Ordering::Greater => (0, self.count),
        };
        let code = from + *rest % count;
        *rest /= count;
        code
    }

    /// Writes the value of a code. If the code has several values, one of them is chosen by the random `word` of
    /// each element.
    fn write(&self, binder: &Binder, code: u32, word: impl Fn(u32) -> u32, frame: &mut [u32]) {
        let Binder { lo, range, max_len, slot, .. } = *binder;
        if !binder.list {
            frame[slot] = ordered(lo, range, pick(code, (self.count, self.special), range, || word(0)));
            return;
        }
        // The code's number among the codes of its length, and their count.
        let (mut length, mut own, mut count) = (0, code, 1);
        if range > 0 && self.lengths.is_empty() {
            (length, own) = (pick(code, (self.count, self.count / 4), max_len + 1, || word(0)), 0);
        }
        for codes in &self.lengths {
            count = *codes;
            if own < count {
                break;
            }
            own -= count;
            length += 1;
        }
        frame[slot] = length;
        for element in 0..length {
            let index;
            if count >= range {
                index = own % range;
                (own, count) = (own / range, (count - 1) / range + 1);
            } else {
                index = pick(own, (count, PREFERRED_VALUES.min(count / 4)), range, || word(1 + element));
                (own, count) = (0, 1);
            }
            frame[slot + 1 + element as usize] = ordered(lo, range, index);
        }
    }
}

/// Returns a random word for an element of a binder in an input.
fn draw(input: InputId, binder: u32, element: u32) -> u32 {
    mix(mix(mix(SEED.wrapping_add(input.number())).wrapping_add(binder)).wrapping_add(element))
}

/// Returns an index below `range` from the group of a code. The first `single` codes have one index each; the
/// others share the remaining indices equally. If there is only one code, the first indices are preferred.
fn pick(code: u32, (codes, single): (u32, u32), range: u32, word: impl Fn() -> u32) -> u32 {
    if codes >= range || (code < single && codes > 1) {
        return code;
    }
    let word = word();
    if codes == 1 && word & 7 == 0 {
        return (word >> 3) % range.min(PREFERRED_VALUES);
    }
    let single = if codes == 1 { 0 } else { single };
    let (left, groups, group) = (range - single, codes - single, code - single);
    let (least, more) = (left / groups, left % groups);
    let from = single + group * least + group.min(more);
    from + mix(word.wrapping_add(SECOND)) % (least + u32::from(group < more))
}

/// Returns the number at an index of a range: alternately the nearest to 0 and the farthest, with the nearer
/// bound among the first.
fn ordered(lo: u32, range: u32, index: u32) -> u32 {
    let last = range - 1;
    let zero = 0u32.wrapping_sub(lo);
    // Offset of the number nearest to 0.
    let goal = if (lo as i32) >= 0 { 0 } else { zero.min(last) };
    let (below, above) = (goal, last - goal);
    let both = below.min(above);
    let mut far = if index.is_multiple_of(2) { index / 2 } else { last - index / 2 };
    // The rank of the nearer bound, which is exchanged with the fourth nearest.
    let bound = if below < above { 2 * both } else { (2 * both).saturating_sub(1) };
    if bound > 3 && (far == 3 || far == bound) {
        far = 3 + bound - far;
    }
    let offset = if far > 2 * both {
        if below < above { goal + (far - both) } else { goal - (far - both) }
    } else if far.is_multiple_of(2) {
        goal - far / 2
    } else {
        goal + far.div_ceil(2)
    };
    lo.wrapping_add(offset)
}

/// Maps `x` by a permutation of the numbers below `n`, which is at most 2³¹.
fn permuted(x: u32, n: u32) -> u32 {
    let bits = 32 - n.saturating_sub(1).leading_zeros();
    let (mut low, mut high) = (bits / 2, bits - bits / 2);
    let mut x = x;
    loop {
        for round in 0..4 {
            let right = x & ((1 << low) - 1);
            let key = SEED.wrapping_add(n).wrapping_add(SECOND.wrapping_mul(round));
            let word = right.wrapping_add(key).wrapping_mul(ROUND) >> 16;
            x = (right << high) | ((x >> low) ^ (word & ((1 << high) - 1)));
            (low, high) = (high, low);
        }
        if x < n.max(1) {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_take_each_number_once() {
        for n in (1..300).chain([1_024, 1_025, 65_535, 65_536, 100_000]) {
            let mut seen = vec![false; n as usize];
            (0..n).for_each(|x| seen[permuted(x, n) as usize] = true);
            assert!(seen.iter().all(|seen| *seen), "{n}");
        }
    }

    #[test]
    fn ordering_yields_each_number_once_with_extremes_first() {
        for (lo, hi) in
            [(0, 1), (0, 2), (0, 100), (-5, 6), (-50, 50), (-10, 500), (-500, 10), (7, 90), (-90, -7), (-1, 9)]
        {
            let range = (hi - lo) as u32;
            let all: Vec<i32> = (0..range).map(|index| ordered(lo as u32, range, index) as i32).collect();
            let mut sorted = all.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (lo..hi).collect::<Vec<_>>());
            for wanted in [lo, hi - 1, 0i32.clamp(lo, hi - 1), 1i32.clamp(lo, hi - 1)] {
                assert!(
                    all.iter().take(8).any(|n| *n == wanted),
                    "{wanted} of {lo}..{hi}: {:?}",
                    &all[..8.min(all.len())]
                );
            }
        }
        let full = |index| ordered(i32::MIN as u32, u32::MAX, index) as i32;
        assert_eq!([0, 1, 2, 6].map(full), [0, i32::MIN, 1, i32::MAX - 1]);
    }
}
