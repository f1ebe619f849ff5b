// optimize: fewer and cheaper instructions, in rounds of passes until a round changes nothing. Which passes there are is said by
// the table in src/compiler/stage/optimize/mod.rs.
//
// Each pass gives its threads pieces that do not meet: fold the stretches of code between two actions of a block,
// branch and thread the jumps (listed once a round), unreachable runs of blocks, compact tiles of 64 instructions.
// What crosses pieces goes through prefix sums (numbers, the kept instruction before or behind) or pointer doubling
// (chains of jumps). Passes write NOP and move nothing, so all indices hold until compact. (`optimize_rounds`)
//
// The state between dispatches is in the token scratch: a program whose rounds would pass the loop budget of an
// invocation goes on in the next dispatch of `optimize_rounds`.
//
// The contract is the section "optimize" of docs/stages.md; the twin is src/compiler/stage/optimize/.

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
    // round n: The code is copied, so that the lowered one stays.
    storageBarrier();
    if lane == 0u {
        programs[program_index].ir = P.lowered;
        set_temp(STATE_ROUND, 0u, select(0u, ROUNDS, P.lowered == 0u));
    }
    // round 1: The first round is the next one.
}

// Loop iterations of an invocation in a round of `size` instructions, at most: sweeps over its 64th and lists of jumps
// and blocks, then a stretch of code that may be all of it, thrice.
fn round_cost(size: u32) -> u32 { return 64u * ((size + 63u) / 64u) + 3u * min(size, 8192u) + 1024u; }

@compute @workgroup_size(64)
fn optimize_rounds(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    if !enter_valid(group, local) { return; }
    var size = uniform_from(P.ir);
    n = size;
    var round = uniform_from(temp(STATE_ROUND, 0u));
    var spent = 0u;
    // At least one round a dispatch; more while the loop budget of an invocation lasts.
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
    // round 1: A round has changed nothing, or there have been enough.
    storageBarrier();
    if lane == 0u {
        programs[program_index].ir = n;
        set_temp(STATE_ROUND, 0u, round);
    }
    // round 1: The number of instructions is written.
}
