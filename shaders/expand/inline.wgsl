// inline: replaces calls of small functions that call nothing by their code.
//
// Each thread handles every WORKGROUP-th function, then every WORKGROUP-th call in LISTED. Workgroup memory is
// used only by the scans and the bounds on memory. Each step ends with a storage barrier.

#import expand/memory
#import shared/arithmetic

// Properties of a callee, above its number of instructions.
const CALLEE_SMALL = 0x100u;
const CALLEE_LOOPS = 0x400u;
const CALLEE_FLAT = 0x800u;
const CALLEE_LOCALS = 0x1000u;

// The arguments of the call that this thread works on: first and last instruction, NONE if not known. For each
// parameter its slot and its capacity.
var<private> argument_first: array<u32, LIMIT_PARAMS>;
var<private> argument_last: array<u32, LIMIT_PARAMS>;
var<private> parameter_slot: array<u32, LIMIT_PARAMS>;
var<private> parameter_capacity: array<u32, LIMIT_PARAMS>;
var<private> parameters: u32;

fn read_parameters(callee: u32) {
    parameters = min(routine_at(ROUTINES_PARAMS, callee), LIMIT_PARAMS);
    var next = 0u;
    for (var j = 0u; j < parameters; j++) {
        let capacity = (routine_at(ROUTINES_CAPS0 + j / 4u, callee) >> (8u * (j % 4u))) & 0xffu;
        parameter_slot[j] = next;
        parameter_capacity[j] = capacity;
        next += 1u + capacity;
    }
}

// Finds the arguments of a call, from the last to the first, up to one whose code is not known.
fn read_arguments(call: u32) {
    read_parameters(ir_at(IR_ARG, call));
    for (var j = 0u; j < parameters; j++) { argument_last[j] = NONE; }
    var end = call;
    for (var j = parameters; j > 0u; j--) {
        if end == 0u { break; }
        let last = end - 1u;
        let first = ir_at(IR_START, last);
        if ir_at(IR_BLOCK, last) != ir_at(IR_BLOCK, call) || first == NONE { break; }
        argument_first[j - 1u] = first;
        argument_last[j - 1u] = last;
        end = first;
    }
}

// Fills CALLEE and PARAMETERS.
fn describe_callees() {
    for (var f = lane; f < P.routines; f += WORKGROUP) {
        let first = routine_at(ROUTINES_IR, f);
        let end = temp(ROUTINE_END, f);
        set_temp(CALLEE, f, 0u);
        if end - first > LONGEST { continue; }
        read_parameters(f);
        var small = true;
        var flat = op_at(end - 1u) == OP_RETURN;
        var jumps = false;
        var loops = false;
        var locals = false;
        var stored = 0u;
        var loaded = 0u;
        var repeated = 0u;
        for (var i = first; i < end; i++) {
            let op = op_at(i);
            // A function that calls nothing cannot reach itself, so replacing its calls ends.
            if op == OP_CALL || op == OP_RETURN_LIST { small = false; }
            if op == OP_RETURN && i + 1u < end { jumps = true; }
            if is_loop(op) { loops = true; }
            if has_target(op) {
                flat = false;
                if ir_at(target_column(op), i) <= i { loops = true; }
            }
            if is_store(op) { flat = false; }
            if !has_slot(op) { continue; }
            var local = true;
            for (var j = 0u; j < parameters; j++) {
                if parameter_slot[j] != ir_at(IR_ARG, i) { continue; }
                local = false;
                if is_store(op) || is_loop(op) {
                    stored |= 1u << j;
                } else {
                    repeated |= loaded & (1u << j);
                    loaded |= 1u << j;
                }
            }
            locals = locals || local;
        }
        set_temp(CALLEE, f, (end - first) | select(0u, CALLEE_SMALL, small)
            | select(0u, CALLEE_LOOPS, loops) | select(0u, CALLEE_FLAT, flat && !jumps)
            | select(0u, CALLEE_LOCALS, locals));
        set_temp(PARAMETERS, f, stored | (repeated << 16u));
    }
    #round r: Every function is described as a callee.
    storageBarrier();
}

fn is_pure_code(first: u32, last: u32) -> bool {
    for (var i = first; i <= last; i++) {
        let op = op_at(i);
        if !(is_load(op) || is_unary(op) || is_binary(op)) || may_trap(op) || ir_at(IR_START, i) == NONE { return false; }
    }
    return true;
}

// Whether argument j of the call is moved to where the callee loads it.
fn moves(call: u32, j: u32, callee: u32, masks: u32) -> bool {
    let last = argument_last[j];
    if last == NONE || ((masks >> j) & 1u) != 0u { return false; }
    let first = argument_first[j];
    let op = op_at(last);
    let capacity = parameter_capacity[j];
    // `CALL` would have checked that the list fits, so it must fit for certain.
    if capacity != 0u { return first == last && op == OP_LOAD_LIST && ir_at(IR_AUX, last) <= capacity; }
    if first == last && is_load(op) { return true; }
    if last - first >= ARGUMENT || ((masks >> (16u + j)) & 1u) != 0u || (callee & CALLEE_LOOPS) != 0u { return false; }
    return ir_at(IR_BLOCK, first) == ir_at(IR_BLOCK, call) && is_pure_code(first, last);
}

fn stored_arguments(plan: u32) -> u32 { return parameters - countOneBits(plan & MOVED); }

// Returns the parameter whose argument replaces what instruction `at` of the callee loads, or NONE.
fn replaced_by(plan: u32, at: u32) -> u32 {
    if !has_slot(op_at(at)) { return NONE; }
    for (var j = 0u; j < parameters; j++) {
        if ((plan >> j) & 1u) != 0u && parameter_slot[j] == ir_at(IR_ARG, at) { return j; }
    }
    return NONE;
}

// Returns the number of instructions that replace the callee's instruction `at`.
fn count_at(plan: u32, at: u32, end: u32) -> u32 {
    if op_at(at) == OP_RETURN { return select(0u, 1u, at + 1u < end); }
    let j = replaced_by(plan, at);
    if j == NONE { return 1u; }
    return argument_last[j] - argument_first[j] + 1u;
}

fn size_of(plan: u32, function: u32) -> u32 {
    let first = routine_at(ROUTINES_IR, function);
    let end = temp(ROUTINE_END, function);
    var size = stored_arguments(plan);
    for (var at = first; at < end; at++) { size += count_at(plan, at, end); }
    return size;
}

// Writes the code that replaces a planned call.
fn write_call(call: u32, plan: u32) {
    read_arguments(call);
    let function = ir_at(IR_ARG, call);
    let first = routine_at(ROUTINES_IR, function);
    let end = temp(ROUTINE_END, function);
    let base = routine_at(ROUTINES_FRAME, ir_temp(OWNER, call));
    let token = ir_at(IR_TOKEN, call);
    let behind = ir_temp(PLACE, call + 1u);
    var next = ir_temp(PLACE, call);
    for (var j = parameters; j > 0u; j--) {
        if ((plan >> (j - 1u)) & 1u) != 0u { continue; }
        let capacity = parameter_capacity[j - 1u];
        put_next(next, select(OP_STORE_LIST, OP_STORE_VAR, capacity == 0u), base + parameter_slot[j - 1u], capacity,
            token, ir_at(IR_SITE, call), next);
        next += 1u;
    }
    // New positions of the callee's instructions.
    var offsets: array<u32, LONGEST + 1u>;
    for (var at = first; at < end; at++) {
        offsets[at - first] = next;
        next += count_at(plan, at, end);
    }
    offsets[end - first] = next;
    let known = (temp(CALLEE, function) & CALLEE_FLAT) != 0u && stored_arguments(plan) == 0u;
    for (var at = first; at < end; at++) {
        let to = offsets[at - first];
        let op = op_at(at);
        let own = ir_at(IR_TOKEN, at);
        var begins = ir_at(IR_START, at);
        if begins != NONE { begins = offsets[begins - first]; }
        if op == OP_RETURN {
            if at + 1u < end { put_next(to, OP_JUMP, behind, 0u, own, token, select(to, NONE, !known && to + 1u == behind)); }
            continue;
        }
        let j = replaced_by(plan, at);
        if j != NONE && op == OP_LOAD_VAR {
            let argument = argument_first[j];
            for (var a = argument; a <= argument_last[j]; a++) {
                let place = to + a - argument;
                put_next(place, op_at(a), ir_at(IR_ARG, a), ir_at(IR_AUX, a), ir_at(IR_TOKEN, a), ir_at(IR_SITE, a),
                    select(to + ir_at(IR_START, a) - argument, NONE, !known && place + 1u == behind));
            }
            continue;
        }
        var arg = ir_at(IR_ARG, at);
        var aux = ir_at(IR_AUX, at);
        if j != NONE {
            arg = ir_at(IR_ARG, argument_last[j]);
            if op == OP_LOAD_LIST { aux = ir_at(IR_AUX, argument_last[j]); }
        } else if has_slot(op) {
            arg += base;
        }
        if is_jump(op) { arg = offsets[arg - first]; }
        if is_loop(op) { aux = offsets[aux - first]; }
        put_next(to, op, arg, aux, own, token, select(begins, NONE, !known && to + 1u == behind));
    }
}

fn inline_calls() {
    find_owners();
    describe_callees();
    clear_plans();
    list_all(OP_CALL);
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        let function = ir_at(IR_ARG, call);
        let callee = temp(CALLEE, function);
        if (callee & CALLEE_SMALL) == 0u { continue; }
        let masks = temp(PARAMETERS, function);
        read_arguments(call);
        var plan = PLANNED;
        var loads = true;
        for (var j = 0u; j < parameters; j++) {
            if !moves(call, j, callee, masks) { continue; }
            plan |= 1u << j;
            loads = loads && argument_first[j] == argument_last[j];
        }
        // The call is a step less, and so is each moved argument; a return is a step, as the jump in its place.
        if stored_arguments(plan) > 1u + countOneBits(plan & MOVED) { continue; }
        let frameless = stored_arguments(plan) == 0u && loads && (callee & CALLEE_LOCALS) == 0u;
        set_ir_temp(PLAN, call, plan | select(0u, FRAMELESS, frameless));
        set_ir_temp(PLACE, call, max(size_of(plan, function), 1u) - 1u);
    }
    #round n: Calls of small functions are planned.
    storageBarrier();
    keep_fitting();
    if !take_plans() { return; }
    count_one();
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        let plan = ir_temp(PLAN, call);
        if plan == 0u { continue; }
        read_arguments(call);
        let function = ir_at(IR_ARG, call);
        set_ir_temp(PLACE, call, size_of(plan, function));
        let flat = (temp(CALLEE, function) & CALLEE_FLAT) != 0u && stored_arguments(plan) == 0u;
        set_ir_temp(INSIDE, call, select(1u, 0u, flat));
        for (var j = 0u; j < parameters; j++) {
            if ((plan >> j) & 1u) == 0u { continue; }
            for (var i = argument_first[j]; i <= argument_last[j]; i++) { set_ir_temp(PLACE, i, 0u); }
        }
    }
    #round n: Planned calls have the number of instructions that replace them; moved arguments have none.
    storageBarrier();
    let size = sum_counts();
    for (var i = lane; i < n; i += WORKGROUP) {
        if ir_temp(PLAN, i) == 0u && ir_temp(PLACE, i) != ir_temp(PLACE, i + 1u) { copy_next(i); }
    }
    for (var k = lane; k < listed; k += WORKGROUP) {
        let call = ir_temp(LISTED, k);
        let plan = ir_temp(PLAN, call);
        if plan != 0u { write_call(call, plan); }
    }
    #round n: Planned calls are replaced by the code of their functions.
    storageBarrier();
    grow_frames();
    finish_expansion(uniform_from(size));
}
