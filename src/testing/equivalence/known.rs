//! Facts about the possible values of an int: an interval, and bits that are known.

use crate::lang::arithmetic;
use crate::lang::opcode::Op;

/// The values from `lo` to `hi` whose `zeros` are 0 and whose `ones` are 1. `lo` is at most `hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub lo: i32,
    pub hi: i32,
    pub zeros: u32,
    pub ones: u32,
}

impl Known {
    /// Every value.
    pub const ANY: Known = Known { lo: i32::MIN, hi: i32::MAX, zeros: 0, ones: 0 };
    pub const BOOL: Known = Known { lo: 0, hi: 1, zeros: !1, ones: 0 };

    pub const fn constant(value: i32) -> Known {
        Known { lo: value, hi: value, zeros: !(value as u32), ones: value as u32 }
    }

    /// The values from `lo` to `hi`.
    pub fn between(lo: i32, hi: i32) -> Known {
        Known { lo, hi, ..Known::ANY }.reduced().unwrap_or(Known::ANY)
    }

    /// The interval of two bounds if both fit an int, else every value.
    fn wide(lo: i64, hi: i64) -> Known {
        match (i32::try_from(lo), i32::try_from(hi)) {
            (Ok(lo), Ok(hi)) => Known::between(lo, hi),
            _ => Known::ANY,
        }
    }

    pub fn value(self) -> Option<i32> {
        (self.lo == self.hi).then_some(self.lo)
    }

    pub fn contains(self, value: i32) -> bool {
        let bits = value as u32;
        self.lo <= value && value <= self.hi && bits & self.zeros == 0 && !bits & self.ones == 0
    }

    /// Whether every value of `other` is one of these.
    pub fn covers(self, other: Known) -> bool {
        self.lo <= other.lo
            && other.hi <= self.hi
            && self.zeros & !other.zeros == 0
            && self.ones & !other.ones == 0
    }

    /// The values of both; `None` if there is none.
    pub fn meet(self, other: Known) -> Option<Known> {
        Known {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
        }
        .reduced()
    }

    /// The values of either.
    pub fn join(self, other: Known) -> Known {
        Known {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
        }
    }

    /// Bounds that moved since `before` move on to the next of a few constants, so that they move seldom.
    pub fn widened(self, before: Known) -> Known {
        const STOPS: [i32; 5] = [i32::MIN, -1, 0, 1, i32::MAX];
        let down = STOPS.iter().rev().find(|stop| **stop <= self.lo).copied().unwrap_or(i32::MIN);
        let up = STOPS.iter().find(|stop| **stop >= self.hi).copied().unwrap_or(i32::MAX);
        Known {
            lo: if self.lo < before.lo { down } else { self.lo },
            hi: if self.hi > before.hi { up } else { self.hi },
            ..self
        }
    }

    /// Lets interval and bits learn from each other; `None` if no value is left.
    fn reduced(self) -> Option<Known> {
        let Known { mut lo, mut hi, mut zeros, mut ones } = self;
        if lo > hi || zeros & ones != 0 {
            return None;
        }
        if (zeros | ones) >> 31 == 1 {
            lo = lo.max(ones as i32);
            hi = hi.min(!zeros as i32);
        }
        if lo > hi {
            return None;
        }
        // The bits above the highest one in which the bounds differ are those of both bounds.
        let same = (lo ^ hi).leading_zeros();
        let mask = if same == 0 { 0 } else { u32::MAX << (32 - same) };
        zeros |= !(lo as u32) & mask;
        ones |= lo as u32 & mask;
        (zeros & ones == 0).then_some(Known { lo, hi, zeros, ones })
    }

    /// Adds the facts about bits to an interval.
    fn with_bits(self, zeros: u32, ones: u32) -> Known {
        self.meet(Known { zeros, ones, ..Known::ANY }).unwrap_or(self)
    }

    /// Bits that either fact knows.
    fn bits(self) -> u32 {
        self.zeros | self.ones
    }

    /// Returns the facts about a unary operation's value.
    pub fn unary(op: Op, a: Known) -> Known {
        if let Some(value) = a.value() {
            return Known::constant(arithmetic::unary(op as u32, value as u32) as i32);
        }
        match op {
            Op::Neg => Known::binary(Op::Sub, Known::constant(0), a),
            Op::Invert => Known { lo: !a.hi, hi: !a.lo, zeros: a.ones, ones: a.zeros },
            Op::Not if !a.contains(0) => Known::constant(0),
            Op::Not => Known::BOOL,
            Op::Abs if a.lo >= 0 => a,
            Op::Abs if a.lo > i32::MIN => {
                let least = if a.hi < 0 { -a.hi } else { 0 };
                Known::between(least, a.hi.max(-a.lo))
            }
            _ => Known::ANY,
        }
    }

    /// Returns the facts about a binary operation's value, if it does not trap.
    pub fn binary(op: Op, a: Known, b: Known) -> Known {
        if let (Some(x), Some(y)) = (a.value(), b.value())
            && let Ok(value) = arithmetic::binary(op as u32, x as u32, y as u32)
        {
            return Known::constant(value as i32);
        }
        let [alo, ahi, blo, bhi] = [a.lo, a.hi, b.lo, b.hi].map(i64::from);
        match op {
            Op::Add | Op::Sub => {
                let sum = if op == Op::Add {
                    Known::wide(alo + blo, ahi + bhi)
                } else {
                    Known::wide(alo - bhi, ahi - blo)
                };
                // The lowest bits of a sum depend on those of the operands alone.
                let low = (a.bits() & b.bits()).trailing_ones();
                let mask = if low == 32 { u32::MAX } else { (1 << low) - 1 };
                let value =
                    if op == Op::Add { a.ones.wrapping_add(b.ones) } else { a.ones.wrapping_sub(b.ones) };
                sum.with_bits(!value & mask, value & mask)
            }
            Op::Mul => {
                let corners = [alo * blo, alo * bhi, ahi * blo, ahi * bhi];
                let (lo, hi) =
                    corners.iter().fold((corners[0], corners[0]), |(lo, hi), c| (lo.min(*c), hi.max(*c)));
                let low = (a.zeros.trailing_ones() + b.zeros.trailing_ones()).min(31);
                Known::wide(lo, hi).with_bits((1 << low) - 1, 0)
            }
            Op::And => {
                let bits = Known { zeros: a.zeros | b.zeros, ones: a.ones & b.ones, ..Known::ANY };
                let top = match (a.lo >= 0, b.lo >= 0) {
                    (true, true) => a.hi.min(b.hi),
                    (true, false) => a.hi,
                    (false, true) => b.hi,
                    (false, false) => return bits.reduced().unwrap_or(Known::ANY),
                };
                bits.meet(Known::between(0, top)).unwrap_or(Known::ANY)
            }
            Op::Or => {
                let bits = Known { zeros: a.zeros & b.zeros, ones: a.ones | b.ones, ..Known::ANY };
                bits.reduced().unwrap_or(Known::ANY)
            }
            Op::Xor => {
                let (zeros, ones) = (a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros);
                Known { zeros, ones, ..Known::ANY }.reduced().unwrap_or(Known::ANY)
            }
            Op::Shl => match b.value() {
                Some(count) => {
                    let count = count as u32 & 31;
                    let bits = (a.zeros << count | ((1u32 << count) - 1), a.ones << count);
                    Known::wide(alo << count, ahi << count).with_bits(bits.0, bits.1)
                }
                None => Known::ANY,
            },
            Op::Shr => match b.value() {
                Some(count) => {
                    let count = count as u32 & 31;
                    let bits = ((a.zeros as i32 >> count) as u32, (a.ones as i32 >> count) as u32);
                    Known::between(a.lo >> count, a.hi >> count).with_bits(bits.0, bits.1)
                }
                None => Known::between(a.lo.min(0), a.hi.max(-1)),
            },
            Op::Div if b.lo >= 1 => {
                let lo = if alo < 0 { alo / blo } else { alo / bhi };
                let hi = if ahi < 0 { ahi / bhi } else { ahi / blo };
                Known::wide(lo, hi)
            }
            Op::Mod => {
                let most = (blo.abs().max(bhi.abs()) - 1).max(0);
                Known::wide(alo.max(-most).min(0), ahi.min(most).max(0))
            }
            Op::Min => Known::between(a.lo.min(b.lo), a.hi.min(b.hi)),
            Op::Max => Known::between(a.lo.max(b.lo), a.hi.max(b.hi)),
            Op::Eq if a.meet(b).is_none() => Known::constant(0),
            Op::Ne if a.meet(b).is_none() => Known::constant(1),
            Op::Lt if a.hi < b.lo => Known::constant(1),
            Op::Lt if a.lo >= b.hi => Known::constant(0),
            Op::Le if a.hi <= b.lo => Known::constant(1),
            Op::Le if a.lo > b.hi => Known::constant(0),
            Op::Gt => Known::binary(Op::Lt, b, a),
            Op::Ge => Known::binary(Op::Le, b, a),
            Op::Eq | Op::Ne | Op::Lt | Op::Le => Known::BOOL,
            _ => Known::ANY,
        }
    }

    /// The values of `self` that a comparison with some value of `other` allows; `None` if there is none.
    pub fn where_holds(self, op: Op, other: Known) -> Option<Known> {
        let limit = |lo: i32, hi: i32| if lo > hi { None } else { self.meet(Known { lo, hi, ..Known::ANY }) };
        match op {
            Op::Eq => self.meet(other),
            Op::Ne => match other.value() {
                Some(value) if self.value() == Some(value) => None,
                Some(value) if self.lo == value => limit(value + 1, self.hi),
                Some(value) if self.hi == value => limit(self.lo, value - 1),
                _ => Some(self),
            },
            Op::Lt if other.hi == i32::MIN => None,
            Op::Lt => limit(self.lo, self.hi.min(other.hi - 1)),
            Op::Le => limit(self.lo, self.hi.min(other.hi)),
            Op::Gt if other.lo == i32::MAX => None,
            Op::Gt => limit(self.lo.max(other.lo + 1), self.hi),
            Op::Ge => limit(self.lo.max(other.lo), self.hi),
            _ => Some(self),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::opcode::Class;

    /// Draws facts about a value, mostly small or extreme ones.
    fn about(random: &mut impl FnMut() -> u32) -> (Known, i32) {
        let mut near = || match random() % 4 {
            0 => (random() % 8) as i32 - 4,
            1 => i32::MIN.wrapping_add((random() % 3) as i32),
            2 => i32::MAX.wrapping_sub((random() % 3) as i32),
            _ => random() as i32 >> (random() % 32),
        };
        let (value, other) = (near(), near());
        let (zeros, ones) = (near() as u32 & near() as u32, near() as u32 & near() as u32);
        let known = Known { lo: value.min(other), hi: value.max(other), ..Known::ANY };
        (known.with_bits(!(value as u32) & zeros, value as u32 & ones), value)
    }

    #[test]
    fn results_lie_within_their_facts() {
        let mut state = 0x2545_f491u32;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        for _ in 0..400_000 {
            let ((a, x), (b, y)) = (about(&mut random), about(&mut random));
            assert!(a.contains(x) && b.contains(y), "{a:?} {x}");
            assert!(a.join(b).covers(a) && a.join(b).contains(y));
            assert!(b.widened(a).contains(y));
            for op in Op::ALL.iter().copied() {
                match op.class() {
                    Class::Unary => {
                        let value = arithmetic::unary(op as u32, x as u32) as i32;
                        assert!(Known::unary(op, a).contains(value), "{op:?} {a:?}: {x} gives {value}");
                    }
                    Class::Binary => {
                        let Ok(value) = arithmetic::binary(op as u32, x as u32, y as u32) else { continue };
                        let known = Known::binary(op, a, b);
                        assert!(
                            known.contains(value as i32),
                            "{op:?} {a:?} {b:?}: {x}, {y} give {value}: {known:?}"
                        );
                        if op.opposite().is_some() && value == 1 {
                            let left = a.where_holds(op, b);
                            assert!(left.is_some_and(|left| left.contains(x)), "{op:?} {a:?} {b:?}: {x} {y}");
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
