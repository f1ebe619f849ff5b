// Functions on jumps and on the instruction before another, shared by combine, branch and thread. Each works for
// one thread, but for `find_previous`, which all threads call. Workgroup memory is used only by its scan.

#import shared/scan
#import optimize/scratch

fn jump_on(value: bool) -> u32 { return select(OP_JUMP_IF_FALSE, OP_JUMP_IF_TRUE, value); }

// Writes, for each instruction, the index + 1 of the last kept instruction before it. The caller waits.
fn find_previous() {
    let mine = run(lane);
    var last = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        if is_kept(i) { last = i + 1u; }
    }
    last = max_before(last);
    for (var i = mine.x; i < mine.y; i++) {
        set_ir_temp(BEFORE, i, last);
        if is_kept(i) { last = i + 1u; }
    }
}

// Returns the kept instruction before i in its block when `find_previous` was called, or NONE.
fn previous_kept(i: u32) -> u32 {
    let p = ir_temp(BEFORE, i) - 1u;
    if p == NONE || ir_at(IR_BLOCK, p) != ir_at(IR_BLOCK, i) { return NONE; }
    return p;
}
