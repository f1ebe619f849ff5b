// Values of the operations on ints and bools for four operands at once, where the other operand is the same.
//
// Each function works on the words of one thread. No workgroup memory, no barriers. An operation that traps has any
// value. The CPU twin is src/fill/blocks.rs; src/lang/arithmetic.rs defines the values.

fn one_where(condition: vec4<bool>) -> vec4<u32> { return select(vec4(0u), vec4(1u), condition); }

fn magnitudes(x: vec4<u32>) -> vec4<u32> { return select(x, vec4(0u) - x, bitcast<vec4<i32>>(x) < vec4(0)); }

// Divides magnitudes as unsigned numbers: WGSL's signed division differs at MIN / -1.
fn divided_values(op: u32, x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
    let m = magnitudes(x);
    let n = max(magnitudes(y), vec4(1u));
    let quotient = m / n;
    let negative = bitcast<vec4<i32>>(x) < vec4(0);
    if op == OP_DIV { return select(quotient, vec4(0u) - quotient, negative != (bitcast<vec4<i32>>(y) < vec4(0))); }
    let rest = m - quotient * n;
    return select(rest, vec4(0u) - rest, negative);
}

// Returns the values of the operation `code` on one known operand and four others.
fn values_of(code: u32, known: u32, others: vec4<u32>) -> vec4<u32> {
    let right = (code & FILL_RIGHT) != 0u;
    let x = select(vec4(known), others, right);
    let y = select(others, vec4(known), right);
    let a = bitcast<vec4<i32>>(x);
    let b = bitcast<vec4<i32>>(y);
    let number = code & FILL_NUMBER;
    switch number {
        case OP_INVERT: { return ~others; }
        case OP_NEG: { return vec4(0u) - others; }
        case OP_ABS: { return magnitudes(others); }
        case OP_NOT: { return others ^ vec4(1u); }
        case OP_ADD: { return x + y; }
        case OP_SUB: { return x - y; }
        case OP_MUL: { return x * y; }
        case OP_DIV, OP_MOD: { return divided_values(number, x, y); }
        case OP_AND, FILL_AND: { return x & y; }
        case OP_OR, FILL_OR: { return x | y; }
        case OP_XOR: { return x ^ y; }
        case OP_SHL: { return x << (y & vec4(31u)); }
        case OP_SHR: { return bitcast<vec4<u32>>(a >> (y & vec4(31u))); }
        case OP_MIN: { return bitcast<vec4<u32>>(min(a, b)); }
        case OP_MAX: { return bitcast<vec4<u32>>(max(a, b)); }
        case OP_EQ: { return one_where(x == y); }
        case OP_NE: { return one_where(x != y); }
        case OP_LT: { return one_where(a < b); }
        case OP_LE: { return one_where(a <= b); }
        default: { return others; }
    }
}
