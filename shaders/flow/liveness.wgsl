// Liveness: for each block the variables that it reads first and those that it stores; then, in rounds, the
// variables that are live where it ends and where it begins.

#import flow/facts

fn stores_variable(op: u32) -> bool { return op == OP_STORE_VAR || op == OP_STORE_LIST || is_loop(op); }
fn only_names_variable(op: u32) -> bool {
    return op == OP_RANGE_ITER || op == OP_RANGE_ITER_INCLUSIVE || op == OP_LIST_ITER;
}

fn begin_liveness() {
    for (var row = lane; row < atomicLoad(&facts[COUNT_FACT]); row += WORKGROUP) {
        set_live(LIVE_READS, row, 0u);
        set_live(LIVE_STORES, row, 0u);
        set_live(LIVE_ENTRY, row, 0u);
        set_live(LIVE_EXIT, row, 0u);
    }
    #round b v/32: No variable is live anywhere yet.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        if !is_reached(b) { continue; }
        let first = blocks_at(BLOCKS_FACTS, b);
        let end = blocks_at(BLOCKS_END, b);
        for (var i = blocks_at(BLOCKS_FIRST, b); i < end; i++) {
            let variable = accesses_at(ACCESSES_VARIABLE, i);
            let op = op_at(i);
            if variable == NONE || only_names_variable(op) { continue; }
            let row = first + variable / 32u;
            let bit = 1u << (variable % 32u);
            let stored = live_at(LIVE_STORES, row);
            if stores_variable(op) {
                set_live(LIVE_STORES, row, stored | bit);
            } else {
                set_live(LIVE_READS, row, live_at(LIVE_READS, row) | (bit & ~stored));
            }
        }
    }
    #round n: Blocks have the variables that they read before they store them, and those that they store.
    storageBarrier();
}

fn live_in(block: u32, word: u32) -> u32 {
    if block == NONE { return 0u; }
    return live_at(LIVE_ENTRY, blocks_at(BLOCKS_FACTS, block) + word);
}

fn widen_liveness() -> bool {
    let mine = part_of(block_count());
    var more = false;
    for (var k = mine.y; k > mine.x; k--) {
        let b = k - 1u;
        if !is_reached(b) { continue; }
        let words = variable_words(blocks_at(BLOCKS_ROUTINE, b));
        for (var w = 0u; w < words; w++) {
            let row = blocks_at(BLOCKS_FACTS, b) + w;
            let exit = live_in(successor(b, 0u), w) | live_in(successor(b, 1u), w);
            let entry = live_at(LIVE_READS, row) | (exit & ~live_at(LIVE_STORES, row));
            more = more || entry != live_at(LIVE_ENTRY, row);
            set_live(LIVE_EXIT, row, exit);
            set_live(LIVE_ENTRY, row, entry);
        }
    }
    #round b v/32: A variable is live at the end of a block if it is live where a successor begins; sets grow.
    storageBarrier();
    return more;
}
