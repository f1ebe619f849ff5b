// branch: decides conditional jumps on known values.
//
// Each thread handles every WORKGROUP-th jump of the list that fold has made. Workgroup memory is used only
// by the scan. The first storage barrier separates finding the instruction before each jump from the changes;
// the second one makes the changes visible to the next pass.

#import optimize/jumps

fn branch() {
    find_previous();
    #round n: Every instruction has the last kept instruction before it.
    storageBarrier();
    for (var k = lane; k < jump_count; k += WORKGROUP) {
        let i = ir_temp(JUMPS, k);
        let how = condition(op_at(i));
        let p = previous_kept(i);
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
    #round j: Jumps on a constant are decided, and jumps on a negation are inverted.
    storageBarrier();
}
