// Scratch columns, and what every part asks of a token.

#import shared/arena

// Token scratch. Columns of a later entry point may take the place of earlier ones.
const KID0 = 0u;          // child in slot 0; 1 to 3 likewise
const KID1 = 1u;
const KID2 = 2u;
const KID3 = 3u;
const COUNT = 4u;         // of a Call or List its children, of a Fn its parameters
const DEPTH = 5u;         // constant expressions that the token stands in
const ITEM = 6u;          // 1 + the item keyword at or before the token
const PARAM_LIST = 7u;    // all Params of the program
const FIRST_PARAM = 8u;   // at a Fn: index of its first one
const REGION = 9u;        // at a Fn: whether a token of its region is broken
const BARE = 10u;         // of a bare node its List, else NONE
const CAND = 11u;         // proposed error: Code | MODE_* << 8
const SUMS = 12u;         // prefix sum of proposed errors, inclusive
const CLOSES = 13u;       // at a `)`: its Group
const KEY = 14u;          // names: of sorted declarations the key,
const DECLARED = 15u;     //   and the token
const LEAVES = 16u;       //   and the max-tree, two columns
const FIRST_A = 18u;      //   and the first of their scope
const FIRST_B = 19u;
const RUN_A = 20u;        // names: prefix sums, two counts each
const RUN_B = 21u;
const CHAIN_A = 14u;      // types: function << 14 | node that it is applied to
const CHAIN_B = 15u;
const VALUE = 16u;        // constants
const TRAPPED = 17u;
const VALUED = 18u;       // at a ConstName: whether its value is known
const PENDING = 19u;      // constants that use others, in order
const SOURCE_A = 14u;     // finish: where capacities come from
const SOURCE_B = 15u;
const JOIN_A = 16u;
const JOIN_B = 17u;
const ENDED = 14u;        // flow: of a Block the least end of a statement in it that ends, or NONE
const JUMPED = 15u;       // flow: of a Block its first Return, Break or Continue
const OPEN_END = 16u;     // flow: of an If or While: control may go past it
const UP_A = 17u;         //   by doubling: a node above | blocks passed on the way << 14
const UP_B = 18u;
const LOOP_A = 19u;       //   the body of the loop around
const LOOP_B = 20u;
const HEAD_A = 21u;       //   the outermost If of an else chain
const HEAD_B = 22u;

// When a proposed error stands.
const MODE_ALWAYS = 1u;
const MODE_LEFT = 2u;     // child 0 is clean
const MODE_SELF = 3u;     // nothing else is proposed in the node's extent
const MODE_RIGHT = 4u;    // that, and child 0 of the parent is clean

fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn value(t: u32) -> u32 { return token_at(TOKENS_VALUE, t); }
fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn parent(t: u32) -> u32 { return tree_at(TREE_PARENT, t); }
fn slot(t: u32) -> u32 { return tree_at(TREE_SLOT, t); }
fn lo(t: u32) -> u32 { return tree_at(TREE_LO, t); }
fn hi(t: u32) -> u32 { return tree_at(TREE_HI, t); }
fn broken(t: u32) -> bool { return (tree_at(TREE_STMT, t) & ~STMT_INDEX) != 0u; }
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

// Whether what stands in this slot must be a constant expression.
fn wants_constant(r: u32, s: u32) -> bool {
    return ((r == ROLE_CONST || r == ROLE_REPEAT) && s == 1u) || r == ROLE_TYPE_LIST || r == ROLE_BINDER;
}
fn is_constant_root(t: u32) -> bool {
    if !is_expression(role(t)) { return false; }
    let p = parent(t);
    return p != NONE && wants_constant(role(p), slot(t));
}
