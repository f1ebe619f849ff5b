// What a block does to facts about variables: constants and copies, or ranges. One thread executes a block.
//
// A fact about a variable is (known, value, same, others) for constants, where `others` counts those of which it is
// the least equal one; a range for ranges. Facts where the block ends
// are in `ends`, in one of two versions: sweeps alternate. Operands of a block are in the rows of its instructions
// in `operands`.
//
// The specification is docs/stages/constants.md; the CPU twin is src/compiler/stage/flow/transfer.rs.

#import flow/facts
#import flow/range

// Whether facts are ranges.
var<private> ranging: bool;
// The block in execution: its routine, the routine's variables, its row in `cells`, and the version of its facts.
var<private> owner: u32;
var<private> first_variable: u32;
var<private> count: u32;
var<private> row: u32;
var<private> version: u32;
// Its first instruction, and the number of its operands.
var<private> bottom: u32;
var<private> depth: u32;
// Loop iterations of this thread in the dispatch.
var<private> cost: u32;

struct Operand { fact: Fact, variable: u32 }
// A comparison; op is 0 if there is none.
struct Test { op: u32, left: Operand, right: Operand }
var<private> test: Test;

fn any_fact() -> Fact { return select(Fact(0u), ANY_RANGE, ranging); }
fn unknown() -> Operand { return Operand(any_fact(), NONE); }
fn fact_of_word(word: u32) -> Fact { return select(Fact(1u, word, 0u, 0u), range_of(word), vec4<bool>(ranging)); }

fn first_row(block: u32) -> u32 {
    let r = blocks_at(BLOCKS_ROUTINE, block);
    return cells_at(CELLS_FIRST, r) + (block - spans_at(SPANS_BLOCK, r)) * spans_at(SPANS_VARIABLES, r);
}

fn enter_block(block: u32, parity: u32) {
    owner = blocks_at(BLOCKS_ROUTINE, block);
    first_variable = spans_at(SPANS_VARIABLE, owner);
    count = spans_at(SPANS_VARIABLES, owner);
    row = first_row(block);
    version = parity;
    bottom = blocks_at(BLOCKS_FIRST, block);
    depth = 0u;
    test.op = 0u;
}

fn end_fact(parity: u32, at: u32) -> Fact {
    let c = parity * 4u;
    return Fact(ends_at(c, at), ends_at(c + 1u, at), ends_at(c + 2u, at), ends_at(c + 3u, at));
}
fn set_end_fact(parity: u32, at: u32, fact: Fact) {
    let c = parity * 4u;
    set_ends(c, at, fact.x);
    set_ends(c + 1u, at, fact.y);
    set_ends(c + 2u, at, fact.z);
    set_ends(c + 3u, at, fact.w);
}
fn fact(variable: u32) -> Fact { return end_fact(version, row + variable); }
fn set_fact(variable: u32, value: Fact) { set_end_fact(version, row + variable, value); }
fn same(variable: u32) -> u32 { return ends_at(version * 4u + 2u, row + variable); }
fn set_same(variable: u32, least: u32) { set_ends(version * 4u + 2u, row + variable, least); }

// The number of variables of which this one is the least equal one.
fn others(variable: u32) -> u32 { return ends_at(version * 4u + 3u, row + variable); }
fn set_others(variable: u32, number: u32) { set_ends(version * 4u + 3u, row + variable, number); }

// A variable leaves its class.
fn leave_class(variable: u32) {
    let least = same(variable);
    set_same(variable, variable);
    if least != variable {
        set_others(least, others(least) - 1u);
        return;
    }
    let left = others(variable);
    if left == 0u { return; }
    set_others(variable, 0u);
    var heir = NONE;
    for (var v = variable + 1u; v < count; v++) {
        if same(v) != variable { continue; }
        if heir == NONE { heir = v; }
        set_same(v, heir);
    }
    set_others(heir, left - 1u);
    cost += count;
}
// A variable that is alone joins the class of another one.
fn join_class(variable: u32, other: u32) {
    let least = same(other);
    if variable > least {
        set_same(variable, least);
        set_others(least, others(least) + 1u);
        return;
    }
    for (var v = least; v < count; v++) {
        if same(v) == least { set_same(v, variable); }
    }
    set_others(variable, others(least) + 1u);
    set_others(least, 0u);
    cost += count;
}

fn push(value: Fact, variable: u32) {
    let at = bottom + depth;
    set_operands(OPERANDS_VARIABLE, at, variable);
    set_operands(OPERANDS_X, at, value.x);
    set_operands(OPERANDS_Y, at, value.y);
    set_operands(OPERANDS_Z, at, value.z);
    set_operands(OPERANDS_W, at, value.w);
    depth += 1u;
}
fn peek(under: u32) -> Operand {
    if under >= depth { return unknown(); }
    let at = bottom + depth - 1u - under;
    let value = Fact(operands_at(OPERANDS_X, at), operands_at(OPERANDS_Y, at), operands_at(OPERANDS_Z, at), operands_at(OPERANDS_W, at));
    return Operand(value, operands_at(OPERANDS_VARIABLE, at));
}
// Forgets that operands have the value of variables from..to.
fn detach(lo: u32, hi: u32) {
    for (var k = 0u; k < depth; k++) {
        let variable = operands_at(OPERANDS_VARIABLE, bottom + k);
        if variable >= lo && variable < hi { set_operands(OPERANDS_VARIABLE, bottom + k, NONE); }
    }
    cost += depth;
}

fn taken(i: u32, op: u32) -> u32 {
    switch op {
        case OP_BUILD_LIST: { return ir_at(IR_ARG, i); }
        case OP_CALL: { return routine_at(ROUTINES_PARAMS, ir_at(IR_ARG, i)); }
        default: { return op_takes(op); }
    }
}

fn unary_fact(op: u32, a: Fact) -> Fact {
    if ranging { return unary_range(op, a); }
    return select(Fact(0u), Fact(1u, unary_value(op, a.y), 0u, 0u), a.x != 0u);
}
fn binary_fact(op: u32, a: Fact, b: Fact) -> Fact {
    if ranging { return binary_range(op, a, b); }
    if a.x == 0u || b.x == 0u || (may_trap(op) && b.y == 0u) { return Fact(0u); }
    return Fact(1u, binary_value(op, a.y, b.y), 0u, 0u);
}
// The result of an instruction that makes or reads a list, or calls. x is the topmost operand, z the third.
fn result_fact(i: u32, op: u32, x: Fact, y: Fact, z: Fact) -> Fact {
    if !ranging { return Fact(0u); }
    switch op {
        case OP_BUILD_LIST, OP_LOAD_LIST_CONST, OP_REPEAT_LIST: { return range_of(ir_at(IR_ARG, i)); }
        case OP_JOIN_LIST: { return within(binary_range(OP_ADD, y, x), length_range(LIMIT_CAPACITY)); }
        case OP_SLICE: { return length_range(within(z, length_range(LIMIT_CAPACITY)).y); }
        case OP_LIST_LEN: { return within(x, length_range(LIMIT_CAPACITY)); }
        case OP_SLICE_VAR: { return length_range(LIMIT_CAPACITY); }
        case OP_LIST_EQ, OP_LIST_NE: { return BOOL_RANGE; }
        case OP_CALL: {
            let ty = routine_at(ROUTINES_RESULT, ir_at(IR_ARG, i));
            if (ty & 0xffu) == TYPE_BOOL { return BOOL_RANGE; }
            if (ty & 0xffu) >= TYPE_INT_LIST { return length_range(ty >> 8u); }
            return ANY_RANGE;
        }
        default: { return ANY_RANGE; }
    }
}

// The words of the frame that an instruction writes.
fn written(i: u32, op: u32) -> vec2<u32> {
    let slot = ir_at(IR_ARG, i);
    switch op {
        case OP_STORE_VAR: { return vec2<u32>(slot, slot + 1u); }
        case OP_STORE_LIST: { return vec2<u32>(slot, slot + 1u + ir_at(IR_AUX, i)); }
        case OP_RANGE_ITER, OP_RANGE_ITER_INCLUSIVE: { return vec2<u32>(slot + 1u, slot + 3u); }
        case OP_LIST_ITER: { return vec2<u32>(slot + 1u, slot + 3u + ir_at(IR_AUX, i)); }
        case OP_FOR_RANGE, OP_NEXT_RANGE: { return vec2<u32>(slot, slot + 3u); }
        case OP_FOR_LIST, OP_NEXT_LIST: { return vec2<u32>(slot, slot + 2u); }
        default: { return vec2<u32>(0u); }
    }
}

fn store(i: u32, op: u32, x: Operand, y: Operand) {
    let words = written(i, op);
    let own = accesses_at(ACCESSES_VARIABLE, i);
    var lo = 0u;
    var hi = 0u;
    if words.y != 0u {
        lo = own + select(0u, 1u, words.x > ir_at(IR_ARG, i));
        hi = lo;
        while hi < count {
            if variables_at(VARIABLES_SLOT, first_variable + hi) >= words.y { break; }
            if ranging { set_fact(hi, ANY_RANGE); } else {
                set_ends(version * 4u, row + hi, 0u);
                set_ends(version * 4u + 1u, row + hi, 0u);
                leave_class(hi);
            }
            hi += 1u;
        }
        detach(lo, hi);
    }
    switch op {
        case OP_STORE_VAR: {
            if ranging { set_fact(own, x.fact); }
        }
        case OP_STORE_LIST: {
            if ranging { set_fact(own, within(x.fact, length_range(ir_at(IR_AUX, i)))); }
        }
        case OP_STORE_INDEX: {
            if !ranging {
                leave_class(own);
                detach(own, own + 1u);
            }
        }
        case OP_RANGE_ITER, OP_RANGE_ITER_INCLUSIVE: {
            if ranging {
                let last = x.fact.y - select(0u, 1u, op == OP_RANGE_ITER && x.fact.y != LEAST);
                set_drawn(version, block_at(i), between(y.fact.x, last));
            }
        }
        default: {}
    }
    if !ranging && (op == OP_STORE_VAR || op == OP_STORE_LIST) {
        set_ends(version * 4u, row + own, x.fact.x);
        set_ends(version * 4u + 1u, row + own, x.fact.y);
        if x.variable != NONE && (x.variable < lo || x.variable >= hi) { join_class(own, x.variable); }
    }
}

fn drawn(parity: u32, block: u32) -> Fact {
    let c = SWEEPS_X + parity * 4u;
    return Fact(sweeps_at(c, block), sweeps_at(c + 1u, block), sweeps_at(c + 2u, block), sweeps_at(c + 3u, block));
}
fn set_drawn(parity: u32, block: u32, value: Fact) {
    let c = SWEEPS_X + parity * 4u;
    set_sweeps(c, block, value.x);
    set_sweeps(c + 1u, block, value.y);
    set_sweeps(c + 2u, block, value.z);
    set_sweeps(c + 3u, block, value.w);
}

fn step_on(i: u32) {
    let op = op_at(i);
    if op == OP_NOP { return; }
    var old = test;
    test.op = 0u;
    let x = peek(0u);
    let y = peek(1u);
    let z = peek(2u);
    depth -= min(depth, taken(i, op));
    let zero = Operand(fact_of_word(0u), NONE);
    let variable = accesses_at(ACCESSES_VARIABLE, i);
    if op == OP_DUP {
        push(x.fact, x.variable);
        push(x.fact, x.variable);
    } else if is_unary(op) {
        if op == OP_NOT {
            test = Test(OP_EQ, x, zero);
            if old.op != 0u { test = Test(opposite(old.op), old.left, old.right); }
        }
        push(unary_fact(op, x.fact), NONE);
    } else if is_binary(op) {
        if opposite(op) != 0u { test = Test(op, y, x); }
        push(binary_fact(op, y.fact, x.fact), NONE);
    } else if condition(op) != 0u {
        test = Test(OP_NE, x, zero);
        if old.op != 0u { test = old; }
    } else if op == OP_LOAD_CONST || op == OP_LOAD_CONST_WIDE {
        push(fact_of_word(ir_at(IR_ARG, i)), NONE);
    } else if op == OP_LOAD_VAR || op == OP_LOAD_LIST || (op == OP_LIST_LEN_VAR && ranging) {
        push(fact(variable), variable);
    } else if op_leaves(op) != 0u || op == OP_CALL {
        push(result_fact(i, op, x.fact, y.fact, z.fact), NONE);
    } else {
        store(i, op, x, y);
    }
}

fn keep_operand(base: u32, block: u32, operand: Operand) {
    set_tests(base, block, operand.variable);
    set_tests(base + 1u, block, operand.fact.x);
    set_tests(base + 2u, block, operand.fact.y);
    set_tests(base + 3u, block, operand.fact.z);
    set_tests(base + 4u, block, operand.fact.w);
}
fn kept_operand(base: u32, block: u32) -> Operand {
    let value = Fact(tests_at(base + 1u, block), tests_at(base + 2u, block), tests_at(base + 3u, block), tests_at(base + 4u, block));
    return Operand(value, tests_at(base, block));
}

// Executes the block that was entered last, and keeps its test.
fn execute_block(block: u32) {
    let end = blocks_at(BLOCKS_END, block);
    for (var i = bottom; i < end; i++) { step_on(i); }
    cost += end - bottom;
    let base = version * 11u;
    set_tests(base, block, test.op);
    keep_operand(base + 1u, block, test.left);
    keep_operand(base + 6u, block, test.right);
}

// An edge: whether it is taken, the row of the facts where it begins, and the variables that have other facts on it.
struct Edge { taken: bool, row: u32, version: u32, left: Operand, right: Operand }

// Returns the edge from a block to its next block (which = 0) or its target (1).
fn edge_from(block: u32, which: u32, parity: u32) -> Edge {
    let last = blocks_at(BLOCKS_END, block) - 1u;
    let op = op_at(last);
    let nothing = Operand(any_fact(), NONE);
    var edge = Edge(true, first_row(block), parity, nothing, nothing);
    let jumps = condition(op);
    if jumps != 0u {
        let base = parity * 11u;
        let result = ((jumps & 2u) != 0u) == (which == 1u);
        let compares = tests_at(base, block);
        edge.left = kept_operand(base + 1u, block);
        edge.right = kept_operand(base + 6u, block);
        if !ranging {
            let value = binary_fact(compares, edge.left.fact, edge.right.fact);
            edge.taken = value.x == 0u || (value.y != 0u) == result;
            edge.left.variable = NONE;
            edge.right.variable = NONE;
            return edge;
        }
        let held = hold(select(opposite(compares), compares, result), edge.left.fact, edge.right.fact);
        edge.taken = held.some;
        if edge.left.variable != NONE {
            let kept = meet_of(end_fact(parity, edge.row + edge.left.variable), held.left);
            edge.left.fact = kept.fact;
            edge.taken = edge.taken && kept.some;
        }
        if edge.right.variable != NONE {
            var old = end_fact(parity, edge.row + edge.right.variable);
            if edge.right.variable == edge.left.variable { old = edge.left.fact; }
            let kept = meet_of(old, held.right);
            edge.right.fact = kept.fact;
            edge.taken = edge.taken && kept.some;
        }
    } else if is_loop(op) && which == select(0u, 1u, op == OP_NEXT_RANGE || op == OP_NEXT_LIST) && ranging {
        edge.right = Operand(ANY_RANGE, accesses_at(ACCESSES_VARIABLE, last));
        let begun = sweeps_at(SWEEPS_BEGUN, block);
        if begun != NONE { edge.right.fact = drawn(parity, begun); }
    }
    return edge;
}

fn edge_fact(edge: Edge, variable: u32) -> Fact {
    if variable == edge.right.variable { return edge.right.fact; }
    if variable == edge.left.variable { return edge.left.fact; }
    return end_fact(edge.version, edge.row + variable);
}
