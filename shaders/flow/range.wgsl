// Ranges with known bits: the lattice, and what operations do to it. A range is (lo, hi, zeros, ones).
//
// The specification is docs/stages/ranges.md; the CPU twin is src/compiler/stage/flow/ranges/.

#import shared/arithmetic

alias Fact = vec4<u32>;

// A range that may have no values.
struct Kept { fact: Fact, some: bool }

// The operands of a comparison that holds.
struct Held { left: Fact, right: Fact, some: bool }

const LEAST: u32 = 0x80000000u;
const GREATEST: u32 = 0x7fffffffu;
const ANY_RANGE: Fact = Fact(LEAST, GREATEST, 0u, 0u);
const BOOL_RANGE: Fact = Fact(0u, 1u, 0xfffffffeu, 0u);

fn range_of(value: u32) -> Fact { return Fact(value, value, ~value, value); }

fn below(a: u32, b: u32) -> bool { return bitcast<i32>(a) < bitcast<i32>(b); }
fn lower(a: u32, b: u32) -> u32 { return select(b, a, below(a, b)); }
fn higher(a: u32, b: u32) -> u32 { return select(a, b, below(a, b)); }
fn is_negative(a: u32) -> bool { return (a & LEAST) != 0u; }
fn size_of(a: u32) -> u32 { return select(a, 0u - a, is_negative(a)); }
fn magnitude(a: Fact) -> u32 { return max(size_of(a.x), size_of(a.y)); }
fn is_one(a: Fact) -> bool { return a.x == a.y; }
fn known(a: Fact) -> u32 { return a.z | a.w; }

// The mask of the lowest bits that are all set; of all bits up to the highest one; of the lowest n bits.
fn trailing(word: u32) -> u32 { return word & ~(word + 1u); }
fn filled(word: u32) -> u32 { return select(0xffffffffu >> countLeadingZeros(word | 1u), 0u, word == 0u); }
fn lowest(n: u32) -> u32 { return select((1u << (n & 31u)) - 1u, 0xffffffffu, n >= 32u); }

fn with_common_bits(a: Kept) -> Kept {
    let upper = ~filled(a.fact.x ^ a.fact.y);
    let zeros = a.fact.z | (~a.fact.x & upper);
    let ones = a.fact.w | (a.fact.x & upper);
    return Kept(Fact(a.fact.x, a.fact.y, zeros, ones), a.some && !below(a.fact.y, a.fact.x) && (zeros & ones) == 0u);
}

fn with_bounds_of_bits(a: Kept) -> Kept {
    let unknown = ~known(a.fact);
    let lo = higher(a.fact.x, a.fact.w | (unknown & LEAST));
    let hi = lower(a.fact.y, a.fact.w | (unknown & ~LEAST));
    let low = trailing(known(a.fact));
    let above = lo + ((a.fact.w - lo) & low);
    let under = hi - ((hi - a.fact.w) & low);
    let some = !below(above, lo) && !below(hi, under) && !below(under, above);
    return Kept(Fact(above, under, a.fact.z, a.fact.w), a.some && some);
}

fn reduced(a: Fact) -> Kept {
    return with_common_bits(with_bounds_of_bits(with_common_bits(Kept(a, true))));
}

fn reduced_or(a: Fact, other: Fact) -> Fact {
    let kept = reduced(a);
    if kept.some { return kept.fact; }
    return other;
}
fn between(lo: u32, hi: u32) -> Fact { return reduced_or(Fact(lo, hi, 0u, 0u), ANY_RANGE); }
fn range_of_bits(zeros: u32, ones: u32) -> Fact { return reduced_or(Fact(LEAST, GREATEST, zeros, ones), ANY_RANGE); }

fn union_of(a: Fact, b: Fact) -> Fact { return Fact(lower(a.x, b.x), higher(a.y, b.y), a.z & b.z, a.w & b.w); }
fn meet_of(a: Fact, b: Fact) -> Kept {
    return reduced(Fact(higher(a.x, b.x), lower(a.y, b.y), a.z | b.z, a.w | b.w));
}
fn within(a: Fact, b: Fact) -> Fact {
    let both = meet_of(a, b);
    if both.some { return both.fact; }
    return a;
}
fn bounded(lo: u32, hi: u32, zeros: u32, ones: u32) -> Fact { return within(between(lo, hi), range_of_bits(zeros, ones)); }

fn widened(a: Fact, old: Fact) -> Fact {
    let lost = known(old) & ~known(a);
    let kept = select(trailing(~lost), 0xffffffffu, lost == 0u);
    let lo = select(a.x, LEAST, below(a.x, old.x));
    let hi = select(a.y, GREATEST, below(old.y, a.y));
    return reduced_or(Fact(lo, hi, a.z & kept, a.w & kept), ANY_RANGE);
}

fn length_range(most: u32) -> Fact { return between(0u, min(most, LIMIT_CAPACITY)); }

fn contains_zero(a: Fact) -> bool { return !below(0u, a.x) && !below(a.y, 0u) && a.w == 0u; }

// A sum of a and b or ~b, with the carry into its lowest bit; lo and hi are its bounds, wrapped.
fn sum(lo: u32, hi: u32, a: Fact, b: Fact, zeros: u32, ones: u32, carry: u32) -> Fact {
    let width = (a.y - a.x) + (b.y - b.x);
    let fits = width >= a.y - a.x && !below(hi, lo);
    let most = ~a.z + ~zeros + carry;
    let least = a.w + ones + carry;
    let carries = ~(most ^ a.z ^ zeros) | (least ^ a.w ^ ones);
    let all = known(a) & (zeros | ones) & carries;
    return bounded(select(LEAST, lo, fits), select(GREATEST, hi, fits), ~most & all, least & all);
}
fn sum_range(a: Fact, b: Fact) -> Fact { return sum(a.x + b.x, a.y + b.y, a, b, b.z, b.w, 0u); }
fn difference_range(a: Fact, b: Fact) -> Fact { return sum(a.x - b.y, a.y - b.x, a, b, b.w, b.z, 1u); }

fn product_range(a: Fact, b: Fact) -> Fact {
    let m = magnitude(a);
    let fits = m == 0u || magnitude(b) <= GREATEST / max(m, 1u);
    let lo = lower(lower(a.x * b.x, a.x * b.y), lower(a.y * b.x, a.y * b.y));
    let hi = higher(higher(a.x * b.x, a.x * b.y), higher(a.y * b.x, a.y * b.y));
    let all = trailing(known(a)) & trailing(known(b));
    let product = a.w * b.w;
    let zeros = lowest(min(countOneBits(trailing(a.z)) + countOneBits(trailing(b.z)), 32u));
    return bounded(select(LEAST, lo, fits), select(GREATEST, hi, fits), (~product & all) | zeros, product & all & ~zeros);
}

fn quotient_range(a: Fact, b: Fact) -> Fact {
    if below(0u, b.x) {
        let lo = divided(OP_DIV, a.x, select(b.y, b.x, is_negative(a.x)));
        let hi = divided(OP_DIV, a.y, select(b.x, b.y, is_negative(a.y)));
        return between(lo, hi);
    }
    let most = magnitude(a);
    if most > GREATEST { return ANY_RANGE; }
    return between(0u - most, most);
}

fn remainder_range(a: Fact, b: Fact) -> Fact {
    if !is_negative(a.x) && below(a.y, b.x) { return a; }
    let most = max(magnitude(b), 1u) - 1u;
    let lo = select(0u, higher(a.x, 0u - most), is_negative(a.x));
    let hi = select(0u, lower(a.y, most), below(0u, a.y));
    let low = select(0u, b.x - 1u, is_one(b) && countOneBits(b.x) == 1u);
    return bounded(lo, hi, a.z & low, a.w & low);
}

fn and_range(a: Fact, b: Fact) -> Fact {
    let of_a = !is_negative(a.x);
    let of_b = !is_negative(b.x);
    let hi = lower(select(GREATEST, a.y, of_a), select(GREATEST, b.y, of_b));
    return bounded(select(LEAST, 0u, of_a || of_b), hi, a.z | b.z, a.w & b.w);
}

fn shifted_left_range(a: Fact, b: Fact) -> Fact {
    if !is_one(b) { return range_of_bits(trailing(a.z), 0u); }
    let count = b.x & 31u;
    let fits = magnitude(a) <= GREATEST >> count;
    let lo = select(LEAST, a.x << count, fits);
    return bounded(lo, select(GREATEST, a.y << count, fits), (a.z << count) | lowest(count), a.w << count);
}

fn shifted_right_range(a: Fact, b: Fact) -> Fact {
    if !is_one(b) { return between(lower(a.x, 0u), higher(a.y, 0xffffffffu)); }
    let shifted = bitcast<vec4<u32>>(bitcast<vec4<i32>>(a) >> vec4<u32>(b.x & 31u));
    return bounded(shifted.x, shifted.y, shifted.z, shifted.w);
}

fn absolute_range(a: Fact) -> Fact {
    let zeros = trailing(a.z);
    var lo = LEAST;
    var hi = GREATEST;
    if a.x != LEAST {
        lo = select(select(0u, 0u - a.y, !below(0u, a.y)), a.x, !is_negative(a.x));
        hi = select(select(higher(a.y, 0u - a.x), 0u - a.x, !below(0u, a.y)), a.y, !is_negative(a.x));
    }
    return bounded(lo, hi, zeros, a.w & (zeros + 1u));
}

fn unary_range(op: u32, a: Fact) -> Fact {
    if is_one(a) { return range_of(unary_value(op, a.x)); }
    switch op {
        case OP_NEG: { return difference_range(range_of(0u), a); }
        case OP_INVERT: { return Fact(~a.y, ~a.x, a.w, a.z); }
        case OP_NOT: {
            if contains_zero(a) { return BOOL_RANGE; }
            return range_of(0u);
        }
        case OP_ABS: { return absolute_range(a); }
        default: { return ANY_RANGE; }
    }
}

// Returns 0 or 1 if a comparison has this result for all values, else 2.
fn compared(op: u32, a: Fact, b: Fact) -> u32 {
    switch op {
        case OP_LT: { return select(select(2u, 0u, !below(a.x, b.y)), 1u, below(a.y, b.x)); }
        case OP_LE: { return select(select(2u, 0u, below(b.y, a.x)), 1u, !below(b.x, a.y)); }
        case OP_GT: { return select(select(2u, 0u, !below(b.x, a.y)), 1u, below(b.y, a.x)); }
        case OP_GE: { return select(select(2u, 0u, below(a.y, b.x)), 1u, !below(a.x, b.y)); }
        case OP_EQ, OP_NE: {
            var equal = 2u;
            if is_one(a) && is_one(b) { equal = select(0u, 1u, a.x == b.x); } else if !meet_of(a, b).some { equal = 0u; }
            return select(equal, 1u - equal, op == OP_NE && equal != 2u);
        }
        default: { return 2u; }
    }
}

fn binary_range(op: u32, a: Fact, b: Fact) -> Fact {
    if is_one(a) && is_one(b) {
        if may_trap(op) && b.x == 0u { return ANY_RANGE; }
        return range_of(binary_value(op, a.x, b.x));
    }
    switch op {
        case OP_ADD: { return sum_range(a, b); }
        case OP_SUB: { return difference_range(a, b); }
        case OP_MUL: { return product_range(a, b); }
        case OP_DIV: { return quotient_range(a, b); }
        case OP_MOD: { return remainder_range(a, b); }
        case OP_AND: { return and_range(a, b); }
        case OP_OR: { return range_of_bits(a.z & b.z, a.w | b.w); }
        case OP_XOR: { return range_of_bits((a.z & b.z) | (a.w & b.w), (a.z & b.w) | (a.w & b.z)); }
        case OP_SHL: { return shifted_left_range(a, b); }
        case OP_SHR: { return shifted_right_range(a, b); }
        case OP_MIN: { return bounded(lower(a.x, b.x), lower(a.y, b.y), a.z & b.z, a.w & b.w); }
        case OP_MAX: { return bounded(higher(a.x, b.x), higher(a.y, b.y), a.z & b.z, a.w & b.w); }
        default: {
            let result = compared(op, a, b);
            if result == 2u { return BOOL_RANGE; }
            return range_of(result);
        }
    }
}

// Both operands of a < b (or a <= b, if `least` is 0), if it holds.
fn hold_below(a: Fact, b: Fact, least: u32) -> Held {
    let left = meet_of(a, Fact(LEAST, b.y - least, 0u, 0u));
    let right = meet_of(b, Fact(a.x + least, GREATEST, 0u, 0u));
    let wraps = least == 1u && (b.y == LEAST || a.x == GREATEST);
    return Held(left.fact, right.fact, left.some && right.some && !wraps);
}

// Takes the only value of `other` from the end of a range.
fn other_than(a: Fact, other: Fact) -> Kept {
    if !is_one(other) { return reduced(a); }
    let at_lo = a.x == other.x;
    let at_hi = a.y == other.x;
    if (at_lo && a.x == GREATEST) || (at_hi && a.y == LEAST) { return Kept(a, false); }
    return reduced(Fact(a.x + select(0u, 1u, at_lo), a.y - select(0u, 1u, at_hi), a.z, a.w));
}

// Reduces both operands to the values for which a comparison holds.
fn hold(op: u32, a: Fact, b: Fact) -> Held {
    switch op {
        case OP_LT: { return hold_below(a, b, 1u); }
        case OP_LE: { return hold_below(a, b, 0u); }
        case OP_GT: { let held = hold_below(b, a, 1u); return Held(held.right, held.left, held.some); }
        case OP_GE: { let held = hold_below(b, a, 0u); return Held(held.right, held.left, held.some); }
        case OP_EQ: { let both = meet_of(a, b); return Held(both.fact, both.fact, both.some); }
        case OP_NE: {
            let left = other_than(a, b);
            let right = other_than(b, a);
            return Held(left.fact, right.fact, left.some && right.some);
        }
        default: { return Held(a, b, true); }
    }
}
