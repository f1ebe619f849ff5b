// optimize: fewer and cheaper instructions, in rounds of passes until a round changes nothing.
//
// Each pass gives its threads pieces that do not meet: fold the stretches of code between two actions of a block,
// branch and thread the jumps (listed once a round), unreachable runs of blocks, compact tiles of 64 instructions.
// What crosses pieces goes through prefix sums (numbers, the live instruction before or behind) or pointer doubling
// (chains of jumps). Passes write NOP and move nothing, so all indices hold until compact. (`optimize_rounds`)
//
// The state between dispatches is in the token scratch: a program whose rounds would pass the loop budget of an
// invocation goes on in the next dispatch of `optimize_rounds`.
//
// The contract is the section "optimize" of docs/stages.md; the twin is src/stage/optimize/.

const ROUNDS = 8u;

// Columns of instruction scratch.
const VALUE = 0u;    // fold: by the end of a value, what leaves it and what is known of it
const ERASE = 1u;    // fold: first of the instructions that this one makes superfluous, or NONE
const FOLDED = 2u;   // fold: list of the instructions that rules are for
const STRETCH = 3u;  // fold: where the stretches begin in that list
const BEFORE = 4u;   // index + 1 of the live instruction before, as fold left it
const LIVE = 5u;     // the first live instruction from here on, as branch left it
const JUMPS = 6u;    // list of jumps
const NEW_OP = 7u;   // thread: what a jump becomes
const NEW_ARG = 8u;
const GONE = 9u;     // thread: the LOAD_CONST that goes with it, or NONE
const CHAIN = 10u;   // thread: where a JUMP leads, doubled
const CHAIN_2 = 11u;
const MARK = 12u;    // thread: bits TARGETED, DROPPED; compact: 1 for leaders
const FIRST = 13u;   // first instruction of each block
const REACHED = 14u; // per block: 0 no, 1 yes, 2 yes and passed on
const NUMBER = 15u;  // compact: live instructions before

// Columns of token scratch, in row 0.
const STATE_ROUND = 0u; // rounds made; ROUNDS when there is nothing left to do

var<private> n: u32;           // instructions
var<private> changed: bool;    // this thread has changed something in this round
var<private> jump_count: u32;
var<private> block_count: u32;

// The run of instructions that part 0..64 of the code is.
fn run(part: u32) -> vec2<u32> {
    let size = (n + 63u) / 64u;
    let lo = min(part * size, n);
    return vec2<u32>(lo, min(lo + size, n));
}

fn op_at(i: u32) -> u32 { return ir_at(IR_OP, i); }
fn is_live(i: u32) -> bool { return op_at(i) != OP_NOP; }
fn is_target_op(op: u32) -> bool {
    return op - OP_JUMP <= OP_JUMP_IF_TRUE_OR_POP - OP_JUMP || op == OP_FOR_RANGE || op == OP_FOR_LIST;
}
// The column in which such an instruction has its target.
fn target_column(op: u32) -> u32 { return select(IR_ARG, IR_AUX, op == OP_FOR_RANGE || op == OP_FOR_LIST); }
fn falls_through(op: u32) -> bool { return op != OP_JUMP && op != OP_RETURN && op != OP_RETURN_LIST; }

fn drop_at(i: u32) {
    set_ir(IR_OP, i, OP_NOP);
    changed = true;
}

// ---- fold ----

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

// ---- branch, thread ----

// Of a conditional jump: 1, with 2 if it jumps on true and 4 if it keeps the value then. Of others 0.
fn condition(op: u32) -> u32 {
    var r = 0u;
    r = select(r, 1u, op == OP_JUMP_IF_FALSE);
    r = select(r, 3u, op == OP_JUMP_IF_TRUE);
    r = select(r, 5u, op == OP_JUMP_IF_FALSE_OR_POP);
    return select(r, 7u, op == OP_JUMP_IF_TRUE_OR_POP);
}
fn jump_on(value: bool) -> u32 { return select(OP_JUMP_IF_FALSE, OP_JUMP_IF_TRUE, value); }

// The live instruction before i in its block as fold left them, or NONE.
fn previous(i: u32) -> u32 {
    let p = ir_temp(BEFORE, i) - 1u;
    if p == NONE || ir_at(IR_BLOCK, p) != ir_at(IR_BLOCK, i) { return NONE; }
    return p;
}

fn branch() {
    let mine = run(lane);
    var last = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        if is_live(i) { last = i + 1u; }
    }
    _ = scan_max(last);
    last = select(0u, scan_b[(lane - 1u) & 63u], lane > 0u);
    for (var i = mine.x; i < mine.y; i++) {
        set_ir_temp(BEFORE, i, last);
        if is_live(i) { last = i + 1u; }
    }
    storageBarrier();
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let how = condition(op_at(i));
        let p = previous(i);
        if how == 0u || p == NONE { continue; }
        let on = (how & 2u) != 0u;
        let keeps = (how & 4u) != 0u;
        if op_at(p) == OP_LOAD_CONST {
            let jumps = (ir_at(IR_ARG, p) != 0u) == on;
            if !(jumps && keeps) { set_ir(IR_OP, p, OP_NOP); }
            set_ir(IR_OP, i, select(OP_NOP, OP_JUMP, jumps));
            changed = true;
        } else if op_at(p) == OP_NOT && !keeps {
            set_ir(IR_OP, p, OP_NOP);
            set_ir(IR_OP, i, jump_on(!on));
            changed = true;
        }
    }
    storageBarrier();
}

const TARGETED = 1u;
const DROPPED = 2u;

// The first live instruction from i on. (Step a drops instructions that have a live jump behind them.)
fn live(i: u32) -> u32 {
    var y = ir_temp(LIVE, i);
    if y < n && ir_temp(MARK, y) == DROPPED { y = ir_temp(LIVE, y + 1u); }
    return y;
}
fn is_jump(i: u32) -> bool { return i < n && op_at(i) == OP_JUMP; }

fn find_live() {
    let mine = run(63u - lane);
    var next = n;
    for (var i = mine.y; i > mine.x; i--) {
        if is_live(i - 1u) { next = i - 1u; }
    }
    _ = scan_max(~next);
    next = select(n, min(n, ~scan_b[(lane - 1u) & 63u]), lane > 0u);
    for (var i = mine.y; i > mine.x; i--) {
        if is_live(i - 1u) { next = i - 1u; }
        set_ir_temp(LIVE, i - 1u, next);
        set_ir_temp(MARK, i - 1u, 0u);
    }
    if lane == 0u { set_ir_temp(LIVE, n, n); }
    storageBarrier();
}

// Step a, of one jump: what it becomes, into NEW_OP, NEW_ARG and GONE.
fn known_end(i: u32) {
    let op = op_at(i);
    let arg = ir_at(IR_ARG, i);
    set_ir_temp(NEW_OP, i, op);
    set_ir_temp(NEW_ARG, i, arg);
    set_ir_temp(GONE, i, NONE);
    var value = (condition(op) & 2u) != 0u;
    var constant = NONE;
    if op == OP_JUMP {
        constant = previous(i);
        // Branch may have dropped the one before; what comes before that is as fold left it.
        if constant != NONE && !is_live(constant) { constant = previous(constant); }
        if constant == NONE || op_at(constant) != OP_LOAD_CONST { return; }
        value = ir_at(IR_ARG, constant) != 0u;
    } else if (condition(op) & 4u) == 0u {
        return;
    }
    let end = ir_temp(LIVE, arg);
    if end >= n { return; }
    let how = condition(op_at(end));
    if how == 0u { return; }
    let jumps = ((how & 2u) != 0u) == value;
    let pops = !jumps || (how & 4u) == 0u;
    set_ir_temp(NEW_ARG, i, select(end + 1u, ir_at(IR_ARG, end), jumps));
    if pops && constant != NONE { set_ir_temp(GONE, i, constant); }
    if pops && constant == NONE { set_ir_temp(NEW_OP, i, jump_on(value)); }
}

fn thread() {
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if is_live(i) { known_end(i); }
    }
    storageBarrier();
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let op = op_at(i);
        if op == OP_NOP { continue; }
        let gone = ir_temp(GONE, i);
        changed = changed || gone != NONE || op != ir_temp(NEW_OP, i) || ir_at(IR_ARG, i) != ir_temp(NEW_ARG, i);
        set_ir(IR_OP, i, ir_temp(NEW_OP, i));
        set_ir(IR_ARG, i, ir_temp(NEW_ARG, i));
        if gone != NONE {
            set_ir(IR_OP, gone, OP_NOP);
            set_ir_temp(MARK, gone, DROPPED);
        }
    }
    storageBarrier();
    // b. After k doublings a JUMP's chain has followed 2^k jumps; what then still leads to a JUMP is a circle.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if op_at(i) == OP_JUMP { set_ir_temp(CHAIN, i, live(ir_at(IR_ARG, i))); }
    }
    storageBarrier();
    let doublings = 32u - countLeadingZeros(jump_count);
    var column = CHAIN;
    for (var round = 0u; round < doublings; round++) {
        let other = CHAIN + CHAIN_2 - column;
        for (var k = lane; k < jump_count; k += WORKGROUP) {
            let i = ir_temp(JUMPS, k);
            if op_at(i) == OP_JUMP {
                var to = ir_temp(column, i);
                if is_jump(to) { to = ir_temp(column, to); }
                set_ir_temp(other, i, to);
            }
        }
        column = other;
        storageBarrier();
    }
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let op = op_at(i);
        if op == OP_NOP { continue; }
        let old = ir_at(target_column(op), i);
        let first = live(old);
        var end = first;
        if is_jump(first) {
            end = ir_temp(column, first);
            if is_jump(end) { end = first; }
        }
        changed = changed || end != old;
        set_ir(target_column(op), i, end);
        // Every thread that marks an instruction writes the same.
        if end < n { set_ir_temp(MARK, end, TARGETED); }
    }
    storageBarrier();
    // c.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let op = op_at(i);
        if op != OP_JUMP_IF_FALSE && op != OP_JUMP_IF_TRUE { continue; }
        let over = live(i + 1u);
        if is_jump(over) && ir_temp(MARK, over) == 0u && ir_at(IR_ARG, i) == live(over + 1u) {
            set_ir(IR_OP, i, jump_on(op == OP_JUMP_IF_FALSE));
            set_ir(IR_ARG, i, ir_at(IR_ARG, over));
            drop_at(over);
        }
    }
    storageBarrier();
    // d.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if op_at(i) == OP_JUMP && ir_at(IR_ARG, i) == live(i + 1u) { drop_at(i); }
    }
    storageBarrier();
}

// ---- unreachable ----

// Marks the block of an instruction as reached.
fn reach(i: u32) -> bool {
    if i >= n { return false; }
    let block = ir_at(IR_BLOCK, i);
    if ir_temp(REACHED, block) != 0u { return false; }
    set_ir_temp(REACHED, block, 1u);
    return true;
}

// Threads pass on from runs of blocks, in order, as most edges lead forward. A block may be passed on twice; that is
// all that two threads can do to each other here.
fn unreachable() {
    for (var b = lane; b < block_count; b += WORKGROUP) { set_ir_temp(REACHED, b, 0u); }
    storageBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) { _ = reach(routine_at(ROUTINES_IR, r)); }
    storageBarrier();
    let size = max(16u, (block_count + 63u) / 64u);
    let lo = min(lane * size, block_count);
    let hi = min(lo + size, block_count);
    loop {
        var more = false;
        for (var b = lo; b < hi; b++) {
            if ir_temp(REACHED, b) != 1u { continue; }
            set_ir_temp(REACHED, b, 2u);
            let behind = ir_temp(FIRST, b + 1u);
            let op = op_at(behind - 1u);
            if is_target_op(op) && reach(ir_at(target_column(op), behind - 1u)) { more = true; }
            if falls_through(op) && reach(behind) { more = true; }
        }
        storageBarrier();
        if !uniform_any(more) { break; }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        if is_live(i) && ir_temp(REACHED, ir_at(IR_BLOCK, i)) == 0u { drop_at(i); }
    }
    storageBarrier();
}

// ---- compact ----

fn compact() {
    let mine = run(lane);
    var count = 0u;
    for (var i = mine.x; i < mine.y; i++) { count += select(0u, 1u, is_live(i)); }
    var number = scan_sum(count) - count;
    let total = scan_total;
    for (var i = mine.x; i < mine.y; i++) {
        set_ir_temp(NUMBER, i, number);
        number += select(0u, 1u, is_live(i));
    }
    if lane == 0u { set_ir_temp(NUMBER, n, total); }
    storageBarrier();
    // Tile by tile: what a tile writes lies within it or before, and the next reads behind.
    for (var tile = 0u; tile < n; tile += WORKGROUP) {
        let i = tile + lane;
        var op = OP_NOP;
        var arg = 0u;
        var aux = 0u;
        var token = 0u;
        var start = 0u;
        var to = 0u;
        if i < n {
            op = op_at(i);
            arg = ir_at(IR_ARG, i);
            aux = ir_at(IR_AUX, i);
            token = ir_at(IR_TOKEN, i);
            start = ir_temp(NUMBER, ir_at(IR_START, i));
            to = ir_temp(NUMBER, i);
        }
        if op - OP_JUMP <= OP_JUMP_IF_TRUE_OR_POP - OP_JUMP { arg = ir_temp(NUMBER, arg); }
        if op == OP_FOR_RANGE || op == OP_FOR_LIST { aux = ir_temp(NUMBER, aux); }
        storageBarrier();
        if op != OP_NOP {
            set_ir(IR_OP, to, op);
            set_ir(IR_ARG, to, arg);
            set_ir(IR_AUX, to, aux);
            set_ir(IR_TOKEN, to, token);
            set_ir(IR_START, to, start);
            set_ir_temp(MARK, to, 0u);
        }
    }
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_IR, r, ir_temp(NUMBER, routine_at(ROUTINES_IR, r)));
    }
    n = total;
    storageBarrier();
    // Leaders; every thread that marks one writes the same.
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        let entry = routine_at(ROUTINES_IR, r);
        if entry < n { set_ir_temp(MARK, entry, 1u); }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        let op = op_at(i);
        if is_target_op(op) {
            let target_index = ir_at(target_column(op), i);
            if target_index < n { set_ir_temp(MARK, target_index, 1u); }
        }
        if i + 1u < n && (is_target_op(op) || !falls_through(op)) { set_ir_temp(MARK, i + 1u, 1u); }
    }
    storageBarrier();
    let now = run(lane);
    var leaders = 0u;
    for (var i = now.x; i < now.y; i++) { leaders += ir_temp(MARK, i); }
    var block = scan_sum(leaders) - leaders;
    for (var i = now.x; i < now.y; i++) {
        block += ir_temp(MARK, i);
        set_ir(IR_BLOCK, i, block - 1u);
    }
    storageBarrier();
}

// ---- entry points ----

@compute @workgroup_size(64)
fn optimize_begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    for (var column = 0u; column < IR_COLUMNS; column++) {
        for (var i = lane; i < P.lowered; i += WORKGROUP) { set_ir(column, i, lowered_at(column, i)); }
    }
    if lane == 0u {
        programs[program_index].ir = P.lowered;
        set_temp(STATE_ROUND, 0u, select(0u, ROUNDS, P.lowered == 0u));
    }
}

// Loop iterations of an invocation in a round of n instructions, at most: sweeps over its 64th and lists of jumps
// and blocks, then a stretch of code that may be all of it, thrice.
fn round_cost() -> u32 { return 64u * ((n + 63u) / 64u) + 3u * min(n, 8192u) + 1024u; }

@compute @workgroup_size(64)
fn optimize_rounds(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    n = uniform_from(P.ir);
    var round = uniform_from(temp(STATE_ROUND, 0u));
    var spent = 0u;
    // At least one round a dispatch; more while the loop budget of an invocation lasts.
    while round < ROUNDS && (spent == 0u || spent + round_cost() < 32000u) {
        spent += round_cost();
        changed = false;
        fold();
        branch();
        find_live();
        thread();
        unreachable();
        if !uniform_any(changed) {
            round = ROUNDS;
            break;
        }
        round += 1u;
        compact();
        n = uniform_from(n);
    }
    if lane == 0u {
        programs[program_index].ir = n;
        set_temp(STATE_ROUND, 0u, round);
    }
}
