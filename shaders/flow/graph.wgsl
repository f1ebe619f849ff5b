// Blocks and edges. Each thread handles every WORKGROUP-th instruction or routine, or a run of blocks. Edges are
// sorted by counting: threads are in the order of their blocks, so the edges to a block are in that order too.

#import flow/facts

fn find_blocks() {
    let n = instructions();
    for (var i = lane; i < n; i += WORKGROUP) {
        let block = block_at(i);
        if i == 0u || block_at(i - 1u) != block { set_blocks(BLOCKS_FIRST, block, i); }
        if i + 1u == n || block_at(i + 1u) != block { set_blocks(BLOCKS_END, block, i + 1u); }
    }
    for (var b = lane; b < block_count(); b += WORKGROUP) { set_walk(WALK_OWNER, b, 0u); }
    #round n: Blocks have their first and last instructions.
    storageBarrier();
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        let block = block_at(routine_at(ROUTINES_IR, r));
        set_spans(SPANS_BLOCK, r, block);
        set_walk(WALK_OWNER, block, r + 1u);
    }
    #round r: Routines have their first blocks.
    storageBarrier();
    let mine = part_of(block_count());
    var last = 0u;
    for (var b = mine.x; b < mine.y; b++) {
        if walk_at(WALK_OWNER, b) != 0u { last = b + 1u; }
    }
    last = max_before(last);
    var routine = 0u;
    if last != 0u { routine = walk_at(WALK_OWNER, last - 1u) - 1u; }
    for (var b = mine.x; b < mine.y; b++) {
        let begins = walk_at(WALK_OWNER, b);
        if begins != 0u { routine = begins - 1u; }
        set_blocks(BLOCKS_ROUTINE, b, routine);
        var ends = b + 1u == block_count();
        if !ends { ends = walk_at(WALK_OWNER, b + 1u) != 0u; }
        if ends { set_spans(SPANS_BLOCKS, routine, b + 1u - spans_at(SPANS_BLOCK, routine)); }
    }
    set_count(COUNT_INSTRUCTION, n);
    set_count(COUNT_BLOCK, block_count());
    set_count(COUNT_ROUTINE, routine_count());
    #round b: Blocks have their routines, and routines the number of their blocks.
    storageBarrier();
}

// Returns a block if it is in the same routine as block b, else NONE.
fn own_block(b: u32, to: u32) -> u32 {
    if to >= block_count() { return NONE; }
    return select(NONE, to, blocks_at(BLOCKS_ROUTINE, to) == blocks_at(BLOCKS_ROUTINE, b));
}

fn target_block(b: u32, i: u32) -> u32 {
    let op = op_at(i);
    if !is_jump(op) && !is_loop(op) { return NONE; }
    let to = ir_at(select(IR_ARG, IR_AUX, is_loop(op)), i);
    if to >= instructions() { return NONE; }
    return own_block(b, block_at(to));
}

// The bin of this thread for edges to a block.
fn bin(thread: u32, to: u32) -> u32 { return thread * block_count() + to; }

fn find_edges() {
    for (var b = 0u; b < block_count(); b++) { set_bins(BINS_EDGES, bin(lane, b), 0u); }
    let mine = part_of(block_count());
    for (var b = mine.x; b < mine.y; b++) {
        let last = blocks_at(BLOCKS_END, b) - 1u;
        var next = NONE;
        if falls_through(op_at(last)) { next = own_block(b, b + 1u); }
        let to = target_block(b, last);
        set_blocks(BLOCKS_NEXT, b, next);
        set_blocks(BLOCKS_TARGET, b, to);
        if next != NONE { set_bins(BINS_EDGES, bin(lane, next), bins_at(BINS_EDGES, bin(lane, next)) + 1u); }
        if to != NONE { set_bins(BINS_EDGES, bin(lane, to), bins_at(BINS_EDGES, bin(lane, to)) + 1u); }
    }
    #round b: Blocks have the blocks that follow them, and each thread has counted its edges to each block.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        var edges = 0u;
        for (var thread = 0u; thread < WORKGROUP; thread++) {
            let own = bins_at(BINS_EDGES, bin(thread, b));
            set_bins(BINS_EDGES, bin(thread, b), edges);
            edges += own;
        }
        set_blocks(BLOCKS_EDGES, b, edges);
    }
    #round 64 b: Blocks have the number of edges that lead to them.
    storageBarrier();
    var edges = 0u;
    for (var b = mine.x; b < mine.y; b++) { edges += blocks_at(BLOCKS_EDGES, b); }
    var row = scan_sum(edges) - edges;
    set_count(COUNT_EDGE, scan_total);
    for (var b = mine.x; b < mine.y; b++) {
        let own = blocks_at(BLOCKS_EDGES, b);
        set_blocks(BLOCKS_EDGES, b, row);
        row += own;
    }
    #round b: A running sum of these numbers is the first row of each block's edges.
    storageBarrier();
    for (var b = mine.x; b < mine.y; b++) {
        for (var which = 0u; which < 2u; which++) {
            let to = successor(b, which);
            if to == NONE { continue; }
            let own = bin(lane, to);
            set_edges(EDGES_FROM, blocks_at(BLOCKS_EDGES, to) + bins_at(BINS_EDGES, own), b);
            set_bins(BINS_EDGES, own, bins_at(BINS_EDGES, own) + 1u);
        }
    }
    #round b: Edges have the blocks that they come from, sorted by the block that they lead to.
    storageBarrier();
}
