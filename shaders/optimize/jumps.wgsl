// Functions on jumps, shared by branch and thread. Each works for one thread. No workgroup memory, no
// barriers.

#import optimize/scratch

fn jump_on(value: bool) -> u32 { return select(OP_JUMP_IF_FALSE, OP_JUMP_IF_TRUE, value); }

// Returns the kept instruction before i in its block, as fold left the code, or NONE.
fn previous_kept(i: u32) -> u32 {
    let p = ir_temp(BEFORE, i) - 1u;
    if p == NONE || ir_at(IR_BLOCK, p) != ir_at(IR_BLOCK, i) { return NONE; }
    return p;
}
