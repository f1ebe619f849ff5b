// compact: moves the kept instructions together and numbers the blocks again.
//
// Each thread counts a run of instructions, then moves one instruction per tile. Workgroup memory is used
// only by the scans. In each tile, a storage barrier separates reading the instructions from writing them.
// Others separate new numbers, moving, leaders and block numbers.

#import shared/scan
#import optimize/scratch

// `size` equals n, in a form that compilers can prove to be uniform.
fn compact(size: u32) {
    let mine = run(lane);
    var count = 0u;
    for (var i = mine.x; i < mine.y; i++) { count += select(0u, 1u, is_kept(i)); }
    var number = scan_sum(count) - count;
    let total = scan_total;
    for (var i = mine.x; i < mine.y; i++) {
        set_ir_temp(NUMBER, i, number);
        number += select(0u, 1u, is_kept(i));
    }
    if lane == 0u { set_ir_temp(NUMBER, n, total); }
    #round n: Every instruction has the number of kept instructions before it: its new number.
    storageBarrier();
    // Move tile by tile: a tile is written to its own rows or earlier ones, and the next tile reads only
    // later ones.
    for (var tile = 0u; tile < size; tile += WORKGROUP) {
        let i = tile + lane;
        var op = OP_NOP;
        var arg = 0u;
        var aux = 0u;
        var token = 0u;
        var site = 0u;
        var start = 0u;
        var to = 0u;
        if i < n {
            op = op_at(i);
            arg = ir_at(IR_ARG, i);
            aux = ir_at(IR_AUX, i);
            token = ir_at(IR_TOKEN, i);
            site = ir_at(IR_SITE, i);
            start = ir_at(IR_START, i);
            if start != NONE { start = ir_temp(NUMBER, start); }
            to = ir_temp(NUMBER, i);
        }
        if is_jump(op) { arg = ir_temp(NUMBER, arg); }
        if is_loop(op) { aux = ir_temp(NUMBER, aux); }
        #round 64: All threads have read a tile of instructions, and none has written it yet; the tile
        #: before has moved.
        storageBarrier();
        if op != OP_NOP {
            set_ir(IR_OP, to, op);
            set_ir(IR_ARG, to, arg);
            set_ir(IR_AUX, to, aux);
            set_ir(IR_TOKEN, to, token);
            set_ir(IR_SITE, to, site);
            set_ir(IR_START, to, start);
            set_ir_temp(LEADER, to, 0u);
        }
    }
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_IR, r, ir_temp(NUMBER, routine_at(ROUTINES_IR, r)));
    }
    n = total;
    #round n: Instructions have moved together, and jumps contain the new numbers.
    storageBarrier();
    // Mark the leaders. All threads that mark the same leader write the same value.
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        let entry = routine_at(ROUTINES_IR, r);
        if entry < n { set_ir_temp(LEADER, entry, 1u); }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        let op = op_at(i);
        if has_target(op) {
            let target_index = ir_at(target_column(op), i);
            if target_index < n { set_ir_temp(LEADER, target_index, 1u); }
        }
        if i + 1u < n && (has_target(op) || !falls_through(op)) { set_ir_temp(LEADER, i + 1u, 1u); }
    }
    #round n: Leaders are marked again.
    storageBarrier();
    let now = run(lane);
    var leaders = 0u;
    for (var i = now.x; i < now.y; i++) { leaders += ir_temp(LEADER, i); }
    var block = scan_sum(leaders) - leaders;
    for (var i = now.x; i < now.y; i++) {
        block += ir_temp(LEADER, i);
        set_ir(IR_BLOCK, i, block - 1u);
    }
    #round n: Blocks are numbered again.
    storageBarrier();
}
