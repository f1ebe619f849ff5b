// lower: turns the checked tree into linear code, all tokens in parallel.
//
// The extents of a node determine the position of its instructions: an expression emits under the last token
// of its extent, inner nodes before outer ones; a statement emits under the token after its value. Each token
// counts its instructions, a prefix sum turns the counts into positions, and each node writes its own
// instructions. Nodes that end at the same token form a chain of right operands; doubling along that chain
// yields their order.
//
// Each thread handles every WORKGROUP-th token. Workgroup memory is used only by the scans. Storage barriers
// separate writing a column from reading it at other tokens, and the rounds of doubling.
//
// The specification is docs/stages/lower.md; the CPU twin is src/compiler/stage/lower.

#import shared/arena
#import shared/columns
#import shared/blocks
#import lower/index
#import lower/frames
#import lower/holes
#import lower/code

@compute @workgroup_size(WORKGROUP)
fn lower_count(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    let n = uniform_from(P.tokens);
    for (var t = lane; t < n; t += WORKGROUP) {
        for (var slot = 0u; slot < 3u; slot++) { set_temp(CHILD + slot, t, NONE); }
        set_temp(ELEMENTS, t, 0u);
        set_temp(INNER, t, NONE);
        set_temp(STATEMENT, t, NONE);
        set_temp(SILENT, t, 0u);
        set_temp(OUTER, t, 0u);
    }
    #round n: The tables are cleared.
    storageBarrier();
    if uniform_from(u32(has_holes())) != 0u { find_holes(n); }
    for (var t = lane; t < n; t += WORKGROUP) { file_node(t); }
    #round n: Every node is filed with its parent, and with the token that holds its instructions.
    storageBarrier();
    _ = sum_column(SILENT, n, true);
    for (var t = lane; t < n; t += WORKGROUP) {
        set_temp(CHAIN, t, end_count(t));
        set_temp(OWN, t, own_count(t));
        let r = role(t);
        set_temp(PLACE, t, variable_words(t));
        set_temp(ITEM, t, select(0u, t, r == ROLE_FN || r == ROLE_TEST || r == ROLE_PROP));
        set_temp(FUNCTION, t, u32(r == ROLE_FN));
        set_temp(TEST, t, u32(r == ROLE_TEST || r == ROLE_PROP));
        set_temp(NAMED, t, u32((r == ROLE_PARAM || r == ROLE_BINDER) && !in_hole(t)));
        set_temp(BOUND, t, u32(r == ROLE_BINDER && !in_hole(t)));
    }
    #round n: Every node has the number of its instructions, its words of variables, and a mark in each
    #: count that includes it.
    storageBarrier();

    // Sum the instructions of nodes that end together, along their chain; double until every chain is
    // covered.
    var turn = 0u;
    for (var reach = 1u; reach < n; reach *= 2u) {
        for (var t = lane; t < n; t += WORKGROUP) {
            let inner = temp(INNER + turn, t);
            var sum = temp(CHAIN + turn, t);
            var next = NONE;
            if inner != NONE {
                sum += temp(CHAIN + turn, inner);
                next = temp(INNER + turn, inner);
            }
            set_temp(CHAIN + (turn ^ 1u), t, sum);
            set_temp(INNER + (turn ^ 1u), t, next);
        }
        #round n: Nodes that end together have the sum over twice as many of them.
        storageBarrier();
        turn ^= 1u;
    }
    for (var t = lane; t < n; t += WORKGROUP) {
        if turn == 1u { set_temp(CHAIN, t, temp(CHAIN_NEXT, t)); }
    }
    #round n: The sums are in one column.
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        if is_expression(role(t)) {
            let parent = tree_at(TREE_PARENT, t);
            let p = select(ROLE_NONE, role(min(parent, n - 1u)), parent != NONE);
            let inside = (p == ROLE_BINARY && tree_at(TREE_SLOT, t) == 1u) || p == ROLE_UNARY;
            if !inside { set_temp(OUTER, tree_at(TREE_HI, t) - 1u, temp(CHAIN, t)); }
        }
    }
    #round n: Each token has the instruction count of the outermost node that ends there.
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        set_temp(POSITION, t, temp(OWN, t) + temp(OUTER, t) + u32(ends_body(t)));
    }
    #round n: Every token has its number of instructions. A prefix sum then turns these counts into
    #: positions.
    storageBarrier();
    // One loop sums all six columns, which are adjacent.
    var sums: array<u32, 6>;
    for (var i = 0u; i < 6u; i++) { sums[i] = sum_column(POSITION + i, n, false); }
    let instructions = sums[0];
    let words = sums[PLACE - POSITION];
    let functions = sums[FUNCTION - POSITION];
    let tests = sums[TEST - POSITION];
    let named = sums[NAMED - POSITION];
    let bound = sums[BOUND - POSITION];
    max_column(ITEM, n);
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if (r == ROLE_PARAM || r == ROLE_BINDER) && !in_hole(t) { set_temp(NAMES, temp(NAMED, t), t); }
    }
    #round n: Parameters and binders are in a list of their own.
    storageBarrier();
    P.lowered = instructions;
    for (var t = lane; t < n; t += WORKGROUP) { write_rows(t, words, functions, named, bound); }
    if lane == 0u {
        programs[program_index].lowered = instructions;
        programs[program_index].routines = functions + tests;
        programs[program_index].functions = functions;
        programs[program_index].binders = bound;
    }
    #round n: Every function, test and property has its row, with its frame and its first instruction.
}

@compute @workgroup_size(WORKGROUP)
fn lower_write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    for (var t = lane; t < P.tokens; t += WORKGROUP) {
        if is_expression(role(t)) { write_expression(t); }
        write_own(t);
    }
    #round n: Every node has written its instructions; each knew its position, so all could write at once.
}

// Numbers the basic blocks of the lowered code.
@compute @workgroup_size(WORKGROUP)
fn lower_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    number_blocks(LOWERED, uniform_from(P.lowered));
    #round n: The basic blocks are numbered.
}
