// mutate: finds the edits that make variants of the base, from its checked tokens.
//
// Every edit belongs to one token and follows from that token's node and the nodes near it. A prefix sum over
// the numbers of edits per token numbers them, so a binary search finds edit i from i alone. The host
// computes the edits of a mutant from its id, and vary.wgsl applies edits to the tokens of a function.
//
// Entry points, in order: clear, mark, reach, offers, count; later find. In `offers` each thread handles one
// token, in `find` one part; in the others one workgroup handles all tokens, every WORKGROUP-th per thread.
// Workgroup memory is used only by the scans. Dispatches separate the entry points; there are no other
// barriers.
//
// The specification is docs/stages/mutate.md; the CPU twin is src/compiler/stage/mutate.rs.

// The operators beyond the default group are in other files, which mutate/of_default.wgsl, of_strong.wgsl and
// of_repair.wgsl select. Each of these three defines
//
//   visit_group(t, role, above)    offers the further edits of token t, which has role `role`;
//                                    the role of its parent is `above`
//   MUTATES_HOLES                  whether bases with holes have edits

#import shared/scan

@group(0) @binding(0) var<uniform> mutate_params: MutateParams;
@group(0) @binding(1) var<storage, read> base: array<Program>;
@group(0) @binding(2) var<storage, read> tokens: array<u32>;
@group(0) @binding(3) var<storage, read> tree: array<u32>;
@group(0) @binding(4) var<storage, read> checked: array<u32>;
// For each token of the base: SITES_*. `reach` turns the sums in CHANGE into whether the token may be
// mutated; FIRST holds a token's own number of edits until `count` sums them.
@group(0) @binding(5) var<storage, read_write> sites: array<u32>;
@group(0) @binding(5) var<storage, read_write> sites_atomic: array<atomic<u32>>;
// The lowered instructions of the base.
@group(0) @binding(6) var<storage, read> ir: array<u32>;
// For each part of a batch: its function and edit numbers (ORDER_*), and its edits (EDITS_*).
@group(0) @binding(7) var<storage, read> orders: array<u32>;
@group(0) @binding(8) var<storage, read_write> edits: array<u32>;

fn site_place(column: u32, t: u32) -> u32 { return column * (mutate_params.base_capacity + 1u) + t; }
fn site_at(column: u32, t: u32) -> u32 { return sites[site_place(column, t)]; }

fn token_at(column: u32, t: u32) -> u32 { return tokens[column * mutate_params.base_capacity + t]; }
fn tree_at(column: u32, t: u32) -> u32 { return tree[column * mutate_params.base_capacity + t]; }
fn kind_of_type(t: u32) -> u32 { return checked[CHECKED_TY * mutate_params.base_capacity + t] & 0xffu; }
fn parent_role(t: u32) -> u32 {
    let parent = tree_at(TREE_PARENT, t);
    if parent == NONE { return ROLE_NONE; }
    return tree_at(TREE_ROLE, parent);
}

fn count_tokens() -> u32 {
    let lowers = base[0].fatal == 0u && (base[0].errors == 0u || (base[0].holes != 0u && MUTATES_HOLES));
    return select(0u, base[0].tokens, lowers);
}

@compute @workgroup_size(64)
fn clear(@builtin(local_invocation_id) local: vec3<u32>) {
    let count = count_tokens();
    for (var t = local.x; t <= count; t += WORKGROUP) {
        sites[site_place(SITES_CHILD, t)] = NONE;
        sites[site_place(SITES_CHANGE, t)] = 0u;
        sites[site_place(SITES_ARGUMENT, t)] = NONE;
    }
}

// Records child 0 of each node, the nodes at which arguments and statements begin, and the bounds of
// functions' blocks (counted in the low half of CHANGE), of constant expressions and of holes (in the high half).
@compute @workgroup_size(64)
fn mark(@builtin(local_invocation_id) local: vec3<u32>) {
    let count = count_tokens();
    for (var t = local.x; t < count; t += WORKGROUP) {
        let role = tree_at(TREE_ROLE, t);
        if role == ROLE_NONE { continue; }
        let parent = tree_at(TREE_PARENT, t);
        let slot = tree_at(TREE_SLOT, t);
        let above = parent_role(t);
        // A parent whose child 0 is read later has only one such child.
        if parent != NONE && slot == 0u && above != ROLE_BLOCK {
            atomicStore(&sites_atomic[site_place(SITES_CHILD, parent)], t);
        }
        if above == ROLE_CALL || above == ROLE_BLOCK { atomicStore(&sites_atomic[site_place(SITES_ARGUMENT, tree_at(TREE_LO, t))], t); }
        var change = select(0u, 1u, role == ROLE_BLOCK && above == ROLE_FN);
        change += select(0u, 0x10000u, role == ROLE_TYPE_LIST || (slot == 1u && above == ROLE_REPEAT));
        if change != 0u {
            atomicAdd(&sites_atomic[site_place(SITES_CHANGE, tree_at(TREE_LO, t))], change);
            atomicSub(&sites_atomic[site_place(SITES_CHANGE, tree_at(TREE_HI, t))], change);
        }
    }
    if base[0].errors == 0u { return; }
    for (var i = local.x; i < select(0u, base[0].lowered, count > 0u); i += WORKGROUP) {
        let first = ir[IR_TOKEN * mutate_params.ir_capacity + i];
        let end = ir[IR_AUX * mutate_params.ir_capacity + i];
        if ir[IR_OP * mutate_params.ir_capacity + i] != OP_HOLE || end <= first { continue; }
        atomicAdd(&sites_atomic[site_place(SITES_CHANGE, first)], 0x10000u);
        atomicSub(&sites_atomic[site_place(SITES_CHANGE, end)], 0x10000u);
    }
}

// Computes which tokens may be mutated, the last name and the last function up to each token, and the number of `?`
// before it.
@compute @workgroup_size(64)
fn reach(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let all = count_tokens();
    var within = 0u;
    var name = 0u;
    var function = 0u;
    var holes = 0u;
    for (var tile = 0u; tile < all; tile += WORKGROUP) {
        let t = tile + lane;
        var hole = 0u;
        var change = 0u;
        var role = ROLE_NONE;
        if t < all {
            change = site_at(SITES_CHANGE, t);
            role = tree_at(TREE_ROLE, t);
            hole = select(0u, 1u, role == ROLE_HOLE);
        }
        let before = holes + scan_sum(hole) - hole;
        holes += scan_total;
        let here = within + scan_sum(change);
        within += scan_total;
        let names = role == ROLE_FN_NAME || role == ROLE_PARAM || role == ROLE_LET_NAME || role == ROLE_LOOP_VAR;
        let last_name = max(name, scan_max(select(0u, t + 1u, names)));
        name = max(name, scan_total);
        let last_function = max(function, scan_max(select(0u, t + 1u, role == ROLE_FN)));
        function = max(function, scan_total);
        if t < all {
            sites[site_place(SITES_CHANGE, t)] = select(0u, 1u, (here & 0xffffu) != 0u && (here >> 16u) == 0u);
            sites[site_place(SITES_NAME, t)] = last_name;
            sites[site_place(SITES_FUNCTION, t)] = last_function;
            sites[site_place(SITES_HOLES, t)] = before;
        }
    }
    if lane == 0u { sites[site_place(SITES_HOLES, all)] = holes; }
}

// Counts the edits of each token, one thread per token.
@compute @workgroup_size(64)
fn offers(@builtin(global_invocation_id) global: vec3<u32>) {
    let t = global.x;
    if t >= count_tokens() { return; }
    var edits = 0u;
    if site_at(SITES_CHANGE, t) != 0u { edits = visit(t, NONE); }
    sites[site_place(SITES_FIRST, t)] = edits;
}

// Numbers the edits.
@compute @workgroup_size(64)
fn count(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let all = count_tokens();
    var total = 0u;
    for (var tile = 0u; tile < all; tile += WORKGROUP) {
        let t = tile + lane;
        var edits = 0u;
        if t < all { edits = site_at(SITES_FIRST, t); }
        let before = total + scan_sum(edits) - edits;
        total += scan_total;
        if t < all { sites[site_place(SITES_FIRST, t)] = before; }
    }
    if lane == 0u { sites[site_place(SITES_FIRST, all)] = total; }
}

// An edit: tokens lo .. hi are replaced by these pieces (PUT_*).
struct Edit {
    lo: u32,
    hi: u32,
    count: u32,
    pieces: array<vec2<u32>, PUT_MOST>,
}

var<private> wanted: u32;
var<private> offered: u32;
var<private> chosen: Edit;
// Whether the base has a `?`.
var<private> has_holes: bool;

// Returns whether tokens lo .. hi contain a `?`, which no edit may change.
fn is_spared(lo: u32, hi: u32) -> bool {
    if !has_holes { return false; }
    return site_at(SITES_HOLES, hi) != site_at(SITES_HOLES, lo);
}

// Counts one more edit, unless it changes a `?`. Returns whether it is the wanted one, whose pieces the caller must
// then add.
fn offer(lo: u32, hi: u32) -> bool {
    if is_spared(lo, hi) { return false; }
    let is = offered == wanted;
    offered++;
    if is {
        chosen.lo = lo;
        chosen.hi = hi;
        chosen.count = 0u;
    }
    return is;
}

// Add a piece: any piece, a new token, a new token without a value, and a copy of tokens lo .. hi of the
// base.
fn put_piece(piece: vec2<u32>) {
    chosen.pieces[chosen.count] = piece;
    chosen.count++;
}
fn put(kind: u32, value: u32) { put_piece(vec2<u32>(kind | (1u << PUT_BITS), value)); }
fn plain(kind: u32) { put(kind, 0u); }
fn copied(lo: u32, hi: u32) { put_piece(vec2<u32>(PUT_COPY | ((hi - lo) << PUT_BITS), lo)); }
// Adds a copy of tokens lo .. hi, in parentheses if `needed`.
fn bracketed(lo: u32, hi: u32, needed: bool) {
    if needed { plain(TOKEN_LEFT_PAREN); }
    copied(lo, hi);
    if needed { plain(TOKEN_RIGHT_PAREN); }
}

// Offers an edit to one new token.
fn offer_token(lo: u32, hi: u32, kind: u32, value: u32) {
    if offer(lo, hi) { put(kind, value); }
}

// Offers an edit to a copy of tokens lo .. hi.
fn offer_copy(first: u32, behind: u32, lo: u32, hi: u32) {
    if offer(first, behind) { copied(lo, hi); }
}

// Visits the edits of token t in order. Returns their number and leaves edit `number` in `chosen`.
fn visit(t: u32, number: u32) -> u32 {
    wanted = number;
    offered = 0u;
    has_holes = site_at(SITES_HOLES, base[0].tokens) != 0u;
    let kind = token_at(TOKENS_KIND, t);
    let role = tree_at(TREE_ROLE, t);
    let slot = tree_at(TREE_SLOT, t);
    let above = parent_role(t);
    let lo = tree_at(TREE_LO, t);
    let hi = tree_at(TREE_HI, t);
    let ty = kind_of_type(t);

    if role == ROLE_BINARY || role == ROLE_ASSIGN {
        let child = site_at(SITES_CHILD, t);
        var int = false;
        if child != NONE { int = kind_of_type(child) == TYPE_INT; }
        let family = select(other_family(kind), int_family(kind), int);
        let size = family_size(family);
        for (var i = 0u; i < size; i++) {
            let other = family_member(8u * family + i);
            if other != kind { offer_token(t, t + 1u, other, 0u); }
        }
    } else if (role == ROLE_VAR || role == ROLE_CALL) && !(slot == 0u && above == ROLE_ASSIGN) {
        if ty == TYPE_INT && role == ROLE_VAR {
            offer_token(t, t, TOKEN_MINUS, 0u);
            offer_token(t, t, TOKEN_TILDE, 0u);
        }
        if ty == TYPE_BOOL { offer_token(t, t, TOKEN_BANG, 0u); }
    } else if role == ROLE_UNARY {
        var least = false;
        if kind == TOKEN_MINUS && t + 1u < base[0].tokens {
            least = token_at(TOKENS_KIND, t + 1u) == TOKEN_INT && token_at(TOKENS_VALUE, t + 1u) == 0x80000000u;
        }
        if !least { _ = offer(t, t + 1u); }
    } else if role == ROLE_INT {
        let c = token_at(TOKENS_VALUE, t);
        if c != 0u { offer_token(t, t + 1u, TOKEN_INT, 0u); }
        if c != 1u { offer_token(t, t + 1u, TOKEN_INT, 1u); }
        if c != NONE { offer_token(t, t + 1u, TOKEN_INT, NONE); }
        // c + 1 is 0, 1 or -1 for c of -1, 0 or -2; c - 1 for c of 1, 2 or 0.
        if c + 2u > 2u { offer_token(t, t + 1u, TOKEN_INT, c + 1u); }
        if c > 2u { offer_token(t, t + 1u, TOKEN_INT, c - 1u); }
    } else if role == ROLE_BOOL {
        offer_token(t, t + 1u, select(TOKEN_TRUE, TOKEN_FALSE, kind == TOKEN_TRUE), 0u);
    }

    let in_block = role == ROLE_ASSIGN || role == ROLE_IF || role == ROLE_WHILE || role == ROLE_FOR;
    let leaves = role == ROLE_BREAK || role == ROLE_CONTINUE || role == ROLE_RETURN;
    if (in_block && above == ROLE_BLOCK) || leaves {
        var end = hi;
        if hi < base[0].tokens && token_at(TOKENS_KIND, min(hi, base[0].tokens - 1u)) == TOKEN_SEMICOLON { end++; }
        _ = offer(lo, end);
    }
    let condition = is_expression(role) && slot == 0u && (above == ROLE_IF || above == ROLE_WHILE);
    if condition && role != ROLE_BOOL {
        offer_token(lo, hi, TOKEN_TRUE, 0u);
        offer_token(lo, hi, TOKEN_FALSE, 0u);
    }
    visit_group(t, role, above);
    return offered;
}

// Returns the edit with this number.
fn edit_at(number: u32) -> Edit {
    // Find the last token with at most `number` edits before it.
    var low = 0u;
    var high = base[0].tokens;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if site_at(SITES_FIRST, middle) <= number { low = middle; } else { high = middle; }
    }
    _ = visit(low, number - site_at(SITES_FIRST, low));
    return chosen;
}

fn end_of(edit: Edit) -> u32 { return max(edit.hi, edit.lo + 1u); }

// Writes an edit and returns by how many tokens it makes the program longer.
fn write_edit(place: u32, edit: Edit) -> u32 {
    edits[place + EDITS_LO] = edit.lo;
    edits[place + EDITS_HI] = edit.hi;
    var pieces = edit.pieces;
    var added = 0u;
    for (var i = 0u; i < PUT_MOST; i++) {
        var piece = vec2<u32>(0u, 0u);
        if i < edit.count { piece = pieces[i]; }
        edits[place + EDITS_PUT + PUT_WORDS * i] = piece.x;
        edits[place + EDITS_PUT + PUT_WORDS * i + 1u] = piece.y;
        added += piece.x >> PUT_BITS;
    }
    return added - (edit.hi - edit.lo);
}

// Finds the edits of a batch's parts, one thread per part.
@compute @workgroup_size(64)
fn find(@builtin(global_invocation_id) global: vec3<u32>) {
    if global.x >= mutate_params.parts { return; }
    let order = global.x * ORDER_WORDS;
    // The host has already written edits that have no number.
    if orders[order + ORDER_FIRST] == NONE { return; }
    let pair = orders[order + ORDER_SECOND] != NONE;
    // One loop serves both edits, so the long code for all edits is compiled only once.
    var a: Edit;
    var b: Edit;
    for (var i = 0u; i < select(1u, 2u, pair); i++) {
        let edit = edit_at(orders[order + select(ORDER_FIRST, ORDER_SECOND, i == 1u)]);
        if i == 0u { a = edit; } else { b = edit; }
    }
    // Without a second edit, use one past the last token that changes nothing.
    if !pair {
        b.lo = base[0].tokens;
        b.hi = b.lo;
        b.count = 0u;
    } else if b.lo < a.lo {
        let first = b;
        b = a;
        a = first;
    }
    let place = global.x * EDITS_WORDS;
    let growth = write_edit(place, a);
    edits[place + EDITS_GROWTH] = growth + write_edit(place + EDITS_SECOND, b);
    edits[place + EDITS_INVALID] = select(0u, 1u, pair && b.lo < end_of(a));
}
