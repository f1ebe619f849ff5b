// thread: redirects jumps that lead to other jumps, in steps a to d.
//
// Each thread handles every WORKGROUP-th jump of the list that fold has made. Workgroup memory is used only
// by the scan. A storage barrier ends each step, and each round of pointer doubling, which alternates between
// two columns.

#import shared/scan
#import optimize/jumps

const TARGETED = 1u;
const DROPPED = 2u;

// Returns the first kept instruction from i on. A step drops only instructions that a kept jump follows.
fn next_kept(i: u32) -> u32 {
    var y = ir_temp(NEXT_KEPT, i);
    if y < n && ir_temp(MARK, y) == DROPPED { y = ir_temp(NEXT_KEPT, y + 1u); }
    return y;
}
fn jumps_at(i: u32) -> bool { return i < n && op_at(i) == OP_JUMP; }

fn find_next_kept() {
    let mine = run(63u - lane);
    var next = n;
    for (var i = mine.y; i > mine.x; i--) {
        if is_kept(i - 1u) { next = i - 1u; }
    }
    next = min(n, ~max_before(~next));
    for (var i = mine.y; i > mine.x; i--) {
        if is_kept(i - 1u) { next = i - 1u; }
        set_ir_temp(NEXT_KEPT, i - 1u, next);
        set_ir_temp(MARK, i - 1u, 0u);
    }
    if lane == 0u { set_ir_temp(NEXT_KEPT, n, n); }
    #round n: Every instruction has the next kept instruction.
    storageBarrier();
}

// Step a, for one jump: computes its replacement, in NEW_OP, NEW_ARG and GONE.
fn known_end(i: u32) {
    let op = op_at(i);
    let arg = ir_at(IR_ARG, i);
    // Into columns of its own, because other threads still read the old jumps.
    set_ir_temp(NEW_OP, i, op);
    set_ir_temp(NEW_ARG, i, arg);
    set_ir_temp(GONE, i, NONE);
    var value = (condition(op) & 2u) != 0u;
    var constant = NONE;
    if op == OP_JUMP {
        constant = previous_kept(i);
        // The pass branch may have dropped the instruction before; the one before that is as fold left it.
        if constant != NONE && !is_kept(constant) { constant = previous_kept(constant); }
        if constant == NONE || op_at(constant) != OP_LOAD_CONST { return; }
        value = ir_at(IR_ARG, constant) != 0u;
    } else if (condition(op) & 4u) == 0u {
        return;
    }
    let end = ir_temp(NEXT_KEPT, arg);
    if end >= n { return; }
    let how = condition(op_at(end));
    if how == 0u { return; }
    let jumps = ((how & 2u) != 0u) == value;
    let pops = !jumps || (how & 4u) == 0u;
    set_ir_temp(NEW_ARG, i, select(end + 1u, ir_at(IR_ARG, end), jumps));
    // The jump no longer leads to the branch that would have popped the constant.
    if pops && constant != NONE { set_ir_temp(GONE, i, constant); }
    if pops && constant == NONE { set_ir_temp(NEW_OP, i, jump_on(value)); }
}

fn thread() {
    find_next_kept();
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if is_kept(i) { known_end(i); }
    }
    #round j: Jumps to jumps with a known condition have found their final targets.
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
    #round j: These jumps now lead to their final targets.
    storageBarrier();
    // Step b: after k doublings, a chain of JUMPs has followed 2^k jumps. A chain that still leads to a JUMP
    // is a cycle.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if op_at(i) == OP_JUMP { set_ir_temp(CHAIN, i, next_kept(ir_at(IR_ARG, i))); }
    }
    #round j: Every unconditional jump points to its target.
    storageBarrier();
    // A chain has at most as many jumps as the program, so this many doublings reach its end.
    let doublings = uniform_from(32u - countLeadingZeros(jump_count));
    var column = CHAIN;
    for (var round = 0u; round < doublings; round++) {
        // Two columns in turn: a thread must not read a pointer that another one has lengthened in this round.
        let other = CHAIN + CHAIN_NEXT - column;
        for (var k = lane; k < jump_count; k += WORKGROUP) {
            let i = ir_temp(JUMPS, k);
            if op_at(i) == OP_JUMP {
                var to = ir_temp(column, i);
                if jumps_at(to) { to = ir_temp(column, to); }
                set_ir_temp(other, i, to);
            }
        }
        column = other;
        #round j: These pointers are twice as long.
        storageBarrier();
    }
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let op = op_at(i);
        if op == OP_NOP { continue; }
        let old = ir_at(target_column(op), i);
        let first = next_kept(old);
        var end = first;
        if jumps_at(first) {
            end = ir_temp(column, first);
            if jumps_at(end) { end = first; }
        }
        changed = changed || end != old;
        set_ir(target_column(op), i, end);
        // All threads that mark the same instruction write the same value.
        if end < n { set_ir_temp(MARK, end, TARGETED); }
    }
    #round j: All jumps lead to the end of their chains, and their targets are marked.
    storageBarrier();
    // Step c: invert a conditional jump over an untargeted JUMP, and let it replace that JUMP.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let op = op_at(i);
        if op != OP_JUMP_IF_FALSE && op != OP_JUMP_IF_TRUE { continue; }
        let over = next_kept(i + 1u);
        if jumps_at(over) && ir_temp(MARK, over) == 0u && ir_at(IR_ARG, i) == next_kept(over + 1u) {
            set_ir(IR_OP, i, jump_on(op == OP_JUMP_IF_FALSE));
            set_ir(IR_ARG, i, ir_at(IR_ARG, over));
            drop_at(over);
        }
    }
    #round j: Conditional jumps over a jump are inverted and take its place.
    storageBarrier();
    // Step d: drop jumps to the next kept instruction.
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        if op_at(i) == OP_JUMP && ir_at(IR_ARG, i) == next_kept(i + 1u) { drop_at(i); }
    }
    #round j: Jumps to the next instruction are removed.
    storageBarrier();
}
