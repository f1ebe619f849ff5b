// Quick instructions, for adapters that run threads as lanes of one vector. Such an adapter executes a loop body
// whole if any lane needs a part of it, so the loop is short, and all instructions share its three reads and its
// write. quick_in_threads.wgsl replaces this file on hardware. The importing file selects a machine with or without
// faults. No workgroup memory, no barriers.

#import execute/machine

const QUICK = 8u;
const STRIDE = 32u;
const IN_THREADS = false;

// Executes instructions; a single one if `most` is 1 and the fuel suffices for one.
fn run_some(most: u32) {
    let before = steps;
    run_quick();
    if most != 1u || steps == before { step(); }
}

// Executes up to QUICK quick instructions, and stops before the first that is not quick.
fn run_quick() {
    if NOISY { return; }
    tos = at(sp - 1u);
    nos = at(sp - 2u);
    for (var n = 0u; n < QUICK; n++) {
        let word = code[code_base + min(pc, code_last)];
        let op = word & 0xffu;
        if !is_quick(op) || steps == fuel || pc > code_last { break; }
        let slot = fp + (word >> 8u);
        let held = at(slot);
        let elsewhere = refers(held) && is_list_variable(op);
        // `step` must first copy the list to which a reference refers.
        if elsewhere && op == OP_STORE_INDEX { break; }
        count_step();
        steps++;
        cost++;
        let variable = plain_length(held, elsewhere);
        let elements = select(slot + 1u, referred(held), elsewhere);
        // The word there is an element, or the word that becomes the second from the top.
        let indexed = op == OP_LOAD_INDEX_VAR;
        let popped = sp - select(3u, 4u, op == OP_STORE_INDEX);
        let word_there = at(select(popped, elements + tos, indexed));
        quick(word, tos, nos, variable, word_there);
        if run != RUNNING || !room(top) { break; }
        if to != NONE { put(to, result); }
        if top > sp {
            nos = tos;
            tos = result;
        } else if top == sp {
            tos = select(tos, result, to != NONE);
        } else {
            tos = select(nos, result, to == top - 1u);
            nos = word_there;
        }
        sp = top;
        pc = next;
    }
}

// Executes instructions between two checks whether the job still matters.
fn run_stretch() {
    for (var i = 0u; i < STRIDE && run == RUNNING && cost < budget; i++) { run_some(QUICK); }
}
