// rotate: replaces a jump back to a loop's test by a copy of the test, so that the loop tests at its end.
//
// Each thread handles every WORKGROUP-th `JUMP` in LISTED, then every WORKGROUP-th instruction. Workgroup memory is
// used only by the scans. Each step ends with a storage barrier.

#import expand/code

// Returns the operation that jumps where a branch falls through, and falls through where it jumps; NOP if there is
// none.
fn inverse(op: u32) -> u32 {
    switch op {
        case OP_JUMP_IF_FALSE: { return OP_JUMP_IF_TRUE; }
        case OP_JUMP_IF_TRUE: { return OP_JUMP_IF_FALSE; }
        case OP_FOR_RANGE: { return OP_NEXT_RANGE; }
        case OP_FOR_LIST: { return OP_NEXT_LIST; }
        default: { return OP_NOP; }
    }
}

fn branch_target(branch: u32) -> u32 { return ir_at(target_column(op_at(branch)), branch); }

// Returns 1 + the index of the branch that ends the block to which i jumps back, or 0 if the block is not short.
fn rotated(i: u32) -> u32 {
    let head = ir_at(IR_ARG, i);
    if head > i { return 0u; }
    for (var at = head; at < min(n, head + TEST); at++) {
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, head) { return 0u; }
        if inverse(op_at(at)) != OP_NOP { return at + 1u; }
    }
    return 0u;
}

// The number of instructions that replace the jump i.
fn rotated_size(i: u32, plan: u32) -> u32 {
    return plan - ir_at(IR_ARG, i) + select(0u, 1u, branch_target(plan - 1u) != i + 1u);
}

// Writes the copy of a test that replaces the jump i.
fn write_test(i: u32, plan: u32) {
    let head = ir_at(IR_ARG, i);
    let first = ir_temp(PLACE, i);
    for (var at = head; at < plan; at++) {
        var op = op_at(at);
        var arg = ir_at(IR_ARG, at);
        var begins = ir_at(IR_START, at);
        begins = select(first + begins - head, NONE, begins == NONE || begins < head);
        var aux = ir_at(IR_AUX, at);
        if at + 1u == plan {
            if is_loop(op) { aux = ir_temp(PLACE, plan); } else { arg = ir_temp(PLACE, plan); }
            op = inverse(op);
        }
        put_next(first + at - head, op, arg, aux, ir_at(IR_TOKEN, at), ir_at(IR_SITE, at), begins);
    }
    let exit = branch_target(plan - 1u);
    let last = first + plan - head;
    if exit != i + 1u {
        put_next(last, OP_JUMP, ir_temp(PLACE, exit), ir_at(IR_AUX, i), ir_at(IR_TOKEN, i), ir_at(IR_SITE, i), last);
    }
}

fn rotate_loops() {
    clear_plans();
    list_all(OP_JUMP);
    for (var k = lane; k < listed; k += WORKGROUP) {
        let i = ir_temp(LISTED, k);
        let plan = rotated(i);
        if plan == 0u { continue; }
        set_ir_temp(PLAN, i, plan);
        set_ir_temp(PLACE, i, rotated_size(i, plan) - 1u);
    }
    #round n: Jumps back to short tests are planned.
    storageBarrier();
    if !take_plans() { return; }
    count_one();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let i = ir_temp(LISTED, k);
        let plan = ir_temp(PLAN, i);
        if plan != 0u { set_ir_temp(PLACE, i, rotated_size(i, plan)); }
    }
    #round n: Planned jumps have the number of instructions that replace them.
    storageBarrier();
    let size = sum_counts();
    for (var i = lane; i < n; i += WORKGROUP) {
        let plan = ir_temp(PLAN, i);
        if plan == 0u { copy_next(i); } else { write_test(i, plan); }
    }
    finish_expansion(uniform_from(size));
}
