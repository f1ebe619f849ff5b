// Expected types of operands, and the errors proposed for operands that differ. Each function works for one
// thread, except `sum_proposed`, which the whole workgroup calls: it uses the scan's workgroup memory and
// ends with a storage barrier that makes the sums visible.

#import shared/scan
#import check/scratch
#import check/kinds

// The expectation on an operand: a kind of type, 0 if unknown, or one of these.
const WANT_NOTHING = 5u;
const WANT_LIST = 6u;
const WANT_INDEXED = 7u;
const WANT_SCALAR = 8u;

// Returns whether an infix operator takes a left operand of this kind.
fn takes(op: u32, k: u32) -> bool {
    if is_equality(op) { return true; }
    if is_logical(op) { return k == TYPE_BOOL; }
    return k == TYPE_INT || (list_infix_op(op) != OP_NOP && is_list(k));
}
fn want_right(op: u32, left: u32) -> u32 {
    if left == NONE || is_bare(left) { return TYPE_UNKNOWN; }
    let k = type_kind(left);
    return select(TYPE_UNKNOWN, k, takes(op, k));
}
fn want_bare_left(op: u32, right: u32) -> u32 {
    if list_infix_op(op) == OP_NOP { return WANT_NOTHING; }
    if right == NONE { return TYPE_UNKNOWN; }
    if is_open(right) { return WANT_NOTHING; }
    let k = type_kind(right);
    return select(k, WANT_NOTHING, k == TYPE_INT || k == TYPE_BOOL);
}

fn want_argument(t: u32, j: u32) -> u32 {
    if wanted_arguments(t) != temp(COUNT, t) { return TYPE_UNKNOWN; }
    if kind(t) != TOKEN_NAME { return TYPE_BOOL; }
    let name = value(t);
    if name < FIRST_NAME { return select(TYPE_INT, WANT_LIST, name == NAME_LEN); }
    return type_kind(temp(PARAM_LIST, temp(FIRST_PARAM, parent(decl(t))) + j));
}

// Returns what is expected of node t as child s of p.
fn want(t: u32, p: u32, s: u32) -> u32 {
    let r = role(p);
    if r == ROLE_BINARY {
        if s == 1u { return want_right(kind(p), temp(KID0, p)); }
        return want_bare_left(kind(p), temp(KID1, p)); // only called for bare operands
    }
    if r == ROLE_CALL { return want_argument(p, s); }
    if r == ROLE_INDEX || r == ROLE_SLICE { return select(TYPE_INT, WANT_INDEXED, s == 0u); }
    if r == ROLE_IF || r == ROLE_WHILE || r == ROLE_TEST || r == ROLE_PROP { return TYPE_BOOL; }
    if r == ROLE_RETURN {
        if decl(p) == NONE { return TYPE_UNKNOWN; }
        return type_kind(decl(p));
    }
    if r == ROLE_LET {
        let written = temp(KID1, p);
        if written == NONE { return WANT_NOTHING; }
        return written_kind(written);
    }
    if r == ROLE_ASSIGN {
        let into = temp(KID0, p);
        if s == 0u || into == NONE { return TYPE_UNKNOWN; }
        let op = compound_operator(kind(p));
        if op != 0u { return want_right(op, into); }
        return type_kind(into);
    }
    if r == ROLE_FOR {
        return select(TYPE_INT, WANT_LIST, s == 1u && temp(KID2, p) == NONE);
    }
    if r == ROLE_LIST {
        if s == 0u { return WANT_SCALAR; }
        let first = temp(KID0, p);
        if first == NONE || is_bare(first) { return TYPE_UNKNOWN; }
        return map(MAP_SCALAR, type_kind(first));
    }
    if r == ROLE_REPEAT { return select(TYPE_UNKNOWN, WANT_SCALAR, s == 0u); }
    if r == ROLE_UNARY { return WANT_NOTHING; } // only called for bare operands
    return TYPE_UNKNOWN;
}

// Returns a type as messages name it: a list without a capacity has the default capacity.
fn plain(k: u32) -> u32 { return select(k, k | (DEFAULT_CAPACITY << 8u), is_list(k)); }

// Proposes an error if operand t is not of the expected type.
fn require_type(t: u32, p: u32, s: u32) {
    let bare = temp(BARE, t);
    let r = role(p);
    if bare == NONE && (r == ROLE_UNARY || (r == ROLE_BINARY && s == 0u)) { return; } // operator_error handles these
    let w = want(t, p, s);
    if w == TYPE_UNKNOWN { return; }
    if bare != NONE && !is_bare(t) {
        // A `?` has the type that its place requires.
        if w == WANT_LIST || w == WANT_INDEXED { propose(bare, CODE_EMPTY_LIST_TYPE, MODE_ALWAYS, 0u); }
        return;
    }
    let by_left = (r == ROLE_BINARY || r == ROLE_ASSIGN || r == ROLE_LIST) && s != 0u;
    let mode = select(MODE_SELF, MODE_RIGHT, by_left);
    if bare != NONE {
        if is_list(w) && w < WANT_NOTHING {
            var g = t;
            while g != bare {
                set_checked(CHECKED_TY, g, plain(w));
                g = temp(KID0, g);
            }
            set_checked(CHECKED_TY, bare, plain(w));
        } else if w < WANT_NOTHING {
            propose(t, CODE_TYPE_MISMATCH, mode, w);
        } else {
            propose(bare, CODE_EMPTY_LIST_TYPE, MODE_ALWAYS, 0u);
        }
        return;
    }
    let k = type_kind(t);
    if k == TYPE_UNKNOWN { return; }
    if w < WANT_NOTHING {
        if k != w { propose(t, CODE_TYPE_MISMATCH, mode, plain(w)); }
    } else if w == WANT_LIST {
        if !is_list(k) { propose(t, CODE_TYPE_MISMATCH, mode, plain(TYPE_INT_LIST)); }
    } else if w == WANT_INDEXED {
        if !is_list(k) { propose(t, CODE_NOT_A_LIST, mode, 0u); }
    } else if w == WANT_SCALAR {
        if is_list(k) { propose(t, CODE_TYPE_MISMATCH, mode, TYPE_INT); }
    }
}

// Returns whether the Var t is the target of an assignment, or the list of an indexed target.
fn is_target(t: u32) -> bool {
    if slot(t) != 0u { return false; }
    var p = parent(t);
    if role_or_none(p) == ROLE_INDEX {
        if slot(p) != 0u { return false; }
        p = parent(p);
    }
    return role_or_none(p) == ROLE_ASSIGN;
}

fn operator_error(t: u32, op: u32) -> bool {
    let left = temp(KID0, t);
    if left == NONE || is_bare(left) { return false; }
    let k = type_kind(left);
    if k == TYPE_UNKNOWN || takes(op, k) { return false; }
    propose(t, CODE_OPERATOR_UNDEFINED, MODE_LEFT, 0u);
    return true;
}
fn prefix_error(t: u32) -> bool {
    let operand = temp(KID0, t);
    if operand == NONE || is_bare(operand) { return false; }
    let k = type_kind(operand);
    if k == TYPE_UNKNOWN || k == select(TYPE_INT, TYPE_BOOL, kind(t) == TOKEN_BANG) { return false; }
    propose(t, CODE_OPERATOR_UNDEFINED, MODE_LEFT, 0u);
    return true;
}
fn variable_error(t: u32) -> bool {
    let d = decl(t);
    if d == NONE {
        propose(t, CODE_UNKNOWN_VARIABLE, MODE_ALWAYS, 0u);
        return true;
    }
    if role(d) != ROLE_CONST_NAME || !is_target(t) { return false; }
    propose(t, CODE_ASSIGN_TO_CONSTANT, MODE_ALWAYS, 0u);
    return true;
}
fn call_error(t: u32) -> bool {
    let wanted = wanted_arguments(t);
    if wanted == NONE {
        if decl(t) != NONE { return false; }
        propose(t, CODE_UNKNOWN_FUNCTION, MODE_ALWAYS, 0u);
        return true;
    }
    if wanted == temp(COUNT, t) { return false; }
    propose(t, CODE_ARGUMENT_COUNT, MODE_ALWAYS, wanted);
    return true;
}
fn length_error(t: u32, length: u32) -> bool {
    if length <= LIMIT_CAPACITY { return false; }
    propose(t, CODE_CAPACITY_OUT_OF_RANGE, MODE_ALWAYS, length);
    return true;
}

// Proposes the error of node t itself and returns whether there is one. The error is dropped later if a node inside t
// has one. Then t is not reported as an invalid operand of its parent either.
fn own_error(t: u32, r: u32) -> bool {
    if r == ROLE_VAR { return variable_error(t); }
    if r == ROLE_CALL { return call_error(t); }
    if r == ROLE_LIST { return length_error(t, temp(COUNT, t)); }
    if r == ROLE_STR { return length_error(t, value(t) & STR_CODES); }
    if r == ROLE_BINARY { return operator_error(t, kind(t)); }
    if r == ROLE_UNARY { return prefix_error(t); }
    if r == ROLE_ASSIGN {
        let op = compound_operator(kind(t));
        return op != 0u && operator_error(t, op);
    }
    return false;
}

// Returns the number of errors proposed in tokens begin .. to.
fn proposed(begin: u32, to: u32) -> u32 {
    if to <= begin { return 0u; }
    return temp(SUMS, to - 1u) - select(0u, temp(SUMS, max(begin, 1u) - 1u), begin > 0u);
}
fn clean(t: u32) -> bool { return proposed(lo(t), hi(t)) == 0u; }

fn sum_proposed(n: u32) {
    var before = 0u;
    for (var at = 0u; at < n; at += WORKGROUP) {
        let t = at + lane;
        var one = 0u;
        if t < n { one = select(0u, 1u, temp(CAND, t) != 0u); }
        let sum = before + scan_sum(one);
        before += scan_total;
        if t < n { set_temp(SUMS, t, sum); }
    }
    #round n: Running sums of proposed errors: the number of errors in any range is now one subtraction.
    storageBarrier();
}
