// Access to instructions, and the state that all passes share. Each function works for one thread. No
// workgroup memory, no barriers.

#import shared/arena
#import shared/blocks
#import layout/scratch/optimize

var<private> n: u32;           // number of instructions
var<private> changed: bool;    // whether this thread has changed an instruction in this round
var<private> jump_count: u32;
var<private> block_count: u32;

// Returns the range of instructions in part 0..64 of the code.
fn run(part: u32) -> vec2<u32> {
    let size = (n + 63u) / 64u;
    let lo = min(part * size, n);
    return vec2<u32>(lo, min(lo + size, n));
}

fn op_at(i: u32) -> u32 { return ir_at(IR_OP, i); }
fn is_kept(i: u32) -> bool { return op_at(i) != OP_NOP; }

fn drop_at(i: u32) {
    set_ir(IR_OP, i, OP_NOP);
    changed = true;
}
