// unreachable: what control cannot reach goes.

#import shared/scan
#import optimize/scratch

// A bit for each block: set once a thread has reached it. A block begins with a routine, after a jump or where a jump
// leads, and there are no more jumps than tokens.
var<workgroup> reached: array<atomic<u32>, 3u * LIMIT_TOKENS / 32u>;

fn is_reached(block: u32) -> bool { return ((atomicLoad(&reached[block >> 5u]) >> (block & 31u)) & 1u) != 0u; }

// Marks the block of an instruction as reached. True for the first thread that does.
fn reach(i: u32) -> bool {
    if i >= n { return false; }
    let block = ir_at(IR_BLOCK, i);
    let bit = 1u << (block & 31u);
    return (atomicOr(&reached[block >> 5u], bit) & bit) == 0u;
}

// Each thread passes on from a run of blocks, in order, as most edges lead forward. It alone writes PASSED of these.
fn unreachable() {
    let size = max(16u, (block_count + 63u) / 64u);
    let lo = min(lane * size, block_count);
    let hi = min(lo + size, block_count);
    for (var word = lane; word <= block_count / 32u; word += WORKGROUP) { atomicStore(&reached[word], 0u); }
    for (var b = lo; b < hi; b++) { set_ir_temp(PASSED, b, 0u); }
    // round b: No block has passed on yet.
    storageBarrier();
    workgroupBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) { _ = reach(routine_at(ROUTINES_IR, r)); }
    // The first blocks of all routines are reached: the frontier.
    workgroupBarrier();
    loop {
        var more = false;
        for (var b = lo; b < hi; b++) {
            if ir_temp(PASSED, b) != 0u || !is_reached(b) { continue; }
            set_ir_temp(PASSED, b, 1u);
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
        if is_kept(i) && !is_reached(ir_at(IR_BLOCK, i)) { drop_at(i); }
    }
    // round n: What was never reached is dropped.
    storageBarrier();
}
