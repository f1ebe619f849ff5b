// Holes: statements and items with an error, each of which lowers to one instruction.
//
// Each thread handles every WORKGROUP-th token. Workgroup memory is used only by the scans. Storage barriers
// separate the errors of tokens, their sums, the headers with an error, and the ends of holes.

#import shared/columns
#import lower/scratch
#import lower/index

// Columns that later steps overwrite: the number of tokens with an error up to the token; for the first token
// of a statement, whether it has one.
const FAULTS = OWN;
const BROKEN_HEAD = CHAIN_NEXT;

fn statement_of(t: u32) -> u32 { return tree_at(TREE_STMT, t) & STMT_INDEX; }
fn is_last(t: u32, n: u32) -> bool { return t + 1u == n || statement_of(min(t + 1u, n - 1u)) != statement_of(t); }

// Returns whether an error of the statement is recorded at t, or something there has no known type.
fn has_error(t: u32) -> bool {
    let found = checked_at(CHECKED_ERROR, t) & ~ERROR_MUTED;
    return (tree_at(TREE_STMT, t) & (STMT_LEXICAL | STMT_SYNTAX)) != 0u
        || (found != 0u && found != CODE_MISSING_RETURN && found != CODE_UNREACHABLE)
        || (is_expression(role(t)) && checked_at(CHECKED_TY, t) == TYPE_UNKNOWN);
}

// Returns whether t names a function with an error in its header, or a constant that may have no value: it or
// an earlier one has an error.
fn names_broken(t: u32, constants: u32) -> bool {
    let declared = checked_at(CHECKED_DECL, t);
    if declared == NONE { return false; }
    if role(t) == ROLE_VAR { return role(declared) == ROLE_CONST_NAME && declared >= constants; }
    return role(t) == ROLE_CALL && temp(BROKEN_HEAD, statement_of(declared)) != 0u;
}

// Returns whether a token of the statement that ends with t has an error.
fn has_fault(t: u32) -> bool {
    let s = statement_of(t);
    return temp(FAULTS, t) != select(0u, temp(FAULTS, max(s, 1u) - 1u), s > 0u);
}

fn find_holes(n: u32) {
    for (var t = lane; t < n; t += WORKGROUP) {
        let r = role(t);
        set_temp(FAULTS, t, u32(has_error(t)));
        set_temp(BROKEN_HEAD, t, 0u);
        set_temp(HOLE, t, 0u);
        set_temp(ITEM, t, select(0u, t, r == ROLE_FN || r == ROLE_TEST || r == ROLE_PROP));
    }
    #round n: Every token has its own error.
    storageBarrier();
    _ = sum_column(FAULTS, n, true);
    max_column(ITEM, n);
    var constants = NONE;
    for (var t = lane; t < n; t += WORKGROUP) {
        if !is_last(t, n) || !has_fault(t) { continue; }
        let s = statement_of(t);
        if kind(s) == TOKEN_FN { set_temp(BROKEN_HEAD, s, 1u); }
        if kind(s) == TOKEN_CONST { constants = min(constants, s); }
    }
    constants = reduce_min(constants);
    #round n: Functions and constants with an error are known.
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        set_temp(FAULTS, t, u32(has_error(t) || names_broken(t, constants)));
    }
    #round n: What names them has an error, too.
    storageBarrier();
    _ = sum_column(FAULTS, n, true);
    for (var t = lane; t < n; t += WORKGROUP) {
        if !is_last(t, n) || !has_fault(t) { continue; }
        let s = statement_of(t);
        let item = temp(ITEM, s);
        let is_item = role(s) == ROLE_FN || role(s) == ROLE_TEST || role(s) == ROLE_PROP;
        if !is_item && !(role(item) == ROLE_FN && s < tree_at(TREE_HI, item)) { continue; }
        var end = max(t + 1u, tree_at(TREE_HI, s));
        if kind(s) == TOKEN_ELSE && t > s { end = max(end, tree_at(TREE_HI, s + 1u)); }
        if role(t) == ROLE_BLOCK { end = max(end, tree_at(TREE_HI, t)); }
        set_temp(HOLE, s, end);
    }
    #round n: Every statement with an error has the end of its hole.
    storageBarrier();
    max_column(HOLE, n);
    for (var t = lane; t < n; t += WORKGROUP) {
        let item = temp(ITEM, t);
        if role(item) != ROLE_FN || t + 1u != tree_at(TREE_HI, item) || hole_end(item) > item { continue; }
        let unclosed = (tree_at(TREE_STMT, item) & STMT_UNCLOSED) != 0u;
        if unclosed || !ends_in_return(t) { set_temp(HOLE, t, temp(HOLE, t) | ENDS_BODY); }
    }
    #round n: Bodies whose end is a hole are marked.
    storageBarrier();
}
