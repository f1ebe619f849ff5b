// fold: constants, identities and double negations. A thread sweeps a stretch of code: from behind an action, such as a
// store, or the begin of a block, up to the next. No rule looks beyond.

#import shared/scan
#import optimize/scratch

// A value: the instruction that leaves it, and these.
const CONDITIONAL = 0x80000000u;
const PURE = 0x40000000u;
const INDEX = 0x3fffffffu;

fn is_unary(op: u32) -> bool { return op == OP_NEG || op == OP_INVERT || op == OP_NOT || op == OP_ABS; }
fn is_binary(op: u32) -> bool { return op - OP_ADD <= OP_GE - OP_ADD || op == OP_MIN || op == OP_MAX; }
fn has_rules(op: u32) -> bool { return is_unary(op) || is_binary(op) || op == OP_DUP; }
// Instructions behind which the operand stack is empty, but for those that end a block.
fn is_action(op: u32) -> bool {
    return op == OP_STORE_VAR || op == OP_STORE_LIST || op == OP_STORE_INDEX
        || op == OP_RANGE_ITER || op == OP_RANGE_ITER_INCLUSIVE || op == OP_LIST_ITER;
}
fn begins_block(i: u32) -> bool { return i == 0u || ir_at(IR_BLOCK, i) != ir_at(IR_BLOCK, i - 1u); }

fn operand(end: u32, by: u32) -> u32 {
    if ir_at(IR_BLOCK, end) != ir_at(IR_BLOCK, by) { return end | CONDITIONAL; }
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

fn reckon_unary(op: u32, a: u32) -> u32 {
    if op == OP_INVERT { return ~a; }
    if op == OP_NOT { return select(0u, 1u, a == 0u); }
    return select(a, 0u - a, op == OP_NEG || (a >> 31u) != 0u);
}

// The opposite of a comparison, or OP_NOP.
fn opposite(op: u32) -> u32 {
    var r = OP_NOP;
    r = select(r, OP_NE, op == OP_EQ);
    r = select(r, OP_EQ, op == OP_NE);
    r = select(r, OP_GE, op == OP_LT);
    r = select(r, OP_LT, op == OP_GE);
    r = select(r, OP_LE, op == OP_GT);
    r = select(r, OP_GT, op == OP_LE);
    r = select(r, OP_LIST_NE, op == OP_LIST_EQ);
    r = select(r, OP_LIST_EQ, op == OP_LIST_NE);
    return r;
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
        become_constant(i, reckon_unary(op, ir_at(IR_ARG, inner)));
    } else if inner_op == op && op != OP_ABS && inner > 0u {
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

// The operation on constants; `/` and `%` not by 0.
fn reckon_binary(op: u32, a: u32, b: u32) -> u32 {
    let x = bitcast<i32>(a);
    let y = bitcast<i32>(b);
    if op == OP_DIV || op == OP_MOD {
        let quotient = select(bitcast<u32>(x / select(y, 1, y == -1 || y == 0)), 0u - a, y == -1);
        return select(a - quotient * b, quotient, op == OP_DIV);
    }
    if op == OP_MUL { return a * b; }
    var r = a + b;
    r = select(r, a - b, op == OP_SUB);
    r = select(r, a & b, op == OP_AND);
    r = select(r, a | b, op == OP_OR);
    r = select(r, a ^ b, op == OP_XOR);
    r = select(r, a << (b & 31u), op == OP_SHL);
    r = select(r, bitcast<u32>(x >> (b & 31u)), op == OP_SHR);
    r = select(r, select(0u, 1u, a == b), op == OP_EQ);
    r = select(r, select(0u, 1u, a != b), op == OP_NE);
    r = select(r, select(0u, 1u, x < y), op == OP_LT);
    r = select(r, select(0u, 1u, x <= y), op == OP_LE);
    r = select(r, select(0u, 1u, x > y), op == OP_GT);
    r = select(r, select(0u, 1u, x >= y), op == OP_GE);
    r = select(r, bitcast<u32>(min(x, y)), op == OP_MIN);
    return select(r, bitcast<u32>(max(x, y)), op == OP_MAX);
}

// What a rule makes of x and a constant.
const NO_RULE = 0u;
const TO_X = 1u;
const TO_CONSTANT = 2u; // .y, if x is pure
const TO_UNARY = 3u;    // .y on x

fn rule_right(op: u32, c: u32, of_bools: bool) -> vec2<u32> {
    if c == 0u {
        if op == OP_ADD || op == OP_SUB || op == OP_OR || op == OP_XOR { return vec2<u32>(TO_X, 0u); }
        if op == OP_MUL || op == OP_AND { return vec2<u32>(TO_CONSTANT, 0u); }
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
    if (op == OP_SHL || op == OP_SHR) && (c & 31u) == 0u { return vec2<u32>(TO_X, 0u); }
    if of_bools && (op == OP_EQ || op == OP_NE) {
        return select(vec2<u32>(TO_UNARY, OP_NOT), vec2<u32>(TO_X, 0u), (c == 1u) == (op == OP_EQ));
    }
    return vec2<u32>(NO_RULE, 0u);
}
fn rule_left(op: u32, c: u32, of_bools: bool) -> vec2<u32> {
    if op == OP_SUB && c == 0u { return vec2<u32>(TO_UNARY, OP_NEG); }
    let commutes = op == OP_ADD || op == OP_MUL || op == OP_OR || op == OP_XOR || op == OP_AND
        || op == OP_EQ || op == OP_NE;
    if !commutes { return vec2<u32>(NO_RULE, 0u); }
    return rule_right(op, c, of_bools);
}

// True if i is a unary instruction now, to be looked at again.
fn binary(i: u32) -> bool {
    if begins_block(i) || ir_at(IR_START, i - 1u) == 0u { return false; }
    let a = operand(ir_at(IR_START, i - 1u) - 1u, i);
    let b = operand(i - 1u, i);
    let op = op_at(i);
    let of_bools = ir_at(IR_AUX, i) == 1u;
    let divides = op == OP_DIV || op == OP_MOD;
    let left = is_plain_op(a, OP_LOAD_CONST);
    let right = is_plain_op(b, OP_LOAD_CONST);
    let c = ir_at(IR_ARG, select(a, b, right) & INDEX);
    if left && right {
        if !(divides && c == 0u) {
            drop_at(a & INDEX);
            drop_at(b & INDEX);
            become_constant(i, reckon_binary(op, ir_at(IR_ARG, a & INDEX), c));
        }
        return false;
    }
    let x = select(b, a, right);
    let constant = select(a, b, right) & INDEX;
    var rule = vec2<u32>(NO_RULE, 0u);
    if right { rule = rule_right(op, c, of_bools); }
    if left { rule = rule_left(op, c, of_bools); }
    if rule.x == TO_X {
        drop_at(constant);
        become_operand(i, x);
        return false;
    }
    if rule.x == TO_CONSTANT && is_pure(x) {
        set_ir_temp(ERASE, i, ir_at(IR_START, i));
        become_constant(i, rule.y);
        return false;
    }
    if rule.x == TO_UNARY {
        drop_at(constant);
        set_ir(IR_OP, i, rule.y);
        set_ir(IR_ARG, i, 0u);
        set_ir(IR_AUX, i, 0u);
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
    if is_pure(a) && is_pure(b) && (!divides || (right && c != 0u)) { set_pure(i); }
    return false;
}

// Lists what the passes of this round share out, then folds each stretch.
fn fold() {
    let mine = run(lane);
    var stretches = 0u;
    var folded = 0u;
    var jumps = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        let op = op_at(i);
        stretches += select(0u, 1u, begins_block(i) || is_action(op_at(max(i, 1u) - 1u)));
        folded += select(0u, 1u, has_rules(op));
        jumps += select(0u, 1u, is_target_op(op));
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
        if leads || is_action(op_at(max(i, 1u) - 1u)) {
            set_ir_temp(STRETCH, stretch_number, folded_number);
            stretch_number += 1u;
        }
        let leaf = op == OP_LOAD_CONST || op == OP_LOAD_VAR || op == OP_LIST_LEN_VAR;
        set_ir_temp(VALUE, i, i | select(0u, PURE, leaf));
        set_ir_temp(ERASE, i, NONE);
        if has_rules(op) {
            set_ir_temp(FOLDED, folded_number, i);
            folded_number += 1u;
        }
        if is_target_op(op) {
            set_ir_temp(JUMPS, jump_number, i);
            jump_number += 1u;
        }
    }
    block_count = ir_at(IR_BLOCK, n - 1u) + 1u;
    if lane == 0u {
        set_ir_temp(STRETCH, stretch_count, folded_count);
        set_ir_temp(FIRST, block_count, n);
    }
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
        // What a pure operand leaves behind, the outermost first: what lies within it is gone with it.
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
    storageBarrier();
}
