// fold: computes constants, and simplifies identities and double negations.
//
// Each thread folds stretches of code. A stretch begins at the start of a block or after an action, such as a
// store, and extends to the next one. No rule looks beyond its stretch. Workgroup memory is used only by the
// scans. The first storage barrier separates listing the stretches from folding them; the second one ends the
// pass.

#import shared/scan
#import shared/arithmetic
#import optimize/scratch

// A value is the index of the instruction that pushes it, with these bits.
const CONDITIONAL = 0x80000000u;
const PURE = 0x40000000u;
const INDEX = 0x3fffffffu;

fn has_rules(op: u32) -> bool { return is_unary(op) || is_binary(op) || op == OP_DUP; }
fn is_deciding(op: u32) -> bool { return op == OP_JUMP_IF_FALSE || op == OP_JUMP_IF_TRUE; }
fn begins_block(i: u32) -> bool { return i == 0u || ir_at(IR_BLOCK, i) != ir_at(IR_BLOCK, i - 1u); }

// A jump may have provided a value of another block, so nothing is known about it.
fn operand(end: u32, by: u32) -> u32 {
    if ir_at(IR_BLOCK, end) != ir_at(IR_BLOCK, by) || ir_at(IR_START, end) == NONE { return end | CONDITIONAL; }
    return ir_temp(VALUE, end);
}
fn is_plain(value: u32) -> bool { return (value & CONDITIONAL) == 0u; }
fn is_pure(value: u32) -> bool { return (value & (CONDITIONAL | PURE)) == PURE; }
fn is_plain_op(value: u32, op: u32) -> bool { return is_plain(value) && op_at(value & INDEX) == op; }
fn set_pure(i: u32) { set_ir_temp(VALUE, i, ir_temp(VALUE, i) | PURE); }

fn become_constant(i: u32, value: u32) {
    set_ir(IR_OP, i, OP_LOAD_CONST);
    set_ir(IR_ARG, i, value);
    set_ir(IR_AUX, i, 0u);
    set_ir_temp(VALUE, i, i | PURE);
    changed = true;
}
fn become_operand(i: u32, value: u32) {
    drop_at(i);
    if is_plain(value) {
        set_ir_temp(VALUE, i, value);
        set_ir(IR_START, value & INDEX, ir_at(IR_START, i));
    } else {
        set_ir_temp(VALUE, i, i | CONDITIONAL);
    }
}

fn duplicate(i: u32) {
    if i == 0u { return; }
    let x = operand(i - 1u, i);
    if is_plain_op(x, OP_LOAD_CONST) || is_plain_op(x, OP_LOAD_VAR) {
        set_ir(IR_OP, i, op_at(x & INDEX));
        set_ir(IR_ARG, i, ir_at(IR_ARG, x & INDEX));
        set_pure(i);
        changed = true;
    }
}

fn unary(i: u32) {
    if i == 0u { return; }
    let x = operand(i - 1u, i);
    if !is_plain(x) { return; }
    let inner = x & INDEX;
    let inner_op = op_at(inner);
    let op = op_at(i);
    if inner_op == OP_LOAD_CONST {
        drop_at(inner);
        become_constant(i, unary_value(op, ir_at(IR_ARG, inner)));
    // `abs` is no inverse of itself.
    } else if inner_op == op && op != OP_ABS && inner > 0u && ir_at(IR_AUX, inner) == 0u {
        let y = operand(inner - 1u, inner);
        drop_at(inner);
        become_operand(i, y);
    } else if op == OP_NOT && opposite(inner_op) != OP_NOP {
        set_ir(IR_OP, inner, opposite(inner_op));
        become_operand(i, x);
    } else if is_pure(x) {
        set_pure(i);
    }
}

// The results of a rule for an operation on x and a constant.
const NO_RULE = 0u;
const TO_X = 1u;
const TO_CONSTANT = 2u; // .y; only if x is pure
const TO_UNARY = 3u;    // operation .y on x

fn rule_right(op: u32, c: u32, of_bools: bool) -> vec2<u32> {
    if c == 0u {
        if op == OP_ADD || op == OP_SUB || op == OP_OR || op == OP_XOR { return vec2<u32>(TO_X, 0u); }
        if op == OP_MUL || op == OP_AND { return vec2<u32>(TO_CONSTANT, 0u); }
        if op == OP_EQ { return vec2<u32>(TO_UNARY, OP_NOT); }
    }
    if c == 1u {
        if op == OP_MUL || op == OP_DIV { return vec2<u32>(TO_X, 0u); }
        if op == OP_MOD { return vec2<u32>(TO_CONSTANT, 0u); }
    }
    if c == 0xffffffffu {
        if op == OP_AND { return vec2<u32>(TO_X, 0u); }
        if op == OP_MOD { return vec2<u32>(TO_CONSTANT, 0u); }
        if op == OP_OR { return vec2<u32>(TO_CONSTANT, c); }
        if op == OP_MUL || op == OP_DIV { return vec2<u32>(TO_UNARY, OP_NEG); }
        if op == OP_XOR { return vec2<u32>(TO_UNARY, OP_INVERT); }
    }
    // Counts are taken modulo 32.
    if (op == OP_SHL || op == OP_SHR) && (c & 31u) == 0u { return vec2<u32>(TO_X, 0u); }
    if of_bools && (op == OP_EQ || op == OP_NE) {
        return select(vec2<u32>(TO_UNARY, OP_NOT), vec2<u32>(TO_X, 0u), (c == 1u) == (op == OP_EQ));
    }
    return vec2<u32>(NO_RULE, 0u);
}
fn rule_left(op: u32, c: u32, of_bools: bool) -> vec2<u32> {
    if op == OP_SUB && c == 0u { return vec2<u32>(TO_UNARY, OP_NEG); }
    if !commutes(op) { return vec2<u32>(NO_RULE, 0u); }
    return rule_right(op, c, of_bools);
}

// Folds a binary operation. Returns true if i is now a unary instruction, which must be folded as such.
fn binary(i: u32) -> bool {
    if begins_block(i) || ir_at(IR_START, i - 1u) == 0u || ir_at(IR_START, i - 1u) == NONE { return false; }
    let a = operand(ir_at(IR_START, i - 1u) - 1u, i);
    let b = operand(i - 1u, i);
    let op = op_at(i);
    let of_bools = ir_at(IR_AUX, i) == 1u;
    let left = is_plain_op(a, OP_LOAD_CONST);
    let right = is_plain_op(b, OP_LOAD_CONST);
    let c = ir_at(IR_ARG, select(a, b, right) & INDEX);
    if left && right {
        let d = ir_at(IR_ARG, a & INDEX);
        // A division by the constant 0 stays, because it must trap.
        if binary_trap(op, d, c) == TRAP_NONE {
            drop_at(a & INDEX);
            drop_at(b & INDEX);
            become_constant(i, binary_value(op, d, c));
        }
        return false;
    }
    let x = select(b, a, right);
    let constant = select(a, b, right) & INDEX;
    var rule = vec2<u32>(NO_RULE, 0u);
    if right { rule = rule_right(op, c, of_bools); }
    if left { rule = rule_left(op, c, of_bools); }
    // `x != 0` that decides a jump and nothing else.
    if (left || right) && op == OP_NE && c == 0u && i + 1u < n && is_deciding(op_at(i + 1u)) { rule = vec2<u32>(TO_X, 0u); }
    if rule.x == TO_X {
        drop_at(constant);
        become_operand(i, x);
        return false;
    }
    // Only a value with a known start can be erased.
    if rule.x == TO_CONSTANT && is_pure(x) && ir_at(IR_START, i) != NONE {
        set_ir_temp(ERASE, i, ir_at(IR_START, i));
        become_constant(i, rule.y);
        return false;
    }
    if rule.x == TO_UNARY {
        drop_at(constant);
        set_ir(IR_OP, i, rule.y);
        set_ir(IR_ARG, i, 0u);
        // `!!x` is not x if x is an int.
        set_ir(IR_AUX, i, select(0u, 1u, rule.y == OP_NOT && !of_bools));
        set_ir_temp(VALUE, i - 1u, select((i - 1u) | CONDITIONAL, x, is_plain(x)));
        return true;
    }
    if is_plain_op(a, OP_LOAD_VAR) && is_plain_op(b, OP_LOAD_VAR)
        && ir_at(IR_ARG, a & INDEX) == ir_at(IR_ARG, b & INDEX) {
        let one = op == OP_EQ || op == OP_LE || op == OP_GE;
        if one || op == OP_SUB || op == OP_XOR || op == OP_NE || op == OP_LT || op == OP_GT {
            drop_at(a & INDEX);
            drop_at(b & INDEX);
            become_constant(i, select(0u, 1u, one));
            return false;
        }
        if op == OP_AND || op == OP_OR || op == OP_MIN || op == OP_MAX {
            drop_at(b & INDEX);
            become_operand(i, a);
            return false;
        }
    }
    // Only the right operand decides whether the operation traps.
    let safe = !may_trap(op) || (right && binary_trap(op, 0u, c) == TRAP_NONE);
    if is_pure(a) && is_pure(b) && safe { set_pure(i); }
    return false;
}

// Lists the stretches, jumps and blocks of this round, then folds each stretch.
fn fold() {
    // One sweep counts and a second one writes, because a thread must know where its rows begin.
    let mine = run(lane);
    var stretches = 0u;
    var folded = 0u;
    var jumps = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        let op = op_at(i);
        stretches += select(0u, 1u, begins_block(i) || is_store(op_at(max(i, 1u) - 1u)));
        folded += select(0u, 1u, has_rules(op));
        jumps += select(0u, 1u, has_target(op));
    }
    var jump_number = scan_sum(jumps) - jumps;
    jump_count = scan_total;
    var stretch_number = scan_sum(stretches) - stretches;
    let stretch_count = scan_total;
    var folded_number = scan_sum(folded) - folded;
    let folded_count = scan_total;
    for (var i = mine.x; i < mine.y; i++) {
        let op = op_at(i);
        let leads = begins_block(i);
        if leads { set_ir_temp(FIRST, ir_at(IR_BLOCK, i), i); }
        if leads || is_store(op_at(max(i, 1u) - 1u)) {
            set_ir_temp(STRETCH, stretch_number, folded_number);
            stretch_number += 1u;
        }
        set_ir_temp(VALUE, i, i | select(0u, PURE, is_load(op)));
        set_ir_temp(ERASE, i, NONE);
        if has_rules(op) {
            set_ir_temp(FOLDED, folded_number, i);
            folded_number += 1u;
        }
        if has_target(op) {
            set_ir_temp(JUMPS, jump_number, i);
            jump_number += 1u;
        }
    }
    block_count = ir_at(IR_BLOCK, n - 1u) + 1u;
    if lane == 0u {
        set_ir_temp(STRETCH, stretch_count, folded_count);
        set_ir_temp(FIRST, block_count, n);
    }
    #round n: The code is divided into stretches between actions; all jumps and all first instructions of
    #: blocks are listed.
    storageBarrier();
    for (var s = lane; s < stretch_count; s += WORKGROUP) {
        let first = ir_temp(STRETCH, s);
        let to = ir_temp(STRETCH, s + 1u);
        for (var k = first; k < to; k++) {
            let i = ir_temp(FOLDED, k);
            let op = op_at(i);
            var as_unary = is_unary(op);
            if op == OP_DUP { duplicate(i); }
            if is_binary(op) { as_unary = binary(i); }
            if as_unary { unary(i); }
        }
        // Erase the pure operands of folded operations, outermost first: erasing one covers all operands
        // inside it.
        var kept = NONE;
        for (var k = to; k > first; k--) {
            let i = ir_temp(FOLDED, k - 1u);
            let erase = ir_temp(ERASE, i);
            if i < kept && erase != NONE {
                for (var j = erase; j < i; j++) { set_ir(IR_OP, j, OP_NOP); }
                kept = erase;
            }
        }
    }
    #round n: Each stretch is folded by one thread: operations on constants are computed.
    storageBarrier();
}
