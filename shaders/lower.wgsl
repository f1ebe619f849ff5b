// lower: the checked tree becomes linear code, every token at once.
//
// Where a node's instructions stand follows from the extents alone: an expression emits under the last token of its
// extent, inner before outer; a statement under the token behind its value. So each token counts what stands under
// it, a prefix sum turns counts into addresses, and each node writes its own instructions. Nodes that end together form
// a chain of right operands; their order in it comes from doubling along that chain.

// Scratch columns, per token.
const CHILD: u32 = 0u;      // .. 2: tokens of the children with slots 0, 1, 2
const ELEMENTS: u32 = 3u;   // of a List: number of its elements
const INNER: u32 = 4u;      // the node one further in that ends at the same token; doubled in place of INNER_NEXT
const INNER_NEXT: u32 = 5u;
const CHAIN: u32 = 6u;      // instructions of the node and all those further in that end with it
const CHAIN_NEXT: u32 = 7u;
const STATEMENT: u32 = 8u;  // the statement whose value ends before this token, or the Block that this token closes
const OPENED: u32 = 9u;     // of a For: its Block
const OWN: u32 = 10u;       // instructions of the token itself
const POSITION: u32 = 11u;  // P(t): instructions before the token
const SILENT: u32 = 12u;    // not 0 inside of constant expressions
const PLACE: u32 = 13u;     // words of variables before the token
const ITEM: u32 = 14u;      // the Fn, Test or Prop at or before the token
const FUNCTION: u32 = 15u;  // number of Fns before the token
const TEST: u32 = 16u;      // number of Tests and Props before the token
const NAMED: u32 = 17u;     // number of Params and Binders before the token
const BOUND: u32 = 18u;     // number of Binders before the token
const NAMES: u32 = 19u;     // the Params and Binders in order
const OUTER: u32 = 20u;     // CHAIN of the outermost node that ends at the token

fn child(t: u32, slot: u32) -> u32 { return temp(CHILD + slot, t); }
fn silent(t: u32) -> bool { return temp(SILENT, t) != 0u; }
fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn list_type(ty: u32) -> bool { return (ty & 0xffu) >= TYPE_INT_LIST; }
fn type_words(ty: u32) -> u32 { return select(1u, 1u + (ty >> 8u), list_type(ty)); }

// A column's value at a token, or at the end of the program the given total.
fn at_or(column: u32, t: u32, total: u32) -> u32 {
    if t >= P.tokens { return total; }
    return temp(column, t);
}
fn position(t: u32) -> u32 { return at_or(POSITION, t, P.lowered); }

// Offset in the frame of the variable declared at a token.
fn place(declared: u32) -> u32 {
    return temp(PLACE, declared) - temp(PLACE, temp(ITEM, declared));
}

fn logical(t: u32) -> bool {
    return role(t) == ROLE_BINARY && is_logical(kind(t));
}

// Whether the Index at a token is what an assignment assigns to.
fn is_target(t: u32) -> bool {
    let parent = tree_at(TREE_PARENT, t);
    return parent != NONE && role(parent) == ROLE_ASSIGN && tree_at(TREE_SLOT, t) == 0u;
}
fn compound(assignment: u32) -> bool { return kind(assignment) != TOKEN_EQUAL; }

// Whether a list variable is used in place: indexed, cut or measured by an instruction that names it.
fn used_in_place(t: u32) -> bool {
    let parent = tree_at(TREE_PARENT, t);
    if parent == NONE || tree_at(TREE_SLOT, t) != 0u { return false; }
    let r = role(parent);
    return r == ROLE_INDEX || r == ROLE_SLICE
        || (r == ROLE_CALL && kind(parent) == TOKEN_NAME && token_at(TOKENS_VALUE, parent) == NAME_LEN);
}

// Number of instructions that an expression node has at its end.
fn end_count(t: u32) -> u32 {
    if silent(t) { return 0u; }
    switch role(t) {
        case ROLE_INT, ROLE_BOOL, ROLE_UNARY, ROLE_SLICE, ROLE_LIST, ROLE_REPEAT: { return 1u; }
        case ROLE_STR: { return token_at(TOKENS_VALUE, t) + 1u; }
        case ROLE_VAR: {
            if is_target(t) && !compound(tree_at(TREE_PARENT, t)) { return 0u; }
            return select(1u, 0u, list_type(checked_at(CHECKED_TY, t)) && used_in_place(t));
        }
        case ROLE_CALL: { return select(1u, 0u, kind(t) == TOKEN_INT_TYPE); }
        case ROLE_INDEX: {
            if !is_target(t) { return 1u; }
            return select(0u, 2u, compound(tree_at(TREE_PARENT, t)));
        }
        case ROLE_BINARY: { return select(1u, 0u, logical(t)); }
        default: { return 0u; }
    }
}

// Whether the `}` that closes a function's Block stands where control may seem to coP.
fn ends_in_return(t: u32) -> bool {
    if t == 0u || kind(t - 1u) != TOKEN_SEMICOLON { return false; }
    return kind(tree_at(TREE_STMT, t - 1u) & STMT_INDEX) == TOKEN_RETURN;
}

// Number of instructions that a token has of itself.
fn own_count(t: u32) -> u32 {
    if logical(t) && !silent(t) { return 1u; }
    let r = role(t);
    if r == ROLE_BREAK || r == ROLE_CONTINUE { return 1u; }
    if r == ROLE_BLOCK {
        let head = tree_at(TREE_PARENT, t);
        if head == NONE { return 0u; }
        let h = role(head);
        if h == ROLE_IF || h == ROLE_WHILE { return select(0u, 1u, tree_at(TREE_SLOT, t) == 1u); }
        return select(0u, 2u, h == ROLE_FOR);
    }
    let s = temp(STATEMENT, t);
    if s == NONE { return 0u; }
    switch role(s) {
        case ROLE_ASSIGN: { return select(1u, 2u, compound(s)); }
        case ROLE_BLOCK: {
            let head = tree_at(TREE_PARENT, s);
            if head == NONE { return 0u; }
            let h = role(head);
            if h == ROLE_IF { return select(0u, 1u, tree_at(TREE_SLOT, s) == 1u && child(head, 2u) != NONE); }
            if h == ROLE_FN { return select(1u, 0u, ends_in_return(t)); }
            return select(0u, 1u, h == ROLE_WHILE || h == ROLE_FOR);
        }
        default: { return 1u; }
    }
}

fn variable_words(t: u32) -> u32 {
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

// Files every node under its parent and under the tokens where it has instructions.
fn file_node(t: u32) {
    let r = role(t);
    if r == ROLE_NONE { return; }
    let end = tree_at(TREE_HI, t);
    if r == ROLE_LET || r == ROLE_ASSIGN || r == ROLE_RETURN || r == ROLE_TEST || r == ROLE_PROP {
        set_temp(STATEMENT, end, t);
    }
    let parent = tree_at(TREE_PARENT, t);
    if parent == NONE { return; }
    let p = role(parent);
    let slot = tree_at(TREE_SLOT, t);
    if r == ROLE_BLOCK {
        set_temp(STATEMENT, end - 1u, t);
        if p == ROLE_FOR { set_temp(OPENED, parent, t); }
    }
    if p != ROLE_BLOCK && slot < 3u { set_temp(CHILD + slot, parent, t); }
    if p == ROLE_LIST {
        let close = tree_at(TREE_HI, parent) - 1u;
        if end == close || (end + 1u == close && kind(end) == TOKEN_COMMA) {
            set_temp(ELEMENTS, parent, slot + 1u);
        }
    }
    if (p == ROLE_BINARY && slot == 1u) || p == ROLE_UNARY { set_temp(INNER, parent, t); }
    let constant = p == ROLE_BINDER || p == ROLE_TYPE_LIST
        || ((p == ROLE_CONST || p == ROLE_REPEAT) && slot == 1u);
    if constant {
        set_temp(SILENT, tree_at(TREE_LO, t), 1u);
        set_temp(SILENT, end, 0xffffffffu);
    }
}

@compute @workgroup_size(WORKGROUP)
fn lower_count(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    let n = P.tokens;
    for (var t = lane; t < n; t += WORKGROUP) {
        for (var slot = 0u; slot < 3u; slot++) { set_temp(CHILD + slot, t, NONE); }
        set_temp(ELEMENTS, t, 0u);
        set_temp(INNER, t, NONE);
        set_temp(STATEMENT, t, NONE);
        set_temp(SILENT, t, 0u);
        set_temp(OUTER, t, 0u);
    }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) { file_node(t); }
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
        set_temp(NAMED, t, u32(r == ROLE_PARAM || r == ROLE_BINDER));
        set_temp(BOUND, t, u32(r == ROLE_BINDER));
    }
    storageBarrier();

    // Nodes that end together: sums along the chain inward, doubled until every chain is covered.
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
        storageBarrier();
        turn ^= 1u;
    }
    for (var t = lane; t < n; t += WORKGROUP) {
        if turn == 1u { set_temp(CHAIN, t, temp(CHAIN_NEXT, t)); }
    }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        if is_expression(role(t)) {
            let parent = tree_at(TREE_PARENT, t);
            let p = select(ROLE_NONE, role(min(parent, n - 1u)), parent != NONE);
            let inside = (p == ROLE_BINARY && tree_at(TREE_SLOT, t) == 1u) || p == ROLE_UNARY;
            if !inside { set_temp(OUTER, tree_at(TREE_HI, t) - 1u, temp(CHAIN, t)); }
        }
    }
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        set_temp(POSITION, t, temp(OWN, t) + temp(OUTER, t));
    }
    storageBarrier();
    let instructions = sum_column(POSITION, n, false);
    let words = sum_column(PLACE, n, false);
    let functions = sum_column(FUNCTION, n, false);
    let tests = sum_column(TEST, n, false);
    let named = sum_column(NAMED, n, false);
    let bound = sum_column(BOUND, n, false);
    max_column(ITEM, n);
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        if r == ROLE_PARAM || r == ROLE_BINDER { set_temp(NAMES, temp(NAMED, t), t); }
    }
    storageBarrier();
    P.lowered = instructions;
    for (var t = lane; t < n; t += WORKGROUP) { write_rows(t, words, functions, named, bound); }
    if lane == 0u {
        programs[program_index].lowered = instructions;
        programs[program_index].routines = functions + tests;
        programs[program_index].functions = functions;
        programs[program_index].binders = bound;
    }
}

// The rows of Routines and Binders that a token has.
fn write_rows(t: u32, words: u32, functions: u32, named: u32, bound: u32) {
    let r = role(t);
    if r == ROLE_BINDER {
        let row = temp(BOUND, t);
        let n = child(t, 2u);
        set_binder(BINDERS_LO, row, checked_at(CHECKED_CONSTANT, child(t, 0u)));
        set_binder(BINDERS_HI, row, checked_at(CHECKED_CONSTANT, child(t, 1u)));
        var longest = 0u;
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

// Writes one instruction.
fn put(i: u32, op: u32, arg: u32, aux: u32, token: u32, start: u32) {
    set_lowered(IR_OP, i, op);
    set_lowered(IR_ARG, i, arg);
    set_lowered(IR_AUX, i, aux);
    set_lowered(IR_TOKEN, i, token);
    set_lowered(IR_START, i, start);
}

// Where the outermost expression begins that has the node's last instruction as its own.
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

// The operator of an infix token on operands of which the left one has the type.
fn binary_op(k: u32, left: u32) -> u32 {
    return select(infix_op(k), list_infix_op(k), list_type(left));
}

// Code of one character of a string literal whose codes begin at a byte, and the byte behind it.
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

// Writes what an expression node has at its end.
fn write_expression(t: u32) {
    let count = end_count(t);
    if count == 0u { return; }
    let last = tree_at(TREE_HI, t) - 1u;
    let i = position(last) + temp(OWN, last) + temp(CHAIN, t) - count;
    let start = start_of(t);
    let k = kind(t);
    switch role(t) {
        case ROLE_INT: { put(i, OP_LOAD_CONST, token_at(TOKENS_VALUE, t), 0u, t, start); }
        case ROLE_BOOL: { put(i, OP_LOAD_CONST, u32(k == TOKEN_TRUE), 0u, t, start); }
        case ROLE_STR: {
            var at = token_at(TOKENS_LO, t) + 1u;
            for (var c = 0u; c + 1u < count; c++) {
                let next = character(at);
                put(i + c, OP_LOAD_CONST, next.x, 0u, t, i + c);
                at = next.y;
            }
            put(i + count - 1u, OP_BUILD_LIST, count - 1u, 0u, t, start);
        }
        case ROLE_VAR: {
            let declared = checked_at(CHECKED_DECL, t);
            if role(declared) == ROLE_CONST_NAME {
                put(i, OP_LOAD_CONST, checked_at(CHECKED_CONSTANT, declared), 0u, t, start);
            } else {
                let op = select(OP_LOAD_VAR, OP_LOAD_LIST, list_type(checked_at(CHECKED_TY, t)));
                put(i, op, place(declared), 0u, t, start);
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

// Where a loop goes on: its condition, or the FOR_* that draws the next value.
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
        // The target's own instructions are the last at its end; its value begins with them.
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

// Writes what the `{` of a header has: the test of an If or While, the set-up of a For.
fn write_header(block: u32, i: u32) {
    let head = tree_at(TREE_PARENT, block);
    let end = position(tree_at(TREE_HI, block));
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

// Writes what a token has of itself.
fn write_own(t: u32) {
    if temp(OWN, t) == 0u { return; }
    let i = position(t);
    let r = role(t);
    if r == ROLE_BINARY {
        let op = select(OP_JUMP_IF_TRUE_OR_POP, OP_JUMP_IF_FALSE_OR_POP, kind(t) == TOKEN_AMPERSAND_AMPERSAND);
        put(i, op, position(tree_at(TREE_HI, t)), 0u, t, i);
    } else if r == ROLE_BREAK {
        put(i, OP_JUMP, position(tree_at(TREE_HI, checked_at(CHECKED_DECL, t))), 0u, t, i);
    } else if r == ROLE_CONTINUE {
        put(i, OP_JUMP, next_round(checked_at(CHECKED_DECL, t)), 0u, t, i);
    } else if r == ROLE_BLOCK {
        write_header(t, i);
    } else {
        write_ending(temp(STATEMENT, t), i);
    }
}

// Writes what stands behind a statement's value or at the end of a block.
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
            if role(head) == ROLE_IF { to = position(tree_at(TREE_HI, head)); }
            if role(head) == ROLE_WHILE || role(head) == ROLE_FOR { to = next_round(head); }
            put(i, OP_JUMP, to, 0u, head, i);
        }
        default: { put(i, OP_RETURN, 0u, 0u, s, i); }
    }
}

@compute @workgroup_size(WORKGROUP)
fn lower_write(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    for (var t = lane; t < P.tokens; t += WORKGROUP) {
        if is_expression(role(t)) { write_expression(t); }
        write_own(t);
    }
}

// Basic blocks: an instruction is a leader if a routine begins there, something jumps there, or control cannot fall
// into it.
@compute @workgroup_size(WORKGROUP)
fn lower_blocks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    number_blocks(LOWERED, P.lowered);
}
