// Frames, routines and binders: the offsets of variables, and the rows of functions, tests and properties.
// Each thread writes the rows of one token. No workgroup memory, no barriers.

#import lower/scratch

fn variable_words(t: u32) -> u32 {
    // The code of a hole uses no variables, but code after it may name those that a `let` declares.
    if in_hole(t) && role(t) != ROLE_LET_NAME { return 0u; }
    switch role(t) {
        case ROLE_PARAM, ROLE_BINDER, ROLE_LET_NAME: { return type_words(checked_at(CHECKED_TY, t)); }
        case ROLE_LOOP_VAR: {
            let head = tree_at(TREE_PARENT, t);
            if child(head, 2u) != NONE { return 3u; }
            return 3u + (checked_at(CHECKED_TY, child(head, 1u)) >> 8u);
        }
        default: { return 0u; }
    }
}

// Writes the rows of Routines and Binders that belong to token t.
fn write_rows(t: u32, words: u32, functions: u32, named: u32, bound: u32) {
    let r = role(t);
    if r == ROLE_BINDER && in_hole(t) { return; }
    if r == ROLE_BINDER {
        let row = temp(BOUND, t);
        let n = child(t, 2u);
        set_binder(BINDERS_LO, row, checked_at(CHECKED_CONSTANT, child(t, 0u)));
        set_binder(BINDERS_HI, row, checked_at(CHECKED_CONSTANT, child(t, 1u)));
        var longest = NONE;
        if n != NONE { longest = checked_at(CHECKED_CONSTANT, n); }
        set_binder(BINDERS_MAX_LEN, row, longest);
        set_binder(BINDERS_TOKEN, row, t);
    }
    if r != ROLE_FN && r != ROLE_TEST && r != ROLE_PROP { return; }
    let is_fn = r == ROLE_FN;
    let row = select(functions + temp(TEST, t), temp(FUNCTION, t), is_fn);
    let end = tree_at(TREE_HI, t);
    let first = temp(NAMED, t);
    let count = at_or(NAMED, end, named) - first;
    set_routine(ROUTINES_TOKEN, row, t);
    set_routine(ROUTINES_IR, row, position(t));
    set_routine(ROUTINES_FRAME, row, at_or(PLACE, end, words) - temp(PLACE, t));
    set_routine(ROUTINES_PARAMS, row, count);
    for (var word = 0u; word < 4u; word++) {
        var caps = 0u;
        for (var i = 0u; i < 4u; i++) {
            let j = word * 4u + i;
            if j < count {
                caps |= (checked_at(CHECKED_TY, temp(NAMES, first + j)) >> 8u) << (8u * i);
            }
        }
        set_routine(ROUTINES_CAPS0 + word, row, caps);
    }
    set_routine(ROUTINES_RESULT, row, select(TYPE_BOOL, checked_at(CHECKED_TY, t), is_fn));
    set_routine(ROUTINES_BINDERS, row, select(temp(BOUND, t), 0u, is_fn));
    set_routine(ROUTINES_ADDRESS, row, 0u);
}
