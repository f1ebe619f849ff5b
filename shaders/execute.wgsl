// execute: one thread per run, many at once, in slices.
//
// A *job* is one input of one test or property; jobs are numbered through all entries in order. A *slot* runs the
// jobs q, q + lanes, q + 2 lanes … of one program, one after the other, so that early jobs come first in all
// slots. A job that does not end in 1 lowers the program's (for the base the entry's) `best` to its number; jobs behind that can
// no longer matter and are left out. All jobs before it are run, whatever the order, so `best` ends as the first
// failing job.
//
// A dispatch is a *slice*: each thread works until its budget of loop iterations is spent, its state then rests in
// buffers. Memory is interleaved by thread. Most runs need little of it: slots start in small memory, and those that
// overflow it are begun again, from the job where they did, by the few threads that have all 4,096 words.
//
// The contract is the section "execute" of docs/stages.md; the twin is src/stage/execute.

@group(0) @binding(0) var<uniform> ex: ExecuteParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> code: array<u32>;
@group(0) @binding(3) var<storage, read_write> entries: array<u32>;
// Per program, or per entry of the base: 2 * job + 1 if it ran out of fuel. Behind those the programs to be run.
@group(0) @binding(4) var<storage, read_write> best: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> state: array<u32>;
@group(0) @binding(6) var<storage, read_write> memory: array<u32>;
@group(0) @binding(7) var<storage, read_write> control: array<atomic<u32>>;
// Records of the base's jobs (three words each), verdicts of mutants (four words each), or one run's record.
@group(0) @binding(8) var<storage, read_write> results: array<u32>;

const MODE_BASE = 0u;
const MODE_MUTANTS = 1u;
const MODE_RUN = 2u;

// The entries' table: a head of ENTRY_WORDS words, a row of as many per entry, then the binders' rows.
const HEAD_COUNT = 0u;         // entries
const HEAD_JOBS = 1u;          // jobs of the base
const HEAD_MUTANT_JOBS = 2u;   // jobs of a mutant
const HEAD_EPOCH = 3u;
const ENTRY_ROUTINE = 0u;
const ENTRY_BINDER = 1u;       // its first binder's row
const ENTRY_BINDERS = 2u;
const ENTRY_INPUTS = 3u;
const ENTRY_EXHAUSTIVE = 4u;
const ENTRY_JOB = 5u;          // its first job on the base
const ENTRY_MUTANT_JOB = 6u;   // and on mutants, where only entries run that pass on the base
const ENTRY_FUEL = 7u;         // of a run of a mutant; 0 if the base does not pass
const ENTRY_OUTCOME = 8u;      // as in OUTCOME_*
const ENTRY_STEPS = 9u;
const ENTRY_COSTLIEST = 10u;
const ENTRY_RUNS = 11u;
const ENTRY_FAILING = 12u;
const ENTRY_ADDRESS = 13u;
const BINDER_LO = 0u;
const BINDER_RANGE = 1u;
const BINDER_MAX_LEN = 2u;
const BINDER_SIZE = 3u;
const BINDER_SLOT = 4u;
const BINDER_CAPACITY = 5u;    // of a list; 0 for an int

// Outcome of a job: passed, failed, or OUTCOME_TRAP + the trap.
const OUTCOME_PASS = 0u;
const OUTCOME_FAIL = 1u;
const OUTCOME_TRAP = 2u;

const SIZE_CAP = 65535u;

fn entry_at(e: u32, column: u32) -> u32 { return entries[(1u + e) * ENTRY_WORDS + column]; }
fn set_entry(e: u32, column: u32, v: u32) { entries[(1u + e) * ENTRY_WORDS + column] = v; }
fn domain_place(row: u32, column: u32) -> u32 {
    return (1u + LIMIT_TESTS) * ENTRY_WORDS + row * BINDER_WORDS + column;
}
fn domain_at(row: u32, column: u32) -> u32 { return entries[domain_place(row, column)]; }

// The program that this thread runs.
var<private> token_base: u32;
var<private> code_base: u32;
var<private> code_last: u32;

fn routine_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + column * ex.token_capacity + token_base + i];
}
fn binder_at(column: u32, i: u32) -> u32 {
    return code[CODE_COLUMNS * ex.code_capacity + (ROUTINES_COLUMNS + column) * ex.token_capacity + token_base + i];
}

// ---- What there is to run.

fn capped(n: u32) -> u32 { return min(n, SIZE_CAP); }

var<workgroup> sums: array<u32, 256>;

// The base's entries and their domains: one workgroup.
@compute @workgroup_size(64)
fn survey(@builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let p = programs[0];
    token_base = p.token_base;
    let valid = p.fatal == 0u && p.errors == 0u;
    let binders = select(0u, p.binders, valid);
    let count = select(0u, min(p.routines - p.functions, LIMIT_TESTS), valid);

    for (var b = lane; b < binders; b += WORKGROUP) {
        let lo = binder_at(BINDERS_LO, b);
        let hi = binder_at(BINDERS_HI, b);
        let longest = min(binder_at(BINDERS_MAX_LEN, b), LIMIT_CAPACITY);
        let range = select(0u, hi - lo, bitcast<i32>(hi) > bitcast<i32>(lo));
        var size = capped(range);
        if longest > 0u {
            var power = 1u;
            var sum = 1u;
            for (var i = 0u; i < longest; i++) {
                power = capped(power * capped(range));
                sum = capped(sum + power);
            }
            size = sum;
        }
        entries[domain_place(b, BINDER_LO)] = lo;
        entries[domain_place(b, BINDER_RANGE)] = range;
        entries[domain_place(b, BINDER_MAX_LEN)] = longest;
        entries[domain_place(b, BINDER_SIZE)] = size;
    }
    storageBarrier();

    for (var e = lane; e < LIMIT_TESTS; e += WORKGROUP) {
        var inputs = 0u;
        if e < count {
            let routine = p.functions + e;
            let first = routine_at(ROUTINES_BINDERS, routine);
            let own = routine_at(ROUTINES_PARAMS, routine);
            var size = 1u;
            var slot = 0u;
            for (var i = 0u; i < own; i++) {
                let b = first + i;
                // A routine's row has capacities of its first 16 binders.
                var capacity = domain_at(b, BINDER_MAX_LEN);
                if i < LIMIT_PARAMS { capacity = cap_at(routine, i); }
                // A list of at most no elements has one value.
                var own_size = domain_at(b, BINDER_SIZE);
                if capacity > 0u && domain_at(b, BINDER_MAX_LEN) == 0u { own_size = 1u; }
                entries[domain_place(b, BINDER_SIZE)] = own_size;
                entries[domain_place(b, BINDER_SLOT)] = slot;
                entries[domain_place(b, BINDER_CAPACITY)] = capacity;
                slot += 1u + capacity;
                size = capped(size * own_size);
            }
            let exhaustive = size <= ex.samples;
            inputs = select(ex.samples, size, exhaustive);
            set_entry(e, ENTRY_ROUTINE, routine);
            set_entry(e, ENTRY_BINDER, first);
            set_entry(e, ENTRY_BINDERS, own);
            set_entry(e, ENTRY_INPUTS, inputs);
            set_entry(e, ENTRY_EXHAUSTIVE, select(0u, 1u, exhaustive));
            atomicStore(&best[e], NONE);
        }
        sums[e] = inputs;
    }
    workgroupBarrier();
    number_jobs(lane, count, ENTRY_JOB, HEAD_JOBS);
    if lane == 0u {
        entries[HEAD_COUNT] = count;
        entries[HEAD_EPOCH] = ex.epoch;
        // One program to run, or none.
        let jobs = entries[HEAD_JOBS];
        atomicStore(&control[CONTROL_PROGRAMS], select(0u, 1u, jobs > 0u));
        atomicStore(&control[CONTROL_SLOTS], min(ex.lanes, jobs));
        atomicStore(&control[CONTROL_ACTIVE], jobs);
        atomicStore(&control[CONTROL_SPILLED], 0u);
        atomicStore(&control[CONTROL_RESUMED], 0u);
    }
}

// Numbers jobs through all entries by a prefix sum over `sums`, four entries to a thread.
fn number_jobs(lane: u32, count: u32, column: u32, head: u32) {
    for (var d = 1u; d < LIMIT_TESTS; d *= 2u) {
        var a = 0u; var b = 0u; var c = 0u; var f = 0u;
        if lane >= d { a = sums[lane - d]; }
        if lane + 64u >= d { b = sums[lane + 64u - d]; }
        if lane + 128u >= d { c = sums[lane + 128u - d]; }
        if lane + 192u >= d { f = sums[lane + 192u - d]; }
        workgroupBarrier();
        sums[lane] += a;
        sums[lane + 64u] += b;
        sums[lane + 128u] += c;
        sums[lane + 192u] += f;
        workgroupBarrier();
    }
    for (var e = lane; e < count; e += WORKGROUP) {
        var first = 0u;
        if e > 0u { first = sums[e - 1u]; }
        set_entry(e, column, first);
    }
    if lane == 0u { entries[head] = sums[LIMIT_TESTS - 1u]; }
}

// ---- Inputs.

fn mix(n: u32) -> u32 {
    var x = n;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}
fn draw(input: u32, binder: u32, element: u32) -> u32 {
    return mix(mix(mix(0x6d797269u + input) + binder) + element);
}
fn number(lo: u32, range: u32, input: u32, binder: u32, element: u32) -> u32 {
    let h = draw(input, binder, element);
    if (h & 7u) == 0u {
        let which = (h >> 3u) % 5u;
        var corner = lo;
        corner = select(corner, lo + range - 1u, which == 1u);
        corner = select(corner, 0u, which == 2u);
        corner = select(corner, 1u, which == 3u);
        corner = select(corner, NONE, which == 4u);
        if corner - lo < range { return corner; }
    }
    return lo + mix(h + 0x9e3779b9u) % range;
}

// Writes the values of one input to the start of memory.
fn write_input(e: u32, input: u32) {
    let first = entry_at(e, ENTRY_BINDER);
    let count = entry_at(e, ENTRY_BINDERS);
    let exhaustive = entry_at(e, ENTRY_EXHAUSTIVE) != 0u;
    var rest = input;
    for (var i = 0u; i < count; i++) {
        // Of an exhaustive domain the last binder changes fastest.
        let b = select(i, count - 1u - i, exhaustive);
        let lo = domain_at(first + b, BINDER_LO);
        let range = domain_at(first + b, BINDER_RANGE);
        let longest = domain_at(first + b, BINDER_MAX_LEN);
        let list = domain_at(first + b, BINDER_CAPACITY) != 0u;
        let slot = domain_at(first + b, BINDER_SLOT);
        var digit = 0u;
        if exhaustive {
            let size = domain_at(first + b, BINDER_SIZE);
            digit = rest % size;
            rest = rest / size;
        }
        cost++;
        if !list {
            var value = lo + digit;
            if !exhaustive { value = number(lo, range, input, b, 0u); }
            put(slot, value);
            continue;
        }
        var length = 0u;
        if exhaustive {
            var values = 1u;
            while digit >= values {
                digit -= values;
                length++;
                values *= range;
                cost++;
            }
        } else if range > 0u {
            length = draw(input, b, 0u) % (longest + 1u);
        }
        put(slot, length);
        for (var k = 0u; k < length; k++) {
            // Of a list in an exhaustive domain the last element changes fastest.
            let element = select(k, length - 1u - k, exhaustive);
            var value = 0u;
            if exhaustive {
                value = lo + digit % range;
                digit = digit / range;
            } else {
                value = number(lo, range, input, b, 1u + element);
            }
            put(slot + 1u + element, value);
            cost++;
        }
    }
}

// ---- The machine.

var<private> thread: u32;
var<private> cost: u32;
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

fn arithmetic(op: u32, x: u32, y: u32) -> u32 {
    let a = bitcast<i32>(x);
    let b = bitcast<i32>(y);
    switch op {
        case OP_ADD: { return x + y; }
        case OP_SUB: { return x - y; }
        case OP_MUL: { return x * y; }
        case OP_DIV, OP_MOD: {
            // Magnitudes as unsigned numbers: WGSL's own division differs at MIN / -1.
            let m = select(x, 0u - x, a < 0);
            let n = max(select(y, 0u - y, b < 0), 1u);
            if op == OP_DIV { return select(m / n, 0u - m / n, (a < 0) != (b < 0)); }
            return select(m % n, 0u - m % n, a < 0);
        }
        case OP_AND: { return x & y; }
        case OP_OR: { return x | y; }
        case OP_XOR: { return x ^ y; }
        case OP_SHL: { return x << (y & 31u); }
        case OP_SHR: { return bitcast<u32>(a >> (y & 31u)); }
        case OP_EQ: { return select(0u, 1u, x == y); }
        case OP_NE: { return select(0u, 1u, x != y); }
        case OP_LT: { return select(0u, 1u, a < b); }
        case OP_LE: { return select(0u, 1u, a <= b); }
        case OP_GT: { return select(0u, 1u, a > b); }
        case OP_GE: { return select(0u, 1u, a >= b); }
        case OP_MIN: { return select(y, x, a < b); }
        case OP_MAX: { return select(y, x, a > b); }
        default: { return 0u; }
    }
}

// Executes one instruction. What it writes is gathered first and written in one place behind the switch: a few
// stores instead of one for each opcode.
fn step() {
    if steps == fuel { stop(TRAP_STEP_LIMIT); return; }
    steps++;
    cost++;
    let word = code[code_base + min(pc, code_last)];
    let second = code[code_base + min(pc + 1u, code_last)];
    let op = word & 0xffu;
    let arg = word >> 8u;
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
        case OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
             OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_MIN, OP_MAX: {
            if (op == OP_DIV || op == OP_MOD) && last == 0u { stop(TRAP_DIVIDE_BY_ZERO); }
            top = sp - 1u;
            a = sp - 2u; x = arithmetic(op, under, last);
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
        case OP_NEG: { a = sp - 1u; x = 0u - last; }
        case OP_INVERT: { a = sp - 1u; x = ~last; }
        case OP_NOT: { a = sp - 1u; x = select(0u, 1u, last == 0u); }
        case OP_ABS: { a = sp - 1u; x = select(last, 0u - last, bitcast<i32>(last) < 0); }
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
        default: {}
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

fn cap_at(f: u32, j: u32) -> u32 {
    return extractBits(routine_at(ROUTINES_CAPS0 + (j >> 2u), f), (j & 3u) * 8u, 8u);
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
    memory[call_place(2u * depth)] = pc + 1u;
    memory[call_place(2u * depth + 1u)] = fp;
    depth++;
    fp = begin;
    sp = begin + frame;
    pc = routine_at(ROUTINES_ADDRESS, f);
}

// ---- Slots.

const STATE_PHASE = 0u;
const STATE_JOB = 1u;
const STATE_PC = 2u;
const STATE_FP = 3u;
const STATE_SP = 4u;
const STATE_DEPTH = 5u;
const STATE_STEPS = 6u;
const STATE_TIER = 7u;      // 1 once it has overflowed small memory
const STATE_SPILLED = 8u;   // not a slot's: the slots that overflowed, in any order

const PHASE_NEW = 0u;
const PHASE_NEXT = 1u;      // the job is to be begun
const PHASE_RUN = 2u;
const PHASE_DONE = 3u;

var<private> slot_index: u32;
fn state_at(field: u32) -> u32 { return state[field * ex.slots + slot_index]; }
fn set_state(field: u32, v: u32) { state[field * ex.slots + slot_index] = v; }

// Steps between two looks at whether the job still matters.
const STRIDE = 256u;

fn entry_of(job: u32, column: u32) -> u32 {
    var low = 0u;
    var high = entries[HEAD_COUNT];
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if entry_at(middle, column) <= job { low = middle; } else { high = middle; }
        cost++;
    }
    return low;
}

// Works on one slot until the budget is spent or the slot is done or overflows; gives the phase it is left in, or
// NONE for an overflow.
fn work(slot: u32) -> u32 {
    slot_index = slot;
    let mutants = ex.mode == MODE_MUTANTS;
    var program = 0u;
    if mutants {
        let place = slot / ex.lanes;
        if place >= atomicLoad(&control[CONTROL_PROGRAMS]) { return PHASE_DONE; }
        program = atomicLoad(&best[ex.programs + place]);
    }
    token_base = programs[program].token_base;
    code_base = programs[program].code_base;
    code_last = max(programs[program].code, 1u) - 1u;
    let functions = programs[program].functions;

    var phase = state_at(STATE_PHASE);
    var job = state_at(STATE_JOB);
    pc = state_at(STATE_PC);
    fp = state_at(STATE_FP);
    sp = state_at(STATE_SP);
    depth = state_at(STATE_DEPTH);
    steps = state_at(STATE_STEPS);
    run = RUNNING;
    let column = select(ENTRY_JOB, ENTRY_MUTANT_JOB, mutants);
    var jobs = 1u;
    if ex.mode == MODE_BASE { jobs = entries[HEAD_JOBS]; }
    if mutants { jobs = entries[HEAD_MUTANT_JOBS]; }
    var entry = 0u;
    fuel = LIMIT_STEPS;
    if phase == PHASE_NEW {
        job = slot % ex.lanes;
        phase = PHASE_NEXT;
    } else if phase == PHASE_RUN && ex.mode != MODE_RUN {
        entry = entry_of(job, column);
        if mutants { fuel = entry_at(entry, ENTRY_FUEL); }
    }

    while cost < ex.budget && phase != PHASE_DONE && run != OVERFLOWED {
        cost++;
        if phase == PHASE_NEXT {
            if job >= jobs { phase = PHASE_DONE; continue; }
            entry = entry_of(job, column);
            let watched = select(entry, program, mutants);
            if (atomicLoad(&best[watched]) >> 1u) < job {
                if mutants { phase = PHASE_DONE; } else { job += ex.lanes; }
                continue;
            }
            if mutants { fuel = entry_at(entry, ENTRY_FUEL); }
            let routine = functions + entry;
            let frame = routine_at(ROUTINES_FRAME, routine);
            pc = routine_at(ROUTINES_ADDRESS, routine);
            fp = 0u;
            sp = frame;
            depth = ex.bottom;
            steps = 0u;
            phase = PHASE_RUN;
            if room(frame) { write_input(entry, job - entry_at(entry, column)); }
        }
        for (var i = 0u; i < STRIDE; i++) {
            if run != RUNNING || cost >= ex.budget { break; }
            step();
        }
        if run == ENDED || run == TRAPPED {
            phase = finish(entry, job, program);
            job += ex.lanes;
            run = RUNNING;
        } else if mutants && run == RUNNING && (atomicLoad(&best[program]) >> 1u) < job {
            phase = PHASE_DONE;
        }
    }
    if run == OVERFLOWED { phase = PHASE_NEXT; }
    set_state(STATE_PHASE, phase);
    set_state(STATE_JOB, job);
    set_state(STATE_PC, pc);
    set_state(STATE_FP, fp);
    set_state(STATE_SP, sp);
    set_state(STATE_DEPTH, depth);
    set_state(STATE_STEPS, steps);
    return select(phase, NONE, run == OVERFLOWED);
}

// Records how a job ended.
fn finish(entry: u32, job: u32, program: u32) -> u32 {
    var outcome = select(OUTCOME_FAIL, OUTCOME_PASS, value == 1u);
    if run == TRAPPED { outcome = OUTCOME_TRAP + trap; }
    let address = select(NONE, pc, run == TRAPPED);
    let failed = outcome != OUTCOME_PASS;
    let mark = (job << 1u) | select(0u, 1u, outcome == OUTCOME_TRAP + TRAP_STEP_LIMIT);
    if ex.mode == MODE_RUN {
        results[0] = select(TRAP_NONE, trap, run == TRAPPED);
        results[1] = select(value, 0u, run == TRAPPED);
        results[2] = steps;
        results[3] = address;
        results[4] = ex.epoch;
        return PHASE_DONE;
    }
    if ex.mode == MODE_BASE {
        results[3u * job] = outcome;
        results[3u * job + 1u] = steps;
        results[3u * job + 2u] = address;
    }
    if failed { atomicMin(&best[select(entry, program, ex.mode == MODE_MUTANTS)], mark); }
    return PHASE_NEXT;
}

// One slice of every slot (tier 0), or of those that overflowed (tier 1).
@compute @workgroup_size(64)
fn slice(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = id.x;
    if thread >= ex.threads { return; }
    if ex.tier == 0u {
        if thread >= atomicLoad(&control[CONTROL_SLOTS]) { return; }
        slot_index = thread;
        if state_at(STATE_PHASE) == PHASE_DONE || state_at(STATE_TIER) != 0u { return; }
        let phase = work(thread);
        if phase == NONE {
            set_state(STATE_TIER, 1u);
            let place = atomicAdd(&control[CONTROL_SPILLED], 1u);
            state[STATE_SPILLED * ex.slots + place] = thread;
        } else if phase != PHASE_DONE {
            atomicAdd(&control[CONTROL_ACTIVE], 1u);
        }
        return;
    }
    // A thread takes overflowed slots one after the other; its place among them rests behind the list.
    let cursor = (STATE_SPILLED + 1u) * ex.slots + thread;
    var place = state[cursor];
    while cost < ex.budget {
        let k = thread + place * ex.threads;
        if k >= atomicLoad(&control[CONTROL_SPILLED]) { break; }
        cost++;
        if work(state[STATE_SPILLED * ex.slots + k]) != PHASE_DONE { break; }
        atomicAdd(&control[CONTROL_RESUMED], 1u);
        place++;
    }
    state[cursor] = place;
}

// ---- Outcomes.

var<workgroup> most: array<u32, 64>;

// Per entry of the base: its result, and what mutants need of it. One workgroup per entry.
@compute @workgroup_size(64)
fn tally(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let e = group.x;
    let lane = local.x;
    let there = e < entries[HEAD_COUNT];
    var inputs = 0u;
    var first = 0u;
    var failing = NONE;
    if there {
        inputs = entry_at(e, ENTRY_INPUTS);
        first = entry_at(e, ENTRY_JOB);
        let mark = atomicLoad(&best[e]);
        if mark != NONE {
            failing = (mark >> 1u) - first;
            inputs = failing + 1u;
        }
    }
    var total = 0u;
    var costliest = 0u;
    for (var i = lane; i < inputs; i += WORKGROUP) {
        let taken = results[3u * (first + i) + 1u];
        total += taken;
        costliest = max(costliest, taken);
    }
    sums[lane] = total;
    most[lane] = costliest;
    workgroupBarrier();
    for (var d = 32u; d > 0u; d /= 2u) {
        if lane < d {
            sums[lane] += sums[lane + d];
            most[lane] = max(most[lane], most[lane + d]);
        }
        workgroupBarrier();
    }
    if lane != 0u || !there { return; }
    costliest = most[0];
    var outcome = OUTCOME_PASS;
    var address = NONE;
    if failing != NONE {
        outcome = results[3u * (first + failing)];
        address = results[3u * (first + failing) + 2u];
    }
    set_entry(e, ENTRY_OUTCOME, outcome);
    set_entry(e, ENTRY_STEPS, sums[0]);
    set_entry(e, ENTRY_COSTLIEST, costliest);
    set_entry(e, ENTRY_RUNS, inputs);
    set_entry(e, ENTRY_FAILING, failing);
    set_entry(e, ENTRY_ADDRESS, address);
    // 100 times the costliest input, within bounds; costliest is at most LIMIT_STEPS, so nothing wraps.
    set_entry(e, ENTRY_FUEL, select(0u, clamp(costliest * 100u, 1000u, LIMIT_STEPS), failing == NONE));
}

// The jobs of a mutant: those of the entries that pass on the base. One workgroup.
@compute @workgroup_size(64)
fn schedule(@builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let count = entries[HEAD_COUNT];
    for (var e = lane; e < LIMIT_TESTS; e += WORKGROUP) {
        var inputs = 0u;
        if e < count {
            if entry_at(e, ENTRY_FUEL) != 0u { inputs = entry_at(e, ENTRY_INPUTS); }
        }
        sums[e] = inputs;
    }
    workgroupBarrier();
    number_jobs(lane, count, ENTRY_MUTANT_JOB, HEAD_MUTANT_JOBS);
}

// Per mutant that was run: its verdict.
@compute @workgroup_size(64)
fn verdict(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= atomicLoad(&control[CONTROL_PROGRAMS]) { return; }
    let program = atomicLoad(&best[ex.programs + id.x]);
    let mark = atomicLoad(&best[program]);
    var status = VERDICT_SURVIVED;
    var killer = NONE;
    if mark != NONE {
        status = select(VERDICT_KILLED, VERDICT_TIMEOUT, (mark & 1u) != 0u);
        killer = entry_of(mark >> 1u, ENTRY_MUTANT_JOB);
    }
    results[4u * program] = status;
    results[4u * program + 1u] = killer;
    results[4u * program + 2u] = NONE;
    results[4u * program + 3u] = ex.epoch;
}
