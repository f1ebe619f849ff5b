// What branch and thread ask of a jump.

#import optimize/scratch

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
