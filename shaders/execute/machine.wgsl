// The stack machine: one instruction of one run. What noise does to it is said by the file that imports it: noise.wgsl or
// noiseless.wgsl.

#import shared/arithmetic
#import execute/tables

var<private> thread: u32;
var<private> fuel: u32;
var<private> pc: u32;
var<private> fp: u32;
var<private> sp: u32;
var<private> depth: u32;
var<private> steps: u32;

// How the run stands.
const RUNNING = 0u;
const ENDED = 1u;     // in `value`
const TRAPPED = 2u;   // by `trap`, at pc
const OVERFLOWED = 3u; // needs more memory than this tier has
var<private> run: u32;
var<private> value: u32;
var<private> trap: u32;

fn at(i: u32) -> u32 { return memory[(i & (ex.words - 1u)) * ex.threads + thread]; }
fn put(i: u32, v: u32) { memory[(i & (ex.words - 1u)) * ex.threads + thread] = v; }
fn call_place(i: u32) -> u32 { return (ex.words + min(i, 2u * ex.calls - 1u)) * ex.threads + thread; }

fn stop(why: u32) {
    run = TRAPPED;
    trap = why;
}

// Whether memory reaches up to `top`; if not, the run stops.
fn room(top: u32) -> bool {
    if top > LIMIT_STACK_WORDS { stop(TRAP_OUT_OF_MEMORY); return false; }
    if top > ex.words { run = OVERFLOWED; return false; }
    return true;
}

// Executes one instruction. What it writes is gathered first and written in one place behind the switch: a few
// stores instead of one for each opcode.
fn step() {
    if steps == fuel { stop(TRAP_STEP_LIMIT); return; }
    steps++;
    cost++;
    if pc > code_last { run = ENDED; value = 0u; return; }
    let word = code[code_base + pc];
    let second = code[code_base + min(pc + 1u, code_last)];
    let op = word & 0xffu;
    let arg = word >> 8u;
    var off = 0u;
    if NOISY {
        off = strike(op, arg);
        if off == LEFT_OUT { return; }
    }
    let last = at(sp - 1u);      // the top of the stack
    let under = at(sp - 2u);
    let slot = fp + arg;
    let variable = at(slot);

    var next = pc + 1u;
    var top = sp;
    // Up to three words written at a, b, c; before that `count` words moved.
    var a = NONE; var x = 0u;
    var b = NONE; var y = 0u;
    var c = NONE; var z = 0u;
    var source = 0u; var to = 0u; var count = 0u; var stride = 1u;

    switch op {
        case OP_LOAD_CONST: { a = sp; x = bitcast<u32>(bitcast<i32>(word) >> 8u); top = sp + 1u; }
        case OP_LOAD_CONST_WIDE: { a = sp; x = second; top = sp + 1u; next = pc + 2u; }
        case OP_LOAD_VAR, OP_LIST_LEN_VAR: { a = sp; x = variable; top = sp + 1u; }
        case OP_DUP: { a = sp; x = last; top = sp + 1u; }
        case OP_STORE_VAR: { a = slot; x = last; top = sp - 1u; }
        case OP_LOAD_LIST: {
            source = slot + 1u; to = sp; count = variable;
            top = sp + variable + 1u;
            a = top - 1u; x = variable;
        }
        case OP_STORE_LIST: {
            if last > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - last;
            source = top; to = slot + 1u; count = last;
            a = slot; x = last;
            next = pc + 2u;
        }
        case OP_LIST_EQ, OP_LIST_NE: {
            let second_list = sp - 1u - last;
            let length = at(second_list - 1u);
            let first_list = second_list - 1u - length;
            var same = length == last;
            for (var i = 0u; i < min(length, LIMIT_CAPACITY) && same; i++) {
                same = at(first_list + i) == at(second_list + i);
                cost++;
            }
            top = first_list + 1u;
            a = first_list; x = select(0u, 1u, same == (op == OP_LIST_EQ));
        }
        case OP_JUMP: { next = arg; }
        case OP_JUMP_IF_FALSE: { top = sp - 1u; next = select(next, arg, last == 0u); }
        case OP_JUMP_IF_TRUE: { top = sp - 1u; next = select(next, arg, last != 0u); }
        case OP_JUMP_IF_FALSE_OR_POP: { top = select(sp - 1u, sp, last == 0u); next = select(next, arg, last == 0u); }
        case OP_JUMP_IF_TRUE_OR_POP: { top = select(sp - 1u, sp, last != 0u); next = select(next, arg, last != 0u); }
        case OP_BUILD_LIST: { a = sp; x = arg; top = sp + 1u; }
        case OP_REPEAT_LIST: {
            // The value is there once; the others are copies of it.
            source = sp - 1u; to = sp; stride = 0u;
            count = select(arg - 1u, 0u, arg == 0u);
            top = sp + arg;
            a = top - 1u; x = arg;
        }
        case OP_JOIN_LIST: {
            let second_list = sp - 1u - last;
            let length = at(second_list - 1u);
            if length + last > LIMIT_CAPACITY { stop(TRAP_CAPACITY_EXCEEDED); }
            source = second_list; to = second_list - 1u; count = last;
            top = sp - 1u;
            a = top - 1u; x = length + last;
        }
        case OP_LOAD_INDEX: {
            if last >= under { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            let list = sp - 2u - under;
            top = list + 1u;
            a = list; x = at(list + last);
        }
        case OP_LOAD_INDEX_VAR: {
            if last >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            a = sp - 1u; x = at(slot + 1u + last);
        }
        case OP_STORE_INDEX: {
            if under >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            top = sp - 2u;
            a = slot + 1u + under; x = last;
        }
        case OP_SLICE: {
            let length = at(sp - 3u);
            if under > last || last > length { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            to = sp - 3u - length;
            source = to + under; count = last - under;
            top = to + count + 1u;
            a = top - 1u; x = count;
        }
        case OP_SLICE_VAR: {
            if under > last || last > variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            source = slot + 1u + under; to = sp - 2u; count = last - under;
            top = to + count + 1u;
            a = top - 1u; x = count;
        }
        case OP_LIST_LEN: { top = sp - last; a = top - 1u; x = last; }
        case OP_RANGE_ITER: {
            top = sp - 2u;
            a = slot + 1u; x = under;
            b = slot + 2u; y = select(0u, last - under, bitcast<i32>(under) < bitcast<i32>(last));
        }
        case OP_RANGE_ITER_INCLUSIVE: {
            top = sp - 2u;
            a = slot + 1u; x = under;
            b = slot + 2u;
            y = select(0u, min(last - under, 0xfffffffeu) + 1u, bitcast<i32>(under) <= bitcast<i32>(last));
        }
        case OP_FOR_RANGE: {
            let left = at(slot + 2u);
            next = select(pc + 2u, second, left == 0u);
            if left != 0u {
                let i = at(slot + 1u);
                a = slot; x = i;
                b = slot + 1u; y = i + 1u;
                c = slot + 2u; z = left - 1u;
            }
        }
        case OP_LIST_ITER: {
            if last > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - last;
            source = top; to = slot + 3u; count = last;
            a = slot + 1u; x = 0u;
            b = slot + 2u; y = last;
            next = pc + 2u;
        }
        case OP_FOR_LIST: {
            let i = at(slot + 1u);
            let done = i == at(slot + 2u);
            next = select(pc + 2u, second, done);
            if !done {
                a = slot; x = at(slot + 3u + i);
                b = slot + 1u; y = i + 1u;
            }
        }
        case OP_CALL: { call(arg); return; }
        case OP_RETURN: {
            if depth == ex.bottom { run = ENDED; value = last; return; }
            a = fp; x = last;
            top = fp + 1u;
        }
        case OP_RETURN_LIST: {
            if last > arg { stop(TRAP_CAPACITY_EXCEEDED); }
            source = sp - 1u - last; to = fp; count = last;
            top = fp + last + 1u;
            if depth == ex.bottom && run == RUNNING { run = ENDED; value = last; } else { a = fp + last; x = last; }
        }
        default: {
            if is_binary(op) {
                let why = binary_trap(op, under, last);
                if why != TRAP_NONE { stop(why); }
                top = sp - 1u;
                a = sp - 2u; x = binary_value(op, under, last);
            } else if is_unary(op) {
                a = sp - 1u; x = unary_value(op, last);
            }
        }
    }
    if run >= TRAPPED { return; }
    if run == RUNNING && !room(top) { return; }

    count = min(count, LIMIT_CAPACITY);
    cost += count;
    for (var k = 0u; k < count; k++) {
        // Overlapping words move in the order that keeps them whole.
        let i = select(count - 1u - k, k, to <= source);
        put(to + i, at(source + i * stride));
    }
    if NOISY { x += off; }
    if a != NONE { put(a, x); }
    if b != NONE { put(b, y); }
    if c != NONE { put(c, z); }
    sp = top;
    if op == OP_RETURN || op == OP_RETURN_LIST {
        if run == ENDED { return; }
        depth--;
        next = memory[call_place(2u * depth)];
        fp = memory[call_place(2u * depth + 1u)];
    }
    pc = next;
}

fn call(f: u32) {
    if depth >= LIMIT_CALL_DEPTH { stop(TRAP_RECURSION_TOO_DEEP); return; }
    let frame = routine_at(ROUTINES_FRAME, f);
    let params = min(routine_at(ROUTINES_PARAMS, f), LIMIT_PARAMS);
    let lists = routine_at(ROUTINES_CAPS0, f) | routine_at(ROUTINES_CAPS1, f)
        | routine_at(ROUTINES_CAPS2, f) | routine_at(ROUTINES_CAPS3, f);
    // Where the arguments begin, and where behind the parameters' places.
    var begin = sp;
    var places = 0u;
    if lists == 0u {
        begin = sp - params;
    } else {
        for (var j = 0u; j < params; j++) {
            let cap = cap_at(f, params - 1u - j);
            cost++;
            begin--;
            places += 1u + cap;
            if cap != 0u {
                let length = at(begin);
                if length > cap { stop(TRAP_CAPACITY_EXCEEDED); return; }
                begin -= length;
            }
        }
    }
    if !room(begin + frame) { return; }
    if depth >= ex.calls { run = OVERFLOWED; return; }
    if lists != 0u {
        var source = sp;
        var place = begin + places;
        for (var j = 0u; j < params; j++) {
            let cap = cap_at(f, params - 1u - j);
            place -= 1u + cap;
            source--;
            let head = at(source);
            if cap != 0u {
                let length = min(head, LIMIT_CAPACITY);
                source -= length;
                for (var k = length; k > 0u; k--) {
                    put(place + k, at(source + k - 1u));
                    cost++;
                }
            }
            put(place, head);
        }
    }
    if NOISY { clear_frame(begin + select(places, params, lists == 0u), begin + frame); }
    memory[call_place(2u * depth)] = pc + 1u;
    memory[call_place(2u * depth + 1u)] = fp;
    depth++;
    fp = begin;
    sp = begin + frame;
    pc = routine_at(ROUTINES_ADDRESS, f);
}
