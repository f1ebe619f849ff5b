// check: names, types, constants and flow. The twin is src/stage/check; docs/stages.md has the rules.
//
// Nothing here follows the tree level by level. Names: all declarations are sorted by (space, name, place from which they
// are visible); a use takes the last one before it whose scope has not ended, found in a max-tree over the ends of
// scopes. Types: every node's type is a function of that of one other node at most, so functions are composed by pointer
// doubling. Errors: each node proposes its own as if all else were right; one that speaks of an operand in whose
// extent another is proposed is dropped, which a prefix sum tells. Capacities add up to 64 at most, so that 64 rounds
// find any sum. Control flow is reckoned by depth of blocks, which is 64 at most.
//
// Five entry points, in order: names, types, constants, finish, flow.

// Token scratch. Columns of a later entry point may take the place of earlier ones.
const KID0 = 0u;          // child in slot 0; 1 to 3 likewise
const KID1 = 1u;
const KID2 = 2u;
const KID3 = 3u;
const COUNT = 4u;         // of a Call or List its children, of a Fn its parameters
const DEPTH = 5u;         // constant expressions that the token stands in
const ITEM = 6u;          // 1 + the item keyword at or before the token
const PARAM_LIST = 7u;    // all Params of the program
const FIRST_PARAM = 8u;   // at a Fn: index of its first one
const REGION = 9u;        // at a Fn: whether a token of its region is broken
const BARE = 10u;         // of a bare node its List, else NONE
const CAND = 11u;         // proposed error: Code | MODE_* << 8
const SUMS = 12u;         // prefix sum of proposed errors, inclusive
const CLOSES = 13u;       // at a `)`: its Group
const KEY = 14u;          // names: of sorted declarations the key,
const DECLARED = 15u;     //   and the token
const LEAVES = 16u;       //   and the max-tree, two columns
const FIRST_A = 18u;      //   and the first of their scope
const FIRST_B = 19u;
const RUN_A = 20u;        // names: prefix sums, two counts each
const RUN_B = 21u;
const CHAIN_A = 14u;      // types: function << 14 | node that it is applied to
const CHAIN_B = 15u;
const VALUE = 16u;        // constants
const TRAPPED = 17u;
const VALUED = 18u;       // at a ConstName: whether its value is known
const PENDING = 19u;      // constants that use others, in order
const SOURCE_A = 14u;     // finish: where capacities come from
const SOURCE_B = 15u;
const JOIN_A = 16u;
const JOIN_B = 17u;
const ENDED = 14u;        // flow: of a Block the least end of a statement in it that ends, or NONE
const JUMPED = 15u;       // flow: of a Block its first Return, Break or Continue
const OPEN_END = 16u;     // flow: of an If or While: control may go past it
const UP_A = 17u;         //   by doubling: a node above | blocks passed on the way << 14
const UP_B = 18u;
const LOOP_A = 19u;       //   the body of the loop around
const LOOP_B = 20u;
const HEAD_A = 21u;       //   the outermost If of an else chain
const HEAD_B = 22u;

// When a proposed error stands.
const MODE_ALWAYS = 1u;
const MODE_LEFT = 2u;     // child 0 is clean
const MODE_SELF = 3u;     // nothing else is proposed in the node's extent
const MODE_RIGHT = 4u;    // that, and child 0 of the parent is clean

fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn value(t: u32) -> u32 { return token_at(TOKENS_VALUE, t); }
fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn parent(t: u32) -> u32 { return tree_at(TREE_PARENT, t); }
fn slot(t: u32) -> u32 { return tree_at(TREE_SLOT, t); }
fn lo(t: u32) -> u32 { return tree_at(TREE_LO, t); }
fn hi(t: u32) -> u32 { return tree_at(TREE_HI, t); }
fn broken(t: u32) -> bool { return (tree_at(TREE_STMT, t) & ~STMT_INDEX) != 0u; }
fn ty(t: u32) -> u32 { return checked_at(CHECKED_TY, t); }
fn type_kind(t: u32) -> u32 { return ty(t) & 0xffu; }
fn decl(t: u32) -> u32 { return checked_at(CHECKED_DECL, t); }
fn role_or_none(t: u32) -> u32 {
    if t == NONE { return ROLE_NONE; }
    return role(t);
}
fn is_list(k: u32) -> bool { return k >= TYPE_INT_LIST; }

fn propose(t: u32, code: u32, mode: u32, detail: u32) {
    set_temp(CAND, t, code | (mode << 8u));
    set_checked(CHECKED_DETAIL, t, detail);
}

// Whether what stands in this slot must be a constant expression.
fn wants_constant(r: u32, s: u32) -> bool {
    return ((r == ROLE_CONST || r == ROLE_REPEAT) && s == 1u) || r == ROLE_TYPE_LIST || r == ROLE_BINDER;
}
fn is_constant_root(t: u32) -> bool {
    if is_expression(role(t)) == 0u { return false; }
    let p = parent(t);
    return p != NONE && wants_constant(role(p), slot(t));
}

// ---- names ----

// Spaces of names, as the top of a key.
const SPACE_LOCAL = 0u;
const SPACE_FUNCTION = 1u;
const SPACE_CONSTANT = 2u;
fn key_of(space: u32, name: u32, begin: u32) -> u32 { return (space << 30u) | (name << 14u) | begin; }
fn same_name(a: u32, b: u32) -> bool { return (a >> 14u) == (b >> 14u); }

// The token that stands for the scope of a declaration, NONE where it has none.
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

// The key by which a declaration is sorted; NONE where it declares nothing.
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

// Where the declaration at a sorted position ceases to be visible.
fn visible_to(t: u32, n: u32) -> u32 {
    let scope = scope_of(t);
    if scope == NONE { return n + 1u; }
    return hi(scope);
}

fn leaf_place(i: u32) -> u32 {
    if i < P.token_room { return token_scratch_place(LEAVES, i); }
    return token_scratch_place(LEAVES + 1u, i - P.token_room);
}
fn leaf(i: u32) -> u32 { return scratch[leaf_place(i)]; }

// The last position at or before q whose leaf is above u; NONE if there is none. The tree has `size` leaves.
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

// How many of the first `count` sorted keys are below `key`.
fn keys_below(key: u32, count: u32) -> u32 {
    var begin = 0u;
    var to = count;
    while begin < to {
        let middle = (begin + to) / 2u;
        if temp(KEY, middle) < key { begin = middle + 1u; } else { to = middle; }
    }
    return begin;
}

// The first declaration of a name in a space where all are visible everywhere.
fn find_global(space: u32, name: u32, count: u32) -> u32 {
    let key = key_of(space, name, 0u);
    let q = keys_below(key, count);
    if q < count && same_name(temp(KEY, q), key) { return temp(DECLARED, q); }
    return NONE;
}

// What the name of a Var means at token u.
fn find_variable(name: u32, u: u32, count: u32, size: u32, firsts: u32) -> u32 {
    let key = key_of(SPACE_LOCAL, name, u);
    let q = keys_below(key + 1u, count);
    if q > 0u {
        let p = last_above(q - 1u, u, size);
        if p != NONE && same_name(temp(KEY, p), key) { return temp(DECLARED, temp(firsts, p)); }
    }
    return find_global(SPACE_CONSTANT, name, count);
}

// Whether child t of a list of things, each followed by a comma or the closer, is the last one.
fn is_last(t: u32, n: u32) -> bool {
    let at = hi(t);
    if at + 1u >= n || kind(at) != TOKEN_COMMA { return true; }
    let next = kind(at + 1u);
    return next == TOKEN_RIGHT_PAREN || next == TOKEN_RIGHT_BRACKET;
}

// Children, regions, limits and the meaning of names.
@compute @workgroup_size(64)
fn names(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
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
    }
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
        if (owner == ROLE_CALL || owner == ROLE_LIST) && is_last(t, n) { set_temp(COUNT, p, s + 1u); }
        if r == ROLE_PARAM && is_last(t, n) { set_temp(COUNT, p, s - 2u); }
        if is_constant_root(t) {
            // No two of these begin or end at the same token, nor does one begin where another ends.
            set_temp(DEPTH, lo(t), 1u);
            if hi(t) < n { set_temp(DEPTH, hi(t), NONE); }
        }
    }
    storageBarrier();

    var item = 0u;          // before the round's first token
    var depth = 0u;
    var broken_lets = 0u;   // two counts in a word, as the next ones
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
            starts = select(0u, t + 1u, begins_item(kind(t)) != 0u);
            opens = temp(DEPTH, t);
            a = select(0u, 1u, broken(t));
            if declares(r) != 0u { key = declaration_key(t, r); }
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
            if r == ROLE_FN { set_temp(FIRST_PARAM, t, my_c & 0xffffu); }
            if r == ROLE_PARAM { set_temp(PARAM_LIST, (my_c & 0xffffu) - 1u, t); }
            if key != NONE {
                set_temp(KEY, (my_c >> 16u) - 1u, key);
                set_temp(DECLARED, (my_c >> 16u) - 1u, t);
            }
        }
    }
    let declared = params_names >> 16u;
    // The least power of two that holds them all.
    var size = 1u;
    if declared > 1u { size = 0x80000000u >> (countLeadingZeros(declared - 1u) - 1u); }
    for (var q = declared + lane; q < size; q += WORKGROUP) {
        set_temp(KEY, q, NONE);
        set_temp(DECLARED, q, NONE);
    }
    storageBarrier();

    // Limits, and whether a region has a broken token: known where it ends.
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

    // Bitonic sort of the declarations.
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
            storageBarrier();
        }
    }

    // The max-tree over the ends of their scopes: node i over nodes 2i and 2i + 1, leaves from `size` on.
    for (var q = lane; q < size; q += WORKGROUP) {
        var to = 0u;
        if q < declared { to = visible_to(temp(DECLARED, q), n); }
        scratch[leaf_place(size + q)] = to;
    }
    storageBarrier();
    for (var w = size >> 1u; w > 0u; w >>= 1u) {
        for (var i = w + lane; i < 2u * w; i += WORKGROUP) {
            scratch[leaf_place(i)] = max(leaf(2u * i), leaf(2u * i + 1u));
        }
        storageBarrier();
    }

    // A declaration whose scope already has one of the name gives way to it; pointers to the first by doubling.
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
    storageBarrier();
    loop {
        var changed = false;
        for (var q = lane; q < declared; q += WORKGROUP) {
            let p = temp(now, q);
            let further = temp(now, p);
            changed = changed || further != p;
            set_temp(next, q, further);
        }
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
}

// ---- types ----

// Functions from kinds of types to kinds, three bits each: kind k goes to what stands at bit 3k.
const MAP_SAME = 0x4688u;
const MAP_ELEMENT = 0x2200u;   // the element of a list
const MAP_ONLY_LIST = 0x4600u;
const MAP_LIST_OF = 0x118u;    // the list of an int or bool
const MAP_SUM = 0x4608u;       // `+`: what is no bool
const MAP_SCALAR = 0x88u;      // int and bool
const MAP_CONSTANT = 0x1249u;  // times k: every kind to k
const NO_NODE = 0x3fffu;

fn map(f: u32, k: u32) -> u32 { return (f >> (3u * k)) & 7u; }
// First g, then f.
fn map_after(f: u32, g: u32) -> u32 {
    return map(f, g & 7u) | (map(f, (g >> 3u) & 7u) << 3u) | (map(f, (g >> 6u) & 7u) << 6u)
        | (map(f, (g >> 9u) & 7u) << 9u) | (map(f, (g >> 12u) & 7u) << 12u);
}
fn known(k: u32) -> u32 { return (k * MAP_CONSTANT << 14u) | NO_NODE; }
fn following(f: u32, t: u32) -> u32 {
    if t == NONE { return known(TYPE_UNKNOWN); }
    return (f << 14u) | t;
}

fn scalar_kind(k: u32) -> u32 {
    return select(select(TYPE_UNKNOWN, TYPE_BOOL, k == TOKEN_BOOL_TYPE), TYPE_INT, k == TOKEN_INT_TYPE);
}
// The kind of type that a type node denotes.
fn written_kind(t: u32) -> u32 {
    if t == NONE { return TYPE_UNKNOWN; }
    if role(t) != ROLE_TYPE_LIST { return scalar_kind(kind(t)); }
    if t + 1u >= P.tokens { return TYPE_UNKNOWN; }
    return map(MAP_LIST_OF, scalar_kind(kind(t + 1u)));
}

fn is_bare(t: u32) -> bool {
    if t == NONE { return false; }
    return temp(BARE, t) != NONE;
}

// Whether a use of a constant in a constant expression comes too early.
fn too_early(t: u32, d: u32) -> bool {
    return temp(DEPTH, t) != 0u && role(d) == ROLE_CONST_NAME && hi(parent(d)) > t;
}

// On which node the type of node t depends, and how.
fn type_link(t: u32) -> u32 {
    let r = role(t);
    let p = parent(t);
    let a = temp(KID0, t);
    if r == ROLE_INT { return known(TYPE_INT); }
    if r == ROLE_VAR {
        let d = decl(t);
        if d == NONE || too_early(t, d) { return known(TYPE_UNKNOWN); }
        return following(MAP_SAME, d);
    }
    if r == ROLE_BINARY {
        let k = kind(t);
        if k == TOKEN_PLUS {
            let right = temp(KID1, t);
            return following(MAP_SUM, select(a, right, is_bare(a) && !is_bare(right)));
        }
        let is_bool = k == TOKEN_BAR_BAR || k == TOKEN_AMPERSAND_AMPERSAND || infix_strength(k) == COMPARISON_STRENGTH;
        return known(select(TYPE_INT, TYPE_BOOL, is_bool));
    }
    if r == ROLE_GROUP { return following(MAP_SAME, a); }
    if r == ROLE_CALL {
        if kind(t) != TOKEN_NAME || value(t) < FIRST_NAME { return known(TYPE_INT); }
        if decl(t) == NONE { return known(TYPE_UNKNOWN); }
        return known(written_kind(temp(KID1, parent(decl(t)))));
    }
    if r == ROLE_INDEX { return following(MAP_ELEMENT, a); }
    if r == ROLE_SLICE { return following(MAP_ONLY_LIST, a); }
    if r == ROLE_BOOL { return known(TYPE_BOOL); }
    if r == ROLE_STR { return known(TYPE_INT_LIST); }
    if r == ROLE_LIST || r == ROLE_REPEAT { return following(MAP_LIST_OF, a); }
    if r == ROLE_UNARY { return known(select(TYPE_INT, TYPE_BOOL, kind(t) == TOKEN_BANG)); }
    if r == ROLE_LET_NAME && p != NONE {
        let written = temp(KID1, p);
        if written != NONE { return known(written_kind(written)); }
        return following(MAP_SAME, temp(KID2, p));
    }
    if r == ROLE_LOOP_VAR && p != NONE {
        if temp(KID2, p) != NONE { return known(TYPE_INT); }
        return following(MAP_ELEMENT, temp(KID1, p));
    }
    if r == ROLE_PARAM { return known(written_kind(a)); }
    if r == ROLE_FN { return known(written_kind(temp(KID1, t))); }
    if r == ROLE_FN_NAME && p != NONE { return known(written_kind(temp(KID1, p))); }
    if r == ROLE_CONST_NAME && p != NONE { return following(MAP_SCALAR, temp(KID1, p)); }
    if r == ROLE_BINDER && !broken(t) {
        return known(select(TYPE_INT_LIST, TYPE_INT, temp(KID2, t) == NONE));
    }
    if r == ROLE_TYPE_INT || r == ROLE_TYPE_BOOL || r == ROLE_TYPE_LIST { return known(written_kind(t)); }
    return known(TYPE_UNKNOWN);
}

// What is asked of an operand: a kind of type, 0 if unknown, or one of these.
const WANT_NOTHING = 5u;
const WANT_LIST = 6u;
const WANT_INDEXED = 7u;
const WANT_SCALAR = 8u;

// Whether an infix operator takes a left operand of this kind.
fn takes(op: u32, k: u32) -> bool {
    if op == TOKEN_EQUAL_EQUAL || op == TOKEN_BANG_EQUAL { return true; }
    if op == TOKEN_BAR_BAR || op == TOKEN_AMPERSAND_AMPERSAND { return k == TYPE_BOOL; }
    return k == TYPE_INT || (op == TOKEN_PLUS && is_list(k));
}
fn want_right(op: u32, left: u32) -> u32 {
    if left == NONE || is_bare(left) { return TYPE_UNKNOWN; }
    let k = type_kind(left);
    return select(TYPE_UNKNOWN, k, takes(op, k));
}
fn want_bare_left(op: u32, right: u32) -> u32 {
    if op != TOKEN_PLUS && op != TOKEN_EQUAL_EQUAL && op != TOKEN_BANG_EQUAL { return WANT_NOTHING; }
    if right == NONE { return TYPE_UNKNOWN; }
    if is_bare(right) { return WANT_NOTHING; }
    let k = type_kind(right);
    return select(k, WANT_NOTHING, k == TYPE_INT || k == TYPE_BOOL);
}

// How many arguments the Call t is to have; NONE where that is not known.
fn wanted_arguments(t: u32) -> u32 {
    if kind(t) != TOKEN_NAME { return 1u; }
    let name = value(t);
    if name < FIRST_NAME { return select(1u, 2u, name == NAME_MIN || name == NAME_MAX); }
    let d = decl(t);
    if d == NONE || broken(d) { return NONE; }
    return temp(COUNT, parent(d));
}
fn want_argument(t: u32, j: u32) -> u32 {
    if wanted_arguments(t) != temp(COUNT, t) { return TYPE_UNKNOWN; }
    if kind(t) != TOKEN_NAME { return TYPE_BOOL; }
    let name = value(t);
    if name < FIRST_NAME { return select(TYPE_INT, WANT_LIST, name == NAME_LEN); }
    return type_kind(temp(PARAM_LIST, temp(FIRST_PARAM, parent(decl(t))) + j));
}

// What is asked of node t as child s of p.
fn want(t: u32, p: u32, s: u32) -> u32 {
    let r = role(p);
    if r == ROLE_BINARY {
        if s == 1u { return want_right(kind(p), temp(KID0, p)); }
        return want_bare_left(kind(p), temp(KID1, p)); // asked of what is bare only
    }
    if r == ROLE_CALL { return want_argument(p, s); }
    if r == ROLE_INDEX || r == ROLE_SLICE { return select(TYPE_INT, WANT_INDEXED, s == 0u); }
    if r == ROLE_IF || r == ROLE_WHILE || r == ROLE_TEST || r == ROLE_PROP { return TYPE_BOOL; }
    if r == ROLE_RETURN {
        if decl(p) == NONE { return TYPE_UNKNOWN; }
        return type_kind(decl(p));
    }
    if r == ROLE_LET {
        let written = temp(KID1, p);
        if written == NONE { return WANT_NOTHING; }
        return written_kind(written);
    }
    if r == ROLE_ASSIGN {
        let into = temp(KID0, p);
        if s == 0u || into == NONE { return TYPE_UNKNOWN; }
        let op = compound_operator(kind(p));
        if op != 0u { return want_right(op, into); }
        return type_kind(into);
    }
    if r == ROLE_FOR {
        return select(TYPE_INT, WANT_LIST, s == 1u && temp(KID2, p) == NONE);
    }
    if r == ROLE_LIST {
        if s == 0u { return WANT_SCALAR; }
        let first = temp(KID0, p);
        if first == NONE || is_bare(first) { return TYPE_UNKNOWN; }
        return map(MAP_SCALAR, type_kind(first));
    }
    if r == ROLE_REPEAT { return select(TYPE_UNKNOWN, WANT_SCALAR, s == 0u); }
    if r == ROLE_UNARY { return WANT_NOTHING; } // asked of what is bare only
    return TYPE_UNKNOWN;
}

// A type as it is named in messages: lists with the capacity that is meant where none is written.
fn plain(k: u32) -> u32 { return select(k, k | (DEFAULT_CAPACITY << 8u), is_list(k)); }

// Proposes that an operand of kind k (0 if it is bare) is not what is wanted.
fn judge(t: u32, p: u32, s: u32) {
    let bare = temp(BARE, t);
    let r = role(p);
    if bare == NONE && (r == ROLE_UNARY || (r == ROLE_BINARY && s == 0u)) { return; } // the op's affair
    let w = want(t, p, s);
    if w == TYPE_UNKNOWN { return; }
    let by_left = (r == ROLE_BINARY || r == ROLE_ASSIGN || r == ROLE_LIST) && s != 0u;
    let mode = select(MODE_SELF, MODE_RIGHT, by_left);
    if bare != NONE {
        if is_list(w) && w < WANT_NOTHING {
            var g = t;
            while g != bare {
                set_checked(CHECKED_TY, g, plain(w));
                g = temp(KID0, g);
            }
            set_checked(CHECKED_TY, bare, plain(w));
        } else if w < WANT_NOTHING {
            propose(t, CODE_TYPE_MISMATCH, mode, w);
        } else {
            propose(bare, CODE_EMPTY_LIST_TYPE, MODE_ALWAYS, 0u);
        }
        return;
    }
    let k = type_kind(t);
    if k == TYPE_UNKNOWN { return; }
    if w < WANT_NOTHING {
        if k != w { propose(t, CODE_TYPE_MISMATCH, mode, plain(w)); }
    } else if w == WANT_LIST {
        if !is_list(k) { propose(t, CODE_TYPE_MISMATCH, mode, plain(TYPE_INT_LIST)); }
    } else if w == WANT_INDEXED {
        if !is_list(k) { propose(t, CODE_NOT_A_LIST, mode, 0u); }
    } else if w == WANT_SCALAR {
        if is_list(k) { propose(t, CODE_TYPE_MISMATCH, mode, TYPE_INT); }
    }
}

// Whether the Var t is what an assignment writes to, or a part of.
fn is_target(t: u32) -> bool {
    if slot(t) != 0u { return false; }
    var p = parent(t);
    if role_or_none(p) == ROLE_INDEX {
        if slot(p) != 0u { return false; }
        p = parent(p);
    }
    return role_or_none(p) == ROLE_ASSIGN;
}

fn operator_error(t: u32, op: u32) -> bool {
    let left = temp(KID0, t);
    if left == NONE || is_bare(left) { return false; }
    let k = type_kind(left);
    if k == TYPE_UNKNOWN || takes(op, k) { return false; }
    propose(t, CODE_OPERATOR_UNDEFINED, MODE_LEFT, 0u);
    return true;
}
fn prefix_error(t: u32) -> bool {
    let operand = temp(KID0, t);
    if operand == NONE || is_bare(operand) { return false; }
    let k = type_kind(operand);
    if k == TYPE_UNKNOWN || k == select(TYPE_INT, TYPE_BOOL, kind(t) == TOKEN_BANG) { return false; }
    propose(t, CODE_OPERATOR_UNDEFINED, MODE_LEFT, 0u);
    return true;
}
fn variable_error(t: u32) -> bool {
    let d = decl(t);
    if d == NONE {
        propose(t, CODE_UNKNOWN_VARIABLE, MODE_ALWAYS, 0u);
        return true;
    }
    if role(d) != ROLE_CONST_NAME || !is_target(t) { return false; }
    propose(t, CODE_ASSIGN_TO_CONSTANT, MODE_ALWAYS, 0u);
    return true;
}
fn call_error(t: u32) -> bool {
    let wanted = wanted_arguments(t);
    if wanted == NONE {
        if decl(t) != NONE { return false; }
        propose(t, CODE_UNKNOWN_FUNCTION, MODE_ALWAYS, 0u);
        return true;
    }
    if wanted == temp(COUNT, t) { return false; }
    propose(t, CODE_ARGUMENT_COUNT, MODE_ALWAYS, wanted);
    return true;
}
fn length_error(t: u32, length: u32) -> bool {
    if length <= LIMIT_CAPACITY { return false; }
    propose(t, CODE_CAPACITY_OUT_OF_RANGE, MODE_ALWAYS, length);
    return true;
}

// Proposes what is wrong with node t itself; whether there is anything. (If it does not stand in the end, something
// inside of the node does, so that there is nothing to say of the node as an operand either.)
fn own_error(t: u32, r: u32) -> bool {
    if r == ROLE_VAR { return variable_error(t); }
    if r == ROLE_CALL { return call_error(t); }
    if r == ROLE_LIST { return length_error(t, temp(COUNT, t)); }
    if r == ROLE_STR { return length_error(t, value(t)); }
    if r == ROLE_BINARY { return operator_error(t, kind(t)); }
    if r == ROLE_UNARY { return prefix_error(t); }
    if r == ROLE_ASSIGN {
        let op = compound_operator(kind(t));
        return op != 0u && operator_error(t, op);
    }
    return false;
}

// Proposed errors in tokens from .. to.
fn proposed(begin: u32, to: u32) -> u32 {
    if to <= begin { return 0u; }
    return temp(SUMS, to - 1u) - select(0u, temp(SUMS, max(begin, 1u) - 1u), begin > 0u);
}
fn clean(t: u32) -> bool { return proposed(lo(t), hi(t)) == 0u; }

fn sum_proposed(n: u32) {
    var before = 0u;
    for (var at = 0u; at < n; at += WORKGROUP) {
        let t = at + lane;
        var one = 0u;
        if t < n { one = select(0u, 1u, temp(CAND, t) != 0u); }
        let sum = before + scan_sum(one);
        before += scan_total;
        if t < n { set_temp(SUMS, t, sum); }
    }
    storageBarrier();
}

// Kinds of types, and the errors that they make.
@compute @workgroup_size(64)
fn types(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
    for (var t = lane; t < n; t += WORKGROUP) {
        if role(t) == ROLE_LIST && temp(COUNT, t) == 0u {
            var g = t;
            loop {
                set_temp(BARE, g, t);
                g = parent(g);
                if role_or_none(g) != ROLE_GROUP { break; }
            }
        }
    }
    storageBarrier();
    var now = CHAIN_A;
    var next = CHAIN_B;
    for (var t = lane; t < n; t += WORKGROUP) { set_temp(now, t, type_link(t)); }
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            var link = temp(now, t);
            let on = link & NO_NODE;
            if on != NO_NODE {
                let further = temp(now, on);
                link = (map_after(link >> 14u, further >> 14u) << 14u) | (further & NO_NODE);
                changed = true;
            }
            set_temp(next, t, link);
        }
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }
    for (var t = lane; t < n; t += WORKGROUP) { set_checked(CHECKED_TY, t, (temp(now, t) >> 14u) & 7u); }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        let p = parent(t);
        if !own_error(t, r) && is_expression(r) != 0u && p != NONE && role(p) != ROLE_GROUP { judge(t, p, slot(t)); }
    }
    storageBarrier();
    sum_proposed(n);
}

// ---- constants ----

// Folds an infix operator of a constant expression, whose operands are in VALUE and TRAPPED, into those of t.
fn fold(t: u32) {
    let a = temp(VALUE, temp(KID0, t));
    let b = temp(VALUE, temp(KID1, t));
    let x = i32(a);
    let y = i32(b);
    let k = kind(t);
    var trap = temp(TRAPPED, temp(KID0, t));
    let skips = (k == TOKEN_BAR_BAR && a != 0u) || (k == TOKEN_AMPERSAND_AMPERSAND && a == 0u);
    if trap == NONE && !skips { trap = temp(TRAPPED, temp(KID1, t)); }
    let divides = k == TOKEN_SLASH || k == TOKEN_PERCENT;
    if trap == NONE && divides && b == 0u { trap = t; }
    // MIN / -1 wraps; the remainder by -1 is 0.
    let safe = select(y, 1, b == 0u || b == NONE);
    var v = 0u;
    if k == TOKEN_BAR_BAR { v = a | b; }
    if k == TOKEN_AMPERSAND_AMPERSAND { v = a & b; }
    if k == TOKEN_EQUAL_EQUAL { v = select(0u, 1u, a == b); }
    if k == TOKEN_BANG_EQUAL { v = select(0u, 1u, a != b); }
    if k == TOKEN_LESS { v = select(0u, 1u, x < y); }
    if k == TOKEN_LESS_EQUAL { v = select(0u, 1u, x <= y); }
    if k == TOKEN_GREATER { v = select(0u, 1u, x > y); }
    if k == TOKEN_GREATER_EQUAL { v = select(0u, 1u, x >= y); }
    if k == TOKEN_BAR { v = a | b; }
    if k == TOKEN_CARET { v = a ^ b; }
    if k == TOKEN_AMPERSAND { v = a & b; }
    if k == TOKEN_SHIFT_LEFT { v = a << (b & 31u); }
    if k == TOKEN_SHIFT_RIGHT { v = u32(x >> (b & 31u)); }
    if k == TOKEN_PLUS { v = a + b; }
    if k == TOKEN_MINUS { v = a - b; }
    if k == TOKEN_STAR { v = a * b; }
    if k == TOKEN_SLASH { v = select(u32(x / safe), 0u - a, b == NONE); }
    if k == TOKEN_PERCENT { v = select(u32(x % safe), 0u, b == NONE); }
    if skips { v = a; }
    set_temp(VALUE, t, v);
    set_temp(TRAPPED, t, trap);
}

// Folds node t, whose children are folded.
fn fold_node(t: u32) {
    let r = role(t);
    if r == ROLE_BINARY { fold(t); return; }
    let a = temp(KID0, t);
    var v = temp(VALUE, a);
    if r == ROLE_UNARY {
        let k = kind(t);
        v = select(select(~v, 0u - v, k == TOKEN_MINUS), v ^ 1u, k == TOKEN_BANG);
    }
    set_temp(VALUE, t, v);
    set_temp(TRAPPED, t, temp(TRAPPED, a));
}

// Folds the constant expression r: each node at the last token of its extent, inner ones first.
fn fold_all(r: u32) {
    for (var t = lo(r); t < hi(r); t++) {
        let role_here = role(t);
        var done = NONE;
        if role_here == ROLE_INT || role_here == ROLE_BOOL || role_here == ROLE_VAR {
            var v = value(t);
            if role_here == ROLE_BOOL { v = select(0u, 1u, kind(t) == TOKEN_TRUE); }
            if role_here == ROLE_VAR { v = checked_at(CHECKED_CONSTANT, decl(t)); }
            set_temp(VALUE, t, v);
            set_temp(TRAPPED, t, NONE);
            done = t;
        } else if temp(CLOSES, t) != NONE {
            done = temp(CLOSES, t);
            fold_node(done);
        }
        while done != NONE && done != r {
            let p = parent(done);
            if hi(p) != hi(done) { break; }
            fold_node(p);
            done = p;
        }
    }
}

// The first part of the constant expression r that is not constant, or NONE.
fn first_not_constant(r: u32) -> u32 {
    for (var t = lo(r); t < hi(r); t++) {
        let k = role(t);
        if k == ROLE_NONE || k == ROLE_INT || k == ROLE_BOOL || k == ROLE_GROUP || k == ROLE_UNARY
            || k == ROLE_BINARY { continue; }
        if k == ROLE_VAR {
            let d = decl(t);
            if d != NONE && role(d) == ROLE_CONST_NAME && hi(parent(d)) <= t { continue; }
        }
        return t;
    }
    return NONE;
}

// Whether the constant expression r, all of it constant, uses constants.
fn uses_constants(r: u32) -> bool {
    for (var t = lo(r); t < hi(r); t++) {
        if role(t) == ROLE_VAR { return true; }
    }
    return false;
}
// Whether the values of all of these are known.
fn uses_known(r: u32) -> bool {
    for (var t = lo(r); t < hi(r); t++) {
        if role(t) == ROLE_VAR && temp(VALUED, decl(t)) == 0u { return false; }
    }
    return true;
}

// Evaluates the constant expression r, all of it constant and of known values, and notes value or error.
fn conclude(r: u32) {
    let p = parent(r);
    let owner = role(p);
    var v = value(r);
    if role(r) != ROLE_INT {
        fold_all(r);
        v = temp(VALUE, r);
        let trap = temp(TRAPPED, r);
        if trap != NONE {
            propose(trap, CODE_NOT_CONSTANT, MODE_ALWAYS, 0u);
            return;
        }
    }
    if owner == ROLE_CONST {
        let name = temp(KID0, p);
        if name != NONE {
            set_checked(CHECKED_CONSTANT, name, v);
            set_temp(VALUED, name, 1u);
        }
    } else {
        let k = type_kind(r);
        if k != TYPE_INT && k != TYPE_UNKNOWN {
            propose(r, CODE_TYPE_MISMATCH, MODE_ALWAYS, TYPE_INT);
            return;
        }
        let is_length = owner != ROLE_BINDER || slot(r) == 2u;
        let least = select(0u, 1u, owner == ROLE_TYPE_LIST);
        if is_length && (v < least || v > LIMIT_CAPACITY) {
            propose(r, CODE_CAPACITY_OUT_OF_RANGE, MODE_ALWAYS, v);
            return;
        }
    }
    set_checked(CHECKED_CONSTANT, r, v);
}

// Whether there is something to evaluate at r: a clean constant expression that stands in no other one.
fn is_evaluated(r: u32) -> bool { return is_constant_root(r) && temp(DEPTH, r) == 1u && clean(r); }

// Values of constant expressions. A thread evaluates one by itself; those of Consts that use others go in order.
@compute @workgroup_size(64)
fn constants(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
    for (var t = lane; t < n; t += WORKGROUP) { set_temp(VALUED, t, 0u); }
    storageBarrier();
    // What is not constant, and the Consts that use no other.
    var waiting = 0u;
    for (var at = 0u; at < n; at += WORKGROUP) {
        let t = at + lane;
        var waits = 0u;
        if t < n {
            if is_evaluated(t) {
                let culprit = first_not_constant(t);
                if culprit != NONE {
                    propose(culprit, CODE_NOT_CONSTANT, MODE_ALWAYS, 0u);
                } else if role(parent(t)) == ROLE_CONST {
                    if uses_constants(t) { waits = 1u; } else { conclude(t); }
                }
            }
        }
        let place = waiting + scan_sum(waits);
        waiting += scan_total;
        if waits != 0u { set_temp(PENDING, place - 1u, t); }
    }
    storageBarrier();
    if lane == 0u {
        for (var i = 0u; i < waiting; i++) {
            let r = temp(PENDING, i);
            if uses_known(r) { conclude(r); }
        }
    }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        if is_evaluated(t) && role(parent(t)) != ROLE_CONST && first_not_constant(t) == NONE {
            if uses_known(t) { conclude(t); }
        }
    }
    storageBarrier();
    sum_proposed(n);
}

// ---- finish ----

// Where a list's capacity comes begin: that of a node, or a number, or this join.
const CAPACITY_FIXED = 0x4000u;
const CAPACITY_JOIN = 0x8000u;

fn room_for(count: u32) -> u32 { return CAPACITY_FIXED | clamp(count, DEFAULT_CAPACITY, LIMIT_CAPACITY); }
fn capacity_from(t: u32) -> u32 {
    if t == NONE { return CAPACITY_FIXED | DEFAULT_CAPACITY; }
    return t;
}
// The capacity that stands at a constant expression, or the default where there is none or no good one.
fn capacity_at(root: u32) -> u32 {
    var c = 0u;
    if root != NONE { c = checked_at(CHECKED_CONSTANT, root); }
    return CAPACITY_FIXED | select(c, DEFAULT_CAPACITY, c == 0u);
}
fn written_capacity(t: u32) -> u32 {
    if t == NONE { return capacity_at(NONE); }
    return capacity_at(temp(KID0, t));
}

// The source of the capacity of node t, which is of list type.
fn capacity_source(t: u32) -> u32 {
    let r = role(t);
    if r == ROLE_VAR { return decl(t); }
    if r == ROLE_STR { return room_for(value(t)); }
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

// The capacity that a source stands for, with the joins as summed up in a column.
fn capacity_of(source: u32, joins: u32) -> u32 {
    if (source & CAPACITY_FIXED) != 0u { return source & 0x3fffu; }
    return temp(joins, source & 0x3fffu);
}

// Whether what is proposed at token t stands.
fn stands(t: u32) -> bool {
    if broken(t) { return false; }
    let mode = temp(CAND, t) >> 8u;
    if mode == MODE_ALWAYS { return true; }
    if mode == MODE_LEFT { return clean(temp(KID0, t)); }
    if proposed(lo(t), hi(t)) != 1u { return false; }
    return mode == MODE_SELF || clean(temp(KID0, parent(t)));
}

// Capacities, and the errors of names, types and constants.
@compute @workgroup_size(64)
fn finish(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
    var now = SOURCE_A;
    var next = SOURCE_B;
    for (var t = lane; t < n; t += WORKGROUP) {
        var source = CAPACITY_FIXED;
        if is_list(type_kind(t)) { source = capacity_source(t); }
        set_temp(now, t, source);
        set_temp(JOIN_A, t, 1u);
        set_temp(JOIN_B, t, 1u);
    }
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
        storageBarrier();
        let swap = now;
        now = next;
        next = swap;
        if !uniform_any(changed) { break; }
    }

    // Sums of joins from below: a round knows all sums of one more level, or at least one more of the sum.
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
            if stands(t) {
                set_checked(CHECKED_ERROR, t, candidate & 0xffu);
            } else {
                set_checked(CHECKED_DETAIL, t, 0u);
            }
        }
    }
}

// ---- flow ----

// The scratch by atomics; this entry point uses it in no other way.
fn note(column: u32, i: u32) -> u32 { return atomicLoad(&scratch_atomic[token_scratch_place(column, i)]); }
fn set_note(column: u32, i: u32, v: u32) { atomicStore(&scratch_atomic[token_scratch_place(column, i)], v); }
fn least_note(column: u32, i: u32, v: u32) { atomicMin(&scratch_atomic[token_scratch_place(column, i)], v); }

fn is_jump(r: u32) -> bool { return r == ROLE_RETURN || r == ROLE_BREAK || r == ROLE_CONTINUE; }
fn is_statement(r: u32) -> bool {
    return is_jump(r) || r == ROLE_BLOCK || r == ROLE_LET || r == ROLE_ASSIGN || r == ROLE_IF || r == ROLE_WHILE
        || r == ROLE_FOR || r == ROLE_BROKEN;
}
fn is_loop(r: u32) -> bool { return r == ROLE_WHILE || r == ROLE_FOR; }
fn is_loop_body(t: u32) -> bool { return role(t) == ROLE_BLOCK && is_loop(role_or_none(parent(t))); }

// The parent of a statement within its function.
fn above(t: u32) -> u32 {
    let p = parent(t);
    return select(p, NO_NODE, p == NONE || role_or_none(p) == ROLE_FN);
}

// Whether the condition of a While is `true`.
fn is_endless(t: u32) -> bool {
    var c = note(KID0, t);
    while c != NONE && role(c) == ROLE_GROUP { c = note(KID0, c); }
    return c != NONE && kind(c) == TOKEN_TRUE && role(c) == ROLE_BOOL;
}

// Whether control can come to the Break t from the start of `body`, as far as the blocks within that are known.
fn can_run(t: u32, body: u32, heads: u32) -> bool {
    var block = parent(t);
    while block != body {
        if note(ENDED, block) <= t { return false; }
        var p = parent(block);
        if role_or_none(p) == ROLE_IF { p = parent(note(heads, p)); }
        if role_or_none(p) != ROLE_BLOCK { return true; }
        block = p;
    }
    return note(ENDED, body) > t;
}

fn flow_error(t: u32, code: u32) {
    if checked_at(CHECKED_ERROR, t) == 0u && !broken(t) {
        set_checked(CHECKED_ERROR, t, code);
        set_checked(CHECKED_DETAIL, t, 0u);
    }
}

// Loops of breaks, where control ends, and the number of errors.
@compute @workgroup_size(64)
fn flow(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = P.tokens;
    var up = UP_A;
    var up_next = UP_B;
    var around = LOOP_A;
    var around_next = LOOP_B;
    var head = HEAD_A;
    var head_next = HEAD_B;
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        set_note(ENDED, t, NONE);
        set_note(JUMPED, t, NONE);
        var is_open = r == ROLE_WHILE && !is_endless(t);
        var a = NO_NODE;
        var h = t;
        if is_statement(r) {
            a = above(t);
            if r == ROLE_IF && slot(t) == 2u && a != NO_NODE && role(a) == ROLE_IF { h = a; }
        }
        set_note(OPEN_END, t, select(0u, 1u, is_open));
        var blocks = 0u;
        if a != NO_NODE && role(a) == ROLE_BLOCK { blocks = 1u; }
        set_note(up, t, a | (blocks << 14u));
        set_note(around, t, a);
        set_note(head, t, h);
    }
    storageBarrier();
    loop {
        var changed = false;
        for (var t = lane; t < n; t += WORKGROUP) {
            var u = note(up, t);
            if (u & NO_NODE) != NO_NODE {
                let further = note(up, u & NO_NODE);
                u = (further & NO_NODE) | (((u >> 14u) + (further >> 14u)) << 14u);
                changed = true;
            }
            set_note(up_next, t, u);
            var a = note(around, t);
            if a != NO_NODE && !is_loop_body(a) { a = note(around, a); }
            set_note(around_next, t, a);
            set_note(head_next, t, note(head, note(head, t)));
        }
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
        deepest = max(deepest, note(up, t) >> 14u);
        let p = parent(t);
        if is_jump(r) && role_or_none(p) == ROLE_BLOCK { least_note(JUMPED, p, t); }
        if r == ROLE_IF && (note(KID1, t) == NONE || note(KID2, t) == NONE) { set_note(OPEN_END, note(head, t), 1u); }
    }
    deepest = reduce_max(deepest);
    storageBarrier();

    // From the innermost statements out: what is inside of a block is known before the block.
    for (var level = uniform_from(deepest) + 1u; level > 0u; level--) {
        let depth = level - 1u;
        for (var t = lane; t < n; t += WORKGROUP) {
            let r = role(t);
            if r == ROLE_BREAK {
                let body = note(around, t);
                if body != NO_NODE && (note(up, parent(body)) >> 14u) == depth && can_run(t, body, head) {
                    set_note(OPEN_END, parent(body), 1u);
                }
            } else if r == ROLE_BLOCK && note(up, t) >> 14u == depth && note(ENDED, t) == NONE {
                let p = parent(t);
                if role_or_none(p) == ROLE_IF { set_note(OPEN_END, note(head, p), 1u); }
            }
        }
        storageBarrier();
        for (var t = lane; t < n; t += WORKGROUP) {
            let r = role(t);
            if !is_statement(r) || note(up, t) >> 14u != depth || role_or_none(parent(t)) != ROLE_BLOCK { continue; }
            let ends = is_jump(r) || (r == ROLE_BLOCK && note(ENDED, t) != NONE)
                || ((r == ROLE_IF || r == ROLE_WHILE) && note(OPEN_END, t) == 0u);
            if ends { least_note(ENDED, parent(t), hi(t)); }
        }
        storageBarrier();
    }

    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_FN {
            let block = note(KID2, t);
            if block != NONE && note(ENDED, block) == NONE && note(REGION, t) == 0u {
                flow_error(hi(block) - 1u, CODE_MISSING_RETURN);
            }
        }
        if !is_statement(r) { continue; }
        if r == ROLE_BREAK || r == ROLE_CONTINUE {
            let body = note(around, t);
            if body == NO_NODE {
                flow_error(t, CODE_OUTSIDE_LOOP);
            } else {
                set_checked(CHECKED_DECL, t, parent(body));
            }
        }
        // The statement before it, where that ends in a `;`, is the one that the token before belongs to.
        let p = parent(t);
        let first = lo(t);
        if role_or_none(p) == ROLE_BLOCK && first > 0u
            && note(JUMPED, p) == (tree_at(TREE_STMT, first - 1u) & STMT_INDEX) {
            flow_error(first, CODE_UNREACHABLE);
        }
    }
    storageBarrier();
    var errors = 0u;
    for (var t = lane; t < n; t += WORKGROUP) { errors += select(0u, 1u, checked_at(CHECKED_ERROR, t) != 0u); }
    let total = reduce_sum(errors);
    if lane == 0u { programs[program_index].errors = P.errors + total; }
}
