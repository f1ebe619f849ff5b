// Dominators: for each block a set of blocks of its routine, at first all. In a round each block takes from its
// successors those that do not dominate it, but for the successor itself.

#import flow/facts

// The word of a block in a set of its routine's blocks, and its bit there.
fn block_word(block: u32, routine: u32) -> u32 { return (block - spans_at(SPANS_BLOCK, routine)) / 32u; }
fn block_bit(block: u32, routine: u32) -> u32 { return 1u << ((block - spans_at(SPANS_BLOCK, routine)) % 32u); }

// Returns whether block `member` is in the set of block b in a column of relations.
fn is_related(column: u32, b: u32, member: u32) -> bool {
    let routine = blocks_at(BLOCKS_ROUTINE, b);
    let bits = relations_at(column, walk_at(WALK_SETS, b) + block_word(member, routine));
    return (bits & block_bit(member, routine)) != 0u;
}

// Fills WALK_SIZE with the sizes of sets.
fn measure_sets(column: u32) {
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        var size = 0u;
        let words = block_words(blocks_at(BLOCKS_ROUTINE, b));
        for (var w = 0u; w < words; w++) { size += countOneBits(relations_at(column, walk_at(WALK_SETS, b) + w)); }
        set_walk(WALK_SIZE, b, size);
    }
    #round b b/32: Every set has its size.
    storageBarrier();
}

// Returns the block in the set of b whose own set has a size; NONE if no block has. It is likely before b.
fn member_of_size(column: u32, b: u32, size: u32) -> u32 {
    let routine = blocks_at(BLOCKS_ROUTINE, b);
    let words = block_words(routine);
    let own = block_word(b, routine);
    for (var step_ = 0u; step_ < words; step_++) {
        let w = (own + words - step_) % words;
        var bits = relations_at(column, walk_at(WALK_SETS, b) + w);
        while bits != 0u {
            let bit = firstLeadingBit(bits);
            bits ^= 1u << bit;
            let member = spans_at(SPANS_BLOCK, routine) + w * 32u + bit;
            if walk_at(WALK_SIZE, member) == size { return member; }
        }
    }
    return NONE;
}

fn begin_dominators() {
    let mine = part_of(block_count());
    var words = 0u;
    for (var b = mine.x; b < mine.y; b++) { words += block_words(blocks_at(BLOCKS_ROUTINE, b)); }
    var row = scan_sum(words) - words;
    for (var b = mine.x; b < mine.y; b++) {
        let routine = blocks_at(BLOCKS_ROUTINE, b);
        let own = block_words(routine);
        let is_entry = spans_at(SPANS_BLOCK, routine) == b;
        set_walk(WALK_SETS, b, row);
        for (var w = 0u; w < own; w++) {
            // All blocks; the entry only itself. A block that is not reached has no dominators.
            let all = select(0xffffffffu, select(0u, 1u, w == 0u), is_entry);
            set_relations(RELATIONS_DOMINATORS, row + w, select(0u, all, is_reached(b)));
        }
        row += own;
    }
    #round b b/32: An entry is dominated by itself alone; other blocks may be dominated by all.
    storageBarrier();
}

fn narrow_dominators() -> bool {
    let mine = part_of(block_count());
    var more = false;
    for (var b = mine.x; b < mine.y; b++) {
        if !is_reached(b) { continue; }
        let routine = blocks_at(BLOCKS_ROUTINE, b);
        let words = block_words(routine);
        for (var which = 0u; which < 2u; which++) {
            let to = successor(b, which);
            if to == NONE { continue; }
            for (var w = 0u; w < words; w++) {
                var bits = relations_at(RELATIONS_DOMINATORS, walk_at(WALK_SETS, b) + w);
                if w == block_word(to, routine) { bits |= block_bit(to, routine); }
                let old = atomicAnd(&facts[relations_place(RELATIONS_DOMINATORS, walk_at(WALK_SETS, to) + w)], bits);
                more = more || (old & ~bits) != 0u;
            }
        }
    }
    #round b b/32: A block's dominators dominate all blocks before it as well, except for the block itself; sets shrink.
    storageBarrier();
    return more;
}

// The immediate dominator is the one with one dominator less.
fn finish_dominators() {
    measure_sets(RELATIONS_DOMINATORS);
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        let size = walk_at(WALK_SIZE, b);
        var dominator = NONE;
        if size > 1u { dominator = member_of_size(RELATIONS_DOMINATORS, b, size - 1u); }
        set_blocks(BLOCKS_DOMINATOR, b, dominator);
    }
    #round b: The immediate dominator is the one whose own set has one block less.
    storageBarrier();
}
