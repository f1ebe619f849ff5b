// Children, regions, limits, and the resolution of names.
//
// All declarations are sorted by (space, name, start of visibility). A use takes the last declaration at or
// before it whose scope has not ended, found in a max-tree over the ends of scopes.
//
// Each thread handles every WORKGROUP-th token, declaration or pair of declarations. Workgroup memory is used
// only by the scans. Storage barriers separate clearing, children, lists of declarations, each step of the
// sort, each level of the max-tree, and each round of pointer doubling.

#import shared/scan
#import check/scratch

// Name spaces, as the top bits of a key.
const SPACE_LOCAL = 0u;
const SPACE_FUNCTION = 1u;
const SPACE_CONSTANT = 2u;
fn key_of(space: u32, name: u32, begin: u32) -> u32 { return (space << 30u) | (name << 14u) | begin; }
fn same_name(a: u32, b: u32) -> bool { return (a >> 14u) == (b >> 14u); }

// Returns the token whose extent is the scope of a declaration, or NONE.
fn scope_of(t: u32) -> u32 {
    let r = role(t);
    let p = parent(t);
    if r == ROLE_PARAM {
        let block = temp(KID2, p);
        return select(block, p, block == NONE);
    }
    if r == ROLE_BINDER { return p; }
    if r == ROLE_LOOP_VAR { return temp(KID3, p); }
    if r == ROLE_LET_NAME { return parent(p); }
    return NONE;
}

// Returns the key by which a declaration is sorted, or NONE if the token declares nothing.
fn declaration_key(t: u32, r: u32) -> u32 {
    let name = value(t);
    if r == ROLE_FN_NAME {
        if name < FIRST_NAME { return NONE; }
        return key_of(SPACE_FUNCTION, name, t);
    }
    if r == ROLE_CONST_NAME { return key_of(SPACE_CONSTANT, name, t); }
    if parent(t) == NONE { return NONE; }
    let scope = scope_of(t);
    if scope == NONE { return NONE; }
    if r == ROLE_LOOP_VAR { return key_of(SPACE_LOCAL, name, lo(scope)); }
    if r == ROLE_LET_NAME { return key_of(SPACE_LOCAL, name, hi(parent(t))); }
    return key_of(SPACE_LOCAL, name, max(hi(t), t + 1u));
}

// Returns the token from which the declaration at t is no longer visible.
fn visible_to(t: u32, n: u32) -> u32 {
    let scope = scope_of(t);
    if scope == NONE { return n + 1u; }
    return hi(scope);
}

fn leaf_place(i: u32) -> u32 {
    if i < P.token_room { return token_scratch_place(LEAVES, i); }
    return token_scratch_place(LEAVES + 1u, i - P.token_room);
}
fn leaf(i: u32) -> u32 { return scratch_word(leaf_place(i)); }
fn set_leaf(i: u32, v: u32) { set_scratch_word(leaf_place(i), v); }

// Returns the last position at or before q whose leaf is above u, or NONE. The tree has `size` leaves.
fn last_above(q: u32, u: u32, size: u32) -> u32 {
    var i = size + q;
    if leaf(i) > u { return q; }
    while i > 1u {
        if (i & 1u) == 1u && leaf(i - 1u) > u { break; }
        i >>= 1u;
    }
    if i <= 1u { return NONE; }
    i -= 1u;
    while i < size {
        i = i * 2u;
        if leaf(i + 1u) > u { i += 1u; }
    }
    return i - size;
}

// Returns how many of the first `count` sorted keys are below `key`.
fn keys_below(key: u32, count: u32) -> u32 {
    var begin = 0u;
    var to = count;
    while begin < to {
        let middle = (begin + to) / 2u;
        if temp(KEY, middle) < key { begin = middle + 1u; } else { to = middle; }
    }
    return begin;
}

// Returns the first declaration of a name in a space whose names are visible everywhere.
fn find_global(space: u32, name: u32, count: u32) -> u32 {
    let key = key_of(space, name, 0u);
    let q = keys_below(key, count);
    if q < count && same_name(temp(KEY, q), key) { return temp(DECLARED, q); }
    return NONE;
}

// Returns the declaration of the variable with this name at token u.
fn find_variable(name: u32, u: u32, count: u32, size: u32, firsts: u32) -> u32 {
    let key = key_of(SPACE_LOCAL, name, u);
    let q = keys_below(key + 1u, count);
    if q > 0u {
        let p = last_above(q - 1u, u, size);
        if p != NONE && same_name(temp(KEY, p), key) { return temp(DECLARED, temp(firsts, p)); }
    }
    return find_global(SPACE_CONSTANT, name, count);
}

// Calls, lists and functions count their children: the count follows from the greatest slot of a child that
// no other child follows. If a comma is missing, several children qualify, and different threads find them.
// So the count is an atomic maximum, in an instruction column that lower has not written yet.
@group(0) @binding(6) var<storage, read_write> ir_atomic: array<atomic<u32>>;

fn counts_children(r: u32) -> bool { return r == ROLE_CALL || r == ROLE_LIST || r == ROLE_FN; }
fn count_place(t: u32) -> u32 { return P.ir_base + t; }

// Returns whether child t is the last of a list in which a comma or the closer follows each child.
fn is_last(t: u32, n: u32) -> bool {
    let at = hi(t);
    if at + 1u >= n || kind(at) != TOKEN_COMMA { return true; }
    let next = kind(at + 1u);
    return next == TOKEN_RIGHT_PAREN || next == TOKEN_RIGHT_BRACKET;
}

// Finds children, regions and violated limits, and resolves names.
@compute @workgroup_size(WORKGROUP)
fn names(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = uniform_from(P.tokens);
    for (var t = lane; t < n; t += WORKGROUP) {
        set_checked(CHECKED_TY, t, 0u);
        set_checked(CHECKED_DECL, t, NONE);
        set_checked(CHECKED_CONSTANT, t, 0u);
        set_checked(CHECKED_ERROR, t, 0u);
        set_checked(CHECKED_DETAIL, t, 0u);
        set_temp(KID0, t, NONE);
        set_temp(KID1, t, NONE);
        set_temp(KID2, t, NONE);
        set_temp(KID3, t, NONE);
        set_temp(COUNT, t, 0u);
        set_temp(DEPTH, t, 0u);
        set_temp(BARE, t, NONE);
        set_temp(CAND, t, 0u);
        set_temp(CLOSES, t, NONE);
        if counts_children(role(t)) { atomicStore(&ir_atomic[count_place(t)], 0u); }
    }
    #round n: The tables are cleared.
    storageBarrier();

    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_NONE { continue; }
        if r == ROLE_GROUP { set_temp(CLOSES, hi(t) - 1u, t); }
        let p = parent(t);
        if p == NONE { continue; }
        let owner = role(p);
        let s = slot(t);
        if owner == ROLE_BLOCK { continue; }
        if s < 4u { set_temp(KID0 + s, p, t); }
        let is_parameter = r == ROLE_PARAM;
        if (owner == ROLE_CALL || owner == ROLE_LIST || is_parameter) && is_last(t, n) {
            atomicMax(&ir_atomic[count_place(p)], select(s + 1u, s - 2u, is_parameter));
        }
        if is_constant_root(t) {
            // No two of these begin or end at the same token, and none begins where another ends.
            set_temp(DEPTH, lo(t), 1u);
            if hi(t) < n { set_temp(DEPTH, hi(t), NONE); }
        }
    }
    #round n: Every node has its children by slot, and constant expressions have marked where they begin and
    #: end.
    storageBarrier();

    var item = 0u;          // before the tile's first token
    var depth = 0u;
    var broken_lets = 0u;   // two counts in a word, like the next two
    var fns_tests = 0u;
    var params_names = 0u;
    for (var at = 0u; at < n; at += WORKGROUP) {
        let t = at + lane;
        var r = ROLE_NONE;
        var starts = 0u;
        var opens = 0u;
        var a = 0u;
        var key = NONE;
        if t < n {
            r = role(t);
            starts = select(0u, t + 1u, begins_item(kind(t)));
            opens = temp(DEPTH, t);
            a = select(0u, 1u, broken(t));
            if declares(r) { key = declaration_key(t, r); }
        }
        a += select(0u, 0x10000u, r == ROLE_LET_NAME || r == ROLE_LOOP_VAR);
        let b = select(0u, 1u, r == ROLE_FN) | select(0u, 0x10000u, r == ROLE_TEST || r == ROLE_PROP);
        let c = select(0u, 1u, r == ROLE_PARAM) | select(0u, 0x10000u, key != NONE);
        let my_item = max(item, scan_max(starts));
        item = max(item, scan_total);
        let my_depth = depth + scan_sum(opens);
        depth += scan_total;
        let my_a = broken_lets + scan_sum(a);
        broken_lets += scan_total;
        let my_b = fns_tests + scan_sum(b);
        fns_tests += scan_total;
        let my_c = params_names + scan_sum(c);
        params_names += scan_total;
        if t < n {
            set_temp(ITEM, t, my_item);
            set_temp(DEPTH, t, my_depth);
            set_temp(RUN_A, t, my_a - a);
            set_temp(RUN_B, t, my_b);
            if counts_children(r) { set_temp(COUNT, t, atomicLoad(&ir_atomic[count_place(t)])); }
            if r == ROLE_FN { set_temp(FIRST_PARAM, t, my_c & 0xffffu); }
            if r == ROLE_PARAM { set_temp(PARAM_LIST, (my_c & 0xffffu) - 1u, t); }
            if key != NONE {
                set_temp(KEY, (my_c >> 16u) - 1u, key);
                set_temp(DECLARED, (my_c >> 16u) - 1u, t);
            }
        }
    }
    if lane == 0u && ((fns_tests & 0xffffu) > LIMIT_FUNCTIONS || (fns_tests >> 16u) > LIMIT_TESTS) {
        programs[program_index].holes = 0u;
    }
    let declared = params_names >> 16u;
    // The least power of two that is not less than the number of declarations.
    let size = uniform_from(select(1u, 2u << firstLeadingBit(declared - 1u), declared > 1u));
    for (var q = declared + lane; q < size; q += WORKGROUP) {
        set_temp(KEY, q, NONE);
        set_temp(DECLARED, q, NONE);
    }
    #round n: Declarations are in one list, each with a key of space, name and start of visibility. Running
    #: sums count functions, tests, parameters and enclosing constant expressions.
    storageBarrier();

    // Check the limits. At the last token of each region, record whether the region has a broken token.
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_FN && (temp(RUN_B, t) & 0xffffu) == LIMIT_FUNCTIONS + 1u {
            propose(t, CODE_TOO_MANY_FUNCTIONS, MODE_ALWAYS, fns_tests & 0xffffu);
        }
        if (r == ROLE_TEST || r == ROLE_PROP) && (temp(RUN_B, t) >> 16u) == LIMIT_TESTS + 1u {
            propose(t, CODE_TOO_MANY_TESTS, MODE_ALWAYS, fns_tests >> 16u);
        }
        if r == ROLE_PARAM && slot(t) == 3u + LIMIT_PARAMS {
            propose(t, CODE_TOO_MANY_LOCALS, MODE_ALWAYS, temp(COUNT, parent(t)));
        }
        if r == ROLE_FN_NAME && value(t) < FIRST_NAME {
            propose(t, CODE_ALREADY_DECLARED, MODE_ALWAYS, NONE);
        }
        let ends = t + 1u == n || temp(ITEM, t + 1u) != temp(ITEM, t);
        if ends && temp(ITEM, t) != 0u {
            let first = temp(ITEM, t) - 1u;
            let before = temp(RUN_A, first);
            var after = broken_lets;
            if t + 1u < n { after = temp(RUN_A, t + 1u); }
            let counts = after - before;
            set_temp(REGION, first, counts & 0xffffu);
            let lets = counts >> 16u;
            let name = temp(KID0, first);
            if role(first) == ROLE_FN && name != NONE && lets > LIMIT_LOCALS && value(name) >= FIRST_NAME {
                propose(name, CODE_TOO_MANY_LOCALS, MODE_ALWAYS, lets);
            }
        }
    }

    // Sort the declarations with a bitonic sort.
    for (var k = 2u; k <= size; k <<= 1u) {
        for (var j = k >> 1u; j > 0u; j >>= 1u) {
            for (var i = lane; i < size / 2u; i += WORKGROUP) {
                let a = ((i & ~(j - 1u)) << 1u) | (i & (j - 1u));
                let b = a | j;
                let key_a = temp(KEY, a);
                let key_b = temp(KEY, b);
                let token_a = temp(DECLARED, a);
                let token_b = temp(DECLARED, b);
                let above = key_a > key_b || (key_a == key_b && token_a > token_b);
                if above == ((a & k) == 0u) {
                    set_temp(KEY, a, key_b);
                    set_temp(KEY, b, key_a);
                    set_temp(DECLARED, a, token_b);
                    set_temp(DECLARED, b, token_a);
                }
            }
            #round m log m: One step of the bitonic sort: declarations at one distance are compared and
            #: exchanged in pairs.
            storageBarrier();
        }
    }

    // Build the max-tree over the ends of scopes: node i is the parent of nodes 2i and 2i + 1; leaves begin
    // at `size`.
    for (var q = lane; q < size; q += WORKGROUP) {
        var to = 0u;
        if q < declared { to = visible_to(temp(DECLARED, q), n); }
        set_leaf(size + q, to);
    }
    #round m: The leaves of the max-tree are the ends of visibility of the declarations.
    storageBarrier();
    for (var w = size >> 1u; w > 0u; w >>= 1u) {
        for (var i = w + lane; i < 2u * w; i += WORKGROUP) {
            set_leaf(i, max(leaf(2u * i), leaf(2u * i + 1u)));
        }
        #round m/2^k: One more level of the max-tree.
        storageBarrier();
    }

    // Reject declarations that repeat a name of their scope. Pointer doubling finds the first one of each
    // name.
    var now = FIRST_A;
    var next = FIRST_B;
    for (var q = lane; q < declared; q += WORKGROUP) {
        var first = q;
        let key = temp(KEY, q);
        if q > 0u {
            let p = last_above(q - 1u, key & 0x3fffu, size);
            if p != NONE && same_name(temp(KEY, p), key)
                && scope_of(temp(DECLARED, p)) == scope_of(temp(DECLARED, q)) { first = p; }
        }
        set_temp(now, q, first);
    }
    #round m log m: A declaration that repeats a name of its scope points to the declaration before it.
    storageBarrier();
    loop {
        var changed = false;
        for (var q = lane; q < declared; q += WORKGROUP) {
            let p = temp(now, q);
            let further = temp(now, p);
            changed = changed || further != p;
            set_temp(next, q, further);
        }
        #round m: Pointers to the first declaration of a name are twice as long.
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }
    for (var q = lane; q < declared; q += WORKGROUP) {
        let first = temp(now, q);
        if first != q {
            propose(temp(DECLARED, q), CODE_ALREADY_DECLARED, MODE_ALWAYS, temp(DECLARED, first));
        }
    }

    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_VAR {
            set_checked(CHECKED_DECL, t, find_variable(value(t), t, declared, size, now));
        } else if r == ROLE_CALL && kind(t) == TOKEN_NAME && value(t) >= FIRST_NAME {
            set_checked(CHECKED_DECL, t, find_global(SPACE_FUNCTION, value(t), declared));
        } else if r == ROLE_RETURN && temp(ITEM, t) != 0u {
            set_checked(CHECKED_DECL, t, temp(ITEM, t) - 1u);
        }
    }
    #round n log m: Every use of a name has found its declaration, by binary search and then in the
    #: max-tree.
}
