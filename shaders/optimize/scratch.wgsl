// Scratch columns, and what every pass asks of an instruction.

#import shared/arena
#import shared/blocks

const ROUNDS = 8u;

// Columns of instruction scratch.
const VALUE = 0u;    // fold: by the end of a value, what leaves it and what is known of it
const ERASE = 1u;    // fold: first of the instructions that this one makes superfluous, or NONE
const FOLDED = 2u;   // fold: list of the instructions that rules are for
const STRETCH = 3u;  // fold: where the stretches begin in that list
const BEFORE = 4u;   // index + 1 of the live instruction before, as fold left it
const LIVE = 5u;     // the first live instruction from here on, as branch left it
const JUMPS = 6u;    // list of jumps
const NEW_OP = 7u;   // thread: what a jump becomes
const NEW_ARG = 8u;
const GONE = 9u;     // thread: the LOAD_CONST that goes with it, or NONE
const CHAIN = 10u;   // thread: where a JUMP leads, doubled
const CHAIN_2 = 11u;
const MARK = 12u;    // thread: bits TARGETED, DROPPED; compact: 1 for leaders
const FIRST = 13u;   // first instruction of each block
const REACHED = 14u; // per block: 0 no, 1 yes, 2 yes and passed on
const NUMBER = 15u;  // compact: live instructions before

// Columns of token scratch, in row 0.
const STATE_ROUND = 0u; // rounds made; ROUNDS when there is nothing left to do

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
fn is_live(i: u32) -> bool { return op_at(i) != OP_NOP; }

fn drop_at(i: u32) {
    set_ir(IR_OP, i, OP_NOP);
    changed = true;
}
