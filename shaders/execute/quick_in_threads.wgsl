// Quick instructions, for adapters with threads of their own. A few tests find the class of an instruction, the most
// frequent first, and the instruction does only what it needs; the most frequent of the slower ones are here too.
// quick_in_lanes.wgsl does the same where threads are lanes of one vector. The importing file selects a machine with
// or without faults. No workgroup memory, no barriers.
//
// Threads of a group often reach one instruction at different times. Each then waits for
// those with an earlier turn, so the group executes one instruction for as many threads as possible.

#import execute/machine
#import execute/alone

const QUICK = 2048u;
const IN_THREADS = true;

// How many of the topmost operands, `tos` and `nos`, are only in these variables. Most operands never reach memory.
var<private> held: u32;

// Makes `tos` valid.
fn hold_one() {
    if held == 0u {
        tos = at(sp - 1u);
        held = 1u;
    }
}

// Makes `tos` and `nos` valid.
fn hold_two() {
    hold_one();
    if held == 1u {
        nos = at(sp - 2u);
        held = 2u;
    }
}

// Writes the operands to memory that are only in variables.
fn spill() {
    if held != 0u { put(sp - 1u, tos); }
    if held == 2u { put(sp - 2u, nos); }
    held = 0u;
}

// Removes the top of the stack, which is valid.
fn pop() {
    tos = nos;
    sp--;
    held--;
}

// Executes instructions in up to `most` turns of the group. All its threads stop when one of them has to.
fn run_some(most: u32) {
    held = 0u;
    for (var n = 0u; n < most; n++) {
        let own = select(0u, turn(), run == RUNNING && cost < budget);
        let now = turn_of_group(own);
        if now == 0u { break; }
        if own != now {
            cost++;
            continue;
        }
        if !quick_step() {
            let known = held;
            spill();
            // `step` reads both from their variables.
            if known == 0u { tos = at(sp - 1u); }
            if known != 2u { nos = at(sp - 2u); }
            held = 0u;
            step();
        }
    }
    spill();
}

// Executes one instruction, unless it needs `step`.
fn quick_step() -> bool {
    // One `return` only: each more is a condition that threads hold through all of the loop.
    var done = !NOISY && steps != fuel && pc <= code_last;
    let word = code[code_base + min(pc, code_last)];
    let op = select(OP_HOLE, word & 0xffu, done);
    let arg = word >> 8u;
    let slot = fp + arg;
    var next_pc = pc + 1u;
    if is_pushed(op) {
        if room(sp + 1u) {
            var v = select(bitcast<u32>(bitcast<i32>(word) >> 8u), arg, op == OP_BUILD_LIST);
            if op == OP_LOAD_VAR || op == OP_LIST_LEN_VAR {
                let head = at(slot);
                v = plain_length(head, op == OP_LIST_LEN_VAR && refers(head));
            } else if op == OP_DUP {
                hold_one();
                v = tos;
            }
            if held == 2u { put(sp - 2u, nos); }
            nos = tos;
            tos = v;
            sp++;
            held = min(held + 1u, 2u);
        }
    } else if is_binary(op) {
        hold_two();
        if !may_trap(op) {
            nos = plain_value(op, nos, tos);
            pop();
        } else if tos == 0u {
            stop(TRAP_DIVIDE_BY_ZERO);
        } else {
            nos = divided(op, nos, tos);
            pop();
        }
    } else if is_jump(op) {
        // Bits of a conditional jump: 1, plus 2 if it jumps on true, plus 4 if it then keeps the value.
        let how = condition(op);
        var jumps = true;
        if how != 0u {
            hold_one();
            jumps = (tos != 0u) == ((how & 2u) != 0u);
            if !jumps || (how & 4u) == 0u { pop(); }
        }
        next_pc = select(next_pc, arg, jumps);
    } else if op == OP_STORE_VAR {
        hold_one();
        put(slot, tos);
        pop();
    } else if op == OP_FOR_RANGE || op == OP_NEXT_RANGE {
        let left = at(slot + 2u);
        let target_pc = code[code_base + min(pc + 1u, code_last)];
        next_pc = select(pc + 2u, target_pc, (left == 0u) == (op == OP_FOR_RANGE));
        if left != 0u {
            let value_now = at(slot + 1u);
            put(slot, value_now);
            put(slot + 1u, value_now + 1u);
            put(slot + 2u, left - 1u);
        }
    } else if op == OP_LOAD_INDEX_VAR || op == OP_STORE_INDEX {
        let stores = op == OP_STORE_INDEX;
        let head = at(slot);
        let elsewhere = refers(head);
        // `step` must first copy the list to which a reference refers.
        done = !(stores && elsewhere);
        if stores { hold_two(); } else { hold_one(); }
        let index = select(tos, nos, stores);
        let place = select(slot + 1u, referred(head), elsewhere) + index;
        if !done {
        } else if index >= plain_length(head, elsewhere) {
            stop(TRAP_INDEX_OUT_OF_BOUNDS);
        } else if stores {
            put(place, tos);
            sp -= 2u;
            held = 0u;
        } else {
            tos = at(place);
        }
    } else if is_unary(op) {
        hold_one();
        tos = unary_value(op, tos);
    } else if op == OP_CALL {
        spill();
        count_step();
        call(arg);
        next_pc = pc;
    } else if op == OP_RETURN && depth != exec_params.initial_depth {
        hold_one();
        held = 1u;
        depth--;
        let caller = call_place(2u * depth);
        sp = fp + 1u;
        next_pc = memory[caller];
        fp = memory[caller + exec_params.threads];
    } else {
        done = false;
    }
    if done {
        if op != OP_CALL { count_step(); }
        steps++;
        cost++;
        // An instruction that traps changes nothing.
        if run == RUNNING { pc = next_pc; }
    }
    return done;
}

// Executes instructions between two checks whether the job still matters.
fn run_stretch() { run_some(QUICK); }
