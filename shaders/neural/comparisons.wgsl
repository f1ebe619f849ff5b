// Jobs that are random inputs of one function, on the base's code and then on candidates. Program 0 is the
// base.
//
// The base runs first and records how each input ends. Each run of a candidate is compared with that record
// when it ends, so the values of candidates are never stored. The first job that ends differently decides the
// candidate. Slots below `base_slots` belong to the base. When those are done, `advance` activates the slots
// of the candidates; `settle` sums up the results of each candidate.
//
// Each thread runs one slot; in `settle` one workgroup handles one candidate. Workgroup memory and barriers
// are those of the reductions.
//
// The specification is section "Random inputs" of docs/neural.md; the CPU twin is
// src/network/candidates/compare.rs.

#import layout/neural
#import shared/scan
#import execute/noiseless
#import execute/slots

// The inputs that inputs.wgsl has written.
@group(0) @binding(3) var<storage, read> inputs: array<u32>;

// `results` holds a record for each program; then columns that record how the base ended (ENDED_*, then the
// elements of a list), with a row per job; then the steps of each program's jobs.
fn end_place(column: u32, job: u32) -> u32 { return AGREEMENT_WORDS * exec_params.programs + column * exec_params.jobs + job; }
fn steps_place(program: u32, job: u32) -> u32 {
    return end_place(ENDED_ELEMENTS + exec_params.elements, 0u) + program * exec_params.jobs + job;
}

// Returns whether the base exhausted its resources. Such an input is skipped, because a candidate may need
// less.
fn exhausted(job: u32) -> bool {
    let trap = results[end_place(ENDED_TRAP, job)];
    return trap == TRAP_STEP_LIMIT || trap == TRAP_OUT_OF_MEMORY || trap == TRAP_RECURSION_TOO_DEEP;
}

fn take_slot(slot: u32) -> u32 {
    job_end = exec_params.jobs;
    if slot < exec_params.base_slots {
        first_job = slot;
        job_stride = exec_params.base_slots;
        return 0u;
    }
    first_job = (slot - exec_params.base_slots) % exec_params.lanes;
    job_stride = exec_params.lanes;
    return atomicLoad(&best[exec_params.programs + (slot - exec_params.base_slots) / exec_params.lanes]);
}

fn activate_slots(slot: u32, before: u32, job: u32, phase: u32, program: u32) -> u32 { return phase; }

fn next_job(job: u32, program: u32) -> u32 { return strided(job); }

fn load_job(job: u32, program: u32) {
    routine = exec_params.function;
    fuel = INPUT_FUEL;
    if program != 0u { fuel = mutant_fuel(results[steps_place(0u, job)]); }
}

fn skip_unaffected(job: u32, program: u32) -> u32 { return job; }

fn job_disposition(job: u32, program: u32) -> u32 {
    if program == 0u { return WANTED; }
    if is_obsolete(job, program) { return POINTLESS; }
    return select(WANTED, PASSED_OVER, exhausted(job));
}

fn write_input(job: u32) {
    let params = min(routine_at(ROUTINES_PARAMS, exec_params.function), LIMIT_PARAMS);
    var slot = 0u;
    for (var j = 0u; j < params; j++) {
        let capacity = cap_at(exec_params.function, j);
        let head = inputs[slot * exec_params.jobs + job];
        put(slot, head);
        cost++;
        for (var k = 1u; k <= min(head, capacity); k++) {
            put(slot + k, inputs[(slot + k) * exec_params.jobs + job]);
            cost++;
        }
        slot += 1u + capacity;
    }
}

fn is_obsolete(job: u32, program: u32) -> bool { return program != 0u && atomicLoad(&best[program]) < job; }
fn must_pause(job: u32, program: u32) -> bool { return false; }

fn record_outcome(job: u32, program: u32) -> u32 {
    let ended = select(TRAP_NONE, value, run == TRAPPED);
    let left = select(value, 0u, run == TRAPPED);
    // The list that a function returns is at the start of its frame.
    let length = min(left, exec_params.elements);
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

// Activates the candidates' slots once all of the base's are done.
@compute @workgroup_size(1)
fn advance() {
    let busy = atomicLoad(&control[CONTROL_ACTIVE]) != 0u
        || atomicLoad(&control[CONTROL_RESUMED]) != atomicLoad(&control[CONTROL_SPILLED]);
    if busy || atomicLoad(&control[CONTROL_SLOTS]) != exec_params.base_slots { return; }
    atomicStore(&control[CONTROL_SLOTS], exec_params.slots);
    atomicStore(&control[CONTROL_ACTIVE], exec_params.slots - exec_params.base_slots);
    atomicStore(&control[CONTROL_SLICES], 0u);
}

// Writes the record of each candidate that was run. One workgroup per candidate.
@compute @workgroup_size(64)
fn settle(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let program = atomicLoad(&best[exec_params.programs + group.x]);
    let differs = atomicLoad(&best[program]);
    var compared = 0u;
    var trapping = 0u;
    var own = 0u;
    var base = 0u;
    for (var job = lane; job < exec_params.jobs && job <= differs; job += WORKGROUP) {
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
    results[record + AGREEMENT_EPOCH] = exec_params.epoch;
}
