// optimize: makes the code shorter and cheaper in rounds of passes, until a round changes nothing. The table
// in src/compiler/stage/optimize/mod.rs lists the passes.
//
// Each pass divides its work into disjoint pieces, which the threads share: `fold` works on the stretches
// of code between two actions of a block, `branch` and `thread` on jumps (listed once a round), `unreachable`
// on runs of blocks, `compact` on tiles of 64 instructions. Prefix sums carry information from piece to piece,
// such as instruction numbers and the nearest kept instruction. Pointer doubling follows chains of jumps. A pass deletes an
// instruction by writing NOP and moves nothing, so all indices stay valid until compact.
//
// If the rounds of a program would exceed the loop budget of an invocation, the rest runs in the next
// dispatch of `optimize_rounds`. The state between dispatches is in the token scratch.
//
// Workgroup memory holds scan operands and the reached blocks of pass `unreachable`. Each pass ends with a
// storage barrier, so the next one reads its results.
//
// The specification is docs/stages/optimize.md; the CPU twin is src/compiler/stage/optimize/.

#import shared/arena
#import shared/scan
#import optimize/scratch
#import layout/passes

@compute @workgroup_size(64)
fn optimize_begin(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    for (var column = 0u; column < IR_COLUMNS; column++) {
        for (var i = lane; i < P.lowered; i += WORKGROUP) { set_ir(column, i, lowered_at(column, i)); }
    }
    #round n: The code is copied, so the lowered code remains.
    storageBarrier();
    if lane == 0u {
        programs[program_index].ir = P.lowered;
        set_temp(STATE_ROUND, 0u, select(0u, ROUNDS, P.lowered == 0u || params.level == 0u));
    }
    #round 1: The number of rounds made is set to zero.
}

// Returns an upper bound on the loop iterations of an invocation in a round of `size` instructions: sweeps
// over a 64th of them, lists of jumps and blocks, and three passes over one stretch of code, which may be all
// of it.
fn round_cost(size: u32) -> u32 { return 64u * ((size + 63u) / 64u) + 3u * min(size, 8192u) + 1024u; }

@compute @workgroup_size(64)
fn optimize_rounds(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    var size = uniform_from(P.ir);
    n = size;
    var round = uniform_from(temp(STATE_ROUND, 0u));
    var spent = 0u;
    // Make at least one round per dispatch, and more while the loop budget of an invocation lasts.
    while round < ROUNDS && (spent == 0u || spent + round_cost(size) < 32000u) {
        spent += round_cost(size);
        changed = false;
        rewrite();
        if !uniform_any(changed) {
            round = ROUNDS;
            break;
        }
        round += 1u;
        compact(size);
        size = uniform_from(n);
    }
    #round 1: A round has changed nothing, or the maximum number of rounds is reached.
    storageBarrier();
    if lane == 0u {
        programs[program_index].ir = n;
        set_temp(STATE_ROUND, 0u, round);
    }
    #round 1: The number of instructions is written.
}
