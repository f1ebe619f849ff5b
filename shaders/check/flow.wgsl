// Loops of breaks, ends of control flow, and the number of errors. Each thread handles every WORKGROUP-th
// token. Workgroup memory is used only by the scans. Storage barriers separate rounds of pointer doubling,
// and the two steps for each depth of blocks: loops that a `break` leaves, then statements that end their
// block.

#import shared/scan
#import check/scratch
#import check/kinds

// Atomic access to the scratch columns. This entry point accesses them in no other way.
fn flow_temp(column: u32, i: u32) -> u32 { return atomicLoad(&scratch_atomic[token_scratch_place(column, i)]); }
fn set_flow_temp(column: u32, i: u32, v: u32) { atomicStore(&scratch_atomic[token_scratch_place(column, i)], v); }
fn min_flow_temp(column: u32, i: u32, v: u32) { atomicMin(&scratch_atomic[token_scratch_place(column, i)], v); }

fn exits(r: u32) -> bool { return r == ROLE_RETURN || r == ROLE_BREAK || r == ROLE_CONTINUE; }
fn is_statement(r: u32) -> bool {
    return exits(r) || r == ROLE_BLOCK || r == ROLE_LET || r == ROLE_ASSIGN || r == ROLE_IF || r == ROLE_WHILE
        || r == ROLE_FOR || r == ROLE_BROKEN;
}
fn repeats(r: u32) -> bool { return r == ROLE_WHILE || r == ROLE_FOR; }
fn is_loop_body(t: u32) -> bool { return role(t) == ROLE_BLOCK && repeats(role_or_none(parent(t))); }

// Returns the parent of a statement within its function, or NO_LINK.
fn above(t: u32) -> u32 {
    let p = parent(t);
    return select(p, NO_LINK, p == NONE || role_or_none(p) == ROLE_FN);
}

// Returns whether the condition of a While is `true`.
fn is_endless(t: u32) -> bool {
    var c = flow_temp(KID0, t);
    while c != NONE && role(c) == ROLE_GROUP { c = flow_temp(KID0, c); }
    return c != NONE && kind(c) == TOKEN_TRUE && role(c) == ROLE_BOOL;
}

// Returns whether control can reach the Break t from the start of `body`, given the ends of inner blocks
// known so far.
fn can_run(t: u32, body: u32, heads: u32) -> bool {
    var block = parent(t);
    while block != body {
        if flow_temp(ENDED, block) <= t { return false; }
        var p = parent(block);
        if role_or_none(p) == ROLE_IF { p = parent(flow_temp(heads, p)); }
        if role_or_none(p) != ROLE_BLOCK { return true; }
        block = p;
    }
    return flow_temp(ENDED, body) > t;
}

fn flow_error(t: u32, code: u32) {
    if checked_at(CHECKED_ERROR, t) == 0u && !reduced(t) {
        set_checked(CHECKED_ERROR, t, code | select(0u, ERROR_MUTED, broken(t)));
        set_checked(CHECKED_DETAIL, t, 0u);
    }
}

// Finds the loops of breaks and the ends of control flow, and counts the errors.
@compute @workgroup_size(WORKGROUP)
fn flow(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = uniform_from(P.tokens);
    var up = UP_A;
    var up_next = UP_B;
    var around = LOOP_A;
    var around_next = LOOP_B;
    var head = HEAD_A;
    var head_next = HEAD_B;
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        set_flow_temp(ENDED, t, NONE);
        set_flow_temp(JUMPED, t, NONE);
        var is_open = r == ROLE_WHILE && !is_endless(t);
        var a = NO_LINK;
        var h = t;
        if is_statement(r) {
            a = above(t);
            if r == ROLE_IF && slot(t) == 2u && a != NO_LINK && role(a) == ROLE_IF { h = a; }
        }
        set_flow_temp(OPEN_END, t, select(0u, 1u, is_open));
        var blocks = 0u;
        if a != NO_LINK && role(a) == ROLE_BLOCK { blocks = 1u; }
        set_flow_temp(up, t, a | (blocks << 14u));
        set_flow_temp(around, t, a);
        set_flow_temp(head, t, h);
    }
    #round n: Every statement has links to the enclosing statement, the enclosing loop and the head of its
    #: else chain.
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            var u = flow_temp(up, t);
            if (u & NO_LINK) != NO_LINK {
                let further = flow_temp(up, u & NO_LINK);
                u = (further & NO_LINK) | (((u >> 14u) + (further >> 14u)) << 14u);
                changed = true;
            }
            set_flow_temp(up_next, t, u);
            var a = flow_temp(around, t);
            if a != NO_LINK && !is_loop_body(a) { a = flow_temp(around, a); }
            set_flow_temp(around_next, t, a);
            set_flow_temp(head_next, t, flow_temp(head, flow_temp(head, t)));
        }
        #round n: These links are twice as long.
        storageBarrier();
        var swap = up;
        up = up_next;
        up_next = swap;
        swap = around;
        around = around_next;
        around_next = swap;
        swap = head;
        head = head_next;
        head_next = swap;
        if !uniform_any(changed) { break; }
    }

    var deepest = 0u;
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if !is_statement(r) { continue; }
        deepest = max(deepest, flow_temp(up, t) >> 14u);
        let p = parent(t);
        if exits(r) && role_or_none(p) == ROLE_BLOCK { min_flow_temp(JUMPED, p, t); }
        if r == ROLE_IF && (flow_temp(KID1, t) == NONE || flow_temp(KID2, t) == NONE) { set_flow_temp(OPEN_END, flow_temp(head, t), 1u); }
    }
    deepest = reduce_max(deepest);
    #round n: Every statement has its depth and its loop; blocks have their first `return`, `break` or
    #: `continue`.
    storageBarrier();

    // Go from the innermost statements outwards, so the result of a block is known before that of the block
    // around it.
    for (var level = uniform_from(deepest) + 1u; level > 0u; level--) {
        let depth = level - 1u;
        for (var t = lane; t < n; t += WORKGROUP) {
            let r = role(t);
            if r == ROLE_BREAK {
                let body = flow_temp(around, t);
                if body != NO_LINK && (flow_temp(up, parent(body)) >> 14u) == depth && can_run(t, body, head) {
                    set_flow_temp(OPEN_END, parent(body), 1u);
                }
            } else if r == ROLE_BLOCK && flow_temp(up, t) >> 14u == depth && flow_temp(ENDED, t) == NONE {
                let p = parent(t);
                if role_or_none(p) == ROLE_IF { set_flow_temp(OPEN_END, flow_temp(head, p), 1u); }
            }
        }
        #round n: At this depth, loops that a `break` leaves and blocks whose end control reaches are
        #: marked.
        storageBarrier();
        for (var t = lane; t < n; t += WORKGROUP) {
            let r = role(t);
            if !is_statement(r) || flow_temp(up, t) >> 14u != depth || role_or_none(parent(t)) != ROLE_BLOCK { continue; }
            let ends = exits(r) || (r == ROLE_BLOCK && flow_temp(ENDED, t) != NONE)
                || ((r == ROLE_IF || r == ROLE_WHILE) && flow_temp(OPEN_END, t) == 0u);
            if ends { min_flow_temp(ENDED, parent(t), hi(t)); }
        }
        #round n: At this depth, statements after which control never continues end their block.
        storageBarrier();
    }

    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_FN {
            let block = flow_temp(KID2, t);
            let closed_part = P.holes >= PART && (tree_at(TREE_STMT, t) & STMT_UNCLOSED) == 0u;
            if block != NONE && flow_temp(ENDED, block) == NONE && (flow_temp(REGION, t) == 0u || closed_part) {
                flow_error(hi(block) - 1u, CODE_MISSING_RETURN);
            }
        }
        if !is_statement(r) { continue; }
        if r == ROLE_BREAK || r == ROLE_CONTINUE {
            let body = flow_temp(around, t);
            if body == NO_LINK {
                flow_error(t, CODE_OUTSIDE_LOOP);
            } else {
                set_checked(CHECKED_DECL, t, parent(body));
            }
        }
        // If the statement before ends in a `;`, it is the statement of the token before.
        let p = parent(t);
        let first = lo(t);
        if role_or_none(p) == ROLE_BLOCK && first > 0u
            && flow_temp(JUMPED, p) == (tree_at(TREE_STMT, first - 1u) & STMT_INDEX) {
            flow_error(first, CODE_UNREACHABLE);
        }
    }
    #round n: Missing returns, jumps outside of loops and unreachable statements are found.
    storageBarrier();
    var errors = 0u;
    for (var t = lane; t < n; t += WORKGROUP) {
        let error = checked_at(CHECKED_ERROR, t);
        errors += select(0u, 1u, error != 0u && ((error & ERROR_MUTED) == 0u || P.holes >= PART));
        if P.holes >= PART && (error & ~ERROR_MUTED) == CODE_MISSING_RETURN { errors += PART_MISSING_RETURN - 1u; }
    }
    let total = reduce_sum(errors);
    if lane == 0u { programs[program_index].errors = P.errors + total; }
    #round n: The errors are counted.
}
