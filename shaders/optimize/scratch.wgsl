// Scratch columns, and what every pass asks of an instruction.

#import shared/arena
#import shared/blocks
#import layout/scratch/optimize

var<private> n: u32;           // instructions
var<private> changed: bool;    // this thread has changed something in this round
var<private> jump_count: u32;
var<private> block_count: u32;

// The run of instructions that part 0..64 of the code is.
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
