// The stack machine: executes the next instructions of one run. The importing file selects a machine with or
// without faults: noise.wgsl or noiseless.wgsl.
//
// Each thread executes one run. Its memory is a column of the buffer `memory`, interleaved by thread. No
// workgroup memory, no barriers.

#import shared/arithmetic
#import execute/tables
#import execute/uncounted

var<private> thread: u32;
var<private> fuel: u32;
var<private> pc: u32;
var<private> fp: u32;
var<private> sp: u32;
var<private> depth: u32;
var<private> steps: u32;
// The functions that the run has called, one bit for each index modulo 32.
var<private> entered_functions: u32;

// The state of the run.
const RUNNING = 0u;
const ENDED = 1u;     // with the result `value`
const TRAPPED = 2u;   // by the trap `value`, at pc
const OVERFLOWED = 3u; // the run needs more memory than this tier has
var<private> run: u32;
var<private> value: u32;

// Orders the instructions of a group's threads: the deepest call first, then the least address on the base. So
// threads that took different branches or iterations meet again. Never 0.
fn turn() -> u32 {
    let address = pc + select(0u, exec_params.base_last - code_last, pc >= edited);
    return ((LIMIT_CALL_DEPTH + 2u - depth) << 20u) + (address & 0xfffffu) + 1u;
}

fn word_place(i: u32) -> u32 { return (i & (exec_params.words - 1u)) * exec_params.threads + thread; }
fn at(i: u32) -> u32 { return memory[word_place(i)]; }
fn put(i: u32, v: u32) { memory[word_place(i)] = v; }
fn call_place(i: u32) -> u32 { return (exec_params.words + min(i, 2u * exec_params.calls - 1u)) * exec_params.threads + thread; }

fn stop(why: u32) {
    run = TRAPPED;
    value = why;
}

// Returns whether memory up to `top` is available. If it is not, the run stops.
fn room(top: u32) -> bool {
    if top <= exec_params.words { return true; }
    if top > LIMIT_STACK_WORDS { stop(TRAP_OUT_OF_MEMORY); } else { run = OVERFLOWED; }
    return false;
}

// Lists are passed by reference while no instruction can change them. The length word of a loaded list, and
// of a parameter that received one, then has this bit, and from bit 8 on the index of its first element. The
// elements are copied when the list is stored. Positions on the stack and in frames are those of an immediate
// copy, so the memory that counts toward the limit is exactly the same.
const REFERENCE = 0x80000000u;

fn refers(length: u32) -> bool { return !NOISY && exec_params.lists_by_reference != 0u && (length & REFERENCE) != 0u; }
fn referred(length: u32) -> u32 { return extractBits(length, 8u, 16u); }
// Returns the length in a word that may be a reference.
fn plain_length(length: u32, refers: bool) -> u32 { return select(length, length & 0xffu, refers); }

// Quick instructions operate on words, write at most one word, and do not divide. Most instructions are
// quick. `run_quick` executes several of them; the others need the slower `step`.

fn is_quick(op: u32) -> bool {
    return is_pushed(op) || is_jump(op) || is_unary(op) || (is_binary(op) && !may_trap(op)) || op == OP_STORE_VAR
        || op == OP_LOAD_INDEX_VAR || op == OP_STORE_INDEX;
}

// Returns whether the operation pushes a word of the instruction, of a variable or of the stack.
fn is_pushed(op: u32) -> bool {
    return (is_load(op) && op != OP_LOAD_CONST_WIDE) || op == OP_DUP || op == OP_BUILD_LIST;
}

// Returns whether the operation is a quick one on a list variable.
fn is_list_variable(op: u32) -> bool { return op == OP_LOAD_INDEX_VAR || op == OP_STORE_INDEX || op == OP_LIST_LEN_VAR; }

// Returns whether the operation takes a list from the top of the stack. Such operations are not quick.
fn takes_list(op: u32) -> bool {
    return op == OP_STORE_LIST || op == OP_LIST_EQ || op == OP_LIST_NE || op == OP_JOIN_LIST || op == OP_LIST_LEN || op == OP_LIST_ITER
        || op == OP_RETURN_LIST;
}

// The result of a quick instruction: the next pc, the new stack height, and the word to write and its place
// (NONE for no write).
var<private> next: u32;
var<private> top: u32;
var<private> to: u32;
var<private> result: u32;

// Computes a quick instruction. `tos` is the top of the stack, `nos` the word below it, `variable` the
// word in the slot, and `element` the element of the list variable in that slot at index `tos`.
fn quick(word: u32, tos: u32, nos: u32, variable: u32, element: u32) {
    let op = word & 0xffu;
    let arg = word >> 8u;
    next = pc + 1u;
    top = sp;
    to = sp;
    result = tos;
    if is_binary(op) {
        top = sp - 1u;
        to = sp - 2u;
        result = plain_value(op, nos, tos);
    } else if is_unary(op) {
        to = sp - 1u;
        result = unary_value(op, tos);
    } else if is_jump(op) {
        // Bits of a conditional jump: 1, plus 2 if it jumps on true, plus 4 if it then keeps the value.
        let how = condition(op);
        let jumps = how == 0u || (tos != 0u) == ((how & 2u) != 0u);
        next = select(next, arg, jumps);
        top = select(sp - 1u, sp, how == 0u || (jumps && (how & 4u) != 0u));
        to = NONE;
    } else if op == OP_STORE_VAR {
        top = sp - 1u;
        to = fp + arg;
    } else if op == OP_STORE_INDEX {
        if nos >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
        top = sp - 2u;
        to = fp + arg + 1u + nos;
    } else if op == OP_LOAD_INDEX_VAR {
        if tos >= variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
        to = sp - 1u;
        result = element;
    } else {
        top = sp + 1u;
        result = select(result, bitcast<u32>(bitcast<i32>(word) >> 8u), op == OP_LOAD_CONST);
        result = select(result, arg, op == OP_BUILD_LIST);
        result = select(result, variable, op == OP_LOAD_VAR || op == OP_LIST_LEN_VAR);
    }
}

// The top of the stack and the word below it, cached in variables by `run_quick` and `step`. Below the operands
// of a statement, their values are undefined.
var<private> tos: u32;
var<private> nos: u32;

// Whether `step` executes what quick_in_threads.wgsl does; if not, that code is left out.
const STEPS_ALL = NOISY || !IN_THREADS;

// Executes one instruction that is not quick; call `run_quick` first. Adapters that run threads as lanes of one
// vector execute all branches of this function, and reads cost most there. So words are read in few places,
// shared by all instructions, and all writes come after the switch.
fn step() {
    if !IN_THREADS && run != RUNNING { return; }
    if steps == fuel { stop(TRAP_STEP_LIMIT); return; }
    let word = code[code_base + min(pc, code_last)];
    let op = word & 0xffu;
    // The only quick instruction handled here is OP_STORE_INDEX, which may need a list copied first.
    if !NOISY && !IN_THREADS && is_quick(op) && op != OP_STORE_INDEX && pc <= code_last { return; }
    count_step();
    steps++;
    cost++;
    if pc > code_last { run = ENDED; value = 0u; return; }
    let second = code[code_base + min(pc + 1u, code_last)];
    let arg = word >> 8u;
    var off = 0u;
    if NOISY {
        off = inject_fault(op, arg);
        if off == STEP_DONE { return; }
        tos = at(sp - 1u);
        nos = at(sp - 2u);
    }
    let slot = fp + arg;
    let loops = is_loop(op);
    let returns = op == OP_RETURN || op == OP_RETURN_LIST;
    let compares = op == OP_LIST_EQ || op == OP_LIST_NE;
    // Operands that are lists, and the indices of their first elements.
    let tos_refers = takes_list(op) && refers(tos);
    let tos_list = select(sp - 1u - plain_length(tos, tos_refers), referred(tos), tos_refers);
    tos = plain_length(tos, tos_refers);
    let nos_refers = op == OP_LOAD_INDEX && refers(nos);
    let nos_list = select(sp - 2u - plain_length(nos, nos_refers), referred(nos), nos_refers);
    nos = plain_length(nos, nos_refers);
    // Read two more words. The first is a variable, the next value of a loop, or the return address. The
    // second is the length of the list below, an element, the end of a loop, or the caller's frame.
    var place = sp - 2u - tos;
    place = select(place, nos_list + tos, op == OP_LOAD_INDEX);
    place = select(place, sp - 3u, op == OP_SLICE);
    place = select(place, slot + 2u, loops);
    if NOISY { place = select(place, slot + 1u + tos, op == OP_LOAD_INDEX_VAR); }
    let caller = call_place(2u * (max(depth, 1u) - 1u));
    let held = memory[select(word_place(slot + select(0u, 1u, loops)), caller, returns)];
    let third = memory[select(word_place(place), caller + exec_params.threads, returns)];
    let variable_refers = (op == OP_LOAD_LIST || op == OP_SLICE_VAR || op == OP_STORE_INDEX) && refers(held);
    let variable = plain_length(held, variable_refers);
    let variable_list = select(slot + 1u, referred(held), variable_refers);
    let other_refers = (compares || op == OP_JOIN_LIST || op == OP_SLICE) && refers(third);
    let other = plain_length(third, other_refers);
    let other_list = select(place - other, referred(third), other_refers);

    next = pc + 1u;
    top = sp;
    // Up to three words written at a, b, c, after `count` words are moved or compared.
    var a = NONE; var x = 0u;
    var b = NONE; var y = 0u;
    var c = NONE; var z = 0u;
    var source = 0u; var target_place = 0u; var count = 0u; var stride = 1u;
    var same = true;
    var constants = 0u;

    switch op {
        case OP_LOAD_CONST_WIDE: { a = sp; x = second; top = sp + 1u; next = pc + 2u; }
        case OP_DIV, OP_MOD: {
            if STEPS_ALL {
                if tos == 0u { stop(TRAP_DIVIDE_BY_ZERO); }
                top = sp - 1u;
                a = sp - 2u; x = divided(op, nos, tos);
            }
        }
        case OP_LOAD_LIST: {
            top = sp + variable + 1u;
            a = top - 1u;
            if !NOISY && exec_params.lists_by_reference != 0u {
                x = REFERENCE | (variable_list << 8u) | variable;
            } else {
                source = slot + 1u; target_place = sp; count = variable;
                x = variable;
            }
        }
        case OP_LOAD_LIST_CONST: {
            constants = arg;
            top = sp + arg + 1u;
            a = top - 1u; x = arg;
            next = pc + 1u + arg;
        }
        case OP_STORE_LIST: {
            if tos > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - tos;
            source = tos_list; target_place = slot + 1u; count = tos;
            a = slot; x = tos;
            next = pc + 2u;
        }
        case OP_LIST_EQ, OP_LIST_NE: {
            same = other == tos;
            source = other_list; target_place = tos_list; count = select(0u, tos, same);
            top = place - other + 1u;
            a = top - 1u;
        }
        case OP_REPEAT_LIST: {
            // The value is on the stack once; the other elements are copies of it.
            source = sp - 1u; target_place = sp; stride = 0u;
            count = select(arg - 1u, 0u, arg == 0u);
            top = sp + arg;
            a = top - 1u; x = arg;
        }
        case OP_JOIN_LIST: {
            if other + tos > LIMIT_CAPACITY { stop(TRAP_CAPACITY_EXCEEDED); }
            if other_refers && run == RUNNING {
                // Copy the elements of a referenced first list, then execute the instruction again.
                source = other_list; target_place = place - other; count = other;
                a = place; x = other;
                next = pc;
                steps--;
            } else {
                source = tos_list; target_place = sp - 2u - tos; count = tos;
                top = sp - 1u;
                a = top - 1u; x = other + tos;
            }
        }
        case OP_LOAD_INDEX: {
            if tos >= nos { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            top = sp - 1u - nos;
            a = top - 1u; x = third;
        }
        case OP_SLICE: {
            if nos > tos || tos > other { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            target_place = place - other;
            source = other_list + nos; count = tos - nos;
            top = target_place + count + 1u;
            a = top - 1u; x = count;
        }
        case OP_SLICE_VAR: {
            if nos > tos || tos > variable { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
            source = variable_list + nos; target_place = sp - 2u; count = tos - nos;
            top = target_place + count + 1u;
            a = top - 1u; x = count;
        }
        case OP_LIST_LEN: { top = sp - tos; a = top - 1u; x = tos; }
        case OP_RANGE_ITER: {
            top = sp - 2u;
            a = slot + 1u; x = nos;
            b = slot + 2u; y = select(0u, tos - nos, bitcast<i32>(nos) < bitcast<i32>(tos));
        }
        case OP_RANGE_ITER_INCLUSIVE: {
            top = sp - 2u;
            a = slot + 1u; x = nos;
            b = slot + 2u;
            y = select(0u, min(tos - nos, 0xfffffffeu) + 1u, bitcast<i32>(nos) <= bitcast<i32>(tos));
        }
        case OP_FOR_RANGE, OP_NEXT_RANGE: {
            next = select(pc + 2u, second, (third == 0u) == (op == OP_FOR_RANGE));
            if STEPS_ALL && third != 0u {
                a = slot; x = held;
                b = slot + 1u; y = held + 1u;
                c = slot + 2u; z = third - 1u;
            }
        }
        case OP_LIST_ITER: {
            if tos > second { stop(TRAP_CAPACITY_EXCEEDED); }
            top = sp - 1u - tos;
            source = tos_list; target_place = slot + 3u; count = tos;
            a = slot + 1u; x = 0u;
            b = slot + 2u; y = tos;
            next = pc + 2u;
        }
        case OP_FOR_LIST, OP_NEXT_LIST: {
            let done = held == third;
            next = select(pc + 2u, second, done == (op == OP_FOR_LIST));
            if !done {
                b = slot + 1u; y = held + 1u;
                if NOISY { a = slot; x = at(slot + 3u + held); } else { source = slot + 3u + held; target_place = slot; count = 1u; }
            }
        }
        // Copy the list if the variable refers to one; the instruction is then quick.
        case OP_STORE_INDEX: {
            if NOISY {
                quick(word, tos, nos, variable, third);
                a = to; x = result;
            } else {
                if variable_refers {
                    source = variable_list; target_place = slot + 1u; count = variable;
                    a = slot; x = variable;
                }
                next = pc;
                steps--;
            }
        }
        case OP_CALL: { if STEPS_ALL { call(arg); return; } }
        case OP_HOLE: { stop(TRAP_HOLE); }
        case OP_RETURN: {
            if depth == exec_params.initial_depth { run = ENDED; value = tos; } else { a = fp; x = tos; top = fp + 1u; }
        }
        case OP_RETURN_LIST: {
            if tos > arg { stop(TRAP_CAPACITY_EXCEEDED); }
            source = tos_list; target_place = fp; count = tos;
            top = fp + tos + 1u;
            if depth == exec_params.initial_depth && run == RUNNING { run = ENDED; value = tos; } else { a = fp + tos; x = tos; }
        }
        default: {
            if NOISY {
                quick(word, tos, nos, variable, third);
                a = to; x = result;
            }
        }
    }
    if run >= TRAPPED { return; }
    if run == RUNNING && !room(top) { return; }

    for (var k = 0u; k < constants; k++) {
        put(sp + k, bitcast<u32>(bitcast<i32>(code[code_base + min(pc + 1u + k, code_last)]) >> 8u));
        cost++;
    }
    count = min(count, LIMIT_CAPACITY);
    cost += count;
    for (var k = 0u; k < count && same; k++) {
        // Overlapping ranges are copied in the direction that preserves the source.
        let i = select(count - 1u - k, k, target_place <= source);
        let moved = at(source + i * stride);
        if compares { same = moved == at(target_place + i); } else { put(target_place + i, moved); }
    }
    if compares { x = select(0u, 1u, same == (op == OP_LIST_EQ)); }
    if NOISY { x += off; }
    if a != NONE { put(a, x); }
    if b != NONE { put(b, y); }
    if c != NONE { put(c, z); }
    sp = top;
    if returns {
        if run == ENDED { return; }
        depth--;
        next = held;
        fp = third;
    }
    pc = next;
}

fn capacity_of(caps: vec4<u32>, j: u32) -> u32 { return extractBits(caps[j >> 2u], (j & 3u) * 8u, 8u); }

fn call(f: u32) {
    if depth >= LIMIT_CALL_DEPTH { stop(TRAP_RECURSION_TOO_DEEP); }
    let frame = routine_at(ROUTINES_FRAME, f);
    let params = min(routine_at(ROUTINES_PARAMS, f), LIMIT_PARAMS);
    // The capacities of the parameters, four in a word.
    var caps = vec4<u32>();
    for (var k = 0u; 4u * k < params; k++) { caps[k] = routine_at(ROUTINES_CAPS0 + k, f); }
    let lists = caps.x | caps.y | caps.z | caps.w;
    // The start of the arguments, and the number of words that the parameters occupy.
    var begin = sp;
    var places = 0u;
    if lists == 0u {
        begin = sp - params;
    } else {
        for (var j = 0u; j < params && run == RUNNING; j++) {
            let cap = capacity_of(caps, params - 1u - j);
            cost++;
            begin--;
            places += 1u + cap;
            if cap != 0u {
                let head = at(begin);
                let length = plain_length(head, refers(head));
                if length > cap { stop(TRAP_CAPACITY_EXCEEDED); }
                begin -= length;
            }
        }
    }
    if run == RUNNING && room(begin + frame) && depth >= exec_params.calls { run = OVERFLOWED; }
    if run != RUNNING { return; }
    if lists != 0u {
        var source = sp;
        var place = begin + places;
        for (var j = 0u; j < params; j++) {
            let cap = capacity_of(caps, params - 1u - j);
            place -= 1u + cap;
            source--;
            let head = at(source);
            if cap != 0u {
                let elsewhere = refers(head);
                let length = min(plain_length(head, elsewhere), LIMIT_CAPACITY);
                source -= length;
                for (var k = select(length, 0u, elsewhere); k > 0u; k--) {
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
    entered_functions |= 1u << (f & 31u);
    fp = begin;
    sp = begin + frame;
    pc = routine_at(ROUTINES_ADDRESS, f);
}
