// The blocks that entries reach, with the operands that wait on the stack where they begin. Each thread walks the
// blocks of its run that have been reached and not walked before.

#import flow/facts

// Numbers of ints and bools (x) and of lists (y).
alias Height = vec2<u32>;

// Bounds the words of the list that instruction i pushes; 0 if it pushes none.
fn pushed_list(i: u32) -> u32 {
    let op = op_at(i);
    if op == OP_LOAD_LIST { return 1u + ir_at(IR_AUX, i); }
    if op == OP_BUILD_LIST || op == OP_LOAD_LIST_CONST || op == OP_REPEAT_LIST { return 1u + ir_at(IR_ARG, i); }
    if op == OP_JOIN_LIST || op == OP_SLICE || op == OP_SLICE_VAR { return 1u + LIMIT_CAPACITY; }
    if op == OP_CALL {
        let result = routine_at(ROUTINES_RESULT, ir_at(IR_ARG, i));
        if (result & 0xffu) >= TYPE_INT_LIST { return 1u + (result >> 8u); }
    }
    return 0u;
}

// Returns the operands after instruction i where control falls through.
fn height_after(i: u32, height: Height) -> Height {
    let op = op_at(i);
    let arg = ir_at(IR_ARG, i);
    var lists = countOneBits(op_taken_lists(op));
    var words = op_takes(op) - lists;
    var left_lists = countOneBits(op_left_lists(op));
    var left_words = op_leaves(op) - left_lists;
    if op == OP_BUILD_LIST { words = arg; }
    if op == OP_CALL {
        let arguments = frames_at(FRAMES_ARGUMENTS, arg);
        words = arguments & 0xffffu;
        lists = arguments >> 16u;
        left_lists = select(0u, 1u, pushed_list(i) != 0u);
        left_words = 1u - left_lists;
    }
    let all = height + vec2<u32>(left_words, left_lists);
    return all - min(all, vec2<u32>(words, lists));
}

// Whether a conditional jump leaves its condition for its target.
fn keeps_condition(op: u32) -> u32 { return (condition(op) >> 2u) & 1u; }

fn begin_paths() {
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        set_walk(WALK_STATE, b, 0u);
        set_walk(WALK_PASSED, b, 0u);
    }
    #round b: No block is reached yet.
    storageBarrier();
    for (var r = lane; r < routine_count(); r += WORKGROUP) { set_walk(WALK_STATE, spans_at(SPANS_BLOCK, r), 1u); }
    #round r: The first block of every routine is reached.
    storageBarrier();
}

// Marks a block as reached. Returns whether it was not.
fn reach(block: u32, height: Height) -> bool {
    if block == NONE { return false; }
    if walk_at(WALK_STATE, block) != 0u { return false; }
    set_walk(WALK_STATE, block, 1u | (height.x << 1u) | (height.y << 16u));
    return true;
}

fn extend_paths() -> bool {
    let mine = part_of(block_count());
    var more = false;
    for (var b = mine.x; b < mine.y; b++) {
        let state = walk_at(WALK_STATE, b);
        if state == 0u || walk_at(WALK_PASSED, b) != 0u { continue; }
        set_walk(WALK_PASSED, b, 1u);
        var height = vec2<u32>((state & 0xffffu) >> 1u, state >> 16u);
        let end = blocks_at(BLOCKS_END, b);
        for (var i = blocks_at(BLOCKS_FIRST, b); i < end; i++) { height = height_after(i, height); }
        if reach(successor(b, 0u), height) { more = true; }
        let kept = vec2<u32>(keeps_condition(op_at(end - 1u)), 0u);
        if reach(successor(b, 1u), height + kept) { more = true; }
    }
    #round b: Blocks that were reached have reached their successors, with the operands that wait on the stack.
    storageBarrier();
    return more;
}

fn finish_paths() {
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        let state = walk_at(WALK_STATE, b);
        set_blocks(BLOCKS_REACHED, b, state & 1u);
        set_blocks(BLOCKS_WORDS, b, (state & 0xffffu) >> 1u);
        set_blocks(BLOCKS_LISTS, b, state >> 16u);
    }
    #round b: Blocks have the numbers of their operands.
    storageBarrier();
}
