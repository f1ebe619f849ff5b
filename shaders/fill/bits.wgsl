// Conclusions from some bits of an operation's value to the bits of one operand, where the other one is known.
//
// Each function works on the words of one thread. No workgroup memory, no barriers. Bits are a vector: 1 if an operand
// with the value exists, else 0; the mask of known bits; their values. The CPU twin is src/fill/backward.rs.

const NO_OPERAND = vec3<u32>(0u, 0u, 0u);
const UNKNOWN_BITS = vec3<u32>(1u, 0u, 0u);

fn all_bits(value: u32) -> vec3<u32> { return vec3<u32>(1u, NONE, value); }
fn some_bits(mask: u32, value: u32) -> vec3<u32> { return vec3<u32>(1u, mask, value & mask); }
// Returns bits if an operand with the value exists.
fn bits_if(possible: bool, bits: vec3<u32>) -> vec3<u32> { return select(NO_OPERAND, bits, possible); }

// Returns the part of a mask below its lowest 0: sums and products carry only upwards.
fn low_bits(mask: u32) -> u32 { return mask & ~(mask + 1u); }

// Returns the bits of a shift count with which x, shifted, has the value.
fn count_bits(op: u32, x: u32, mask: u32, value: u32) -> vec3<u32> {
    var fitting = 0u;
    var first = 0u;
    for (var count = 32u; count > 0u; count--) {
        let left = x << (count - 1u);
        let right = bitcast<u32>(bitcast<i32>(x) >> (count - 1u));
        if (select(right, left, op == OP_SHL) & mask) == value {
            fitting++;
            first = count - 1u;
        }
    }
    return bits_if(fitting > 0u, select(UNKNOWN_BITS, some_bits(31u, first), fitting == 1u));
}

// Returns the bits of a factor: a product of 2^n and an odd number is divided by both.
fn factor_bits(known: u32, mask: u32, value: u32) -> vec3<u32> {
    let low = low_bits(mask);
    let product = value & low;
    if known == 0u { return bits_if(product == 0u, UNKNOWN_BITS); }
    let zeros = countTrailingZeros(known);
    let bits = countOneBits(low);
    if min(countTrailingZeros(product), bits) < min(zeros, bits) { return NO_OPERAND; }
    // Newton's iteration doubles the number of right bits of the inverse of an odd number.
    let odd = known >> zeros;
    var inverse = odd;
    for (var round = 0u; round < 5u; round++) { inverse *= 2u - odd * inverse; }
    return some_bits((low >> zeros) & (NONE >> zeros), (product >> zeros) * inverse);
}

fn shifted_bits(by: u32, mask: u32, value: u32) -> vec3<u32> {
    // The upper bits of the value all equal the operand's sign.
    let signs = ~(NONE >> by) | (1u << (31u - by));
    let ones = (value & signs) != 0u;
    let zeros = (~value & mask & signs) != 0u;
    let sign = select(0u, 1u << 31u, (mask & signs) != 0u);
    let bits = vec3<u32>(1u, (mask << by) | sign, (value << by) | select(0u, sign, ones));
    return bits_if(!(ones && zeros), bits);
}

fn unary_bits(number: u32, mask: u32, value: u32) -> vec3<u32> {
    let low = low_bits(mask);
    switch number {
        case OP_INVERT: { return some_bits(mask, ~value); }
        case OP_NEG: { return some_bits(low, 0u - (value & low)); }
        case OP_ABS: {
            let possible = mask != NONE || bitcast<i32>(value) >= 0 || value == 1u << 31u;
            return bits_if(possible, some_bits(mask & 1u, value));
        }
        case FILL_TO_INT: {
            return bits_if(value <= 1u, select(UNKNOWN_BITS, all_bits(value), (mask & 1u) == 1u));
        }
        default: { return all_bits(value ^ 1u); }
    }
}

fn magnitude(x: u32) -> u32 { return select(x, 0u - x, bitcast<i32>(x) < 0); }

// Returns whether a quotient or a remainder can have the value.
fn divides(op: u32, right: bool, known: u32, value: u32) -> bool {
    let size = magnitude(known);
    let result = magnitude(value);
    let sign = (known ^ value) >> 31u;
    if op == OP_DIV {
        // The least int divided by -1 is itself.
        if right { return size == 1u || result <= (0x7fffffffu + sign) / size; }
        // Some operand is between those with the quotients next to it.
        return result == 0u || size / max(result, 1u) > size / (result + 1u);
    }
    // A remainder is smaller than the divisor, and has the sign of the dividend.
    if right { return result < size; }
    return value == known || ((result == 0u || sign == 0u) && result < size && size - result > result);
}

// Returns the bits of the other operand of the operation `code`.
fn operand_bits(code: u32, known: u32, mask: u32, value: u32) -> vec3<u32> {
    if mask == 0u { return UNKNOWN_BITS; }
    let number = code & FILL_NUMBER;
    if (code & FILL_UNARY) != 0u { return unary_bits(number, mask, value); }
    let right = (code & FILL_RIGHT) != 0u;
    let low = low_bits(mask);
    let sum = value & low;
    let exact = mask == NONE;
    switch number {
        case OP_ADD: { return some_bits(low, sum - known); }
        case OP_SUB: { return some_bits(low, select(known - sum, sum + known, right)); }
        case OP_MUL: { return factor_bits(known, mask, value); }
        case OP_AND: { return bits_if((value & ~known) == 0u, some_bits(mask & known, value)); }
        case OP_OR: { return bits_if((mask & known & ~value) == 0u, some_bits(mask & ~known, value)); }
        case OP_XOR: { return some_bits(mask, value ^ known); }
        case OP_SHL: {
            if !right { return count_bits(OP_SHL, known, mask, value); }
            let by = known & 31u;
            return bits_if((value & ~(NONE << by)) == 0u, some_bits(mask >> by, value >> by));
        }
        case OP_SHR: {
            if !right { return count_bits(OP_SHR, known, mask, value); }
            return shifted_bits(known & 31u, mask, value);
        }
        case OP_MIN, OP_MAX: {
            if !exact { return UNKNOWN_BITS; }
            let a = bitcast<i32>(known);
            let b = bitcast<i32>(value);
            let kept = select(max(a, b), min(a, b), number == OP_MIN);
            return bits_if(kept == b, select(all_bits(value), UNKNOWN_BITS, a == b));
        }
        case OP_DIV, OP_MOD: {
            if right && known == 0u { return NO_OPERAND; }
            return bits_if(!exact || divides(number, right, known, value), UNKNOWN_BITS);
        }
        case OP_EQ, OP_NE: {
            if (value != 0u) == (number == OP_EQ) { return all_bits(known); }
            // A bool that differs from another one is known.
            return select(UNKNOWN_BITS, all_bits(known ^ 1u), (code & FILL_BOOLS) != 0u);
        }
        // Nothing is less than the least number, nor greater than the greatest.
        case OP_LT: { return bits_if(value == 0u || known != select(0x7fffffffu, 1u << 31u, right), UNKNOWN_BITS); }
        case OP_LE: { return bits_if(value != 0u || known != select(1u << 31u, 0x7fffffffu, right), UNKNOWN_BITS); }
        // The known operand decides, or else the other one.
        case FILL_AND: { return select(bits_if(value == 0u, UNKNOWN_BITS), all_bits(value), known != 0u); }
        case FILL_OR: { return select(bits_if(value != 0u, UNKNOWN_BITS), all_bits(value), known == 0u); }
        default: { return UNKNOWN_BITS; }
    }
}
