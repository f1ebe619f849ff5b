// What branch and thread ask of a jump.

#import optimize/scratch

fn jump_on(value: bool) -> u32 { return select(OP_JUMP_IF_FALSE, OP_JUMP_IF_TRUE, value); }

// The kept instruction before i in its block as fold left them, or NONE.
fn previous(i: u32) -> u32 {
    let p = ir_temp(BEFORE, i) - 1u;
    if p == NONE || ir_at(IR_BLOCK, p) != ir_at(IR_BLOCK, i) { return NONE; }
    return p;
}
