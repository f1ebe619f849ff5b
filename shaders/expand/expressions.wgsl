// Expressions: which instructions compute a value from variables alone, and which of them are equal; and new
// variables for values that are computed once.
//
// Each thread handles every WORKGROUP-th instruction. Workgroup memory is used only by the scans and the bounds on
// memory. Each step ends with a storage barrier.

#import expand/memory
#import shared/arithmetic

// The number of operands of an instruction that may be part of an expression, NONE for others.
fn expression_takes(i: u32) -> u32 {
    let op = op_at(i);
    if op == OP_CALL { return routine_at(ROUTINES_PARAMS, ir_at(IR_ARG, i)); }
    if op == OP_BUILD_LIST { return ir_at(IR_ARG, i); }
    if is_load(op) || is_unary(op) || is_binary(op) || computes_list(op) { return op_takes(op); }
    return NONE;
}

// Whether an instruction's result depends on its operands and variables alone, and it cannot trap.
fn is_safe(i: u32) -> bool {
    let op = op_at(i);
    if is_load(op) || is_unary(op) { return true; }
    if !is_binary(op) { return false; }
    if !may_trap(op) { return true; }
    if i == 0u || ir_at(IR_BLOCK, i - 1u) != ir_at(IR_BLOCK, i) { return false; }
    return op_at(i - 1u) == OP_LOAD_CONST && ir_at(IR_ARG, i - 1u) != 0u;
}

fn reads_variable(op: u32) -> bool { return has_slot(op) && !(is_store(op) || is_loop(op)); }
fn writes_variable(op: u32) -> bool { return has_slot(op) && (is_store(op) || is_loop(op)); }

// Returns the first instruction of the expression that ends at i, or NONE: goes back until all operands are found.
fn expression_first(i: u32, safe_only: bool) -> u32 {
    var wanted = 1u;
    for (var back = 0u; back < min(EXPRESSION, i + 1u); back++) {
        let at = i - back;
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { return NONE; }
        let takes = expression_takes(at);
        if takes == NONE || (safe_only && !is_safe(at)) { return NONE; }
        wanted = wanted - 1u + takes;
        if wanted == 0u { return at; }
        if wanted > EXPRESSION { return NONE; }
    }
    return NONE;
}

fn find_expressions(safe_only: bool) {
    for (var i = lane; i < n; i += WORKGROUP) { set_ir_temp(EXTENT, i, expression_first(i, safe_only)); }
    #round n: Every expression has its first instruction.
    storageBarrier();
}

fn equal_instructions(a: u32, b: u32) -> bool {
    return op_at(a) == op_at(b) && ir_at(IR_ARG, a) == ir_at(IR_ARG, b) && ir_at(IR_AUX, a) == ir_at(IR_AUX, b);
}

// Whether two expressions consist of the same instructions.
fn equal_expressions(a: u32, b: u32) -> bool {
    if ir_temp(EXTENT, a) == NONE || a - ir_temp(EXTENT, a) != b - ir_temp(EXTENT, b) { return false; }
    for (var back = 0u; back <= b - ir_temp(EXTENT, b); back++) {
        if !equal_instructions(a - back, b - back) { return false; }
    }
    return true;
}

// The words of a variable for the value that i leaves.
fn value_words(i: u32) -> u32 {
    let op = op_at(i);
    var is_list = op_left_lists(op) != 0u;
    if op == OP_CALL {
        let result = routine_at(ROUTINES_RESULT, ir_at(IR_ARG, i)) & 0xffu;
        is_list = result == TYPE_INT_LIST || result == TYPE_BOOL_LIST;
    }
    return select(1u, LIST_WORDS, is_list);
}

// Whether the code has grown too large to look for expressions. Uniform in the workgroup.
fn is_too_large() -> bool { return uniform_from(n) > LARGEST; }

// Plans a variable after the frame of its routine for each instruction with PLAN 1, if all code that reaches the
// routine then fits in memory. PLAN becomes 1 + the slot. Returns whether any is planned.
fn plan_variables() -> bool {
    let mine = run(lane);
    var words = 0u;
    for (var i = mine.x; i < mine.y; i++) { words += ir_temp(PLAN, i) * value_words(i); }
    var before = scan_sum(words) - words;
    for (var i = mine.x; i < mine.y; i++) {
        set_ir_temp(PLACE, i, before);
        before += ir_temp(PLAN, i) * value_words(i);
    }
    #round n: Every instruction has the words of the variables before it.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        let owner = ir_temp(OWNER, i);
        let first = ir_temp(PLACE, routine_at(ROUTINES_IR, owner));
        if ir_temp(PLAN, i) != 0u {
            set_ir_temp(PLAN, i, 1u + routine_at(ROUTINES_FRAME, owner) + ir_temp(PLACE, i) - first);
        }
    }
    #round n: Every planned variable has its slot.
    storageBarrier();
    list_all(OP_CALL);
    clear_own_words();
    for (var i = lane; i < n; i += WORKGROUP) {
        if ir_temp(PLAN, i) != 0u {
            let owner = ir_temp(OWNER, i);
            atomicMax(&own_words[owner], variable_end(i) - routine_at(ROUTINES_FRAME, owner));
        }
    }
    find_fitting();
    for (var i = lane; i < n; i += WORKGROUP) {
        if fitting[ir_temp(OWNER, i)] == 0u { set_ir_temp(PLAN, i, 0u); }
    }
    #round n: Variables of routines that might not fit in memory are dropped.
    storageBarrier();
    list_all(NONE);
    for (var k = lane; k < listed; k += WORKGROUP) { set_ir_temp(PLACE, ir_temp(LISTED, k), 2u); }
    #round n: Every variable adds a store and a load.
    storageBarrier();
    return take_plans();
}

// The slot after the planned variable of i.
fn variable_end(i: u32) -> u32 { return ir_temp(PLAN, i) - 1u + value_words(i); }

// Adds the planned variables to the frames.
fn grow_by_variables() {
    clear_own_words();
    for (var i = lane; i < n; i += WORKGROUP) {
        if ir_temp(PLAN, i) != 0u { atomicMax(&own_words[ir_temp(OWNER, i)], variable_end(i)); }
    }
    // Every routine has the slot after its last variable.
    workgroupBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_FRAME, r, max(routine_at(ROUTINES_FRAME, r), atomicLoad(&own_words[r])));
    }
    #round r: Frames have grown.
    storageBarrier();
}

// Writes the store of the value of i, or a load of it, as instruction `at`.
fn put_store(at: u32, i: u32, variable: u32) {
    let words = value_words(i);
    put_next(at, select(OP_STORE_LIST, OP_STORE_VAR, words == 1u), variable, words - 1u, ir_at(IR_TOKEN, i), ir_at(IR_SITE, i), at);
}
fn put_load(at: u32, i: u32, variable: u32, begins: u32) {
    let words = value_words(i);
    put_next(at, select(OP_LOAD_LIST, OP_LOAD_VAR, words == 1u), variable, words - 1u, ir_at(IR_TOKEN, i), ir_at(IR_SITE, i), begins);
}
