// unreachable: removes code that control cannot reach.
//
// Each thread propagates from one run of blocks. Workgroup memory: `reached`, one bit per block. Workgroup
// barriers separate clearing `reached`, marking the routines' first blocks, and propagation; a storage
// barrier separates clearing PASSED from using it. Each iteration of the loop ends with a barrier.

#import shared/scan
#import optimize/scratch

// One bit per block, set when a thread reaches the block. A block begins at a routine, after a jump or at the
// target of a jump, and a program has no more jumps than tokens, which bounds the number of blocks.
var<workgroup> reached: array<atomic<u32>, 3u * LIMIT_TOKENS / 32u>;

fn is_reached(block: u32) -> bool { return ((atomicLoad(&reached[block >> 5u]) >> (block & 31u)) & 1u) != 0u; }

// Marks the block of instruction i as reached. Returns true in the first thread that marks it.
fn reach(i: u32) -> bool {
    if i >= n { return false; }
    let block = ir_at(IR_BLOCK, i);
    let bit = 1u << (block & 31u);
    return (atomicOr(&reached[block >> 5u], bit) & bit) == 0u;
}

// Each thread propagates through its run of blocks in order, as most edges lead forward. Only this thread
// writes PASSED of these blocks.
fn unreachable() {
    let size = max(16u, (block_count + 63u) / 64u);
    let lo = min(lane * size, block_count);
    let hi = min(lo + size, block_count);
    for (var word = lane; word <= block_count / 32u; word += WORKGROUP) { atomicStore(&reached[word], 0u); }
    for (var b = lo; b < hi; b++) { set_ir_temp(PASSED, b, 0u); }
    #round b: No block has propagated yet.
    storageBarrier();
    workgroupBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) { _ = reach(routine_at(ROUTINES_IR, r)); }
    // The first blocks of all routines form the initial frontier.
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
        #round b: Blocks of the frontier have marked their successors as reached.
        storageBarrier();
        if !uniform_any(more) { break; }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        if is_kept(i) && !is_reached(ir_at(IR_BLOCK, i)) { drop_at(i); }
    }
    #round n: Instructions that were never reached are dropped.
    storageBarrier();
}
