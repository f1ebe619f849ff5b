// The outcomes of the entries of the base and of texts, the schedule of mutants' jobs, and the verdicts on
// mutants.
//
// In `tally` and `arrange` one workgroup handles one entry, and each thread every WORKGROUP-th input. In `schedule` one
// workgroup handles all entries. In `verdict` each thread handles one mutant. Workgroup memory holds one
// partial result per thread, or a number per entry. Workgroup barriers separate the steps of reductions; the
// storage barrier in `schedule` separates writing the order from reading it.

#import execute/survey

var<workgroup> most: array<u32, 64>;
var<workgroup> soonest: array<u32, 64>;
var<workgroup> discards: array<u32, 64>;
var<workgroup> holes: array<u32, 64>;
var<workgroup> first_hole: array<u32, 64>;

// Returns whether a job has written its record.
fn ended(job: u32) -> bool { return (results[record_place(job) + JOB_MARK] ^ (exec_params.epoch << MARK_BITS)) <= MARK_OUTCOME; }

// Returns the entry of a workgroup. In a batch of texts, each row of their tables has a workgroup; it returns
// NONE for heads.
fn entry_of(group: u32) -> u32 {
    if exec_params.mode != MODE_TEXTS { return group; }
    var low = 0u;
    var high = exec_params.programs;
    while high - low > 1u {
        let middle = (low + high) / 2u;
        if programs[middle].entry_base <= group { low = middle; } else { high = middle; }
    }
    open(low);
    return group - programs[low].entry_base - 1u;
}

// Writes the result so far of each entry of the base or of a text, and the values that mutants need. One
// workgroup per entry.
@compute @workgroup_size(64)
fn tally(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let e = entry_of(group.x);
    let lane = local.x;
    let there = e < head_at(HEAD_COUNT);
    var inputs = 0u;
    var first = 0u;
    var failing = NONE;
    if there {
        inputs = entry_at(e, ENTRY_INPUTS);
        first = entry_at(e, ENTRY_JOB);
        let mark = atomicLoad(&best[marks + e]);
        if mark != NONE {
            failing = (mark >> MARK_BITS) - first;
            inputs = failing + 1u;
        }
    }
    var total = 0u;
    var costliest = 0u;
    var least = NONE;
    var discarded = 0u;
    var unfinished = 0u;
    var hole = NONE;
    for (var i = lane; i < inputs; i += WORKGROUP) {
        if !ended(first + i) {
            least = min(least, first + i);
            continue;
        }
        let taken = results[record_place(first + i) + JOB_STEPS];
        total += taken;
        costliest = max(costliest, taken);
        let outcome = results[record_place(first + i) + JOB_MARK] & MARK_OUTCOME;
        discarded += select(0u, 1u, outcome == OUTCOME_DISCARDED);
        if outcome == OUTCOME_TRAP + TRAP_HOLE {
            unfinished++;
            hole = min(hole, i);
        }
    }
    sums[lane] = total;
    most[lane] = costliest;
    soonest[lane] = least;
    discards[lane] = discarded;
    holes[lane] = unfinished;
    first_hole[lane] = hole;
    workgroupBarrier();
    for (var d = 32u; d > 0u; d /= 2u) {
        if lane < d {
            sums[lane] += sums[lane + d];
            most[lane] = max(most[lane], most[lane + d]);
            soonest[lane] = min(soonest[lane], soonest[lane + d]);
            discards[lane] += discards[lane + d];
            holes[lane] += holes[lane + d];
            first_hole[lane] = min(first_hole[lane], first_hole[lane + d]);
        }
        workgroupBarrier();
    }
    if lane != 0u || !there { return; }
    costliest = most[0];
    // If no input meets its condition, the outcome is OUTCOME_DISCARDED.
    var outcome = select(OUTCOME_PASS, OUTCOME_DISCARDED, inputs > 0u && discards[0] == inputs);
    var address = NONE;
    if failing == NONE { failing = first_hole[0]; }
    if failing != NONE {
        let record = record_place(first + failing);
        outcome = results[record + JOB_MARK] & MARK_OUTCOME;
        address = results[record + JOB_ADDRESS];
    }
    set_entry(e, ENTRY_OUTCOME, outcome);
    set_entry(e, ENTRY_STEPS, sums[0]);
    set_entry(e, ENTRY_COSTLIEST, costliest);
    set_entry(e, ENTRY_RUNS, inputs);
    set_entry(e, ENTRY_FAILING, failing);
    set_entry(e, ENTRY_ADDRESS, address);
    set_entry(e, ENTRY_FIRST_OPEN, soonest[0]);
    set_entry(e, ENTRY_DISCARDED, discards[0]);
    set_entry(e, ENTRY_UNFINISHED, holes[0]);
    let judges = outcome == OUTCOME_PASS
        || (outcome == OUTCOME_TRAP + TRAP_HOLE && inputs > discards[0] + holes[0]);
    set_entry(e, ENTRY_FUEL, select(0u, mutant_fuel(costliest), judges));
}

// Numbers the jobs of mutants: the entries that judge them, the one with the fewest steps first. One
// workgroup.
@compute @workgroup_size(64)
fn schedule(@builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let count = head_at(HEAD_COUNT);
    // Entries that do not judge come after all that do.
    for (var e = lane; e < count; e += WORKGROUP) {
        sums[e] = select(NONE, entry_at(e, ENTRY_STEPS), entry_at(e, ENTRY_FUEL) != 0u);
    }
    workgroupBarrier();
    for (var e = lane; e < count; e += WORKGROUP) {
        var place = 0u;
        for (var other = 0u; other < count; other++) {
            let before = sums[other] < sums[e] || (sums[other] == sums[e] && other < e);
            place += select(0u, 1u, before);
        }
        set_entry(place, ENTRY_ORDER, e);
        set_entry(place, ENTRY_FROM, 0u);
    }
    storageBarrier();
    workgroupBarrier();
    for (var place = lane; place < LIMIT_TESTS; place += WORKGROUP) {
        var inputs = 0u;
        if place < count {
            let e = entry_at(place, ENTRY_ORDER);
            if entry_at(e, ENTRY_FUEL) != 0u { inputs = entry_at(e, ENTRY_INPUTS); }
        }
        sums[place] = inputs;
    }
    workgroupBarrier();
    number_jobs(lane, count, ENTRY_MUTANT_JOB, HEAD_MUTANT_JOBS);
}

var<workgroup> bins: array<atomic<u32>, 256>;

// Puts a mutant's jobs of each entry into the order of the steps that they take on the base, most first, so that threads
// of a group end together. Verdicts do not depend on the order. One workgroup per entry.
@compute @workgroup_size(64)
fn arrange(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let e = entry_at(group.x, ENTRY_ORDER);
    let own = group.x < head_at(HEAD_COUNT) && entry_at(e, ENTRY_FUEL) != 0u;
    let inputs = select(0u, entry_at(e, ENTRY_INPUTS), own);
    let first = entry_at(e, ENTRY_JOB);
    let most_steps = entry_at(e, ENTRY_COSTLIEST) + 1u;
    for (var i = lane; i < 256u; i += WORKGROUP) { atomicStore(&bins[i], 0u); }
    workgroupBarrier();
    for (var i = lane; i < inputs; i += WORKGROUP) { atomicAdd(&bins[bin_of(first + i, most_steps)], 1u); }
    workgroupBarrier();
    if lane == 0u {
        var sum = entry_at(group.x, ENTRY_MUTANT_JOB);
        for (var i = 0u; i < 256u; i++) { sum += atomicExchange(&bins[i], sum); }
    }
    workgroupBarrier();
    for (var i = lane; i < inputs; i += WORKGROUP) {
        let place = atomicAdd(&bins[bin_of(first + i, most_steps)], 1u);
        entries[arranged_place(place)] = entry_at(group.x, ENTRY_MUTANT_JOB) + i;
    }
    if group.x == 0u && lane == 0u { set_head(HEAD_ARRANGED, 1u); }
}

// Returns a job's bin: 0 for the most steps.
fn bin_of(job: u32, most_steps: u32) -> u32 {
    return 255u - min(results[record_place(job) + JOB_STEPS] / (most_steps / 256u + 1u), 255u);
}

// Writes the verdict of each mutant that was run.
@compute @workgroup_size(64)
fn verdict(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= atomicLoad(&control[CONTROL_PROGRAMS]) { return; }
    let program = atomicLoad(&best[exec_params.programs + id.x]);
    let mark = atomicLoad(&best[program]);
    var status = STATUS_SURVIVED;
    var killer = NONE;
    if mark == MARK_UNFINISHED {
        status = STATUS_UNFINISHED;
    } else if mark != NONE {
        status = select(STATUS_KILLED, STATUS_TIMEOUT, (mark & MARK_OUTCOME) == OUTCOME_TRAP + TRAP_STEP_LIMIT);
        killer = entry_at(entry_rank_of(mark >> MARK_BITS, ENTRY_MUTANT_JOB), ENTRY_ORDER);
    }
    let record = program * VERDICT_WORDS;
    results[record + VERDICT_STATUS] = status;
    results[record + VERDICT_KILLER] = killer;
    results[record + VERDICT_ORIGINAL] = NONE;
    results[record + VERDICT_EPOCH] = exec_params.epoch;
}
