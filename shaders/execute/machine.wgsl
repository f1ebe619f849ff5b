// The stack machine: the next instructions of one run. What noise does to it is said by the file that imports it: noise.wgsl or
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
// The functions that the run has called, a bit for each number modulo 32.
var<private> entered: u32;

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

// Quick instructions work on words, write one at most, and do not divide. Most are; so `hurry` goes through several of
// them with few accesses to memory, and only the others cost what `step` costs. Adapters that run threads as lanes of one
// vector do all that a loop may have to do for any of the lanes: there it counts what the loop's text has in it.
const QUICK = 8u;

fn is_quick(op: u32) -> bool {
    return (is_load(op) && op != OP_LOAD_CONST_WIDE) || is_jump(op) || is_unary(op) || (is_binary(op) && !may_trap(op))
        || op == OP_DUP || op == OP_STORE_VAR || op == OP_LOAD_INDEX_VAR || op == OP_STORE_INDEX || op == OP_BUILD_LIST;
}

// What a quick instruction does: where control goes, how far the stack then reaches, and which word is written where (NONE:
// none).
var<private> next: u32;
var<private> top: u32;
var<private> to: u32;
var<private> result: u32;

// `last` is the top of the stack, `under` the word below it, `variable` what the slot holds, `element` the word of
// the list variable in that slot that `last` says.
fn quick(word: u32, last: u32, under: u32, variable: u32, element: u32) {
    let op = word & 0xffu;
    let arg = word >> 8u;
    next = pc + 1u;
    top = sp;
    to = sp;
    result = last;
    if is_binary(op) {
        top = sp - 1u;
        to = sp - 2u;
        result = plain_value(op, under, last);
    } else if is_unary(op) {
        to = sp - 1u;
        result = unary_value(op, last);
    } else if is_jump(op) {
        // Of a conditional one: 1, with 2 if it jumps on true and 4 if it keeps the value then.
        let how = condition(op);
        let jumps = how == 0u || (last != 0u) == ((how & 2u) != 0u);
        next = select(next, arg, jumps);
        top = select(sp - 1u, sp, how == 0u || (jumps && (how & 4u) != 0u));
        to = NONE;
    } else if op == OP_STORE_VAR {
        top = sp - 1u;
        to = fp + arg;
    } else if op == OP_STORE_INDEX {
        if under >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
        top = sp - 2u;
        to = fp + arg + 1u + under;
    } else if op == OP_LOAD_INDEX_VAR {
        if last >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
        to = sp - 1u;
        result = element;
    } else {
        top = sp + 1u;
        result = select(result, bitcast<u32>(bitcast<i32>(word) >> 8u), op == OP_LOAD_CONST);
        result = select(result, arg, op == OP_BUILD_LIST);
        result = select(result, variable, op == OP_LOAD_VAR || op == OP_LIST_LEN_VAR);
    }
}

// Executes quick instructions: up to the first that is none, or so many.
fn hurry() {
    if NOISY { return; }
    // What stands on the stack is kept here beside the memory. Below the operands of a statement it may be anything.
    var last = at(sp - 1u);
    var under = at(sp - 2u);
    for (var n = 0u; n < QUICK; n++) {
        let word = code[code_base + min(pc, code_last)];
        let op = word & 0xffu;
        if !is_quick(op) || steps == fuel || pc > code_last { break; }
        steps++;
        cost++;
        let slot = fp + (word >> 8u);
        let variable = at(slot);
        // An element, or the word that comes to stand below the top.
        let indexed = op == OP_LOAD_INDEX_VAR;
        let popped = sp - select(3u, 4u, op == OP_STORE_INDEX);
        let word_there = at(select(popped, slot + 1u + last, indexed));
        quick(word, last, under, variable, word_there);
        if run != RUNNING || !room(top) { break; }
        if to != NONE { put(to, result); }
        if top > sp {
            under = last;
            last = result;
        } else if top == sp {
            last = select(last, result, to != NONE);
        } else {
            last = select(under, result, to == top - 1u);
            under = word_there;
        }
        sp = top;
        pc = next;
    }
}

// Executes one instruction that is not quick. What it writes is gathered first and written in one place behind the switch:
// a few stores instead of one for each opcode.
fn step() {
    if run != RUNNING { return; }
    if steps == fuel { stop(TRAP_STEP_LIMIT); return; }
    let word = code[code_base + min(pc, code_last)];
    let op = word & 0xffu;
    if !NOISY && is_quick(op) && pc <= code_last { return; }
    steps++;
    cost++;
    if pc > code_last { run = ENDED; value = 0u; return; }
    let second = code[code_base + min(pc + 1u, code_last)];
    let arg = word >> 8u;
    var off = 0u;
    if NOISY {
        off = strike(op, arg);
        if off == LEFT_OUT { return; }
    }
    let slot = fp + arg;
    let loops = is_loop(op);
    // The top of the stack and the word below it; of the next round of a loop, what the counter is and what it ends at.
    let last = at(select(sp - 1u, slot + 1u, loops));
    let under = at(select(sp - 2u, slot + 2u, loops));
    let variable = at(slot);
    // One word more, for those that need it: a length below, or an element.
    var place = sp - 2u - last;
    place = select(place, sp - 2u - under + last, op == OP_LOAD_INDEX);
    place = select(place, sp - 3u, op == OP_SLICE);
    place = select(place, slot + 3u + last, op == OP_FOR_LIST);
    if NOISY { place = select(place, slot + 1u + last, op == OP_LOAD_INDEX_VAR); }
    let other = at(place);

    next = pc + 1u;
    top = sp;
    // Up to three words written at a, b, c; before that `count` words moved.
    var a = NONE; var x = 0u;
    var b = NONE; var y = 0u;
    var c = NONE; var z = 0u;
    var source = 0u; var target_place = 0u; var count = 0u; var stride = 1u;

    switch op {
        case OP_LOAD_CONST_WIDE: { a = sp; x = second; top = sp + 1u; next = pc + 2u; }
        case OP_DIV, OP_MOD: {
            if last == 0u { stop(TRAP_DIVIDE_BY_ZERO); }
            top = sp - 1u;
            a = sp - 2u; x = divided(op, under, last);
        }
        case OP_LOAD_LIST: {
            source = slot + 1u; target_place = sp; count = variable;
            top = sp + variable + 1u;
            a = top - 1u; x = variable;
        }
        case OP_STORE_LIST: {
            if last > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - last;
            source = top; target_place = slot + 1u; count = last;
            a = slot; x = last;
            next = pc + 2u;
        }
        case OP_LIST_EQ, OP_LIST_NE: {
            let second_list = sp - 1u - last;
            let first_list = second_list - 1u - other;
            var same = other == last;
            for (var i = 0u; i < min(other, LIMIT_CAPACITY) && same; i++) {
                same = at(first_list + i) == at(second_list + i);
                cost++;
            }
            top = first_list + 1u;
            a = first_list; x = select(0u, 1u, same == (op == OP_LIST_EQ));
        }
        case OP_REPEAT_LIST: {
            // The value is there once; the others are copies of it.
            source = sp - 1u; target_place = sp; stride = 0u;
            count = select(arg - 1u, 0u, arg == 0u);
            top = sp + arg;
            a = top - 1u; x = arg;
        }
        case OP_JOIN_LIST: {
            let second_list = sp - 1u - last;
            if other + last > LIMIT_CAPACITY { stop(TRAP_CAPACITY_EXCEEDED); }
            source = second_list; target_place = second_list - 1u; count = last;
            top = sp - 1u;
            a = top - 1u; x = other + last;
        }
        case OP_LOAD_INDEX: {
            if last >= under { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            let list = sp - 2u - under;
            top = list + 1u;
            a = list; x = other;
        }
        case OP_SLICE: {
            if under > last || last > other { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            target_place = sp - 3u - other;
            source = target_place + under; count = last - under;
            top = target_place + count + 1u;
            a = top - 1u; x = count;
        }
        case OP_SLICE_VAR: {
            if under > last || last > variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            source = slot + 1u + under; target_place = sp - 2u; count = last - under;
            top = target_place + count + 1u;
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
            next = select(pc + 2u, second, under == 0u);
            if under != 0u {
                a = slot; x = last;
                b = slot + 1u; y = last + 1u;
                c = slot + 2u; z = under - 1u;
            }
        }
        case OP_LIST_ITER: {
            if last > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - last;
            source = top; target_place = slot + 3u; count = last;
            a = slot + 1u; x = 0u;
            b = slot + 2u; y = last;
            next = pc + 2u;
        }
        case OP_FOR_LIST: {
            let done = last == under;
            next = select(pc + 2u, second, done);
            if !done {
                a = slot; x = other;
                b = slot + 1u; y = last + 1u;
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
            source = sp - 1u - last; target_place = fp; count = last;
            top = fp + last + 1u;
            if depth == ex.bottom && run == RUNNING { run = ENDED; value = last; } else { a = fp + last; x = last; }
        }
        default: {
            if NOISY {
                quick(word, last, under, variable, other);
                a = to; x = result;
            }
        }
    }
    if run >= TRAPPED { return; }
    if run == RUNNING && !room(top) { return; }

    count = min(count, LIMIT_CAPACITY);
    cost += count;
    for (var k = 0u; k < count; k++) {
        // Overlapping words move in the order that keeps them whole.
        let i = select(count - 1u - k, k, target_place <= source);
        put(target_place + i, at(source + i * stride));
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
    entered |= 1u << (f & 31u);
    fp = begin;
    sp = begin + frame;
    pc = routine_at(ROUTINES_ADDRESS, f);
}
