// calls, share: compute equal expressions of a block once. The first one stores its value in a variable of its own,
// the others load it.
//
// Each thread handles every WORKGROUP-th instruction. Workgroup memory is used only by the scans and the bounds on
// memory. Each step ends with a storage barrier.

#import expand/expressions

// Flags of the first one of equal expressions, in COUNT.
const SAVES = 1u;       // computing it once takes fewer steps
const CONTAINED = 2u;   // it or an equal one is part of a larger expression that is computed once

// Whether no instruction after `since` and up to i changes a variable that the expression reads.
fn stays_equal(since: u32, i: u32) -> bool {
    for (var at = ir_temp(EXTENT, i); at <= i; at++) {
        if !reads_variable(op_at(at)) { continue; }
        for (var change = since + 1u; change < i; change++) {
            if writes_variable(op_at(change)) && ir_at(IR_ARG, change) == ir_at(IR_ARG, at) { return false; }
        }
    }
    return true;
}

// Returns the nearest equal expression before the one that ends at i, or i if there is none with the same value.
fn equal_before(i: u32) -> u32 {
    for (var back = 1u; back <= min(SHARE_WINDOW, i); back++) {
        let at = i - back;
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { return i; }
        if equal_instructions(at, i) {
            if equal_expressions(at, i) { return select(i, at, stays_equal(at, i)); }
        }
    }
    return i;
}

// Whether the expression that ends at i, the first of its kind, takes fewer steps if it is computed once.
fn saves_steps(i: u32, calls_only: bool) -> bool {
    var equal = 0u;
    for (var at = i + 1u; at < min(n, i + SHARE_WINDOW + 1u); at++) {
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { break; }
        equal += select(0u, 1u, ir_temp(FIRST_EQUAL, at) == i);
    }
    var calls = 0u;
    for (var at = ir_temp(EXTENT, i); at <= i; at++) { calls += select(0u, 1u, op_at(at) == OP_CALL); }
    if calls == 0u && (calls_only || value_words(i) > 1u) { return false; }
    let steps = i + 1u - ir_temp(EXTENT, i) + calls * (LEAST_CALL_STEPS - 1u);
    return equal * (steps - 1u) > 2u;
}

fn saves(i: u32) -> bool {
    let leader = ir_temp(FIRST_EQUAL, i);
    if leader == NONE { return false; }
    return (ir_temp(COUNT, leader) & SAVES) != 0u;
}

// Whether the expression that ends at i is part of a larger one that is computed once.
fn is_contained(i: u32) -> bool {
    for (var at = i + 1u; at < min(n, i + EXPRESSION); at++) {
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { return false; }
        if ir_temp(EXTENT, at) <= ir_temp(EXTENT, i) {
            if saves(at) { return true; }
        }
    }
    return false;
}

fn share_values(calls_only: bool) {
    if is_too_large() { return; }
    find_owners();
    find_expressions(false);
    for (var i = lane; i < n; i += WORKGROUP) {
        var leader = NONE;
        let first = ir_temp(EXTENT, i);
        if first != NONE && first != i { leader = equal_before(i); }
        set_ir_temp(FIRST_EQUAL, i, leader);
    }
    #round n: Every expression has the nearest equal one before it.
    storageBarrier();
    for (var reach = 1u; reach < LARGEST; reach *= 2u) {
        for (var i = lane; i < n; i += WORKGROUP) {
            let leader = ir_temp(FIRST_EQUAL, i);
            if leader != NONE { set_ir_temp(FIRST_EQUAL, i, ir_temp(FIRST_EQUAL, leader)); }
        }
        #round n: Every expression has an equal one twice as far before it.
        storageBarrier();
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        var flags = 0u;
        if ir_temp(FIRST_EQUAL, i) == i {
            if saves_steps(i, calls_only) { flags = SAVES; }
        }
        set_ir_temp(COUNT, i, flags);
        set_ir_temp(INSIDE, i, 0u);
    }
    #round n: The expressions that take fewer steps if they are computed once are found.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        if saves(i) {
            if is_contained(i) { set_ir_temp(INSIDE, ir_temp(FIRST_EQUAL, i), CONTAINED); }
        }
    }
    #round n: Those that are part of larger ones are found.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        let chosen = ir_temp(COUNT, i) == SAVES && ir_temp(INSIDE, i) != CONTAINED;
        set_ir_temp(PLAN, i, select(0u, 1u, chosen));
        set_ir_temp(COUNT, i, select(0u, SAVES, chosen));
    }
    #round n: The others are planned.
    storageBarrier();
    if !plan_variables() { return; }
    count_one();
    for (var i = lane; i < n; i += WORKGROUP) {
        let plan = plan_of(i);
        if plan == 0u { continue; }
        if ir_temp(FIRST_EQUAL, i) == i {
            set_ir_temp(PLACE, i, 3u);
            set_ir_temp(INSIDE, i, 1u);
        } else {
            for (var at = ir_temp(EXTENT, i); at < i; at++) { set_ir_temp(PLACE, at, 0u); }
        }
    }
    #round n: The first expression of each kind is followed by a store and a load; the others become a load.
    storageBarrier();
    grow_by_variables();
    let size = sum_counts();
    for (var i = lane; i < n; i += WORKGROUP) {
        let at = ir_temp(PLACE, i);
        if at == ir_temp(PLACE, i + 1u) { continue; }
        let plan = plan_of(i);
        let leads = ir_temp(FIRST_EQUAL, i) == i;
        if plan == 0u || leads { copy_next(i); }
        if plan == 0u { continue; }
        if leads {
            put_store(at + 1u, i, plan - 1u);
            put_load(at + 2u, i, plan - 1u, NONE);
        } else {
            put_load(at, i, plan - 1u, at);
        }
    }
    finish_expansion(uniform_from(size));
}

// The plan for the expression that ends at i: 1 + the slot of its variable, or 0.
fn plan_of(i: u32) -> u32 {
    if !saves(i) { return 0u; }
    return ir_temp(PLAN, ir_temp(FIRST_EQUAL, i));
}
