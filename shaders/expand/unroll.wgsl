// unroll: replaces a loop over a few known numbers by copies of its body.
//
// Each thread handles every WORKGROUP-th `FOR_RANGE` in LISTED, then every WORKGROUP-th instruction. Workgroup memory is
// used only by the scans. Each step ends with a storage barrier.

#import expand/code
#import shared/scan

fn jump_target(i: u32) -> u32 {
    let op = op_at(i);
    if !has_target(op) { return NONE; }
    return ir_at(target_column(op), i);
}

// If FOR_RANGE `head` draws from a range between constants, returns how many numbers there are, else NONE.
fn known_rounds(head: u32) -> u32 {
    if head < 3u { return NONE; }
    if ir_at(IR_BLOCK, head - 3u) != ir_at(IR_BLOCK, head - 1u) { return NONE; }
    let a = ir_at(IR_ARG, head - 3u);
    let b = ir_at(IR_ARG, head - 2u);
    let inclusive = op_at(head - 1u) == OP_RANGE_ITER_INCLUSIVE;
    if !inclusive && op_at(head - 1u) != OP_RANGE_ITER { return NONE; }
    if op_at(head - 3u) != OP_LOAD_CONST || op_at(head - 2u) != OP_LOAD_CONST { return NONE; }
    if ir_at(IR_ARG, head - 1u) != ir_at(IR_ARG, head) { return NONE; }
    let any = bitcast<i32>(a) < bitcast<i32>(b) || (inclusive && a == b);
    let more = b - a;
    // A range has at most 2^32 - 2 numbers here, so no count is NONE.
    return select(0u, min(more, NONE - 2u) + select(0u, 1u, inclusive), any);
}

// Returns the last instruction of at most `body` after a loop's head, and one more, that jumps to the head; or 0.
fn last_jump_to(head: u32, body: u32) -> u32 {
    var back = 0u;
    for (var i = head + 1u; i < min(n, head + 2u + body); i++) {
        if jump_target(i) == head { back = i; }
    }
    return back;
}

// Returns the jump back of a loop and its number of rounds; x is 0 if the loop cannot be unrolled.
fn unrolled(head: u32) -> vec2<u32> {
    let nothing = vec2<u32>(0u, 0u);
    let rounds = known_rounds(head);
    if rounds > MOST_ROUNDS { return nothing; }
    let back = last_jump_to(head, BODY);
    if back == 0u { return nothing; }
    let variable = ir_at(IR_ARG, head);
    let exit = ir_at(IR_AUX, head);
    if op_at(back) != OP_JUMP || rounds * (back - head - 1u) > COPIES { return nothing; }
    for (var i = head + 1u; i <= back; i++) {
        let op = op_at(i);
        if is_loop(op) || (op == OP_STORE_VAR && ir_at(IR_ARG, i) == variable) { return nothing; }
        let to = jump_target(i);
        if to != NONE && to != exit && (to < head || to > back) { return nothing; }
    }
    return vec2<u32>(back, rounds);
}

// The number of instructions that replace a loop.
fn unrolled_size(head: u32, found: vec2<u32>) -> u32 {
    return found.y * (found.x - head - 1u) + select(0u, 1u, ir_at(IR_AUX, head) != found.x + 1u);
}

// Writes the copies of instruction i of a loop's body.
fn write_copies(i: u32, head: u32, back: u32) {
    let body = back - head - 1u;
    let exit_at = ir_at(IR_AUX, head);
    let exit = ir_temp(PLACE, exit_at);
    let first = ir_temp(PLACE, head);
    let exits = select(0u, 1u, exit_at != back + 1u);
    let rounds = (ir_temp(PLACE, head + 1u) - first - exits) / body;
    let op = op_at(i);
    let to = jump_target(i);
    for (var round = 0u; round < rounds; round++) {
        let copied = first + round * body;
        var new_op = op;
        var arg = ir_at(IR_ARG, i);
        var aux = ir_at(IR_AUX, i);
        if op == OP_LOAD_VAR && arg == ir_at(IR_ARG, head) {
            new_op = OP_LOAD_CONST;
            arg = ir_at(IR_ARG, head - 3u) + round;
        }
        if to != NONE {
            if to == head && round + 1u == rounds {
                arg = exit;
            } else if to == head || to == back {
                arg = copied + body;
            } else if to > head && to < back {
                arg = copied + to - head - 1u;
            } else {
                arg = ir_temp(PLACE, to);
            }
        }
        var begins = ir_at(IR_START, i);
        if begins != NONE { begins = copied + begins - head - 1u; }
        put_next(copied + i - head - 1u, new_op, arg, aux, ir_at(IR_TOKEN, i), ir_at(IR_SITE, i), begins);
    }
}

fn unroll_loops() {
    clear_plans();
    list_all(OP_FOR_RANGE);
    for (var k = lane; k < listed; k += WORKGROUP) {
        let head = ir_temp(LISTED, k);
        let found = unrolled(head);
        if found.x == 0u { continue; }
        let size = unrolled_size(head, found);
        let before = found.x - head + 4u;
        set_ir_temp(PLAN, head, head + 1u);
        set_ir_temp(PLACE, head, max(size, before) - before);
    }
    #round n: Loops over a few known numbers are planned.
    storageBarrier();
    if !take_plans() { return; }
    count_one();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let head = ir_temp(LISTED, k);
        if ir_temp(PLAN, head) == 0u { continue; }
        let found = unrolled(head);
        for (var i = head - 3u; i <= found.x; i++) {
            set_ir_temp(PLAN, i, head + 1u);
            set_ir_temp(PLACE, i, 0u);
        }
        set_ir_temp(PLAN, head - 1u, found.x);
        set_ir_temp(PLACE, head, unrolled_size(head, found));
    }
    #round n: Planned loops have the number of instructions that replace them.
    storageBarrier();
    let size = sum_counts();
    for (var i = lane; i < n; i += WORKGROUP) {
        let plan = ir_temp(PLAN, i);
        if plan == 0u {
            copy_next(i);
            continue;
        }
        let head = plan - 1u;
        if i < head || op_at(head) != OP_FOR_RANGE { continue; }
        let back = ir_temp(PLAN, head - 1u);
        if i == head {
            let exit = ir_at(IR_AUX, head);
            let last = ir_temp(PLACE, head + 1u) - 1u;
            if exit != back + 1u {
                put_next(last, OP_JUMP, ir_temp(PLACE, exit), 0u, ir_at(IR_TOKEN, back), ir_at(IR_SITE, back), last);
            }
        } else if i < back {
            write_copies(i, head, back);
        }
    }
    finish_expansion(uniform_from(size));
}
