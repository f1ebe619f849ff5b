// Basic blocks. An instruction is a leader if a routine begins there, if it is the target of a jump, or if
// control cannot fall into it from the instruction before. An instruction's block is the number of leaders up
// to and including it, less 1.
//
// Each thread handles every WORKGROUP-th routine or instruction. Workgroup memory is used only by the prefix
// sum. The first barrier separates clearing the column from marking the leaders, the second marking from
// summing, and the last makes the block numbers visible to all threads.

#import shared/arena
#import shared/scan

// The two versions of a program's code, as the first of their columns in the arena.
const LOWERED: u32 = 0u;
const OPTIMIZED: u32 = IR_COLUMNS;

fn instruction_place(version: u32, column: u32, i: u32) -> u32 {
    return (version + column) * params.ir_capacity + P.ir_base + i;
}

fn has_target(op: u32) -> bool { return is_jump(op) || is_loop(op); }
// Returns the column that holds the target of an operation that has one.
fn target_column(op: u32) -> u32 { return select(IR_ARG, IR_AUX, is_loop(op)); }

// Returns whether a block ends at the operation: it has a jump target, or control never falls through it.
fn ends_block(op: u32) -> bool {
    return has_target(op) || !falls_through(op);
}

// Fills the block column of n instructions. Every thread of the workgroup must call this function.
fn number_blocks(version: u32, n: u32) {
    for (var i = lane; i < n; i += WORKGROUP) { ir[instruction_place(version, IR_BLOCK, i)] = 0u; }
    #round n: No instruction leads a block yet.
    storageBarrier();
    for (var r = lane; r < P.routines; r += WORKGROUP) {
        let first = routine_at(ROUTINES_IR, r);
        if first < n { ir[instruction_place(version, IR_BLOCK, first)] = 1u; }
    }
    for (var i = lane; i < n; i += WORKGROUP) {
        let op = ir[instruction_place(version, IR_OP, i)];
        if !ends_block(op) { continue; }
        if i + 1u < n { ir[instruction_place(version, IR_BLOCK, i + 1u)] = 1u; }
        if has_target(op) {
            let target_ = ir[instruction_place(version, target_column(op), i)];
            if target_ < n { ir[instruction_place(version, IR_BLOCK, target_)] = 1u; }
        }
    }
    #round n: Leaders are marked: the first instruction of each routine, each jump target, and each
    #: instruction after a jump.
    storageBarrier();
    var before = 0u;
    for (var tile = 0u; tile < n; tile += WORKGROUP) {
        let i = tile + lane;
        var v = 0u;
        if i < n { v = ir[instruction_place(version, IR_BLOCK, i)]; }
        let sum = before + scan_sum(v);
        if i < n { ir[instruction_place(version, IR_BLOCK, i)] = sum - 1u; }
        before += scan_total;
    }
    #round n: The block number of an instruction is the number of leaders up to it.
    storageBarrier();
}
