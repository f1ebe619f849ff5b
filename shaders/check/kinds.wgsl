// The kind of each node's type, as a function of the kind of one other node. Each function works for one
// thread. No workgroup memory, no barriers.

#import check/scratch

// Functions from kinds of types to kinds, three bits each: bits 3k hold the image of kind k.
const MAP_SAME = 0x4688u;
const MAP_ELEMENT = 0x2200u;   // the element type of a list
const MAP_ONLY_LIST = 0x4600u;
const MAP_LIST_OF = 0x118u;    // the list type of an int or bool
const MAP_SUM = 0x4608u;       // `+`: any kind but bool
const MAP_SCALAR = 0x88u;      // int and bool
const MAP_ONLY_INT = 0x8u;
const MAP_ONLY_BOOL = 0x80u;
const MAP_CONSTANT = 0x1249u;  // times k: maps every kind to k
const NO_LINK = 0x3fffu;

fn map(f: u32, k: u32) -> u32 { return (f >> (3u * k)) & 7u; }
// Returns the composition: first g, then f.
fn map_after(f: u32, g: u32) -> u32 {
    return map(f, g & 7u) | (map(f, (g >> 3u) & 7u) << 3u) | (map(f, (g >> 6u) & 7u) << 6u)
        | (map(f, (g >> 9u) & 7u) << 9u) | (map(f, (g >> 12u) & 7u) << 12u);
}
fn known(k: u32) -> u32 { return ((k * MAP_CONSTANT) << 14u) | NO_LINK; }
fn following(f: u32, t: u32) -> u32 {
    if t == NONE { return known(TYPE_UNKNOWN); }
    return (f << 14u) | t;
}

fn scalar_kind(k: u32) -> u32 {
    return select(select(TYPE_UNKNOWN, TYPE_BOOL, k == TOKEN_BOOL_TYPE), TYPE_INT, k == TOKEN_INT_TYPE);
}
// Returns the kind that a type node denotes.
fn written_kind(t: u32) -> u32 {
    if t == NONE { return TYPE_UNKNOWN; }
    if role(t) != ROLE_TYPE_LIST { return scalar_kind(kind(t)); }
    if t + 1u >= P.tokens { return TYPE_UNKNOWN; }
    return map(MAP_LIST_OF, scalar_kind(kind(t + 1u)));
}

// Returns whether t is an empty list or a `?`, in any number of groups.
fn is_open(t: u32) -> bool {
    if t == NONE { return false; }
    return temp(BARE, t) != NONE;
}
// Returns whether t is an empty list.
fn is_bare(t: u32) -> bool {
    if !is_open(t) { return false; }
    return role(temp(BARE, t)) == ROLE_LIST;
}

// Returns whether a constant is used before its declaration in a constant expression.
fn too_early(t: u32, d: u32) -> bool {
    return temp(DEPTH, t) != 0u && role(d) == ROLE_CONST_NAME && hi(parent(d)) > t;
}

// Returns the number of arguments that the Call t must have, or NONE if it is unknown.
fn wanted_arguments(t: u32) -> u32 {
    if kind(t) != TOKEN_NAME { return 1u; }
    let name = value(t);
    if name < FIRST_NAME { return select(1u, 2u, name == NAME_MIN || name == NAME_MAX); }
    let d = decl(t);
    if d == NONE || reduced(d) { return NONE; }
    return temp(COUNT, parent(d));
}

// Returns the function from the kind of a left operand to the kind that an operator requires on its right.
fn right_map(op: u32) -> u32 {
    if is_equality(op) { return MAP_SAME; }
    if is_logical(op) { return MAP_ONLY_BOOL; }
    return select(MAP_ONLY_INT, MAP_SUM, list_infix_op(op) != OP_NOP);
}

// Like `type_link`, for a `?`: its type is the one that its place requires.
fn hole_link(t: u32) -> u32 {
    var u = t;
    while role_or_none(parent(u)) == ROLE_GROUP { u = parent(u); }
    let p = parent(u);
    let s = slot(u);
    switch role_or_none(p) {
        case ROLE_BINARY: {
            let op = kind(p);
            if s == 1u { return following(right_map(op), temp(KID0, p)); }
            if is_logical(op) { return known(TYPE_BOOL); }
            if list_infix_op(op) == OP_NOP || is_open(temp(KID1, p)) { return known(TYPE_INT); }
            return following(MAP_SAME, temp(KID1, p));
        }
        case ROLE_ASSIGN: {
            let op = compound_operator(kind(p));
            var f = MAP_SAME;
            if op != 0u { f = right_map(op); }
            return following(f, temp(KID0, p));
        }
        case ROLE_CALL: {
            if wanted_arguments(p) != temp(COUNT, p) { return known(TYPE_UNKNOWN); }
            if kind(p) != TOKEN_NAME { return known(TYPE_BOOL); }
            let name = value(p);
            if name < FIRST_NAME { return known(select(TYPE_INT, TYPE_UNKNOWN, name == NAME_LEN)); }
            return following(MAP_SAME, temp(PARAM_LIST, temp(FIRST_PARAM, parent(decl(p))) + s));
        }
        case ROLE_LET: {
            let written = temp(KID1, p);
            if written == NONE { return known(TYPE_INT); }
            return known(written_kind(written));
        }
        case ROLE_LIST: {
            if s == 0u { return known(TYPE_INT); }
            return following(MAP_SCALAR, temp(KID0, p));
        }
        case ROLE_RETURN: { return following(MAP_SAME, decl(p)); }
        case ROLE_IF, ROLE_WHILE, ROLE_TEST, ROLE_PROP: { return known(TYPE_BOOL); }
        case ROLE_UNARY: { return known(select(TYPE_INT, TYPE_BOOL, kind(p) == TOKEN_BANG)); }
        case ROLE_INDEX, ROLE_SLICE: { return known(select(TYPE_INT, TYPE_UNKNOWN, s == 0u)); }
        case ROLE_REPEAT: { return known(select(TYPE_UNKNOWN, TYPE_INT, s == 0u)); }
        case ROLE_FOR: { return known(select(TYPE_INT, TYPE_UNKNOWN, s == 1u && temp(KID2, p) == NONE)); }
        default: { return known(TYPE_UNKNOWN); }
    }
}

// Returns the node on whose type the type of node t depends, and the function to apply.
fn type_link(t: u32) -> u32 {
    let r = role(t);
    let p = parent(t);
    let a = temp(KID0, t);
    if r == ROLE_INT { return known(TYPE_INT); }
    if r == ROLE_HOLE { return hole_link(t); }
    if r == ROLE_VAR {
        let d = decl(t);
        if d == NONE || too_early(t, d) { return known(TYPE_UNKNOWN); }
        return following(MAP_SAME, d);
    }
    if r == ROLE_BINARY {
        let k = kind(t);
        if k == TOKEN_PLUS {
            let right = temp(KID1, t);
            return following(MAP_SUM, select(a, right, is_bare(a) && !is_bare(right)));
        }
        let is_bool = is_logical(k) || is_comparison(k);
        return known(select(TYPE_INT, TYPE_BOOL, is_bool));
    }
    if r == ROLE_GROUP { return following(MAP_SAME, a); }
    if r == ROLE_CALL {
        if kind(t) != TOKEN_NAME || value(t) < FIRST_NAME { return known(TYPE_INT); }
        if decl(t) == NONE { return known(TYPE_UNKNOWN); }
        return known(written_kind(temp(KID1, parent(decl(t)))));
    }
    if r == ROLE_INDEX { return following(MAP_ELEMENT, a); }
    if r == ROLE_SLICE { return following(MAP_ONLY_LIST, a); }
    if r == ROLE_BOOL { return known(TYPE_BOOL); }
    if r == ROLE_STR { return known(TYPE_INT_LIST); }
    if r == ROLE_LIST || r == ROLE_REPEAT { return following(MAP_LIST_OF, a); }
    if r == ROLE_UNARY { return known(select(TYPE_INT, TYPE_BOOL, kind(t) == TOKEN_BANG)); }
    if r == ROLE_LET_NAME && p != NONE {
        let written = temp(KID1, p);
        if written != NONE { return known(written_kind(written)); }
        return following(MAP_SAME, temp(KID2, p));
    }
    if r == ROLE_LOOP_VAR && p != NONE {
        if temp(KID2, p) != NONE { return known(TYPE_INT); }
        return following(MAP_ELEMENT, temp(KID1, p));
    }
    if r == ROLE_PARAM { return known(written_kind(a)); }
    if r == ROLE_FN { return known(written_kind(temp(KID1, t))); }
    if r == ROLE_FN_NAME && p != NONE { return known(written_kind(temp(KID1, p))); }
    if r == ROLE_CONST_NAME && p != NONE { return following(MAP_SCALAR, temp(KID1, p)); }
    if r == ROLE_BINDER && !broken(t) {
        return known(select(TYPE_INT_LIST, TYPE_INT, temp(KID2, t) == NONE));
    }
    if r == ROLE_TYPE_INT || r == ROLE_TYPE_BOOL || r == ROLE_TYPE_LIST { return known(written_kind(t)); }
    return known(TYPE_UNKNOWN);
}
