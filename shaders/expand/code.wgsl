// The mechanism of expansions: owners of instructions, lists of instructions, plans that fit, new positions and
// the new code.
//
// Each thread handles a run of instructions or every WORKGROUP-th one. Workgroup memory is used only by the scans.
// Each step ends with a storage barrier.

#import shared/arena
#import shared/scan
#import shared/blocks
#import optimize/scratch
#import layout/expand

// The number of instructions in LISTED.
var<private> listed: u32;

// Returns the range of rows in part 0..64 of a list.
fn part_of(count: u32, part: u32) -> vec2<u32> {
    let size = (count + 63u) / 64u;
    let lo = min(part * size, count);
    return vec2<u32>(lo, min(lo + size, count));
}

// Fills OWNER and ROUTINE_END.
fn find_owners() {
    for (var i = lane; i < n; i += WORKGROUP) { set_ir_temp(PLAN, i, 0u); }
    #round n: No routine has its first instruction yet.
    storageBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) { set_ir_temp(PLAN, routine_at(ROUTINES_IR, r), r + 1u); }
    #round r: The first instructions of routines are marked.
    storageBarrier();
    let mine = run(lane);
    var last = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        if ir_temp(PLAN, i) != 0u { last = i + 1u; }
    }
    last = max_before(last);
    var owner = 0u;
    if last != 0u { owner = ir_temp(PLAN, last - 1u) - 1u; }
    for (var i = mine.x; i < mine.y; i++) {
        let begins = ir_temp(PLAN, i);
        if begins != 0u { owner = begins - 1u; }
        set_ir_temp(OWNER, i, owner);
        let ends = i + 1u == n;
        var next = 0u;
        if !ends { next = ir_temp(PLAN, i + 1u); }
        if ends || next != 0u { set_temp(ROUTINE_END, owner, i + 1u); }
    }
    #round n: Every instruction has its routine, and every routine its end.
    storageBarrier();
}

fn clear_plans() {
    for (var i = lane; i < n; i += WORKGROUP) { set_ir_temp(PLAN, i, 0u); }
    #round n: Nothing is planned.
    storageBarrier();
}

fn is_listed(i: u32, op: u32) -> bool { return select(op_at(i) == op, ir_temp(PLAN, i) != 0u, op == NONE); }

// Lists the instructions with an operation, or with a plan if `op` is NONE, in order.
fn list_all(op: u32) {
    let mine = run(lane);
    var count = 0u;
    for (var i = mine.x; i < mine.y; i++) { count += select(0u, 1u, is_listed(i, op)); }
    var number = scan_sum(count) - count;
    listed = scan_total;
    for (var i = mine.x; i < mine.y; i++) {
        if is_listed(i, op) {
            set_ir_temp(LISTED, number, i);
            number += 1u;
        }
    }
    #round n: The instructions of one kind are listed.
    storageBarrier();
}

// Takes plans in the order of their positions while all of them fit. PLACE is how many instructions a listed
// plan adds. Returns whether any was taken.
fn take_plans() -> bool {
    let mine = part_of(listed, lane);
    var added = 0u;
    for (var k = mine.x; k < mine.y; k++) {
        let i = ir_temp(LISTED, k);
        if ir_temp(PLAN, i) != 0u { added += ir_temp(PLACE, i); }
    }
    // Refused plans count as well: a prefix sum cannot leave them out.
    var size = n + scan_sum(added) - added;
    var any = false;
    for (var k = mine.x; k < mine.y; k++) {
        let i = ir_temp(LISTED, k);
        if ir_temp(PLAN, i) == 0u { continue; }
        size += ir_temp(PLACE, i);
        if size > 2u * P.lowered + SPARE { set_ir_temp(PLAN, i, 0u); } else { any = true; }
    }
    #round n: The plans that fit are taken.
    storageBarrier();
    return uniform_any(any);
}

fn count_one() {
    for (var i = lane; i < n; i += WORKGROUP) {
        set_ir_temp(PLACE, i, 1u);
        set_ir_temp(INSIDE, i, 0u);
    }
    #round n: Every instruction is replaced by one.
    storageBarrier();
}

// Turns the counts in PLACE and INSIDE into sums over the instructions before. Returns the new size.
fn sum_counts() -> u32 {
    let mine = run(lane);
    var places = 0u;
    var insides = 0u;
    for (var i = mine.x; i < mine.y; i++) {
        places += ir_temp(PLACE, i);
        insides += ir_temp(INSIDE, i);
    }
    var place = scan_sum(places) - places;
    let size = scan_total;
    var inside = scan_sum(insides) - insides;
    let all_inside = scan_total;
    for (var i = mine.x; i < mine.y; i++) {
        let count = ir_temp(PLACE, i);
        let within = ir_temp(INSIDE, i);
        set_ir_temp(PLACE, i, place);
        set_ir_temp(INSIDE, i, inside);
        place += count;
        inside += within;
    }
    if lane == 0u {
        set_ir_temp(PLACE, n, size);
        set_ir_temp(INSIDE, n, all_inside);
    }
    #round n: Every instruction has its new position.
    storageBarrier();
    return size;
}

// Writes an instruction of the new code, into columns of its own, because other threads still read the old code.
fn put_next(at: u32, op: u32, arg: u32, aux: u32, token: u32, site: u32, begins: u32) {
    set_ir_temp(NEXT_OP, at, op);
    set_ir_temp(NEXT_ARG, at, arg);
    set_ir_temp(NEXT_AUX, at, aux);
    set_ir_temp(NEXT_TOKEN, at, token);
    set_ir_temp(NEXT_SITE, at, site);
    set_ir_temp(NEXT_START, at, begins);
}

// Copies an instruction to its new position.
fn copy_next(i: u32) {
    let op = op_at(i);
    var arg = ir_at(IR_ARG, i);
    var aux = ir_at(IR_AUX, i);
    if is_jump(op) { arg = ir_temp(PLACE, arg); }
    if is_loop(op) { aux = ir_temp(PLACE, aux); }
    var begins = ir_at(IR_START, i);
    if begins != NONE {
        begins = select(NONE, ir_temp(PLACE, begins), ir_temp(INSIDE, i) == ir_temp(INSIDE, begins));
    }
    put_next(ir_temp(PLACE, i), op, arg, aux, ir_at(IR_TOKEN, i), ir_at(IR_SITE, i), begins);
}

// Replaces the code by the new code of `size` instructions.
fn finish_expansion(size: u32) {
    #round n: The new code is written.
    storageBarrier();
    for (var i = lane; i < size; i += WORKGROUP) {
        set_ir(IR_OP, i, ir_temp(NEXT_OP, i));
        set_ir(IR_ARG, i, ir_temp(NEXT_ARG, i));
        set_ir(IR_AUX, i, ir_temp(NEXT_AUX, i));
        set_ir(IR_TOKEN, i, ir_temp(NEXT_TOKEN, i));
        set_ir(IR_SITE, i, ir_temp(NEXT_SITE, i));
        set_ir(IR_START, i, ir_temp(NEXT_START, i));
    }
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_IR, r, ir_temp(PLACE, routine_at(ROUTINES_IR, r)));
    }
    if lane == 0u {
        programs[program_index].ir = size;
        set_temp(STATE_ROUND, 0u, 0u);
    }
    n = size;
    #round n: The new code replaces the old one.
    storageBarrier();
    number_blocks(OPTIMIZED, size);
}
