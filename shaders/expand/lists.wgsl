// lists: lets one instruction push a list of constants. They follow it as data.
//
// Each thread handles every WORKGROUP-th instruction, and all elements of the list that it builds. Workgroup memory is
// used only by the scan. Each step ends with a storage barrier.

#import shared/scan
#import shared/wide
#import expand/code

// Returns whether all `count` elements of the list that i builds are constants of one word.
fn builds_constants(i: u32, count: u32) -> bool {
    if count < SHORTEST || count > i || ir_at(IR_BLOCK, i - count) != ir_at(IR_BLOCK, i) { return false; }
    for (var at = i - count; at < i; at++) {
        if op_at(at) != OP_LOAD_CONST || is_wide(ir_at(IR_ARG, at)) { return false; }
    }
    return true;
}

// Copies a word of instruction `at` - 1 to instruction `at`.
fn move_ir(column: u32, at: u32) { set_ir(column, at, ir_at(column, at - 1u)); }

fn load_lists() {
    var any = false;
    for (var i = lane; i < n; i += WORKGROUP) {
        let plan = op_at(i) == OP_BUILD_LIST && builds_constants(i, ir_at(IR_ARG, i));
        set_ir_temp(PLAN, i, select(0u, ir_at(IR_ARG, i), plan));
        any = any || plan;
    }
    #round n: Lists of constants are planned.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        let count = ir_temp(PLAN, i);
        if count == 0u { continue; }
        let token = ir_at(IR_TOKEN, i);
        let site = ir_at(IR_SITE, i);
        let aux = ir_at(IR_AUX, i);
        let first = i - count;
        for (var at = i; at > first; at--) {
            set_ir(IR_OP, at, OP_ELEMENT);
            move_ir(IR_ARG, at);
            move_ir(IR_AUX, at);
            move_ir(IR_TOKEN, at);
            move_ir(IR_SITE, at);
        }
        set_ir(IR_OP, first, OP_LOAD_LIST_CONST);
        set_ir(IR_ARG, first, count);
        set_ir(IR_AUX, first, aux);
        set_ir(IR_TOKEN, first, token);
        set_ir(IR_SITE, first, site);
    }
    #round n: The instruction that pushes a list of constants precedes them.
    storageBarrier();
    if uniform_any(any) && lane == 0u { set_temp(STATE_ROUND, 0u, 0u); }
}
