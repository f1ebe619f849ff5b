// The inverted tree: files nodes under the tokens that hold their instructions, and counts these. Each thread
// handles one token. No workgroup memory, no barriers.

#import lower/scratch

fn logical(t: u32) -> bool {
    return role(t) == ROLE_BINARY && (kind(t) == TOKEN_BAR_BAR || kind(t) == TOKEN_AMPERSAND_AMPERSAND);
}

// Returns whether the node at t is the target of an assignment.
fn is_target(t: u32) -> bool {
    let parent = tree_at(TREE_PARENT, t);
    return parent != NONE && role(parent) == ROLE_ASSIGN && tree_at(TREE_SLOT, t) == 0u;
}
fn compound(assignment: u32) -> bool { return kind(assignment) != TOKEN_EQUAL; }

// Returns whether a list variable is used in place, by an instruction that names it: an index, a slice or
// `len`.
fn used_in_place(t: u32) -> bool {
    let parent = tree_at(TREE_PARENT, t);
    if parent == NONE || tree_at(TREE_SLOT, t) != 0u { return false; }
    let r = role(parent);
    return r == ROLE_INDEX || r == ROLE_SLICE
        || (r == ROLE_CALL && kind(parent) == TOKEN_NAME && token_at(TOKENS_VALUE, parent) == NAME_LEN);
}

// Returns the number of instructions that an expression node has at its end.
fn end_count(t: u32) -> u32 {
    if silent(t) || in_hole(t) { return 0u; }
    switch role(t) {
        case ROLE_INT, ROLE_BOOL, ROLE_HOLE, ROLE_UNARY, ROLE_SLICE, ROLE_LIST, ROLE_REPEAT: { return 1u; }
        case ROLE_STR: { return (token_at(TOKENS_VALUE, t) & STR_CODES) + 1u; }
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

// Returns whether the statement before the `}` at t is a `return`.
fn ends_in_return(t: u32) -> bool {
    if t == 0u { return false; }
    return kind(tree_at(TREE_STMT, t - 1u) & STMT_INDEX) == TOKEN_RETURN;
}

// Returns the number of instructions that a token has of its own.
fn own_count(t: u32) -> u32 {
    if in_hole(t) { return u32(begins_hole(t)); }
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
        case ROLE_PROP: { return select(1u, 3u, child(s, 2u) != NONE && kind(t) != TOKEN_FAT_ARROW); }
        case ROLE_BLOCK: {
            let head = tree_at(TREE_PARENT, s);
            if head == NONE { return 0u; }
            let h = role(head);
            if h == ROLE_IF { return select(0u, 1u, tree_at(TREE_SLOT, s) == 1u && child(head, 2u) != NONE); }
            if h == ROLE_FN { return select(1u, 0u, has_holes() || ends_in_return(t)); }
            return select(0u, 1u, h == ROLE_WHILE || h == ROLE_FOR);
        }
        default: { return 1u; }
    }
}

// Returns whether no `;` follows the value of the statement at t, which ends before token `end`.
fn lacks_end(t: u32, end: u32) -> bool {
    return end == P.tokens || tree_at(TREE_STMT, end) != tree_at(TREE_STMT, t);
}

// Returns the number of instructions at a token behind those of its expressions: of a statement that lacks its `;`.
fn own_behind(t: u32) -> u32 {
    let s = temp(STATEMENT, t);
    if s == NONE { return 0u; }
    return select(0u, temp(OWN, t), role(s) != ROLE_BLOCK && tree_at(TREE_HI, s) == t + 1u);
}

// Files node t under its parent and under the tokens that hold its instructions.
fn file_node(t: u32) {
    let r = role(t);
    if r == ROLE_NONE { return; }
    let end = tree_at(TREE_HI, t);
    let hole = in_hole(t);
    if hole {
        // An `if` whose `else` is a hole is not one.
    } else if r == ROLE_LET || r == ROLE_ASSIGN || r == ROLE_RETURN || r == ROLE_TEST || r == ROLE_PROP {
        set_temp(STATEMENT, end - u32(lacks_end(t, end)), t);
    }
    let parent = tree_at(TREE_PARENT, t);
    if parent == NONE { return; }
    let p = role(parent);
    let slot = tree_at(TREE_SLOT, t);
    if hole {
        if p == ROLE_IF && slot == 2u { set_temp(CHILD_2, parent, t); }
        return;
    }
    if p == ROLE_PROP && slot == 2u { set_temp(STATEMENT, end, parent); }
    if r == ROLE_BLOCK {
        if (tree_at(TREE_STMT, t) & STMT_UNCLOSED) == 0u { set_temp(STATEMENT, end - 1u, t); }
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
