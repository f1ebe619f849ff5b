// The instructions of tokens and nodes. Each function writes the instructions of one token or node, at
// positions that no other thread writes. No workgroup memory, no barriers.

#import lower/scratch
#import lower/index

// Writes one instruction.
fn put(i: u32, op: u32, arg: u32, aux: u32, token: u32, start: u32) {
    set_lowered(IR_OP, i, op);
    set_lowered(IR_ARG, i, arg);
    set_lowered(IR_AUX, i, aux);
    set_lowered(IR_TOKEN, i, token);
    set_lowered(IR_SITE, i, NONE);
    set_lowered(IR_START, i, start);
}

// Returns the first instruction of the outermost expression whose last instruction is that of node t.
fn start_of(t: u32) -> u32 {
    var e = t;
    loop {
        let parent = tree_at(TREE_PARENT, e);
        if parent == NONE { break; }
        let p = role(parent);
        let transparent = p == ROLE_GROUP || (p == ROLE_CALL && kind(parent) == TOKEN_INT_TYPE)
            || (tree_at(TREE_SLOT, e) == 1u && logical(parent));
        if !transparent { break; }
        e = parent;
    }
    return position(tree_at(TREE_LO, e));
}

// Returns the operation of an infix token for a left operand of this type.
fn binary_op(k: u32, left: u32) -> u32 {
    return select(infix_op(k), list_infix_op(k), list_type(left));
}

// Returns the code of the character of a string literal at byte `at`, and the byte after the character.
fn character(at: u32) -> vec2<u32> {
    let c = byte(at);
    if c != 0x5cu { return vec2<u32>(c, at + 1u); }
    let e = byte(at + 1u);
    var code = e;
    if e == 0x6eu { code = 10u; } // n
    if e == 0x74u { code = 9u; }  // t
    if e == 0x30u { code = 0u; }  // 0
    return vec2<u32>(code, at + 2u);
}

// Returns a code that differs from the given one.
fn replacement_code(code: u32) -> u32 { return select(97u, 98u, code == 97u); }

fn write_call(t: u32, i: u32, start: u32) {
    let declared = checked_at(CHECKED_DECL, t);
    if declared != NONE {
        put(i, OP_CALL, temp(FUNCTION, tree_at(TREE_PARENT, declared)), 0u, t, start);
        return;
    }
    let name = token_at(TOKENS_VALUE, t);
    let argument = child(t, 0u);
    if name == NAME_LEN && role(argument) == ROLE_VAR {
        put(i, OP_LIST_LEN_VAR, place(checked_at(CHECKED_DECL, argument)), 0u, t, start);
    } else {
        put(i, builtin_op(name), 0u, 0u, t, start);
    }
}

// Writes the instructions that an expression node has at its end.
fn write_expression(t: u32) {
    let count = end_count(t);
    if count == 0u { return; }
    let last = tree_at(TREE_HI, t) - 1u;
    let i = position(last) + temp(OWN, last) - own_behind(last) + temp(CHAIN, t) - count;
    let start = start_of(t);
    let k = kind(t);
    switch role(t) {
        case ROLE_INT: { put(i, OP_LOAD_CONST, token_at(TOKENS_VALUE, t), 0u, t, start); }
        case ROLE_BOOL: { put(i, OP_LOAD_CONST, u32(k == TOKEN_TRUE), 0u, t, start); }
        case ROLE_HOLE: { put(i, OP_HOLE, 0u, 0u, t, start); }
        case ROLE_STR: {
            var at = token_at(TOKENS_LO, t) + 1u;
            let other = (token_at(TOKENS_VALUE, t) & STR_REPLACED) != 0u;
            for (var c = 0u; c + 1u < count; c++) {
                let next = character(at);
                let code = select(next.x, replacement_code(next.x), other && c == 0u);
                put(i + c, OP_LOAD_CONST, code, 0u, t, i + c);
                at = next.y;
            }
            put(i + count - 1u, OP_BUILD_LIST, count - 1u, 0u, t, start);
        }
        case ROLE_VAR: {
            let declared = checked_at(CHECKED_DECL, t);
            if role(declared) == ROLE_CONST_NAME {
                put(i, OP_LOAD_CONST, checked_at(CHECKED_CONSTANT, declared), 0u, t, start);
            } else {
                let ty = checked_at(CHECKED_TY, declared);
                let is_list = list_type(ty);
                put(i, select(OP_LOAD_VAR, OP_LOAD_LIST, is_list), place(declared), select(0u, ty >> 8u, is_list), t, start);
            }
        }
        case ROLE_UNARY: { put(i, prefix_op(k), 0u, 0u, t, start); }
        case ROLE_BINARY: {
            let left = checked_at(CHECKED_TY, child(t, 0u));
            let op = binary_op(k, left);
            let of_bools = left == TYPE_BOOL && is_equality(k);
            put(i, op, 0u, u32(of_bools), t, start);
        }
        case ROLE_CALL: { write_call(t, i, start); }
        case ROLE_INDEX, ROLE_SLICE: {
            let list = child(t, 0u);
            let named = role(list) == ROLE_VAR;
            var s = 0u;
            if named { s = place(checked_at(CHECKED_DECL, list)); }
            if role(t) == ROLE_SLICE {
                put(i, select(OP_SLICE, OP_SLICE_VAR, named), s, 0u, t, start);
            } else if count == 2u {
                put(i, OP_DUP, 0u, 0u, t, i);
                put(i + 1u, OP_LOAD_INDEX_VAR, s, 0u, t, i);
            } else {
                put(i, select(OP_LOAD_INDEX, OP_LOAD_INDEX_VAR, named), s, 0u, t, start);
            }
        }
        case ROLE_LIST: { put(i, OP_BUILD_LIST, temp(ELEMENTS, t), 0u, t, start); }
        default: { put(i, OP_REPEAT_LIST, checked_at(CHECKED_CONSTANT, child(t, 1u)), 0u, t, start); }
    }
}

// Returns where control goes on after a block or loop of the function of token t that ends before token `to`.
// If nothing closes it, that is the hole at the function's end.
fn behind(to: u32, t: u32) -> u32 {
    let item = temp(ITEM, t);
    let unclosed = has_holes() && role(item) == ROLE_FN && to == tree_at(TREE_HI, item);
    return position(to) - u32(unclosed);
}

// Returns where a loop continues: at its condition, or at the FOR_* that takes the next value.
fn next_round(head: u32) -> u32 {
    if role(head) == ROLE_FOR { return position(temp(OPENED, head)) + 1u; }
    return position(head);
}

// Stores the value on the stack in a variable.
fn write_store(i: u32, declared: u32, token: u32) {
    let ty = checked_at(CHECKED_TY, declared);
    let is_list = list_type(ty);
    put(i, select(OP_STORE_VAR, OP_STORE_LIST, is_list), place(declared), select(0u, ty >> 8u, is_list), token, i);
}

fn write_assignment(s: u32, i: u32) {
    let target_ = child(s, 0u);
    let to_index = role(target_) == ROLE_INDEX;
    var store = i;
    if compound(s) {
        let last = tree_at(TREE_HI, target_) - 1u;
        // The target's own instructions are the last ones at its end, and the value begins with them.
        let start = position(last) + temp(OWN, last) + temp(CHAIN, target_) - end_count(target_);
        put(i, binary_op(compound_operator(kind(s)), checked_at(CHECKED_TY, target_)), 0u, 0u, s, start);
        store += 1u;
    }
    if to_index {
        put(store, OP_STORE_INDEX, place(checked_at(CHECKED_DECL, child(target_, 0u))), 0u, s, store);
    } else {
        write_store(store, checked_at(CHECKED_DECL, target_), s);
    }
}

// Writes the instructions of the `{` of a header: the test of an If or While, or the set-up of a For.
fn write_header(block: u32, i: u32) {
    let head = tree_at(TREE_PARENT, block);
    let end = behind(tree_at(TREE_HI, block), block);
    if role(head) != ROLE_FOR {
        put(i, OP_JUMP_IF_FALSE, end, 0u, head, i);
        return;
    }
    let s = place(head + 1u);
    let high = child(head, 2u);
    if high != NONE {
        let inclusive = kind(tree_at(TREE_LO, high) - 1u) == TOKEN_DOT_DOT_EQUAL;
        put(i, select(OP_RANGE_ITER, OP_RANGE_ITER_INCLUSIVE, inclusive), s, 0u, head, i);
        put(i + 1u, OP_FOR_RANGE, s, end, head, i + 1u);
    } else {
        put(i, OP_LIST_ITER, s, checked_at(CHECKED_TY, child(head, 1u)) >> 8u, head, i);
        put(i + 1u, OP_FOR_LIST, s, end, head, i + 1u);
    }
}

// Writes the instructions that a token has of its own.
fn write_own(t: u32) {
    if ends_body(t) {
        let end = position(t) + temp(OWN, t) + temp(OUTER, t);
        put(end, OP_HOLE, 0u, 0u, t, end);
    }
    if temp(OWN, t) == 0u { return; }
    let i = position(t) + select(0u, temp(OUTER, t), own_behind(t) > 0u);
    let r = role(t);
    if in_hole(t) {
        put(i, OP_HOLE, 0u, hole_end(t), t, i);
    } else if r == ROLE_BINARY {
        let op = select(OP_JUMP_IF_TRUE_OR_POP, OP_JUMP_IF_FALSE_OR_POP, kind(t) == TOKEN_AMPERSAND_AMPERSAND);
        let end = tree_at(TREE_HI, t);
        put(i, op, position(end) - own_behind(end - 1u), 0u, t, i);
    } else if r == ROLE_BREAK {
        put(i, OP_JUMP, behind(tree_at(TREE_HI, checked_at(CHECKED_DECL, t)), t), 0u, t, i);
    } else if r == ROLE_CONTINUE {
        put(i, OP_JUMP, next_round(checked_at(CHECKED_DECL, t)), 0u, t, i);
    } else if r == ROLE_BLOCK {
        write_header(t, i);
    } else {
        let s = temp(STATEMENT, t);
        if role(s) == ROLE_PROP && child(s, 2u) != NONE { write_condition(s, t, i); } else { write_ending(s, i); }
    }
}

// Writes the instructions after the condition of a property and at the property's end. If the condition is
// false, the result is the word DISCARDED.
fn write_condition(s: u32, t: u32, i: u32) {
    if kind(t) == TOKEN_FAT_ARROW {
        put(i, OP_JUMP_IF_FALSE, position(tree_at(TREE_HI, s)) + 1u, 0u, s, i);
        return;
    }
    put(i, OP_RETURN, 0u, 0u, s, i);
    put(i + 1u, OP_LOAD_CONST, DISCARDED, 0u, s, i + 1u);
    put(i + 2u, OP_RETURN, 0u, 0u, s, i + 2u);
}

// Writes the instructions after a statement's value or at the end of a block.
fn write_ending(s: u32, i: u32) {
    switch role(s) {
        case ROLE_LET: { write_store(i, s + 1u, s); }
        case ROLE_ASSIGN: { write_assignment(s, i); }
        case ROLE_RETURN: {
            let ty = checked_at(CHECKED_TY, checked_at(CHECKED_DECL, s));
            let is_list = list_type(ty);
            put(i, select(OP_RETURN, OP_RETURN_LIST, is_list), select(0u, ty >> 8u, is_list), 0u, s, i);
        }
        case ROLE_BLOCK: {
            let head = tree_at(TREE_PARENT, s);
            var to = i;
            if role(head) == ROLE_IF { to = behind(tree_at(TREE_HI, head), head); }
            if role(head) == ROLE_WHILE || role(head) == ROLE_FOR { to = next_round(head); }
            put(i, OP_JUMP, to, 0u, head, i);
        }
        default: { put(i, OP_RETURN, 0u, 0u, s, i); }
    }
}
