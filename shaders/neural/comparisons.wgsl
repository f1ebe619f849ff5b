// Jobs: random inputs of one function, on the base's code and then on candidates'. Program 0 is the base.
//
// Its runs come first and leave how each input ends; a candidate's run is compared with that where it ends, so no value of
// a candidate's is ever kept. A job on which a candidate ends otherwise settles it. Slots below `base_slots` are the
// base's; `advance` puts the candidates' to work when those are done, and `settle` sums up what came of each candidate.
//
// The contract is the section "Random inputs" of docs/neural.md; the twin is src/network/candidates/compare.rs.

#import layout/neural
#import shared/scan
#import execute/noiseless
#import execute/slots

// As inputs.wgsl leaves them.
@group(0) @binding(3) var<storage, read> inputs: array<u32>;

// Results are a record of each program; then columns of how the base ended (ENDED_*, behind them a list's elements), a row
// a job; then the steps of each program's jobs.
fn end_place(column: u32, job: u32) -> u32 { return AGREEMENT_WORDS * ex.programs + column * ex.jobs + job; }
fn steps_place(program: u32, job: u32) -> u32 {
    return end_place(ENDED_ELEMENTS + ex.elements, 0u) + program * ex.jobs + job;
}

// Where the base exhausted its resources, an input says nothing: a candidate may need less.
fn exhausted(job: u32) -> bool {
    let trap = results[end_place(ENDED_TRAP, job)];
    return trap == TRAP_STEP_LIMIT || trap == TRAP_OUT_OF_MEMORY || trap == TRAP_RECURSION_TOO_DEEP;
}

fn take_slot(slot: u32) -> u32 {
    job_end = ex.jobs;
    if slot < ex.base_slots {
        first_job = slot;
        job_stride = ex.base_slots;
        return 0u;
    }
    first_job = (slot - ex.base_slots) % ex.lanes;
    job_stride = ex.lanes;
    return atomicLoad(&best[ex.programs + (slot - ex.base_slots) / ex.lanes]);
}

fn wake(slot: u32, before: u32, job: u32, phase: u32, program: u32) {}

fn next_job(job: u32, program: u32) -> u32 { return strided(job); }

fn take_up(job: u32, program: u32) {
    routine = ex.function;
    fuel = INPUT_FUEL;
    if program != 0u { fuel = mutant_fuel(results[steps_place(0u, job)]); }
}

fn seek(job: u32, program: u32) -> u32 { return job; }

fn outlook(job: u32, program: u32) -> u32 {
    if program == 0u { return WANTED; }
    if overtaken(job, program) { return POINTLESS; }
    return select(WANTED, PASSED_OVER, exhausted(job));
}

fn write_input(job: u32) {
    let params = min(routine_at(ROUTINES_PARAMS, ex.function), LIMIT_PARAMS);
    var slot = 0u;
    for (var j = 0u; j < params; j++) {
        let capacity = cap_at(ex.function, j);
        let head = inputs[slot * ex.jobs + job];
        put(slot, head);
        cost++;
        for (var k = 1u; k <= min(head, capacity); k++) {
            put(slot + k, inputs[(slot + k) * ex.jobs + job]);
            cost++;
        }
        slot += 1u + capacity;
    }
}

fn overtaken(job: u32, program: u32) -> bool { return program != 0u && atomicLoad(&best[program]) < job; }
fn waits(job: u32, program: u32) -> bool { return false; }

fn finish(job: u32, program: u32) -> u32 {
    let ended = select(TRAP_NONE, trap, run == TRAPPED);
    let left = select(value, 0u, run == TRAPPED);
    // A function that returns a list leaves it at the frame's beginning.
    let length = min(left, ex.elements);
    results[steps_place(program, job)] = steps;
    if program == 0u {
        results[end_place(ENDED_TRAP, job)] = ended;
        results[end_place(ENDED_VALUE, job)] = left;
        for (var k = 0u; k < length; k++) {
            results[end_place(ENDED_ELEMENTS + k, job)] = at(k);
            cost++;
        }
        return PHASE_NEXT;
    }
    var same = ended == results[end_place(ENDED_TRAP, job)] && left == results[end_place(ENDED_VALUE, job)];
    for (var k = 0u; k < length && same; k++) {
        same = at(k) == results[end_place(ENDED_ELEMENTS + k, job)];
        cost++;
    }
    if !same { atomicMin(&best[program], job); }
    return PHASE_NEXT;
}

// Puts the candidates' slots to work once all of the base's are done.
@compute @workgroup_size(1)
fn advance() {
    let busy = atomicLoad(&control[CONTROL_ACTIVE]) != 0u
        || atomicLoad(&control[CONTROL_RESUMED]) != atomicLoad(&control[CONTROL_SPILLED]);
    if busy || atomicLoad(&control[CONTROL_SLOTS]) != ex.base_slots { return; }
    atomicStore(&control[CONTROL_SLOTS], ex.slots);
    atomicStore(&control[CONTROL_ACTIVE], ex.slots - ex.base_slots);
    atomicStore(&control[CONTROL_SLICES], 0u);
}

// Per candidate that was run: its record. One workgroup a candidate.
@compute @workgroup_size(64)
fn settle(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let program = atomicLoad(&best[ex.programs + group.x]);
    let differs = atomicLoad(&best[program]);
    var compared = 0u;
    var trapping = 0u;
    var own = 0u;
    var base = 0u;
    for (var job = lane; job < ex.jobs && job <= differs; job += WORKGROUP) {
        if exhausted(job) { continue; }
        compared++;
        if results[end_place(ENDED_TRAP, job)] != TRAP_NONE {
            trapping++;
        } else if job != differs {
            own += results[steps_place(program, job)];
            base += results[steps_place(0u, job)];
        }
    }
    compared = reduce_sum(compared);
    trapping = reduce_sum(trapping);
    own = reduce_sum(own);
    base = reduce_sum(base);
    if lane != 0u { return; }
    let record = group.x * AGREEMENT_WORDS;
    results[record + AGREEMENT_DIFFERS] = differs;
    results[record + AGREEMENT_COMPARED] = compared;
    results[record + AGREEMENT_TRAPPING] = trapping;
    results[record + AGREEMENT_STEPS] = own;
    results[record + AGREEMENT_BASE_STEPS] = base;
    results[record + AGREEMENT_EPOCH] = ex.epoch;
}
