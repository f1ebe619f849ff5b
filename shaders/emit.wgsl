// emit: encodes instructions as words. A prefix sum over the instructions' sizes yields their addresses, and
// every instruction writes its own words.
//
// Each thread handles every WORKGROUP-th instruction. Workgroup memory is used only by the prefix sum. A
// storage barrier separates writing the sizes from summing them; the sum ends with another, before addresses
// are read.

#import shared/arena
#import shared/columns
#import shared/wide
#import layout/scratch/emit

fn address(i: u32) -> u32 {
    if i >= P.ir { return P.code; }
    return ir_temp(ADDRESS, i);
}

// Returns the opcode that the instruction is emitted as.
fn emitted(i: u32) -> u32 {
    let op = ir_at(IR_OP, i);
    return select(op, OP_LOAD_CONST_WIDE, op == OP_LOAD_CONST && is_wide(ir_at(IR_ARG, i)));
}

@compute @workgroup_size(WORKGROUP)
fn emit(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    for (var i = lane; i < P.ir; i += WORKGROUP) {
        let op = emitted(i);
        set_ir_temp(ADDRESS, i, select(op_words(op), 0u, op == OP_NOP));
    }
    #round n: Every instruction has its number of words.
    storageBarrier();
    P.code = sum_ir_column(ADDRESS, uniform_from(P.ir));
    for (var i = lane; i < P.ir; i += WORKGROUP) { write_words(i); }
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        set_routine(ROUTINES_ADDRESS, r, address(routine_at(ROUTINES_IR, r)));
    }
    if lane == 0u { programs[program_index].code = P.code; }
    #round n: Every instruction has written its words at its address.
}

fn write_words(i: u32) {
    let op = emitted(i);
    if op == OP_NOP { return; }
    let at = address(i);
    let arg = ir_at(IR_ARG, i);
    let aux = ir_at(IR_AUX, i);
    let token = ir_at(IR_TOKEN, i);
    let shape = op_shape(op);
    var operand = arg;
    if shape == SHAPE_TARGET { operand = address(arg); }
    if shape == SHAPE_WIDE { operand = 0u; }
    put_word(at, op | (operand << 8u), token);
    if shape == SHAPE_WIDE { put_word(at + 1u, arg, token); }
    if shape == SHAPE_SLOT_CAPACITY { put_word(at + 1u, aux, token); }
    if shape == SHAPE_SLOT_TARGET { put_word(at + 1u, address(aux), token); }
}

fn put_word(at: u32, word: u32, token: u32) {
    set_code(CODE_WORD, at, word);
    set_code(CODE_TOKEN, at, token);
}
