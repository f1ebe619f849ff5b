// combine: adds the constants of one sum, and drops stores that only the next load reads.
//
// Each thread handles every WORKGROUP-th instruction. Workgroup memory is used only by the scan. The first
// storage barrier separates finding the instruction before each one from the rules; the second separates finding
// the rules that apply from applying them; the last one ends the pass.

#import optimize/jumps

const COMBINE_WINDOW = 64u;
const RULE_NONE = 0u;
const RULE_SUM = 1u;
const RULE_PAIR = 2u;

fn is_sum(op: u32) -> bool { return op == OP_ADD || op == OP_SUB; }
fn added_constant(op: u32, constant: u32) -> u32 { return select(0u - constant, constant, op == OP_ADD); }

// If i adds a constant to the sum of a value and a constant, returns the inner constant, the inner sum and the
// outer constant; else NONE.
fn chain_of(i: u32) -> vec3<u32> {
    let nothing = vec3<u32>(NONE, NONE, NONE);
    if !is_sum(op_at(i)) { return nothing; }
    let outer = previous_kept(i);
    if outer == NONE || op_at(outer) != OP_LOAD_CONST { return nothing; }
    let sum = previous_kept(outer);
    if sum == NONE || !is_sum(op_at(sum)) { return nothing; }
    let inner = previous_kept(sum);
    if inner == NONE || op_at(inner) != OP_LOAD_CONST { return nothing; }
    return vec3<u32>(inner, sum, outer);
}

// Whether i loads the variable that the instruction before it stores, and the next access to it stores it.
fn ends_pair(i: u32) -> bool {
    if op_at(i) != OP_LOAD_VAR { return false; }
    let store = previous_kept(i);
    let variable = ir_at(IR_ARG, i);
    if store == NONE || op_at(store) != OP_STORE_VAR || ir_at(IR_ARG, store) != variable { return false; }
    for (var at = i + 1u; at < min(n, i + 1u + COMBINE_WINDOW); at++) {
        let op = op_at(at);
        if ir_at(IR_BLOCK, at) != ir_at(IR_BLOCK, i) { return false; }
        if op == OP_RETURN || op == OP_RETURN_LIST { return true; }
        let same = ir_at(IR_ARG, at) == variable;
        if same && op == OP_STORE_VAR { return true; }
        if same && op == OP_LOAD_VAR { return false; }
    }
    return false;
}

fn combine() {
    find_previous();
    #round n: Every instruction has the last kept instruction before it.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        var rule = RULE_NONE;
        let found = chain_of(i);
        if found.y != NONE {
            if chain_of(found.y).y == NONE { rule = RULE_SUM; }
        }
        if ends_pair(i) { rule = RULE_PAIR; }
        set_ir_temp(RULE, i, rule);
    }
    #round n: The sums and the stores that the rules change are found.
    storageBarrier();
    for (var i = lane; i < n; i += WORKGROUP) {
        let begins = ir_at(IR_START, i);
        if begins != NONE {
            if ir_temp(RULE, begins) == RULE_PAIR { set_ir(IR_START, i, NONE); }
        }
        let rule = ir_temp(RULE, i);
        if rule == RULE_NONE { continue; }
        changed = true;
        let before = previous_kept(i);
        if rule == RULE_PAIR {
            set_ir(IR_OP, before, OP_NOP);
            set_ir(IR_OP, i, OP_NOP);
        } else {
            let sum = previous_kept(before);
            let inner = previous_kept(sum);
            let total = added_constant(op_at(sum), ir_at(IR_ARG, inner)) + added_constant(op_at(i), ir_at(IR_ARG, before));
            set_ir(IR_OP, inner, OP_NOP);
            set_ir(IR_OP, sum, OP_NOP);
            set_ir(IR_ARG, before, total);
            set_ir(IR_OP, i, OP_ADD);
        }
    }
    #round n: Constants of one sum are added, and stores that only the next load reads are dropped.
    storageBarrier();
}
