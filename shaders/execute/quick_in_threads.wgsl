// Quick instructions, for adapters with threads of their own. One switch finds the instruction, which does only what
// it needs; the most frequent of the slower instructions are here too. quick_in_lanes.wgsl does the same where threads
// are lanes of one vector. The importing file selects a machine with or without faults. No workgroup memory, no
// barriers.

#import execute/machine

const QUICK = 64u;

// Pushes a word.
fn push(v: u32) {
    if !room(sp + 1u) { return; }
    put(sp, v);
    sp++;
    nos = tos;
    tos = v;
    pc++;
}

// Replaces the top of the stack.
fn replace(v: u32) {
    put(sp - 1u, v);
    tos = v;
    pc++;
}

// Replaces the two topmost words by one.
fn combine(v: u32) {
    sp--;
    put(sp - 1u, v);
    tos = v;
    nos = at(sp - 2u);
    pc++;
}

// Pops the top of the stack, and goes to an instruction.
fn pop_and_go(target_pc: u32) {
    sp--;
    tos = nos;
    nos = at(sp - 2u);
    pc = target_pc;
}

// Pops the condition and jumps if it is `on`; `keeps` retains the condition if it jumps.
fn jump_if(on: bool, keeps: bool, target_pc: u32) {
    let jumps = (tos != 0u) == on;
    if jumps && keeps { pc = target_pc; } else { pop_and_go(select(pc + 1u, target_pc, jumps)); }
}

// Executes up to QUICK instructions, and stops before the first that needs `step`.
fn run_quick() {
    if NOISY { return; }
    tos = at(sp - 1u);
    nos = at(sp - 2u);
    for (var n = 0u; n < QUICK; n++) {
        if steps == fuel || pc > code_last { return; }
        let word = code[code_base + pc];
        let op = word & 0xffu;
        let arg = word >> 8u;
        var quick = true;
        steps++;
        switch op {
            case OP_LOAD_CONST: { push(bitcast<u32>(bitcast<i32>(word) >> 8u)); }
            case OP_LOAD_VAR: { push(at(fp + arg)); }
            case OP_LIST_LEN_VAR: { let head = at(fp + arg); push(plain_length(head, refers(head))); }
            case OP_BUILD_LIST: { push(arg); }
            case OP_DUP: { push(tos); }
            case OP_STORE_VAR: { put(fp + arg, tos); pop_and_go(pc + 1u); }
            case OP_LOAD_INDEX_VAR: {
                let head = at(fp + arg);
                let elsewhere = refers(head);
                if tos >= plain_length(head, elsewhere) { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
                else { replace(at(select(fp + arg + 1u, referred(head), elsewhere) + tos)); }
            }
            case OP_STORE_INDEX: {
                let head = at(fp + arg);
                // `step` must first copy the list to which a reference refers.
                if refers(head) { quick = false; }
                else if nos >= head { stop(TRAP_INDEX_OUT_OF_BOUNDS); }
                else { put(fp + arg + 1u + nos, tos); sp--; pop_and_go(pc + 1u); }
            }
            case OP_ADD: { combine(nos + tos); }
            case OP_SUB: { combine(nos - tos); }
            case OP_MUL: { combine(nos * tos); }
            case OP_EQ: { combine(select(0u, 1u, nos == tos)); }
            case OP_NE: { combine(select(0u, 1u, nos != tos)); }
            case OP_LT: { combine(select(0u, 1u, bitcast<i32>(nos) < bitcast<i32>(tos))); }
            case OP_LE: { combine(select(0u, 1u, bitcast<i32>(nos) <= bitcast<i32>(tos))); }
            case OP_GT: { combine(select(0u, 1u, bitcast<i32>(nos) > bitcast<i32>(tos))); }
            case OP_GE: { combine(select(0u, 1u, bitcast<i32>(nos) >= bitcast<i32>(tos))); }
            case OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_MIN, OP_MAX: { combine(plain_value(op, nos, tos)); }
            case OP_DIV, OP_MOD: {
                if tos == 0u { stop(TRAP_DIVIDE_BY_ZERO); } else { combine(divided(op, nos, tos)); }
            }
            case OP_NEG, OP_INVERT, OP_NOT, OP_ABS: { replace(unary_value(op, tos)); }
            case OP_JUMP: { pc = arg; }
            case OP_JUMP_IF_FALSE: { jump_if(false, false, arg); }
            case OP_JUMP_IF_TRUE: { jump_if(true, false, arg); }
            case OP_JUMP_IF_FALSE_OR_POP: { jump_if(false, true, arg); }
            case OP_JUMP_IF_TRUE_OR_POP: { jump_if(true, true, arg); }
            case OP_FOR_RANGE, OP_NEXT_RANGE: {
                let left = at(fp + arg + 2u);
                let value_now = at(fp + arg + 1u);
                let target_pc = code[code_base + min(pc + 1u, code_last)];
                pc = select(pc + 2u, target_pc, (left == 0u) == (op == OP_FOR_RANGE));
                if left != 0u {
                    put(fp + arg, value_now);
                    put(fp + arg + 1u, value_now + 1u);
                    put(fp + arg + 2u, left - 1u);
                }
            }
            case OP_CALL: { call(arg); }
            case OP_RETURN: {
                if depth == exec_params.initial_depth { quick = false; }
                else {
                    depth--;
                    put(fp, tos);
                    sp = fp + 1u;
                    let caller = call_place(2u * depth);
                    pc = memory[caller];
                    fp = memory[caller + exec_params.threads];
                    nos = at(sp - 2u);
                }
            }
            default: { quick = false; }
        }
        if !quick {
            steps--;
            return;
        }
        cost++;
        if run != RUNNING { return; }
    }
}
