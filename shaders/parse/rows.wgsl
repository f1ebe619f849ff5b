// The rows of the tree. Within a group, the expression tree is a Cartesian tree over (level, key): the
// nearest looser neighbours of an operator bound its extent, and the tighter of these two is its parent.
//
// Each thread handles every WORKGROUP-th token. It writes only the rows of these tokens, so no barrier is needed.

#import parse/kinds
#import parse/errors
#import parse/links

// A row under construction. Only `settle` searches beyond a token's neighbours, for all kinds of rows: drivers
// inline a function at each call, and some execute all inlined copies for every token.
struct Row {
    // ROLE_NONE if the token has no node.
    role: u32,
    // How the parent is found: one of PARENT_KNOWN, PARENT_BLOCK and PARENT_NEIGHBOUR.
    rule: u32,
    parent: u32,
    slot: u32,
    lo: u32,
    hi: u32,
    // The searches of `settle`: the nearest token to the left whose leaf is below `left` (0 for no search);
    // then, from `start`, `times` searches to the right for a leaf below `right`.
    left: u32,
    start: u32,
    right: u32,
    times: u32,
    // Whether the extent begins after the token found on the left, and ends before the token found on the
    // right.
    behind: bool,
    before: bool,
}

const PARENT_KNOWN = 0u;  // `parent` is already set
const PARENT_BLOCK = 1u; // the enclosing block, or the `if` that the statement's `else` continues
const PARENT_NEIGHBOUR = 2u; // the tighter of two neighbours, or else the owner of the whole expression

var<private> row: Row;

@compute @workgroup_size(WORKGROUP)
fn parse_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    begin();
    for (var t = lane; t < leaves; t += WORKGROUP) {
        let s = temp(START, t);
        let stray = is_stray(t);
        var statement = select(temp(BROKEN, s), STMT_SYNTAX, stray) | select(0u, STMT_LEXICAL, is_lexical(s));
        // The header of a body that is never closed has an error, but its rows are complete.
        if in_open(t) && (is_after(t) || statement == 0u) { statement |= STMT_MUTED; }
        let last = end_of(s) - 1u;
        let unclosed = kind_at(last) == TOKEN_LEFT_BRACE && temp(PARTNER, last) == NONE;
        clear_row(t, s | statement | select(0u, STMT_UNCLOSED, unclosed && !stray));
        if stray { continue; }
        let k = kind_at(t);
        let e = end_of(s);
        row = Row(ROLE_NONE, PARENT_KNOWN, NONE, 0u, t, t + 1u, 0u, t, 0u, 0u, false, false);
        if k == TOKEN_LEFT_BRACE && t + 1u == e {
            block_row(t, s);
        } else if is_broken(s) {
            broken_row(t, s, e, k);
        } else if t == head_of(s) && is_keyword(k) {
            statement_row(t, e, k);
        } else {
            inner_row(t, s, k);
        }
        if row.role == ROLE_NONE { continue; }
        settle(t, s);
        set_tree(TREE_ROLE, t, row.role);
        set_tree(TREE_PARENT, t, row.parent);
        set_tree(TREE_SLOT, t, row.slot);
        set_tree(TREE_LO, t, row.lo);
        set_tree(TREE_HI, t, row.hi);
    }
    #round n log n: The tree is complete: each node has its parent, its slot there, and its extent between
    #: the nearest looser neighbours.
}

// Sets a node with a known parent.
fn known(role: u32, parent: u32, slot: u32, hi: u32) {
    row.role = role;
    row.parent = parent;
    row.slot = slot;
    row.hi = hi;
}

// Sets the node of a statement.
fn around(role: u32, lo: u32, hi: u32) {
    row.role = role;
    row.rule = PARENT_BLOCK;
    row.lo = lo;
    row.hi = hi;
}

// Sets a node of an expression. It is an operand unless the caller then sets bounds.
fn set_expression_node(role: u32, hi: u32) {
    row.role = role;
    row.rule = PARENT_NEIGHBOUR;
    row.hi = hi;
}

// Searches for the missing fields of the row.
fn settle(t: u32, s: u32) {
    let head = kind_at(s);
    if row.rule == PARENT_BLOCK {
        var continued = NONE;
        if head == TOKEN_ELSE { continued = if_before(s); }
        row.parent = continued;
        row.slot = select(0u, 2u, continued != NONE);
        // The parent is the innermost `{` open where the statement begins. An item has no such parent.
        let level = level_at(s);
        if continued == NONE && !begins_item(head) { row.left = level * 16u; }
    }
    // Token 0 has no left neighbour. The index wraps around, and parent_of treats it as a bound of strength
    // 0.
    var left = t - 1u;
    if row.left != 0u { left = previous_below(select(t, s, row.rule == PARENT_BLOCK), row.left); }
    var right = row.start;
    for (var i = 0u; i < row.times; i++) { right = next_below(right, row.right); }
    // Without a `;`, the bound may be in the next statement.
    right = min(right, end_of(s));
    if row.behind { row.lo = max(left + 1u, s); }
    if row.before { row.hi = right; }
    if row.rule == PARENT_BLOCK && row.left != 0u { row.parent = left; }
    // The first separator inside a bracket decides what the bracket is.
    let first = kind_at(right);
    if row.role == ROLE_LIST && first == TOKEN_SEMICOLON { row.role = ROLE_REPEAT; }
    if row.role == ROLE_INDEX && first == TOKEN_DOT_DOT { row.role = ROLE_SLICE; }
    if row.rule == PARENT_NEIGHBOUR {
        let place = parent_of(t, s, left, row.hi);
        row.parent = place.x;
        row.slot = place.y;
    }
}

// Returns the first token of a statement, or the `if` after its `else`.
fn head_of(s: u32) -> u32 {
    return select(s, s + 1u, kind_at(s) == TOKEN_ELSE && kind_at(s + 1u) == TOKEN_IF);
}

// Sets the node of the `{` at the end of the statement at s.
fn block_row(t: u32, s: u32) {
    let head = head_of(s);
    let k = kind_at(head);
    around(ROLE_BLOCK, t, block_end(t));
    if takes_block(k) {
        var slot = 1u;
        if k == TOKEN_FOR { slot = 3u; }
        if k == TOKEN_FN { slot = 2u; }
        row.rule = PARENT_KNOWN;
        row.parent = head;
        row.slot = slot;
    }
}

// Returns the role of a statement that begins with a keyword.
fn role_of(k: u32) -> u32 {
    switch k {
        case TOKEN_FN: { return ROLE_FN; }
        case TOKEN_CONST: { return ROLE_CONST; }
        case TOKEN_TEST: { return ROLE_TEST; }
        case TOKEN_PROP: { return ROLE_PROP; }
        case TOKEN_LET: { return ROLE_LET; }
        case TOKEN_IF: { return ROLE_IF; }
        case TOKEN_WHILE: { return ROLE_WHILE; }
        case TOKEN_FOR: { return ROLE_FOR; }
        case TOKEN_BREAK: { return ROLE_BREAK; }
        case TOKEN_CONTINUE: { return ROLE_CONTINUE; }
        case TOKEN_RETURN: { return ROLE_RETURN; }
        default: { return ROLE_NONE; }
    }
}

// Sets the node of the head of a statement without errors.
fn statement_row(t: u32, e: u32, k: u32) {
    if k == TOKEN_ELSE { return; }
    around(role_of(k), t, select(ending(t, e), temp(REACH, t), k == TOKEN_IF));
}

// Sets the nodes that a statement with an error keeps: its head and the names that it declares.
fn broken_row(t: u32, s: u32, e: u32, k: u32) {
    let head = head_of(s);
    if t == head {
        if is_brace(k) || k == TOKEN_ELSE { return; }
        var role = role_of(k);
        if role == ROLE_NONE || k == TOKEN_BREAK || k == TOKEN_CONTINUE || k == TOKEN_RETURN { role = ROLE_BROKEN; }
        var hi = ending(t, e);
        if k == TOKEN_IF { hi = temp(REACH, t); }
        around(role, t, hi);
        return;
    }
    if k != TOKEN_NAME { return; }
    if t == s + 1u && declares_next(kind_at(s)) {
        known(declared_role(kind_at(s)), s, 0u, t + 1u);
    } else if is_numbered(t) {
        known(select(ROLE_PARAM, ROLE_BINDER, kind_at(s) == TOKEN_PROP), s, number_of(t, s), t + 1u);
    }
}

fn declares_next(k: u32) -> bool {
    return k == TOKEN_LET || k == TOKEN_CONST || k == TOKEN_FOR || k == TOKEN_FN;
}

fn declared_role(k: u32) -> u32 {
    if k == TOKEN_LET { return ROLE_LET_NAME; }
    if k == TOKEN_CONST { return ROLE_CONST_NAME; }
    return select(ROLE_LOOP_VAR, ROLE_FN_NAME, k == TOKEN_FN);
}

// Returns the slot of parameter or binder t.
fn number_of(t: u32, s: u32) -> u32 { return 3u + temp(FOUND, t) - temp(FOUND, s); }

// Sets the node of any other token of a statement without errors.
fn inner_row(t: u32, s: u32, k: u32) {
    let head = kind_at(s);
    let behind = select(TOKEN_ERROR, kind_at(t - 1u), t > s);
    let calls = kind_at(t + 1u) == TOKEN_LEFT_PAREN;
    if k == TOKEN_NAME {
        if t == s + 1u && declares_next(head) {
            known(declared_role(head), s, 0u, t + 1u);
        } else if is_numbered(t) {
            known(ROLE_PARAM, s, number_of(t, s), t + 1u);
            if head == TOKEN_FN { row.hi = type_end(t + 2u); } else { binder_row(t); }
        } else {
            set_expression_node(ROLE_VAR, t + 1u);
        }
    } else if is_literal(k) {
        let label = t == s + 1u && (head == TOKEN_PROP || (head == TOKEN_TEST && has_label(s)));
        if k == TOKEN_QUESTION {
            set_expression_node(ROLE_HOLE, t + 1u);
        } else if k != TOKEN_STR {
            set_expression_node(select(ROLE_INT, ROLE_BOOL, k == TOKEN_TRUE || k == TOKEN_FALSE), t + 1u);
        } else if label {
            known(ROLE_LABEL, s, 0u, t + 1u);
        } else {
            set_expression_node(ROLE_STR, t + 1u);
        }
    } else if k == TOKEN_INT_TYPE || k == TOKEN_BOOL_TYPE {
        if calls {
            set_expression_node(ROLE_CALL, t + 1u);
        } else if behind == TOKEN_COLON || behind == TOKEN_ARROW {
            type_row(t, s, select(ROLE_TYPE_BOOL, ROLE_TYPE_INT, k == TOKEN_INT_TYPE), t + 1u);
        }
    } else if is_opener(k) {
        bracket_row(t, s);
    } else if assigns(k) {
        if !is_keyword(head) { around(ROLE_ASSIGN, s, ending(s, end_of(s))); }
    } else if is_prefix(k) && !ends_operand(behind) {
        set_expression_node(ROLE_UNARY, t + 1u);
        row.right = level_at(t) * 16u + PREFIX_STRENGTH;
        row.times = 1u;
        row.before = true;
    } else if infix_strength(k) > 0u {
        let own = temp(TREE_LEAVES, t);
        set_expression_node(ROLE_BINARY, t + 1u);
        row.left = own;
        row.right = own + 1u;
        row.times = 1u;
        row.behind = true;
        row.before = true;
    }
    if calls && (row.role == ROLE_VAR || row.role == ROLE_CALL) {
        row.role = ROLE_CALL;
        row.hi = temp(PARTNER, t + 1u) + 1u;
    }
}

// Sets the extent of the binder at t to one past its domain: one past a list domain's bracket, or the second
// separator from here, which follows `..`.
fn binder_row(t: u32) {
    row.role = ROLE_BINDER;
    if kind_at(t + 2u) == TOKEN_LEFT_BRACKET {
        row.hi = temp(PARTNER, t + 2u) + 1u;
        return;
    }
    row.start = t + 1u;
    row.right = level_at(t) * 16u + 1u;
    row.times = 2u;
    row.before = true;
}

fn type_row(t: u32, s: u32, role: u32, hi: u32) {
    let in_params = kind_at(s) == TOKEN_FN && kind_at(t - 1u) == TOKEN_COLON;
    known(role, select(s, t - 2u, in_params), select(1u, 0u, in_params), hi);
}

fn bracket_row(t: u32, s: u32) {
    let purpose = class_of(t, s);
    let hi = temp(PARTNER, t) + 1u;
    if purpose == CLASS_GROUP {
        set_expression_node(ROLE_GROUP, hi);
    } else if purpose == CLASS_TYPE {
        type_row(t, s, ROLE_TYPE_LIST, hi);
    } else if purpose == CLASS_LIST || purpose == CLASS_INDEX {
        let index = purpose == CLASS_INDEX;
        set_expression_node(select(ROLE_LIST, ROLE_INDEX, index), hi);
        row.right = (level_at(t) + 1u) * 16u + 1u;
        row.times = 1u;
        if index {
            row.left = level_at(t) * 16u + POSTFIX_STRENGTH;
            row.behind = true;
        }
    }
}

// Returns the strength with which the token at `bound` binds its neighbour at `level`; 0 if it bounds the
// group.
fn strength_at(bound: u32, level: u32) -> u32 {
    if bound >= leaves || level_at(bound) != level { return 0u; }
    let key = key_at(bound);
    return select(key, 0u, key > POSTFIX_STRENGTH);
}

// Returns parent and slot of the expression node t between the bounds left and right.
fn parent_of(t: u32, s: u32, left: u32, right: u32) -> vec2<u32> {
    let level = level_at(t);
    let before = select(0u, strength_at(left, level), left >= s);
    let behind = select(strength_at(right, level), 0u, right >= end_of(s));
    if before == 0u && behind == 0u { return owner_of(t, s, left, right); }
    if before >= behind { return vec2<u32>(left, select(1u, 0u, before == PREFIX_STRENGTH)); }
    return vec2<u32>(right, 0u);
}

// Returns parent and slot of a whole expression between the separators left and right.
fn owner_of(t: u32, s: u32, left: u32, right: u32) -> vec2<u32> {
    let bracket = temp(GROUP, t);
    let last = kind_at(left);
    if bracket != NONE {
        let purpose = class_of(bracket, s);
        let first = left == bracket;
        var number = 0u;
        if last == TOKEN_COMMA { number = temp(REACH, left); }
        switch purpose {
            case CLASS_CALL: { return vec2<u32>(bracket - 1u, number); }
            case CLASS_LIST: { return vec2<u32>(bracket, select(number, 1u, last == TOKEN_SEMICOLON)); }
            case CLASS_INDEX: { return vec2<u32>(bracket, select(2u, 1u, first)); }
            case CLASS_DOMAIN: {
                return vec2<u32>(bracket - 2u, select(select(2u, 1u, last == TOKEN_DOT_DOT), 0u, first));
            }
            default: { return vec2<u32>(bracket, 0u); }
        }
    }
    switch kind_at(s) {
        case TOKEN_LET: { return vec2<u32>(s, 2u); }
        case TOKEN_CONST, TOKEN_TEST: { return vec2<u32>(s, 1u); }
        case TOKEN_RETURN, TOKEN_IF, TOKEN_WHILE: { return vec2<u32>(s, 0u); }
        case TOKEN_ELSE: { return vec2<u32>(s + 1u, 0u); }
        case TOKEN_FOR: { return vec2<u32>(s, select(2u, 1u, last == TOKEN_IN)); }
        case TOKEN_PROP: {
            if last == TOKEN_FAT_ARROW { return vec2<u32>(s, 1u); }
            if last == CONDITION_IF { return vec2<u32>(s, 2u); }
            if last == TOKEN_IN { return vec2<u32>(left - 1u, 0u); }
            return vec2<u32>(separator_before(left, level_at(left)) - 1u, 1u);
        }
        default: {
            if left >= s && assigns(last) { return vec2<u32>(left, 1u); }
            return vec2<u32>(right, 0u);
        }
    }
}
