//! Operations on ranges. The result includes every value that the operation may return. It has no bounds if these
//! could wrap.

use super::range::{Range, trailing};
use crate::lang::arithmetic;
use crate::lang::opcode::Op;

/// The result of a unary operation.
pub fn unary(op: Op, a: Range) -> Range {
    match op {
        _ if a.value().is_some() => Range::of(arithmetic::unary(op as u32, a.lo as u32) as i32),
        Op::Neg => subtract(Range::of(0), a),
        Op::Invert => Range { lo: !a.hi, hi: !a.lo, zeros: a.ones, ones: a.zeros },
        Op::Not if !a.contains(0) => Range::of(0),
        Op::Not => Range::BOOL,
        Op::Abs => absolute(a),
        _ => Range::ANY,
    }
}

/// The result of a binary operation, if it does not trap.
pub fn binary(op: Op, a: Range, b: Range) -> Range {
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return arithmetic::binary(op as u32, a as u32, b as u32)
            .map_or(Range::ANY, |value| Range::of(value as i32));
    }
    match op {
        Op::Add => add(a, b),
        Op::Sub => subtract(a, b),
        Op::Mul => multiply(a, b),
        Op::Div => divide(a, b),
        Op::Mod => remainder(a, b),
        Op::And => and(a, b),
        Op::Or => Range::bits(a.zeros & b.zeros, a.ones | b.ones),
        Op::Xor => Range::bits(a.zeros & b.zeros | a.ones & b.ones, a.zeros & b.ones | a.ones & b.zeros),
        Op::Shl => shift_left(a, b),
        Op::Shr => shift_right(a, b),
        Op::Min | Op::Max => choose(op, a, b),
        _ => compare(op, a, b).map_or(Range::BOOL, |holds| Range::of(holds.into())),
    }
}

/// Combines bounds with bits.
fn both(lo: i32, hi: i32, zeros: u32, ones: u32) -> Range {
    Range::between(lo, hi).within(Range::bits(zeros, ones))
}

/// Bounds of a sum or difference. They hold if its values span fewer than 2³² numbers and both bounds wrap or
/// none does; then `lo <= hi`.
fn wrapped(lo: i32, hi: i32, a: Range, b: Range) -> (i32, i32) {
    let width = |range: Range| range.hi.wrapping_sub(range.lo) as u32;
    let fits = width(a).checked_add(width(b)).is_some();
    if fits && lo <= hi { (lo, hi) } else { (i32::MIN, i32::MAX) }
}

/// Known bits of a sum with a carry. A bit is known if the bits of both operands and the carry into it are
/// known.
fn sum_bits(a: Range, (zeros, ones): (u32, u32), carry: u32) -> (u32, u32) {
    let most = (!a.zeros).wrapping_add(!zeros).wrapping_add(carry);
    let least = a.ones.wrapping_add(ones).wrapping_add(carry);
    let carries = !(most ^ a.zeros ^ zeros) | least ^ a.ones ^ ones;
    let known = a.known() & (zeros | ones) & carries;
    (!most & known, least & known)
}

fn add(a: Range, b: Range) -> Range {
    let (lo, hi) = wrapped(a.lo.wrapping_add(b.lo), a.hi.wrapping_add(b.hi), a, b);
    let (zeros, ones) = sum_bits(a, (b.zeros, b.ones), 0);
    both(lo, hi, zeros, ones)
}

fn subtract(a: Range, b: Range) -> Range {
    let (lo, hi) = wrapped(a.lo.wrapping_sub(b.hi), a.hi.wrapping_sub(b.lo), a, b);
    let (zeros, ones) = sum_bits(a, (b.ones, b.zeros), 1);
    both(lo, hi, zeros, ones)
}

fn multiply(a: Range, b: Range) -> Range {
    let (m, n) = (a.magnitude(), b.magnitude());
    let fits = m == 0 || n <= i32::MAX as u32 / m;
    let corners = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)].map(|(x, y)| x.wrapping_mul(y));
    let (lo, hi) = match fits {
        true => (corners.into_iter().fold(i32::MAX, i32::min), corners.into_iter().fold(i32::MIN, i32::max)),
        false => (i32::MIN, i32::MAX),
    };
    // The lower bits of a product depend on those of its operands alone; its trailing zeros are those of both.
    let known = trailing(a.known()) & trailing(b.known());
    let product = a.ones.wrapping_mul(b.ones);
    let zeros = (trailing(a.zeros).trailing_ones() + trailing(b.zeros).trailing_ones()).min(32);
    let zeros = !(!0u32).checked_shl(zeros).unwrap_or(0);
    both(lo, hi, !product & known | zeros, product & known & !zeros)
}

fn divide(a: Range, b: Range) -> Range {
    if b.lo > 0 {
        let lo = if a.lo < 0 { a.lo / b.lo } else { a.lo / b.hi };
        let hi = if a.hi < 0 { a.hi / b.hi } else { a.hi / b.lo };
        return Range::between(lo, hi);
    }
    match i32::try_from(a.magnitude()) {
        Ok(most) => Range::between(-most, most),
        Err(_) => Range::ANY,
    }
}

fn remainder(a: Range, b: Range) -> Range {
    if a.lo >= 0 && a.hi < b.lo {
        return a;
    }
    let most = (b.magnitude().max(1) - 1) as i32;
    let lo = if a.lo < 0 { a.lo.max(-most) } else { 0 };
    let hi = if a.hi > 0 { a.hi.min(most) } else { 0 };
    // A remainder by a power of two has the lower bits of the dividend.
    let lower = match b.value() {
        Some(power) if (power as u32).is_power_of_two() => power as u32 - 1,
        _ => 0,
    };
    both(lo, hi, a.zeros & lower, a.ones & lower)
}

fn and(a: Range, b: Range) -> Range {
    let hi = match (a.lo >= 0, b.lo >= 0) {
        (true, true) => a.hi.min(b.hi),
        (true, false) => a.hi,
        (false, true) => b.hi,
        (false, false) => i32::MAX,
    };
    let lo = if a.lo >= 0 || b.lo >= 0 { 0 } else { i32::MIN };
    both(lo, hi, a.zeros | b.zeros, a.ones & b.ones)
}

fn shift_left(a: Range, b: Range) -> Range {
    let Some(count) = b.value().map(|count| count as u32 & 31) else {
        return Range::bits(trailing(a.zeros), 0);
    };
    let fits = a.magnitude() <= i32::MAX as u32 >> count;
    let (lo, hi) = if fits { (a.lo << count, a.hi << count) } else { (i32::MIN, i32::MAX) };
    both(lo, hi, a.zeros << count | ((1 << count) - 1), a.ones << count)
}

fn shift_right(a: Range, b: Range) -> Range {
    let Some(count) = b.value().map(|count| count as u32 & 31) else {
        return Range::between(a.lo.min(0), a.hi.max(-1));
    };
    let bits = |mask: u32| (mask as i32 >> count) as u32;
    both(a.lo >> count, a.hi >> count, bits(a.zeros), bits(a.ones))
}

/// The minimum or the maximum.
fn choose(op: Op, a: Range, b: Range) -> Range {
    let (lo, hi) = match op {
        Op::Min => (a.lo.min(b.lo), a.hi.min(b.hi)),
        _ => (a.lo.max(b.lo), a.hi.max(b.hi)),
    };
    both(lo, hi, a.zeros & b.zeros, a.ones & b.ones)
}

fn absolute(a: Range) -> Range {
    // The lowest set bit and the bits below it do not change.
    let zeros = trailing(a.zeros);
    let low = zeros.wrapping_add(1);
    let (lo, hi) = match a {
        Range { lo: i32::MIN, .. } => (i32::MIN, i32::MAX),
        Range { lo, hi, .. } if lo >= 0 => (lo, hi),
        Range { lo, hi, .. } if hi <= 0 => (-hi, -lo),
        Range { lo, hi, .. } => (0, hi.max(-lo)),
    };
    both(lo, hi, zeros, a.ones & low)
}

/// The result of a comparison, if it is the same for all values.
pub fn compare(op: Op, a: Range, b: Range) -> Option<bool> {
    let decided = |always: bool, never: bool| if always { Some(true) } else { never.then_some(false) };
    match op {
        Op::Lt => decided(a.hi < b.lo, a.lo >= b.hi),
        Op::Le => decided(a.hi <= b.lo, a.lo > b.hi),
        Op::Gt => compare(Op::Lt, b, a),
        Op::Ge => compare(Op::Le, b, a),
        Op::Eq => match (a.value(), b.value()) {
            (Some(a), Some(b)) => Some(a == b),
            _ => a.meet(b).is_none().then_some(false),
        },
        Op::Ne => compare(Op::Eq, a, b).map(|equal| !equal),
        _ => None,
    }
}

/// Reduces both operands to the values for which a comparison holds. Returns `None` if it never does.
pub fn assume(op: Op, a: Range, b: Range) -> Option<(Range, Range)> {
    let at_most = |range: Range, hi: i32| range.meet(Range { hi, ..Range::ANY });
    let at_least = |range: Range, lo: i32| range.meet(Range { lo, ..Range::ANY });
    match op {
        Op::Lt => Some((at_most(a, b.hi.checked_sub(1)?)?, at_least(b, a.lo.checked_add(1)?)?)),
        Op::Le => Some((at_most(a, b.hi)?, at_least(b, a.lo)?)),
        Op::Gt => assume(Op::Lt, b, a).map(|(b, a)| (a, b)),
        Op::Ge => assume(Op::Le, b, a).map(|(b, a)| (a, b)),
        Op::Eq => a.meet(b).map(|both| (both, both)),
        Op::Ne => Some((other_than(a, b.value())?, other_than(b, a.value())?)),
        _ => Some((a, b)),
    }
}

/// Removes a value from a range if it is one of the bounds.
fn other_than(range: Range, value: Option<i32>) -> Option<Range> {
    let Range { mut lo, mut hi, .. } = range;
    if Some(lo) == value {
        lo = lo.checked_add(1)?;
    }
    if Some(hi) == value {
        hi = hi.checked_sub(1)?;
    }
    Range { lo, hi, ..range }.reduced()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small random ranges with values in them, also at the ends of the type.
    fn ranges() -> Vec<(Range, Vec<i32>)> {
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 8
        };
        let mut all = Vec::new();
        for n in 0..260 {
            let origin = [0, i32::MIN, i32::MAX, -3, 1 << 20][n % 5];
            let step = [1, 2, 3, 8, 1 << 27, -1, 0x1234_5677][n % 7];
            let count = 1 + next() % 6;
            let values: Vec<i32> =
                (0..count).map(|_| origin.wrapping_add(((next() % 9) as i32 - 4).wrapping_mul(step))).collect();
            let hull = values.iter().map(|v| Range::of(*v)).reduce(Range::union).expect("a value");
            // Without its bits, or without its bounds, the range has more values.
            let range = match n % 3 {
                0 => hull,
                1 => Range::between(hull.lo, hull.hi),
                _ => Range::bits(hull.zeros, hull.ones),
            };
            all.push((range, values));
        }
        all.push((Range::ANY, vec![i32::MIN, -1, 0, 1, i32::MAX]));
        all
    }

    #[test]
    fn a_range_contains_every_result() {
        let ranges = ranges();
        for (a, values) in &ranges {
            assert!(values.iter().all(|v| a.contains(*v)), "{a:?} of {values:?}");
            assert_eq!(a.reduced().map(|again| values.iter().all(|v| again.contains(*v))), Some(true));
            for op in [Op::Neg, Op::Invert, Op::Not, Op::Abs] {
                let found = unary(op, *a);
                for v in values {
                    let value = arithmetic::unary(op as u32, *v as u32) as i32;
                    assert!(found.contains(value), "{op:?} {v} = {value}: {found:?} of {a:?}");
                }
            }
            for (b, others) in &ranges {
                let pairs = || values.iter().flat_map(|v| others.iter().map(move |w| (*v, *w)));
                for op in Op::ALL.iter().filter(|op| op.class() == crate::lang::opcode::Class::Binary) {
                    let found = binary(*op, *a, *b);
                    let kept = assume(*op, *a, *b);
                    for (v, w) in pairs() {
                        let Ok(value) = arithmetic::binary(*op as u32, v as u32, w as u32) else { continue };
                        assert!(found.contains(value as i32), "{v} {op:?} {w}: {found:?} of {a:?} {b:?}");
                        if op.opposite().is_some() && value == 1 {
                            let holds = kept.is_some_and(|(a, b)| a.contains(v) && b.contains(w));
                            assert!(holds, "{v} {op:?} {w}: {kept:?} of {a:?} {b:?}");
                        }
                    }
                }
                let (union, meet) = (a.union(*b), a.meet(*b));
                assert!(values.iter().chain(others).all(|v| union.contains(*v)));
                for v in values.iter().filter(|v| b.contains(**v)) {
                    assert!(meet.is_some_and(|meet| meet.contains(*v)), "{v} is in {a:?} and {b:?}");
                }
                assert!(union.covers(*a) && union.covers(*b));
                for stops in [&[][..], &[-1, 0, 1, 1 << 20]] {
                    let wide = union.widened(*a, stops);
                    assert!(values.iter().chain(others).all(|v| wide.contains(*v)), "{wide:?} of {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn results_are_exact_where_nothing_wraps() {
        let digits = Range::between(0, 9);
        assert_eq!(binary(Op::Add, digits, Range::of(1)), Range::between(1, 10));
        assert_eq!(binary(Op::Sub, Range::of(0), digits), Range::between(-9, 0));
        assert_eq!(binary(Op::And, Range::ANY, Range::of(6)).hi, 6);
        assert_eq!(binary(Op::Mul, digits, Range::of(2)).ones & 1, 0);
        assert_eq!(binary(Op::Mul, digits, Range::of(2)).zeros & 1, 1);
        assert_eq!(binary(Op::Mod, digits, Range::of(4)).hi, 3);
        assert_eq!(binary(Op::Div, digits, Range::of(2)).hi, 4);
        assert_eq!(compare(Op::Lt, digits, Range::of(10)), Some(true));
        let sum = binary(Op::Add, Range::between(i32::MAX - 1, i32::MAX), Range::of(2));
        assert_eq!((sum.lo, sum.hi), (i32::MIN, i32::MIN + 1));
    }
}
