// The result of each text, summed up from the outcomes of its entries.
//
// One workgroup handles one text, and each thread every WORKGROUP-th entry. Workgroup memory holds one
// partial result per thread; workgroup barriers separate the steps of the reduction.

#import execute/survey
#import execute/outcomes

var<workgroup> low: array<u32, 64>;
var<workgroup> high: array<u32, 64>;

// Writes the record of each text (SUM_*). One workgroup per text.
@compute @workgroup_size(64)
fn sum(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    open(group.x);
    let count = head_at(HEAD_COUNT);
    var steps_low = 0u;
    var steps_high = 0u;
    var passing = 0u;
    var first = NONE;
    for (var e = lane; e < count; e += WORKGROUP) {
        let taken = entry_at(e, ENTRY_STEPS);
        steps_low += taken;
        steps_high += select(0u, 1u, steps_low < taken);
        let passes = entry_at(e, ENTRY_OUTCOME) == OUTCOME_PASS;
        passing += select(0u, 1u, passes);
        first = min(first, select(e, NONE, passes));
    }
    low[lane] = steps_low;
    high[lane] = steps_high;
    most[lane] = passing;
    soonest[lane] = first;
    workgroupBarrier();
    for (var d = 32u; d > 0u; d /= 2u) {
        if lane < d {
            let other = low[lane + d];
            let both = low[lane] + other;
            low[lane] = both;
            high[lane] += high[lane + d] + select(0u, 1u, both < other);
            most[lane] += most[lane + d];
            soonest[lane] = min(soonest[lane], soonest[lane + d]);
        }
        workgroupBarrier();
    }
    if lane != 0u { return; }
    var outcome = OUTCOME_PASS;
    if soonest[0] != NONE { outcome = entry_at(soonest[0], ENTRY_OUTCOME); }
    let compiles = programs[group.x].fatal == 0u && programs[group.x].errors == 0u;
    let record = group.x * SUM_WORDS;
    results[record + SUM_COMPILES] = select(0u, 1u, compiles);
    results[record + SUM_TESTS] = count;
    results[record + SUM_PASSED] = most[0];
    results[record + SUM_OUTCOME] = outcome;
    results[record + SUM_STEPS_LOW] = low[0];
    results[record + SUM_STEPS_HIGH] = high[0];
    results[record + SUM_EPOCH] = exec_params.epoch;
}
