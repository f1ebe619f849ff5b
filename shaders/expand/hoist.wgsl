// hoist: computes before a loop over known numbers what does not change in it.
//
// Loops are handled one after the other; in each, every thread handles every WORKGROUP-th instruction. Workgroup
// memory: the variables that a loop changes; and that of the scans and the bounds on memory. Each step ends with a
// storage barrier.

#import expand/expressions
#import expand/unroll

// Flag of an expression that does not change in its loop, in COUNT.
const FIXED = 1u;
// More rounds pay for any expression.
const ENOUGH_ROUNDS = 64u;

// A bit for each slot.
var<workgroup> changed_slots: array<atomic<u32>, LIMIT_STACK_WORDS / 32u>;

// Returns the jump back to a loop's head, or NONE if the loop does not run a known number of times, at least
// twice, or is left elsewhere.
fn hoisting_loop(head: u32) -> u32 {
    let rounds = known_rounds(head);
    if rounds == NONE || rounds < 2u { return NONE; }
    let back = last_jump_to(head, HOIST_BODY);
    if back == 0u || op_at(back) != OP_JUMP { return NONE; }
    for (var i = head + 1u; i <= back; i++) {
        let op = op_at(i);
        if op == OP_RETURN || op == OP_RETURN_LIST { return NONE; }
        let to = jump_target(i);
        if to != NONE && (to < head || to > back) { return NONE; }
    }
    return back;
}

// Fills AROUND; for a head of a loop, FIRST_EQUAL is the jump back to it.
fn find_loops() {
    for (var i = lane; i < n; i += WORKGROUP) {
        set_ir_temp(AROUND, i, NONE);
        set_ir_temp(COUNT, i, 0u);
        set_ir_temp(INSIDE, i, 0u);
        var back = NONE;
        if op_at(i) == OP_FOR_RANGE { back = hoisting_loop(i); }
        set_ir_temp(FIRST_EQUAL, i, back);
    }
    #round n: The loops are found.
    storageBarrier();
    list_all(OP_FOR_RANGE);
    let loops = uniform_from(listed);
    for (var k = 0u; k < loops; k++) {
        let head = uniform_from(ir_temp(LISTED, k));
        let back = uniform_from(ir_temp(FIRST_EQUAL, head));
        if back != NONE {
            for (var i = head + 1u + lane; i <= back; i += WORKGROUP) { set_ir_temp(AROUND, i, head); }
        }
        #round n: The instructions of the loop have it around them.
        storageBarrier();
    }
}

// Whether no variable that the expression reads is among the changed ones.
fn is_fixed(i: u32) -> bool {
    let first = ir_temp(EXTENT, i);
    if first == NONE || first == i { return false; }
    for (var at = first; at <= i; at++) {
        if !reads_variable(op_at(at)) { continue; }
        let variable = ir_at(IR_ARG, at);
        if variable >= LIMIT_STACK_WORDS { return false; }
        if ((atomicLoad(&changed_slots[variable / 32u]) >> (variable % 32u)) & 1u) != 0u { return false; }
    }
    return true;
}

// Marks the expressions that do not change in the innermost loop around them.
fn find_fixed() {
    let loops = uniform_from(listed);
    for (var k = 0u; k < loops; k++) {
        let head = uniform_from(ir_temp(LISTED, k));
        let back = uniform_from(ir_temp(FIRST_EQUAL, head));
        if back == NONE { continue; }
        for (var word = lane; word < LIMIT_STACK_WORDS / 32u; word += WORKGROUP) { atomicStore(&changed_slots[word], 0u); }
        // No variable has changed yet.
        workgroupBarrier();
        for (var i = head + lane; i <= back; i += WORKGROUP) {
            let variable = ir_at(IR_ARG, i);
            if writes_variable(op_at(i)) && variable < LIMIT_STACK_WORDS {
                atomicOr(&changed_slots[variable / 32u], 1u << (variable % 32u));
            }
        }
        // The variables that the loop changes are marked.
        workgroupBarrier();
        for (var i = head + 1u + lane; i <= back; i += WORKGROUP) {
            if ir_temp(AROUND, i) == head {
                if is_fixed(i) { set_ir_temp(COUNT, i, FIXED); }
            }
        }
        #round n: What does not change in the loop is marked.
        storageBarrier();
        workgroupBarrier();
    }
}

// Whether no larger expression that does not change contains the one that ends at i.
fn is_largest(i: u32) -> bool {
    if ir_temp(COUNT, i) != FIXED { return false; }
    for (var at = i + 1u; at < min(n, i + EXPRESSION); at++) {
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { break; }
        if ir_temp(COUNT, at) == FIXED && ir_temp(EXTENT, at) <= ir_temp(EXTENT, i) { return false; }
    }
    return true;
}

// Returns the first of the largest expressions of the loop that equals the one that ends at i.
fn first_equal(i: u32) -> u32 {
    let head = ir_temp(AROUND, i);
    for (var at = head + 1u; at < i; at++) {
        if ir_temp(INSIDE, at) == 1u && ir_temp(AROUND, at) == head && equal_instructions(at, i) {
            if equal_expressions(at, i) { return at; }
        }
    }
    return i;
}

// Whether every round computes the expression, and computing it once takes fewer steps.
fn pays(i: u32) -> bool {
    let head = ir_temp(AROUND, i);
    let first = ir_temp(EXTENT, i);
    for (var at = head + 1u; at < first; at++) {
        let to = jump_target(at);
        if to != NONE && (to == head || to > first) { return false; }
    }
    let steps = i + 1u - first;
    return min(known_rounds(head), ENOUGH_ROUNDS) * (steps - 1u) >= steps + 2u;
}

// The plan for the expression that ends at i: 1 + the slot of its variable, or 0.
fn hoist_plan(i: u32) -> u32 {
    let leader = ir_temp(FIRST_EQUAL, i);
    if leader == NONE || op_at(i) == OP_FOR_RANGE { return 0u; }
    return ir_temp(PLAN, leader);
}

// Writes the code of the expression that ends at i, and the store of its value, from instruction `to` on.
fn write_before(i: u32, to: u32, variable: u32) {
    let first = ir_temp(EXTENT, i);
    for (var at = first; at <= i; at++) {
        var begins = ir_at(IR_START, at);
        if begins != NONE { begins = select(NONE, begins - first + to, begins >= first); }
        put_next(to + at - first, op_at(at), ir_at(IR_ARG, at), ir_at(IR_AUX, at), ir_at(IR_TOKEN, at),
            ir_at(IR_SITE, at), begins);
    }
    put_store(to + i + 1u - first, i, variable);
}

fn hoist_values() {
    if is_too_large() { return; }
    find_owners();
    find_expressions(true);
    find_loops();
    find_fixed();
    for (var i = lane; i < n; i += WORKGROUP) { set_ir_temp(INSIDE, i, select(0u, 1u, is_largest(i))); }
    #round n: The largest expressions are found.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        if ir_temp(INSIDE, i) == 1u { set_ir_temp(FIRST_EQUAL, i, first_equal(i)); }
        set_ir_temp(PLAN, i, 0u);
    }
    #round n: Every expression has the first equal one of its loop.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        if ir_temp(INSIDE, i) == 1u && ir_temp(FIRST_EQUAL, i) == i {
            if pays(i) { set_ir_temp(PLAN, i, 1u); }
        }
    }
    #round n: Expressions that every round computes are planned.
    storageBarrier();
    if !plan_variables() { return; }
    count_one();
    list_all(OP_FOR_RANGE);
    for (var i = lane; i < n; i += WORKGROUP) {
        if hoist_plan(i) == 0u { continue; }
        for (var at = ir_temp(EXTENT, i); at < i; at++) { set_ir_temp(PLACE, at, 0u); }
    }
    for (var k = lane; k < listed; k += WORKGROUP) {
        let head = ir_temp(LISTED, k);
        let back = ir_temp(FIRST_EQUAL, head);
        if back == NONE { continue; }
        var size = 0u;
        for (var i = head + 1u; i <= back; i++) {
            if ir_temp(AROUND, i) != head || ir_temp(FIRST_EQUAL, i) != i || hoist_plan(i) == 0u { continue; }
            set_ir_temp(COUNT, i, size);
            size += i + 2u - ir_temp(EXTENT, i);
        }
        set_ir_temp(PLACE, head - 1u, 1u + size);
    }
    #round n: The code before each loop has its size, and expressions in the loop become loads.
    storageBarrier();
    grow_by_variables();
    let size = sum_counts();
    for (var i = lane; i < n; i += WORKGROUP) {
        let at = ir_temp(PLACE, i);
        if at == ir_temp(PLACE, i + 1u) { continue; }
        let plan = hoist_plan(i);
        if plan == 0u {
            copy_next(i);
            continue;
        }
        put_load(at, i, plan - 1u, at);
        if ir_temp(FIRST_EQUAL, i) == i {
            write_before(i, ir_temp(PLACE, ir_temp(AROUND, i) - 1u) + 1u + ir_temp(COUNT, i), plan - 1u);
        }
    }
    finish_expansion(uniform_from(size));
}
