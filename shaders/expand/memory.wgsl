// Bounds on the memory of routines, from the calls in LISTED.
//
// Each thread handles every WORKGROUP-th routine or call. Workgroup memory: for each routine its own words, the
// most words of its callees, its words, and whether it fits. Workgroup barriers separate the rounds.

#import expand/code
#import shared/scan

var<workgroup> own_words: array<atomic<u32>, ROUTINES>;
var<workgroup> callee_words: array<atomic<u32>, ROUTINES>;
var<workgroup> all_words: array<u32, ROUTINES>;
var<workgroup> fitting: array<u32, ROUTINES>;

fn ends_statement(op: u32) -> bool {
    return is_store(op) || op == OP_JUMP || is_loop(op) || !falls_through(op)
        || op == OP_JUMP_IF_FALSE || op == OP_JUMP_IF_TRUE;
}

// Bounds the words that instruction i of lowered code adds.
fn words_pushed(i: u32) -> u32 {
    let op = lowered_at(IR_OP, i);
    let arg = lowered_at(IR_ARG, i);
    if op == OP_LOAD_LIST { return 1u + lowered_at(IR_AUX, i); }
    // The length is not known, so it counts as the greatest.
    if op == OP_SLICE_VAR { return LIST_WORDS; }
    if op == OP_REPEAT_LIST { return 1u + arg; }
    if op == OP_CALL {
        let result = routine_at(ROUTINES_RESULT, arg) & 0xffu;
        if result == TYPE_INT_LIST || result == TYPE_BOOL_LIST { return LIST_WORDS; }
    }
    return 1u;
}

// Fills OPERANDS from lowered code, one thread for each routine.
fn bound_operands() {
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        var words = 0u;
        var most = 0u;
        for (var i = routine_at(ROUTINES_IR, r); i < temp(ROUTINE_END, r); i++) {
            // Between statements the operand stack is empty.
            words = select(words + words_pushed(i), 0u, ends_statement(lowered_at(IR_OP, i)));
            most = max(most, words);
        }
        set_temp(OPERANDS, r, most);
    }
    #round r: Every routine has a bound on its operands.
    storageBarrier();
}

// Returns the words that a planned call adds to its routine's frame.
fn frame_words(call: u32) -> u32 {
    if (ir_temp(PLAN, call) & FRAMELESS) != 0u { return 0u; }
    return routine_at(ROUTINES_FRAME, ir_at(IR_ARG, call));
}

// Returns the words that a planned call adds to its routine.
fn words_grown(call: u32) -> u32 {
    if ir_temp(PLAN, call) == 0u { return 0u; }
    return frame_words(call) + temp(OPERANDS, ir_at(IR_ARG, call));
}

fn clear_own_words() {
    for (var r = lane; r < P.routines; r += WORKGROUP) { atomicStore(&own_words[r], 0u); }
    // No routine grows yet.
    workgroupBarrier();
}

// Drops the plans of routines that might not fit in memory.
fn keep_fitting() {
    clear_own_words();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        atomicMax(&own_words[ir_temp(OWNER, call)], words_grown(call));
    }
    find_fitting();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        if fitting[ir_temp(OWNER, call)] == 0u && (ir_temp(PLAN, call) & FRAMELESS) == 0u { set_ir_temp(PLAN, call, 0u); }
    }
    #round n: Plans of routines that might not fit in memory are dropped.
    storageBarrier();
}

// Finds the routines that fit in memory if each grows by its `own_words`.
fn find_fitting() {
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        // From above: a routine that reaches itself keeps this bound.
        all_words[r] = UNBOUNDED;
        fitting[r] = 0u;
    }
    // No routine has a bound yet, and the plans of each have added their words.
    workgroupBarrier();
    for (var round = 0u; round < DEPTH; round++) {
        for (var r = lane; r < P.routines; r += WORKGROUP) { atomicStore(&callee_words[r], 0u); }
        // No callee has been counted in this round.
        workgroupBarrier();
        for (var k = lane; k < listed; k += WORKGROUP) {
            let call = ir_temp(LISTED, k);
            atomicMax(&callee_words[ir_temp(OWNER, call)], all_words[ir_at(IR_ARG, call)]);
        }
        // Every routine has the most words of its callees, one call deeper than before.
        workgroupBarrier();
        for (var r = lane; r < P.routines; r += WORKGROUP) {
            let own = routine_at(ROUTINES_FRAME, r) + temp(OPERANDS, r) + atomicLoad(&own_words[r]);
            all_words[r] = min(UNBOUNDED, own + atomicLoad(&callee_words[r]));
        }
        // Every routine has its words.
        workgroupBarrier();
    }
    for (var round = 0u; round < DEPTH; round++) {
        for (var r = lane; r < P.routines; r += WORKGROUP) {
            atomicStore(&callee_words[r], select(0u, 1u, all_words[r] > LIMIT_STACK_WORDS));
        }
        // Routines that exceed the memory are marked.
        workgroupBarrier();
        for (var k = lane; k < listed; k += WORKGROUP) {
            let call = ir_temp(LISTED, k);
            if fitting[ir_temp(OWNER, call)] == 0u { atomicStore(&callee_words[ir_at(IR_ARG, call)], 1u); }
        }
        // Routines with a caller that is not known to fit are not known to fit either.
        workgroupBarrier();
        for (var r = lane; r < P.routines; r += WORKGROUP) { fitting[r] = 1u - atomicLoad(&callee_words[r]); }
        // The others fit.
        workgroupBarrier();
    }
}

// Adds the frames of inlined callees to those of their callers.
fn grow_frames() {
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        atomicStore(&own_words[r], 0u);
        atomicStore(&callee_words[r], 0u);
    }
    // No frame has grown yet.
    workgroupBarrier();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        if ir_temp(PLAN, call) == 0u { continue; }
        let callee = ir_at(IR_ARG, call);
        atomicMax(&own_words[ir_temp(OWNER, call)], frame_words(call));
        atomicMax(&callee_words[ir_temp(OWNER, call)], temp(OPERANDS, callee));
    }
    workgroupBarrier();
    #round r: Every routine has the largest frame and the most operands of its inlined callees.
    storageBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_FRAME, r, routine_at(ROUTINES_FRAME, r) + atomicLoad(&own_words[r]));
        set_temp(OPERANDS, r, temp(OPERANDS, r) + atomicLoad(&callee_words[r]));
    }
    #round r: Frames have grown.
    storageBarrier();
}
