//! And-inverter graphs, in which equal nodes exist once, and arithmetic on words of 32 bits.

use std::collections::HashMap;

use crate::lang::hash::QuickMap;
use crate::lang::opcode::Op;

/// A node or its negation: twice the node's number, plus 1 if negated. Node 0 is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit(pub u32);

pub const FALSE: Bit = Bit(0);
pub const TRUE: Bit = Bit(1);

impl std::ops::Not for Bit {
    type Output = Bit;

    fn not(self) -> Bit {
        Bit(self.0 ^ 1)
    }
}

impl Bit {
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    const fn constant(value: bool) -> Bit {
        if value { TRUE } else { FALSE }
    }
}

/// The bits of an int, the lowest first.
pub type Word = [Bit; 32];

/// A graph. Nodes are inputs, or the conjunction of two bits with lower numbers.
pub struct Aig {
    pub nodes: Vec<Option<[Bit; 2]>>,
    /// The words of inputs. Some of their bits may be constant.
    pub words: Vec<Word>,
    known: QuickMap<[Bit; 2], Bit>,
}

impl Default for Aig {
    fn default() -> Aig {
        Aig { nodes: vec![None], words: Vec::new(), known: QuickMap::default() }
    }
}

pub fn constant(value: u32) -> Word {
    std::array::from_fn(|i| Bit::constant(value >> i & 1 == 1))
}

/// For a word that depends on at most one bit: this bit, and the values of the word where it is true and where it is false.
fn of_one_bit(word: &Word) -> Option<(Bit, [u32; 2])> {
    let bit = word.iter().find(|bit| bit.node() != 0).map_or(TRUE, |bit| Bit(bit.0 & !1));
    let value = |with: bool| -> Option<u32> {
        let of = |own: &Bit| match () {
            () if own.node() == 0 => Some(*own == TRUE),
            () if own.node() == bit.node() => Some(with != own.is_negated()),
            () => None,
        };
        (0..).zip(word).try_fold(0, |value, (i, own)| Some(value | u32::from(of(own)?) << i))
    };
    Some((bit, [value(true)?, value(false)?]))
}

pub fn truth(bit: Bit) -> Word {
    std::array::from_fn(|i| if i == 0 { bit } else { FALSE })
}

impl Aig {
    /// A new input.
    pub fn input(&mut self) -> Bit {
        self.nodes.push(None);
        Bit(2 * (self.nodes.len() as u32 - 1))
    }

    pub fn input_word(&mut self) -> Word {
        let word = std::array::from_fn(|_| self.input());
        self.words.push(word);
        word
    }

    // Most conjunctions of bits have a constant, or one bit twice: they are decided without a call.
    #[inline]
    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match (a, b) {
            (FALSE, _) => FALSE,
            (TRUE, _) => b,
            _ if a == b => a,
            _ if a == !b => FALSE,
            _ => self.conjunction(a, b),
        }
    }

    /// The conjunction of two bits of different nodes, the lower one first.
    fn conjunction(&mut self, a: Bit, b: Bit) -> Bit {
        // One level of absorption and contradiction.
        for (x, y) in [(a, b), (b, a)] {
            if let Some([p, q]) = self.nodes[y.node()] {
                match (y.is_negated(), x) {
                    (false, _) if x == p || x == q => return y,
                    (false, _) if x == !p || x == !q => return FALSE,
                    (true, _) if x == !p || x == !q => return x,
                    (true, _) if x == p => return self.and(x, !q),
                    (true, _) if x == q => return self.and(x, !p),
                    _ => {}
                }
            }
        }
        if let Some(known) = self.known.get(&[a, b]) {
            return *known;
        }
        self.nodes.push(Some([a, b]));
        let bit = Bit(2 * (self.nodes.len() as u32 - 1));
        self.known.insert([a, b], bit);
        bit
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        let (x, y) = (self.and(a, !b), self.and(!a, b));
        self.or(x, y)
    }

    pub fn choose(&mut self, condition: Bit, then: Bit, otherwise: Bit) -> Bit {
        if then == otherwise {
            return then;
        }
        let (x, y) = (self.and(condition, then), self.and(!condition, otherwise));
        self.or(x, y)
    }

    pub fn all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter().fold(TRUE, |all, bit| self.and(all, bit))
    }

    pub fn any(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter().fold(FALSE, |any, bit| self.or(any, bit))
    }

    pub fn map(&mut self, a: &Word, b: &Word, f: impl Fn(&mut Aig, Bit, Bit) -> Bit) -> Word {
        std::array::from_fn(|i| f(self, a[i], b[i]))
    }

    pub fn choose_word(&mut self, condition: Bit, then: &Word, otherwise: &Word) -> Word {
        match condition {
            TRUE => *then,
            FALSE => *otherwise,
            _ => self.map(then, otherwise, |aig, a, b| aig.choose(condition, a, b)),
        }
    }

    pub fn equal(&mut self, a: &Word, b: &Word) -> Bit {
        let different = self.map(a, b, Aig::xor);
        !self.any(different)
    }

    /// `a + b + carry`, and the carry out of it.
    fn add_with(&mut self, a: &Word, b: &Word, mut carry: Bit) -> (Word, Bit) {
        let sum = std::array::from_fn(|i| {
            let (x, y) = (a[i], b[i]);
            let half = self.xor(x, y);
            let sum = self.xor(half, carry);
            let (both, through) = (self.and(x, y), self.and(half, carry));
            carry = self.or(both, through);
            sum
        });
        (sum, carry)
    }

    pub fn add(&mut self, a: &Word, b: &Word) -> Word {
        self.add_with(a, b, FALSE).0
    }

    pub fn sub(&mut self, a: &Word, b: &Word) -> Word {
        self.add_with(a, &b.map(|bit| !bit), TRUE).0
    }

    pub fn negated(&mut self, a: &Word) -> Word {
        self.sub(&constant(0), a)
    }

    /// `a < b`, as unsigned numbers.
    pub fn below(&mut self, a: &Word, b: &Word) -> Bit {
        !self.add_with(a, &b.map(|bit| !bit), TRUE).1
    }

    /// `a < b`, as signed numbers.
    pub fn less(&mut self, a: &Word, b: &Word) -> Bit {
        let flip = |word: &Word| {
            let mut word = *word;
            word[31] = !word[31];
            word
        };
        self.below(&flip(a), &flip(b))
    }

    pub fn is_nonzero(&mut self, a: &Word) -> Bit {
        self.any(*a)
    }

    pub fn mul(&mut self, a: &Word, b: &Word) -> Word {
        for (a, b) in [(a, b), (b, a)] {
            if let Some((bit, factors)) = of_one_bit(b) {
                let [then, otherwise] = factors.map(|factor| self.scaled(a, factor));
                return self.choose_word(bit, &then, &otherwise);
            }
        }
        // The factor with more constant bits becomes `b`: a bit that is 0 adds nothing.
        let constants = |word: &Word| word.iter().filter(|bit| bit.node() == 0).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut sum = constant(0);
        for i in 0..32 {
            let shifted = std::array::from_fn(|j| if j < i { FALSE } else { self.and(a[j - i], b[i]) });
            sum = self.add(&sum, &shifted);
        }
        sum
    }

    /// The product with a constant, with few terms: their number is that of the digits 1 and -1 that are not next to each
    /// other (Reitwiesner, "Binary arithmetic", 1960), or that of the bits.
    fn scaled(&mut self, a: &Word, factor: u32) -> Word {
        let (wide, third) = (u64::from(factor), u64::from(factor) + (u64::from(factor) << 1));
        let [more, less] = [third & !wide, wide & !third].map(|bits| (bits >> 1) as u32);
        let is_short = more.count_ones() + less.count_ones() < factor.count_ones();
        let (more, less) = if is_short { (more, less) } else { (factor, 0) };
        let mut sum = constant(0);
        for i in 0..32 {
            let shifted = std::array::from_fn(|j| if j < i { FALSE } else { a[j - i] });
            match (more >> i & 1, less >> i & 1) {
                (1, _) => sum = self.add(&sum, &shifted),
                (_, 1) => sum = self.sub(&sum, &shifted),
                _ => {}
            }
        }
        sum
    }

    /// Unsigned quotient and remainder. Both are arbitrary if `b` is 0.
    fn divided(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        let (mut quotient, mut rest) = (constant(0), constant(0));
        for i in (0..32).rev() {
            let top = rest[31];
            rest = std::array::from_fn(|j| if j == 0 { a[i] } else { rest[j - 1] });
            let (difference, fits) = self.add_with(&rest, &b.map(|bit| !bit), TRUE);
            let fits = self.or(fits, top);
            quotient[i] = fits;
            rest = self.choose_word(fits, &difference, &rest);
        }
        (quotient, rest)
    }

    pub fn magnitude(&mut self, a: &Word) -> Word {
        let negative = self.negated(a);
        self.choose_word(a[31], &negative, a)
    }

    fn with_sign(&mut self, negative: Bit, a: &Word) -> Word {
        let other = self.negated(a);
        self.choose_word(negative, &other, a)
    }

    fn shifted(&mut self, op: Op, a: &Word, b: &Word) -> Word {
        let mut word = *a;
        for (stage, on) in b.iter().take(5).enumerate() {
            let by = 1usize << stage;
            let moved = std::array::from_fn(|i| match op {
                Op::Shl => i.checked_sub(by).map_or(FALSE, |i| word[i]),
                _ => word[(i + by).min(31)],
            });
            word = self.choose_word(*on, &moved, &word);
        }
        word
    }

    pub fn unary(&mut self, op: Op, a: &Word) -> Option<Word> {
        Some(match op {
            Op::Neg => self.negated(a),
            Op::Invert => a.map(|bit| !bit),
            Op::Not => truth(!self.is_nonzero(a)),
            Op::Abs => self.magnitude(a),
            _ => return None,
        })
    }

    pub fn binary(&mut self, op: Op, a: &Word, b: &Word) -> Option<Word> {
        Some(match op {
            Op::Add => self.add(a, b),
            Op::Sub => self.sub(a, b),
            Op::Mul => self.mul(a, b),
            Op::Div | Op::Mod => {
                let (x, y) = (self.magnitude(a), self.magnitude(b));
                let (quotient, rest) = self.divided(&x, &y);
                match op {
                    Op::Div => {
                        let negative = self.xor(a[31], b[31]);
                        self.with_sign(negative, &quotient)
                    }
                    _ => self.with_sign(a[31], &rest),
                }
            }
            Op::And => self.map(a, b, Aig::and),
            Op::Or => self.map(a, b, Aig::or),
            Op::Xor => self.map(a, b, Aig::xor),
            Op::Shl | Op::Shr => self.shifted(op, a, b),
            Op::Eq => truth(self.equal(a, b)),
            Op::Ne => truth(!self.equal(a, b)),
            Op::Lt => truth(self.less(a, b)),
            Op::Ge => truth(!self.less(a, b)),
            Op::Gt => truth(self.less(b, a)),
            Op::Le => truth(!self.less(b, a)),
            Op::Min | Op::Max => {
                let less = self.less(a, b);
                let first = if op == Op::Min { less } else { !less };
                self.choose_word(first, a, b)
            }
            _ => return None,
        })
    }

    /// Evaluates all nodes. Inputs without a value are false.
    pub fn evaluate(&self, inputs: &HashMap<usize, bool>) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for (number, node) in self.nodes.iter().enumerate() {
            let value = match node {
                None => inputs.get(&number).copied().unwrap_or(false),
                Some(parts) => parts.iter().all(|bit| values[bit.node()] != bit.is_negated()),
            };
            values.push(value);
        }
        values
    }
}

pub fn bit_value(values: &[bool], bit: Bit) -> bool {
    values.get(bit.node()).copied().unwrap_or(false) != bit.is_negated()
}

pub fn word_value(values: &[bool], word: &Word) -> u32 {
    (0..32).map(|i| u32::from(bit_value(values, word[i])) << i).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::arithmetic;
    use crate::lang::opcode::Class;
    use crate::lang::random::Rng;

    #[test]
    fn product_with_a_factor_of_one_bit_is_right() {
        let mut rng = Rng::new(2, 0);
        for case in 0..200 {
            let mut aig = Aig::default();
            let (a, bit) = (aig.input_word(), aig.input());
            let random = |rng: &mut Rng| match rng.below(3) {
                0 => rng.word(),
                1 => (rng.word() as i32 >> 27) as u32,
                _ => u32::MAX << rng.below(32),
            };
            let factors = [random(&mut rng), random(&mut rng)];
            let words = factors.map(constant);
            let factor = if case % 4 == 0 { words[0] } else { aig.choose_word(bit, &words[0], &words[1]) };
            let product = if case % 2 == 0 { aig.mul(&a, &factor) } else { aig.mul(&factor, &a) };
            let (x, holds) = (rng.word(), case % 4 == 0 || rng.below(2) == 0);
            let mut inputs: HashMap<usize, bool> = (0..32).map(|i| (a[i].node(), x >> i & 1 == 1)).collect();
            inputs.insert(bit.node(), holds);
            let expected = x.wrapping_mul(factors[usize::from(!holds)]);
            assert_eq!(word_value(&aig.evaluate(&inputs), &product), expected, "{x} {factors:x?} {holds}");
        }
    }

    #[test]
    fn words_compute_like_the_machine() {
        let mut aig = Aig::default();
        let (a, b) = (aig.input_word(), aig.input_word());
        let ops: Vec<Op> = Op::ALL.to_vec();
        let results: Vec<Option<Word>> = ops
            .iter()
            .map(|op| match op.class() {
                Class::Unary => aig.unary(*op, &a),
                Class::Binary => aig.binary(*op, &a, &b),
                _ => None,
            })
            .collect();
        assert!(results.iter().flatten().count() >= 20);
        let mut rng = Rng::new(1, 0);
        let mut random = || rng.word();
        let mut near = || match random() % 4 {
            0 => random() % 8,
            1 => 0x8000_0000u32.wrapping_sub(random() % 3),
            2 => (random() % 8).wrapping_neg(),
            _ => (random() as i32 >> (random() % 32)) as u32,
        };
        for _ in 0..400 {
            let (x, y) = (near(), near());
            let mut inputs = HashMap::new();
            for i in 0..32 {
                inputs.insert(a[i].node(), x >> i & 1 == 1);
                inputs.insert(b[i].node(), y >> i & 1 == 1);
            }
            let values = aig.evaluate(&inputs);
            for (op, result) in ops.iter().zip(&results) {
                let Some(result) = result else { continue };
                let expected = match op.class() {
                    Class::Unary => Ok(arithmetic::unary(*op as u32, x)),
                    _ => arithmetic::binary(*op as u32, x, y),
                };
                let Ok(expected) = expected else { continue };
                assert_eq!(word_value(&values, result), expected, "{op:?} {x} {y}");
            }
        }
    }
}
