// Calls: bounds on the operands of each routine, whether its own code may trap, and the calls; the routines that
// each routine reaches, in rounds over the calls; then the depth of calls and the words, likewise.

#import flow/facts
#import flow/paths

// Returns the instruction before `end` that pushes an operand of i, if it is in the same block; else NONE.
fn operand(i: u32, end: u32) -> u32 {
    if end == 0u { return NONE; }
    let e = end - 1u;
    if block_at(e) != block_at(i) || op_at(e) == OP_NOP { return NONE; }
    return e;
}

// Returns whether the list that ends before `end`, an operand of i, has at most this length for certain.
fn fits(i: u32, end: u32, capacity: u32) -> bool {
    let e = operand(i, end);
    if e == NONE { return false; }
    let words = pushed_list(e);
    return words != 0u && words <= 1u + capacity;
}

// Returns whether a list among the arguments of a call may exceed its parameter.
fn arguments_may_not_fit(call: u32) -> bool {
    let callee = ir_at(IR_ARG, call);
    var end = call;
    for (var j = routine_at(ROUTINES_PARAMS, callee); j > 0u; j--) {
        let capacity = capacity_of(callee, j - 1u);
        if capacity != 0u {
            if end == NONE { return true; }
            if !fits(call, end, capacity) { return true; }
        }
        if end == NONE { continue; }
        let last = operand(call, end);
        end = NONE;
        if last != NONE { end = ir_at(IR_START, last); }
    }
    return false;
}

// Returns whether an instruction may trap for another reason than lack of steps, depth or memory.
fn traps_at(i: u32) -> bool {
    let op = op_at(i);
    if op == OP_LOAD_INDEX || op == OP_LOAD_INDEX_VAR || op == OP_STORE_INDEX { return true; }
    if op == OP_SLICE || op == OP_SLICE_VAR || op == OP_JOIN_LIST { return true; }
    if op == OP_DIV || op == OP_MOD {
        let divisor = operand(i, i);
        if divisor == NONE { return true; }
        return op_at(divisor) != OP_LOAD_CONST || ir_at(IR_ARG, divisor) == 0u;
    }
    if op == OP_STORE_LIST { return !fits(i, i, ir_at(IR_AUX, i)); }
    if op == OP_RETURN_LIST { return !fits(i, i, ir_at(IR_ARG, i)); }
    if op == OP_CALL { return arguments_may_not_fit(i); }
    return false;
}

fn is_call(i: u32) -> bool { return op_at(i) == OP_CALL && is_reached(block_at(i)); }

fn find_calls() {
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        set_frames(FRAMES_LIST, r, 0u);
        set_frames(FRAMES_OPERANDS, r, 0u);
        set_frames(FRAMES_TRAPS, r, 0u);
    }
    #round r: No instruction of any routine counts yet.
    storageBarrier();
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        let block = block_at(i);
        if !is_reached(block) { continue; }
        let routine = blocks_at(BLOCKS_ROUTINE, block);
        atomicMax(&facts[frames_place(FRAMES_LIST, routine)], pushed_list(i));
        if traps_at(i) { set_frames(FRAMES_TRAPS, routine, 1u); }
    }
    let mine = part_of(instructions());
    var calls = 0u;
    for (var i = mine.x; i < mine.y; i++) { calls += select(0u, 1u, is_call(i)); }
    var row = scan_sum(calls) - calls;
    set_count(COUNT_CALL, scan_total);
    for (var i = mine.x; i < mine.y; i++) {
        if !is_call(i) { continue; }
        set_sites(SITES_CALLER, row, blocks_at(BLOCKS_ROUTINE, block_at(i)));
        set_sites(SITES_CALLEE, row, ir_at(IR_ARG, i));
        row += 1u;
    }
    #round n: Routines have the words of their longest lists and whether their own code may trap; calls are listed.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        if !is_reached(b) { continue; }
        let routine = blocks_at(BLOCKS_ROUTINE, b);
        let list = frames_at(FRAMES_LIST, routine);
        var height = vec2<u32>(blocks_at(BLOCKS_WORDS, b), blocks_at(BLOCKS_LISTS, b));
        var most = 0u;
        let end = blocks_at(BLOCKS_END, b);
        for (var i = blocks_at(BLOCKS_FIRST, b); i < end; i++) {
            height = height_after(i, height);
            most = max(most, height.x + keeps_condition(op_at(i)) + height.y * list);
        }
        atomicMax(&facts[frames_place(FRAMES_OPERANDS, routine)], most);
    }
    #round n: Routines have the most words of operands that their code holds.
    storageBarrier();
}

// The row of a routine's set of routines, and whether it has a member.
fn reach_row(routine: u32) -> u32 { return routine * routine_words(); }
fn reaches_routine(routine: u32, other: u32) -> bool {
    return ((reaches_at(REACHES_ROUTINES, reach_row(routine) + other / 32u) >> (other % 32u)) & 1u) != 0u;
}

fn begin_reaching() {
    for (var row = lane; row < flow_params.reach_room; row += WORKGROUP) { set_reaches(REACHES_ROUTINES, row, 0u); }
    #round r r/32: No routine reaches any other yet.
    storageBarrier();
}

fn widen_reaching() -> bool {
    var more = false;
    for (var k = lane; k < atomicLoad(&facts[COUNT_CALL]); k += WORKGROUP) {
        let caller = sites_at(SITES_CALLER, k);
        let callee = sites_at(SITES_CALLEE, k);
        for (var w = 0u; w < routine_words(); w++) {
            var bits = reaches_at(REACHES_ROUTINES, reach_row(callee) + w);
            if w == callee / 32u { bits |= 1u << (callee % 32u); }
            let old = atomicOr(&facts[reaches_place(REACHES_ROUTINES, reach_row(caller) + w)], bits);
            more = more || (bits & ~old) != 0u;
        }
    }
    #round c r/32: Callers reach their callees, and all that these reach.
    storageBarrier();
    return more;
}

fn finish_reaching() {
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        set_calls(CALLS_RECURSIVE, r, select(0u, 1u, reaches_routine(r, r)));
    }
    #round r: Routines that reach themselves are recursive.
    storageBarrier();
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        var traps = frames_at(FRAMES_TRAPS, r);
        var unbounded = calls_at(CALLS_RECURSIVE, r);
        for (var other = 0u; other < routine_count(); other++) {
            if !reaches_routine(r, other) { continue; }
            traps |= frames_at(FRAMES_TRAPS, other);
            unbounded |= calls_at(CALLS_RECURSIVE, other);
        }
        set_calls(CALLS_TRAPS, r, traps);
        set_frames(FRAMES_UNBOUNDED, r, unbounded);
    }
    #round r r: A routine may trap if one that it reaches may.
    storageBarrier();
}

fn own_words(r: u32) -> u32 { return routine_at(ROUTINES_FRAME, r) + frames_at(FRAMES_OPERANDS, r); }

fn begin_bounds() {
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        let unbounded = frames_at(FRAMES_UNBOUNDED, r) != 0u;
        set_calls(CALLS_DEPTH, r, select(0u, NONE, unbounded));
        set_calls(CALLS_WORDS, r, select(own_words(r), NONE, unbounded));
    }
    #round r: Every routine is as deep and as large as if it made no call.
    storageBarrier();
}

fn raise_bounds() -> bool {
    var more = false;
    for (var k = lane; k < atomicLoad(&facts[COUNT_CALL]); k += WORKGROUP) {
        let caller = sites_at(SITES_CALLER, k);
        let callee = sites_at(SITES_CALLEE, k);
        if frames_at(FRAMES_UNBOUNDED, caller) != 0u { continue; }
        let depth = 1u + calls_at(CALLS_DEPTH, callee);
        let words = own_words(caller) + calls_at(CALLS_WORDS, callee);
        let old_depth = atomicMax(&facts[calls_place(CALLS_DEPTH, caller)], depth);
        let old_words = atomicMax(&facts[calls_place(CALLS_WORDS, caller)], words);
        more = more || old_depth < depth || old_words < words;
    }
    #round c: Callers are one call deeper than their callees, and larger by the callees' words.
    storageBarrier();
    return more;
}
