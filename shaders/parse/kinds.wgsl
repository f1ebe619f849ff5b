// Kinds of tokens, their classes, and the bits that INFO keeps of each.
//
// Each function works on the tokens of one thread. No workgroup memory, no barriers.

#import shared/min_tree
#import layout/scratch/parse

// In INFO: the number of round and square brackets around the token; at a closer, the number that it may
// close.
const DEPTH = 0xffffu;
// In INFO: the token is a closer that closes an opener.
const PAIRED = 0x10000u;

const REGION_STRAY = 1u;   // the first token of the stray part is an error
const REGION_OPEN = 2u;    // the block of the function is never closed
const REGION_LOOSE = 4u;   // a brace is missing, so its possible consequences are not reported

// The contiguous share of the tokens that this thread walks where order matters.
var<private> walk_lo: u32;
var<private> walk_hi: u32;

fn begin() {
    leaves = P.tokens;
    let share = (leaves + WORKGROUP - 1u) / WORKGROUP;
    walk_lo = min(lane * share, leaves);
    walk_hi = min(walk_lo + share, leaves);
}

// The kind of the `if` of a property's condition, which only separates expressions.
const CONDITION_IF = 0xffu;

// Returns the kind of token t, or after the last token a kind that no rule expects.
fn kind_at(t: u32) -> u32 {
    if t >= leaves { return TOKEN_ERROR; }
    let k = token_at(TOKENS_KIND, t);
    if k == TOKEN_IF && temp(GUARD, t) == TOKEN_PROP { return CONDITION_IF; }
    return k;
}

fn level_at(t: u32) -> u32 { return temp(TREE_LEAVES, t) >> 4u; }
fn key_at(t: u32) -> u32 { return temp(TREE_LEAVES, t) & 15u; }
fn depth_at(t: u32) -> u32 { return temp(INFO, t) & DEPTH; }

// Returns one past the last token of the statement that begins at s.
fn end_of(s: u32) -> u32 { return temp(END, s); }

fn within(k: u32, first: u32, last: u32) -> bool { return k - first <= last - first; }
fn is_keyword(k: u32) -> bool { return begins_item(k) || begins_statement(k) || k == TOKEN_ELSE; }
fn is_opener(k: u32) -> bool { return k == TOKEN_LEFT_PAREN || k == TOKEN_LEFT_BRACKET; }
fn is_closer(k: u32) -> bool { return k == TOKEN_RIGHT_PAREN || k == TOKEN_RIGHT_BRACKET; }
fn is_brace(k: u32) -> bool { return k == TOKEN_LEFT_BRACE || k == TOKEN_RIGHT_BRACE; }
// Returns whether the token bounds a piece. Round and square brackets match only within a piece.
fn cuts(k: u32) -> bool { return is_keyword(k) || is_brace(k); }
// Returns whether the token is an operand by itself: a literal, or `?`.
fn is_literal(k: u32) -> bool {
    return within(k, TOKEN_INT, TOKEN_STR) || k == TOKEN_TRUE || k == TOKEN_FALSE || k == TOKEN_QUESTION;
}
fn ends_operand(k: u32) -> bool { return is_literal(k) || k == TOKEN_NAME || is_closer(k); }
// Returns whether an operand can begin with the token (`int` only before a bracket).
fn begins_operand(k: u32) -> bool {
    return is_literal(k) || k == TOKEN_NAME || k == TOKEN_INT_TYPE || is_opener(k) || is_prefix(k);
}
fn begins_type(k: u32) -> bool {
    return k == TOKEN_INT_TYPE || k == TOKEN_BOOL_TYPE || k == TOKEN_LEFT_BRACKET;
}
fn is_separator(k: u32) -> bool {
    return within(k, TOKEN_COMMA, TOKEN_DOT_DOT_EQUAL) || k == TOKEN_IN || k == CONDITION_IF || assigns(k);
}

// Returns the binding strength for the Cartesian tree: 0 for separators and tokens that bound a statement, 1
// to 9 for infix operators, 10 for prefix operators, 11 for an index, 15 for all others. `behind` is the kind
// of the token before.
fn key_of(k: u32, behind: u32) -> u32 {
    if is_separator(k) || cuts(k) { return 0u; }
    if ends_operand(behind) {
        if k == TOKEN_LEFT_BRACKET { return POSTFIX_STRENGTH; }
        let strength = infix_strength(k);
        return select(15u, strength, strength > 0u);
    }
    if is_prefix(k) { return PREFIX_STRENGTH; }
    let strength = infix_strength(k);
    return select(15u, strength, strength > 0u);
}

// The purposes of a round or square bracket.
const CLASS_GROUP = 0u;
const CLASS_CALL = 1u;
const CLASS_PARAMS = 2u;
const CLASS_LIST = 3u;
const CLASS_INDEX = 4u;
const CLASS_TYPE = 5u;
const CLASS_DOMAIN = 6u;

// Returns the purpose of the opener at o in the statement that begins at s.
fn class_of(o: u32, s: u32) -> u32 {
    if o == s { return select(CLASS_LIST, CLASS_GROUP, kind_at(o) == TOKEN_LEFT_PAREN); }
    let head = kind_at(s);
    let behind = kind_at(o - 1u);
    if kind_at(o) == TOKEN_LEFT_PAREN {
        if head == TOKEN_FN && o == s + 2u { return CLASS_PARAMS; }
        return select(CLASS_GROUP, CLASS_CALL, behind == TOKEN_NAME || behind == TOKEN_INT_TYPE);
    }
    if head == TOKEN_LET && behind == TOKEN_COLON && o == s + 3u { return CLASS_TYPE; }
    if head == TOKEN_FN && (behind == TOKEN_COLON || behind == TOKEN_ARROW) { return CLASS_TYPE; }
    if ends_operand(behind) { return CLASS_INDEX; }
    if head == TOKEN_PROP && behind == TOKEN_IN { return CLASS_DOMAIN; }
    return CLASS_LIST;
}

// Returns one past the type that begins at t, or NONE if there is no type or its bracket is never closed.
fn type_end(t: u32) -> u32 {
    let k = kind_at(t);
    if k == TOKEN_INT_TYPE || k == TOKEN_BOOL_TYPE { return t + 1u; }
    if k != TOKEN_LEFT_BRACKET { return NONE; }
    let closer = temp(PARTNER, t);
    return select(closer + 1u, NONE, closer == NONE);
}

// Returns the nearest separator left of t in the same group. If none exists, returns a token left of the
// group: the opener, or a token before the statement. `level` is the level inside the group.
fn separator_before(t: u32, level: u32) -> u32 { return previous_below(t, level * 16u + 1u); }
