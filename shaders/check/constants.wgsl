// The values of constant expressions. A thread evaluates one expression at a time. Workgroup memory is used
// only by the scan that lists waiting constants. Storage barriers separate three steps: constants that use no
// other, constants that use others (on thread 0, in order), and lengths and bounds.

#import shared/scan
#import shared/arithmetic
#import check/scratch
#import check/operands

// Evaluates the infix operator t of a constant expression from VALUE and TRAPPED of its operands.
fn evaluate_infix(t: u32) {
    let a = temp(VALUE, temp(KID0, t));
    let b = temp(VALUE, temp(KID1, t));
    let k = kind(t);
    var trap = temp(TRAPPED, temp(KID0, t));
    let skips = (k == TOKEN_BAR_BAR && a != 0u) || (k == TOKEN_AMPERSAND_AMPERSAND && a == 0u);
    if trap == NONE && !skips { trap = temp(TRAPPED, temp(KID1, t)); }
    let op = infix_op(k);
    if trap == NONE && binary_trap(op, a, b) != TRAP_NONE { trap = t; }
    var v = binary_value(op, a, b);
    if is_logical(k) { v = select(b, a, skips); }
    set_temp(VALUE, t, v);
    set_temp(TRAPPED, t, trap);
}

// Evaluates node t from the values of its children.
fn evaluate_node(t: u32) {
    let r = role(t);
    if r == ROLE_BINARY { evaluate_infix(t); return; }
    let a = temp(KID0, t);
    var v = temp(VALUE, a);
    if r == ROLE_UNARY { v = unary_value(prefix_op(kind(t)), v); }
    set_temp(VALUE, t, v);
    set_temp(TRAPPED, t, temp(TRAPPED, a));
}

// Evaluates the constant expression r. Each node is evaluated at the last token of its extent, inner nodes
// first.
fn evaluate_all(r: u32) {
    for (var t = lo(r); t < hi(r); t++) {
        let role_here = role(t);
        var done = NONE;
        if role_here == ROLE_INT || role_here == ROLE_BOOL || role_here == ROLE_VAR {
            var v = value(t);
            if role_here == ROLE_BOOL { v = select(0u, 1u, kind(t) == TOKEN_TRUE); }
            if role_here == ROLE_VAR { v = checked_at(CHECKED_CONSTANT, decl(t)); }
            set_temp(VALUE, t, v);
            set_temp(TRAPPED, t, NONE);
            done = t;
        } else if temp(CLOSES, t) != NONE {
            done = temp(CLOSES, t);
            evaluate_node(done);
        }
        while done != NONE && done != r {
            let p = parent(done);
            if hi(p) != hi(done) { break; }
            evaluate_node(p);
            done = p;
        }
    }
}

// Returns the first token of the constant expression r that is not constant, or NONE.
fn first_not_constant(r: u32) -> u32 {
    for (var t = lo(r); t < hi(r); t++) {
        let k = role(t);
        if k == ROLE_NONE || k == ROLE_INT || k == ROLE_BOOL || k == ROLE_GROUP || k == ROLE_UNARY
            || k == ROLE_BINARY { continue; }
        if k == ROLE_VAR {
            let d = decl(t);
            if d != NONE && role(d) == ROLE_CONST_NAME && hi(parent(d)) <= t { continue; }
        }
        return t;
    }
    return NONE;
}

// Returns whether the constant expression r, which is entirely constant, uses constants.
fn uses_constants(r: u32) -> bool {
    for (var t = lo(r); t < hi(r); t++) {
        if role(t) == ROLE_VAR { return true; }
    }
    return false;
}
// Returns whether the values of all constants that r uses are known.
fn uses_known(r: u32) -> bool {
    for (var t = lo(r); t < hi(r); t++) {
        if role(t) == ROLE_VAR && temp(VALUED, decl(t)) == 0u { return false; }
    }
    return true;
}

// Evaluates the constant expression r, whose constants have known values, and records its value or error.
fn conclude(r: u32) {
    let p = parent(r);
    let owner = role(p);
    var v = value(r);
    if role(r) != ROLE_INT {
        evaluate_all(r);
        v = temp(VALUE, r);
        let trap = temp(TRAPPED, r);
        if trap != NONE {
            propose(trap, CODE_NOT_CONSTANT, MODE_ALWAYS, 0u);
            return;
        }
    }
    if owner == ROLE_CONST {
        let name = temp(KID0, p);
        if name != NONE {
            set_checked(CHECKED_CONSTANT, name, v);
            set_temp(VALUED, name, 1u);
        }
    } else {
        let k = type_kind(r);
        if k != TYPE_INT && k != TYPE_UNKNOWN {
            propose(r, CODE_TYPE_MISMATCH, MODE_ALWAYS, TYPE_INT);
            return;
        }
        let is_length = owner != ROLE_BINDER || slot(r) == 2u;
        let least = select(0u, 1u, owner == ROLE_TYPE_LIST);
        if is_length && (v < least || v > LIMIT_CAPACITY) {
            propose(r, CODE_CAPACITY_OUT_OF_RANGE, MODE_ALWAYS, v);
            return;
        }
    }
    set_checked(CHECKED_CONSTANT, r, v);
}

// Returns whether to evaluate r: a clean constant expression that is not inside another one.
fn is_evaluated(r: u32) -> bool { return is_constant_root(r) && temp(DEPTH, r) == 1u && clean(r); }

// Evaluates constant expressions, a thread each. Consts that use others are evaluated in order by thread 0.
@compute @workgroup_size(WORKGROUP)
fn constants(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter(group, local) { return; }
    let n = uniform_from(P.tokens);
    for (var t = lane; t < n; t += WORKGROUP) { set_temp(VALUED, t, 0u); }
    #round n: No constant has a value yet.
    storageBarrier();
    // Find the expressions that are not constant, and evaluate the Consts that use no other.
    var waiting = 0u;
    for (var at = 0u; at < n; at += WORKGROUP) {
        let t = at + lane;
        var waits = 0u;
        if t < n {
            if is_evaluated(t) {
                let culprit = first_not_constant(t);
                if culprit != NONE {
                    propose(culprit, CODE_NOT_CONSTANT, MODE_ALWAYS, 0u);
                } else if role(parent(t)) == ROLE_CONST {
                    if uses_constants(t) { waits = 1u; } else { conclude(t); }
                }
            }
        }
        let place = waiting + scan_sum(waits);
        waiting += scan_total;
        if waits != 0u { set_temp(WAITING, place - 1u, t); }
    }
    #round n: Constants that use no others are evaluated, one thread each; the others are listed.
    storageBarrier();
    if lane == 0u {
        for (var i = 0u; i < waiting; i++) {
            let r = temp(WAITING, i);
            if uses_known(r) { conclude(r); }
        }
    }
    #round w: Constants that use others are evaluated in the order of the text, by one thread.
    storageBarrier();
    for (var t = lane; t < n; t += WORKGROUP) {
        if is_evaluated(t) && role(parent(t)) != ROLE_CONST && first_not_constant(t) == NONE {
            if uses_known(t) { conclude(t); }
        }
    }
    #round n: Lengths and bounds, which use constants, are evaluated, one thread each.
    storageBarrier();
    sum_proposed(n);
    #round n: The constants are complete.
}
