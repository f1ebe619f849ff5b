// unreachable: what control cannot reach goes.

#import shared/scan
#import optimize/scratch

// Marks the block of an instruction as reached.
fn reach(i: u32) -> bool {
    if i >= n { return false; }
    let block = ir_at(IR_BLOCK, i);
    if ir_temp(REACHED, block) != 0u { return false; }
    set_ir_temp(REACHED, block, 1u);
    return true;
}

// Threads pass on from runs of blocks, in order, as most edges lead forward. A block may be passed on twice; that is
// all that two threads can do to each other here.
fn unreachable() {
    for (var b = lane; b < block_count; b += WORKGROUP) { set_ir_temp(REACHED, b, 0u); }
    // round b: No block is reached yet.
    storageBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) { _ = reach(routine_at(ROUTINES_IR, r)); }
    // round r: The first blocks of all routines are reached: the frontier.
    storageBarrier();
    let size = max(16u, (block_count + 63u) / 64u);
    let lo = min(lane * size, block_count);
    let hi = min(lo + size, block_count);
    loop {
        var more = false;
        for (var b = lo; b < hi; b++) {
            if ir_temp(REACHED, b) != 1u { continue; }
            set_ir_temp(REACHED, b, 2u);
            let behind = ir_temp(FIRST, b + 1u);
            let op = op_at(behind - 1u);
            if has_target(op) && reach(ir_at(target_column(op), behind - 1u)) { more = true; }
            if falls_through(op) && reach(behind) { more = true; }
        }
        // round b: Blocks of the frontier have passed on to those that they lead to.
        storageBarrier();
        if !uniform_any(more) { break; }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        if is_kept(i) && ir_temp(REACHED, ir_at(IR_BLOCK, i)) == 0u { drop_at(i); }
    }
    // round n: What was never reached is dropped.
    storageBarrier();
}
