// Access to the columns that all parts of check use. Each function reads or writes words of one token. No
// workgroup memory, no barriers.

#import shared/arena
#import layout/scratch/check

// The conditions under which a proposed error is reported.
const MODE_ALWAYS = 1u;
const MODE_LEFT = 2u;     // if child 0 is clean
const MODE_SELF = 3u;     // if no other error is proposed in the node's extent
const MODE_RIGHT = 4u;    // likewise, and child 0 of the parent is clean

fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn value(t: u32) -> u32 { return token_at(TOKENS_VALUE, t); }
fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn parent(t: u32) -> u32 { return tree_at(TREE_PARENT, t); }
fn slot(t: u32) -> u32 { return tree_at(TREE_SLOT, t); }
fn lo(t: u32) -> u32 { return tree_at(TREE_LO, t); }
fn hi(t: u32) -> u32 { return tree_at(TREE_HI, t); }
fn broken(t: u32) -> bool { return (tree_at(TREE_STMT, t) & STMT_BROKEN) != 0u; }
// Returns whether the statement of t has lost rows to a lexical or syntax error.
fn reduced(t: u32) -> bool { return (tree_at(TREE_STMT, t) & (STMT_LEXICAL | STMT_SYNTAX)) != 0u; }
fn ty(t: u32) -> u32 { return checked_at(CHECKED_TY, t); }
fn type_kind(t: u32) -> u32 { return ty(t) & 0xffu; }
fn decl(t: u32) -> u32 { return checked_at(CHECKED_DECL, t); }
fn role_or_none(t: u32) -> u32 {
    if t == NONE { return ROLE_NONE; }
    return role(t);
}
fn is_list(k: u32) -> bool { return k >= TYPE_INT_LIST; }

fn propose(t: u32, code: u32, mode: u32, detail: u32) {
    set_temp(CAND, t, code | (mode << 8u));
    set_checked(CHECKED_DETAIL, t, detail);
}

// Returns whether the child in this slot must be a constant expression.
fn wants_constant(r: u32, s: u32) -> bool {
    return ((r == ROLE_CONST || r == ROLE_REPEAT) && s == 1u) || r == ROLE_TYPE_LIST || r == ROLE_BINDER;
}
fn is_constant_root(t: u32) -> bool {
    if !is_expression(role(t)) { return false; }
    let p = parent(t);
    return p != NONE && wants_constant(role(p), slot(t));
}
