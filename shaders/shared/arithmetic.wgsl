// Values and traps of the operations on ints and bools. `check` evaluates constants with these functions,
// `optimize` folds with them, and `execute` runs them.
//
// Each function works on the operands of one thread. No workgroup memory, no barriers. The CPU twin is
// src/lang/arithmetic.rs.

fn unary_value(op: u32, x: u32) -> u32 {
    switch op {
        case OP_NEG: { return 0u - x; }
        case OP_INVERT: { return ~x; }
        case OP_NOT: { return select(0u, 1u, x == 0u); }
        case OP_ABS: { return select(x, 0u - x, bitcast<i32>(x) < 0); }
        default: { return x; }
    }
}

// The comparisons: three bits for each, whether it holds if x < y, if x == y, and if x > y.
const COMPARISONS = OP_GE - OP_EQ + 1u;
const HOLDS = (2u << (3u * (OP_EQ - OP_EQ))) | (5u << (3u * (OP_NE - OP_EQ))) | (1u << (3u * (OP_LT - OP_EQ)))
    | (3u << (3u * (OP_LE - OP_EQ))) | (4u << (3u * (OP_GT - OP_EQ))) | (6u << (3u * (OP_GE - OP_EQ)));

// Returns the value of any binary operation except division and remainder.
fn plain_value(op: u32, x: u32, y: u32) -> u32 {
    let a = bitcast<i32>(x);
    let b = bitcast<i32>(y);
    if op - OP_EQ < COMPARISONS {
        let order = select(select(2u, 1u, x == y), 0u, a < b);
        return (HOLDS >> (3u * (op - OP_EQ) + order)) & 1u;
    }
    switch op {
        case OP_ADD: { return x + y; }
        case OP_SUB: { return x - y; }
        case OP_MUL: { return x * y; }
        case OP_AND: { return x & y; }
        case OP_OR: { return x | y; }
        case OP_XOR: { return x ^ y; }
        case OP_SHL: { return x << (y & 31u); }
        case OP_SHR: { return bitcast<u32>(a >> (y & 31u)); }
        case OP_MIN: { return select(y, x, a < b); }
        case OP_MAX: { return select(y, x, a > b); }
        default: { return x; }
    }
}

fn divided(op: u32, x: u32, y: u32) -> u32 {
    let a = bitcast<i32>(x);
    let b = bitcast<i32>(y);
    // Divides magnitudes as unsigned numbers: WGSL's signed division differs at MIN / -1.
    let m = select(x, 0u - x, a < 0);
    let n = max(select(y, 0u - y, b < 0), 1u);
    let quotient = m / n;
    if op == OP_DIV { return select(quotient, 0u - quotient, (a < 0) != (b < 0)); }
    let rest = m - quotient * n;
    return select(rest, 0u - rest, a < 0);
}

fn binary_value(op: u32, x: u32, y: u32) -> u32 {
    if op == OP_DIV || op == OP_MOD { return divided(op, x, y); }
    return plain_value(op, x, y);
}

// Returns whether the operation traps for some operands.
fn may_trap(op: u32) -> bool { return op == OP_DIV || op == OP_MOD; }

// Returns the trap of the operation on these operands, or TRAP_NONE.
fn binary_trap(op: u32, x: u32, y: u32) -> u32 {
    return select(TRAP_NONE, TRAP_DIVIDE_BY_ZERO, may_trap(op) && y == 0u);
}
