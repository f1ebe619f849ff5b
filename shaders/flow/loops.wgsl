// Loops: for each block the heads of all loops that contain it. A block is in a loop if it has an edge back to the
// head, or if a successor other than the head is.

#import flow/facts
#import flow/dominators

fn add_head(b: u32, head: u32) {
    let routine = blocks_at(BLOCKS_ROUTINE, b);
    let row = walk_at(WALK_SETS, b) + block_word(head, routine);
    atomicOr(&facts[relations_place(RELATIONS_HEADS, row)], block_bit(head, routine));
}

fn begin_loops() {
    for (var row = lane; row < flow_params.relation_room; row += WORKGROUP) { set_relations(RELATIONS_HEADS, row, 0u); }
    #round b b/32: No block is in a loop yet.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        if !is_reached(b) { continue; }
        for (var which = 0u; which < 2u; which++) {
            let to = successor(b, which);
            if to == NONE { continue; }
            if !is_related(RELATIONS_DOMINATORS, b, to) { continue; }
            add_head(b, to);
            add_head(to, to);
        }
    }
    #round b: An edge back to a block that dominates its beginning closes a loop: both blocks are in it.
    storageBarrier();
}

fn widen_loops() -> bool {
    let mine = part_of(block_count());
    var more = false;
    for (var k = mine.y; k > mine.x; k--) {
        let b = k - 1u;
        if !is_reached(b) { continue; }
        let routine = blocks_at(BLOCKS_ROUTINE, b);
        let words = block_words(routine);
        for (var which = 0u; which < 2u; which++) {
            let to = successor(b, which);
            if to == NONE { continue; }
            for (var w = 0u; w < words; w++) {
                var bits = relations_at(RELATIONS_HEADS, walk_at(WALK_SETS, to) + w);
                if w == block_word(to, routine) { bits &= ~block_bit(to, routine); }
                let old = atomicOr(&facts[relations_place(RELATIONS_HEADS, walk_at(WALK_SETS, b) + w)], bits);
                more = more || (bits & ~old) != 0u;
            }
        }
    }
    #round b b/32: A block is in the loops of its successors, except for a loop that begins there; sets grow.
    storageBarrier();
    return more;
}

// Loops are nested, so the head of the innermost one is in as many loops as the block.
fn finish_loops() {
    measure_sets(RELATIONS_HEADS);
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        let depth = walk_at(WALK_SIZE, b);
        var head = NONE;
        if depth != 0u { head = member_of_size(RELATIONS_HEADS, b, depth); }
        set_blocks(BLOCKS_HEAD, b, head);
        set_blocks(BLOCKS_DEPTH, b, depth);
    }
    #round b: Blocks have their innermost loops and the number of loops around them.
    storageBarrier();
}
