// Capacities of lists, and the selection among the proposed errors. Each thread handles every WORKGROUP-th
// token. Workgroup memory is used only by `uniform_any`. A storage barrier ends each round of pointer
// doubling and of sums, which alternate between two columns.

#import shared/scan
#import check/scratch
#import check/operands

// The source of a list's capacity: the index of another node, a number | CAPACITY_FIXED, or this join's index
// | CAPACITY_JOIN.
const CAPACITY_FIXED = 0x4000u;
const CAPACITY_JOIN = 0x8000u;

fn room_for(count: u32) -> u32 { return CAPACITY_FIXED | clamp(count, DEFAULT_CAPACITY, LIMIT_CAPACITY); }
fn capacity_from(t: u32) -> u32 {
    if t == NONE { return CAPACITY_FIXED | DEFAULT_CAPACITY; }
    return t;
}
// Returns the value of a constant expression as a capacity, or the default capacity if it is missing or
// invalid.
fn capacity_at(root: u32) -> u32 {
    var c = 0u;
    if root != NONE { c = checked_at(CHECKED_CONSTANT, root); }
    return CAPACITY_FIXED | select(c, DEFAULT_CAPACITY, c == 0u);
}
fn written_capacity(t: u32) -> u32 {
    if t == NONE { return capacity_at(NONE); }
    return capacity_at(temp(KID0, t));
}

// Returns the source of the capacity of node t, which has a list type.
fn capacity_source(t: u32) -> u32 {
    let r = role(t);
    if r == ROLE_VAR { return decl(t); }
    if r == ROLE_STR { return room_for(value(t) & STR_CODES); }
    if r == ROLE_LIST { return room_for(temp(COUNT, t)); }
    if r == ROLE_REPEAT {
        let root = temp(KID1, t);
        if root == NONE { return room_for(0u); }
        return room_for(checked_at(CHECKED_CONSTANT, root));
    }
    if r == ROLE_GROUP || r == ROLE_SLICE { return capacity_from(temp(KID0, t)); }
    if r == ROLE_BINARY {
        let right = temp(KID1, t);
        if right != NONE && is_list(type_kind(right)) { return CAPACITY_JOIN | t; }
        return capacity_from(temp(KID0, t));
    }
    if r == ROLE_CALL { return written_capacity(temp(KID1, parent(decl(t)))); }
    if r == ROLE_LET_NAME {
        let written = temp(KID1, parent(t));
        if written != NONE { return written_capacity(written); }
        return capacity_from(temp(KID2, parent(t)));
    }
    if r == ROLE_PARAM { return written_capacity(temp(KID0, t)); }
    if r == ROLE_TYPE_LIST { return capacity_at(temp(KID0, t)); }
    if r == ROLE_FN { return written_capacity(temp(KID1, t)); }
    if r == ROLE_FN_NAME { return written_capacity(temp(KID1, parent(t))); }
    if r == ROLE_BINDER { return capacity_at(temp(KID2, t)); }
    return CAPACITY_FIXED | DEFAULT_CAPACITY;
}

// Returns the capacity of a source. The column `joins` holds the sums of joins so far.
fn capacity_of(source: u32, joins: u32) -> u32 {
    if (source & CAPACITY_FIXED) != 0u { return source & 0x3fffu; }
    return temp(joins, source & 0x3fffu);
}

// Returns whether the error proposed at token t is recorded.
fn is_recorded(t: u32) -> bool {
    if reduced(t) { return false; }
    let mode = temp(CAND, t) >> 8u;
    if mode == MODE_ALWAYS { return true; }
    if mode == MODE_LEFT { return clean(temp(KID0, t)); }
    if proposed(lo(t), hi(t)) != 1u { return false; }
    return mode == MODE_SELF || clean(temp(KID0, parent(t)));
}

// Computes the capacities, and selects the errors of names, types and constants.
@compute @workgroup_size(WORKGROUP)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = uniform_from(P.tokens);
    var now = SOURCE_A;
    var next = SOURCE_B;
    for (var t = lane; t < n; t += WORKGROUP) {
        var source = CAPACITY_FIXED;
        if is_list(type_kind(t)) { source = capacity_source(t); }
        set_temp(now, t, source);
        set_temp(JOIN_A, t, 1u);
        set_temp(JOIN_B, t, 1u);
    }
    #round n: Every list has the source of its capacity: a number, another node, or a join of two lists.
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            let source = temp(now, t);
            var further = source;
            if source < CAPACITY_FIXED {
                further = temp(now, source);
                changed = true;
            }
            set_temp(next, t, further);
        }
        #round n: The links to sources of capacities are twice as long.
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }

    // Sum the joins from the leaves up. Each round completes one more level of sums, or increases an
    // unfinished sum by at least one.
    var sums = JOIN_A;
    var better = JOIN_B;
    for (var round = 0u; round <= LIMIT_CAPACITY; round++) {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            if temp(now, t) != (CAPACITY_JOIN | t) { continue; }
            let sum = min(LIMIT_CAPACITY, capacity_of(temp(now, temp(KID0, t)), sums)
                + capacity_of(temp(now, temp(KID1, t)), sums));
            changed = changed || sum != temp(sums, t);
            set_temp(better, t, sum);
        }
        #round n: Joins have the sums of the capacities known below them so far.
        storageBarrier();
        let swap = sums;
        sums = better;
        better = swap;
        if !uniform_any(changed) { break; }
    }
    for (var t = lane; t < n; t += WORKGROUP) {
        let k = type_kind(t);
        if is_list(k) { set_checked(CHECKED_TY, t, k | (capacity_of(temp(now, t), sums) << 8u)); }
        let candidate = temp(CAND, t);
        if candidate != 0u {
            if is_recorded(t) {
                set_checked(CHECKED_ERROR, t, (candidate & 0xffu) | select(0u, ERROR_MUTED, broken(t)));
            } else {
                set_checked(CHECKED_DETAIL, t, 0u);
            }
        }
    }
    #round n: Lists have their capacities; a proposed error is kept if no error within it explains it.
}
