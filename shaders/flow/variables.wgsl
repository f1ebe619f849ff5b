// Variables. All frames are laid out one after the other, in the order of routines. So the number of named slots
// before a slot is the row of its variable.

#import flow/facts

// Returns the slots of the frame of routine r, among those of all frames.
fn frame_slots(r: u32) -> vec2<u32> {
    let first = frames_at(FRAMES_SLOT, r);
    return vec2<u32>(first, first + routine_at(ROUTINES_FRAME, r));
}

// Marks the slots that parameters or instructions name.
fn name_slots() {
    let mine = part_of(routine_count());
    var words = 0u;
    for (var r = mine.x; r < mine.y; r++) { words += routine_at(ROUTINES_FRAME, r); }
    var slot = scan_sum(words) - words;
    for (var r = mine.x; r < mine.y; r++) {
        set_frames(FRAMES_SLOT, r, slot);
        slot += routine_at(ROUTINES_FRAME, r);
    }
    for (var s = lane; s < flow_params.slot_room; s += WORKGROUP) { set_slots(SLOTS_NAMED, s, 0u); }
    #round s: Frames have their places, and no slot is named yet.
    storageBarrier();
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        if !has_slot(op_at(i)) { continue; }
        let r = blocks_at(BLOCKS_ROUTINE, block_at(i));
        set_slots(SLOTS_NAMED, frames_at(FRAMES_SLOT, r) + ir_at(IR_ARG, i), r + 1u);
    }
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        var at = frames_at(FRAMES_SLOT, r);
        var lists = 0u;
        let parameters = min(routine_at(ROUTINES_PARAMS, r), LIMIT_PARAMS);
        for (var j = 0u; j < parameters; j++) {
            let capacity = capacity_of(r, j);
            set_slots(SLOTS_NAMED, at, r + 1u);
            at += 1u + capacity;
            lists += select(0u, 1u, capacity != 0u);
        }
        set_frames(FRAMES_ARGUMENTS, r, (parameters - lists) | (lists << 16u));
    }
    #round n: Slots that a parameter or an instruction names have their routines.
    storageBarrier();
}

// Numbers the variables, and writes those that instructions name.
fn number_slots() {
    let mine = part_of(flow_params.slot_room);
    var named = 0u;
    for (var s = mine.x; s < mine.y; s++) { named += select(0u, 1u, slots_at(SLOTS_NAMED, s) != 0u); }
    var row = scan_sum(named) - named;
    set_count(COUNT_VARIABLE, scan_total);
    for (var s = mine.x; s < mine.y; s++) {
        set_slots(SLOTS_NUMBER, s, row);
        let owner = slots_at(SLOTS_NAMED, s);
        if owner == 0u { continue; }
        set_variables(VARIABLES_ROUTINE, row, owner - 1u);
        set_variables(VARIABLES_SLOT, row, s - frames_at(FRAMES_SLOT, owner - 1u));
        row += 1u;
    }
    #round s: A running sum of the named slots is the number of each variable.
    storageBarrier();
    for (var r = lane; r < routine_count(); r += WORKGROUP) {
        let own = frame_slots(r);
        let first = slots_at(SLOTS_NUMBER, own.x);
        set_spans(SPANS_VARIABLE, r, first);
        set_spans(SPANS_VARIABLES, r, slots_at(SLOTS_NUMBER, own.y) - first);
    }
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        var variable = NONE;
        if has_slot(op_at(i)) {
            let first = frames_at(FRAMES_SLOT, blocks_at(BLOCKS_ROUTINE, block_at(i)));
            variable = slots_at(SLOTS_NUMBER, first + ir_at(IR_ARG, i)) - slots_at(SLOTS_NUMBER, first);
        }
        set_accesses(ACCESSES_VARIABLE, i, variable);
    }
    #round n: Routines have their variables, and instructions the variables that they name.
    storageBarrier();
}

// Fills the first row of each block's sets of variables.
fn place_facts() {
    let mine = part_of(block_count());
    var words = 0u;
    for (var b = mine.x; b < mine.y; b++) { words += variable_words(blocks_at(BLOCKS_ROUTINE, b)); }
    var row = scan_sum(words) - words;
    set_count(COUNT_FACT, scan_total);
    for (var b = mine.x; b < mine.y; b++) {
        set_blocks(BLOCKS_FACTS, b, row);
        row += variable_words(blocks_at(BLOCKS_ROUTINE, b));
    }
    #round b: Blocks have the places of their sets of variables.
    storageBarrier();
}
