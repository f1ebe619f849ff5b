// report: writes the record of each candidate that is copied to the host. One workgroup handles one
// candidate, and each thread every WORKGROUP-th job. Workgroup memory and barriers are those of the
// reductions.

#import layout/neural
#import shared/scan

@group(0) @binding(0) var<uniform> assemble_params: AssembleParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> states: array<u32>;
// Written by judge and execute: the verdicts of all programs, and behind them the steps of each program's jobs.
@group(0) @binding(3) var<storage, read> verdicts: array<u32>;
// Written by execute: the first failing job of each program, with its outcome.
@group(0) @binding(4) var<storage, read> best: array<u32>;
@group(0) @binding(5) var<storage, read_write> records: array<u32>;

@compute @workgroup_size(64)
fn report(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let p = group.x;
    let verdict = p * VERDICT_WORDS;
    let status = verdicts[verdict + VERDICT_STATUS];
    let mark = best[p];
    let failed = mark != NONE;
    // Count the jobs up to the first that fails. Later jobs that ran ahead of it do not count.
    let ran = status == STATUS_SURVIVED || status == STATUS_KILLED || status == STATUS_TIMEOUT;
    let jobs = select(0u, min(assemble_params.jobs, select(assemble_params.jobs, (mark >> MARK_BITS) + 1u, failed)), ran);
    var low = 0u;
    var high = 0u;
    for (var j = lane; j < jobs; j += WORKGROUP) {
        let steps = verdicts[assemble_params.programs * VERDICT_WORDS + p * assemble_params.jobs + j];
        low += extractBits(steps, 0u, REPORT_STEPS_BITS);
        high += steps >> REPORT_STEPS_BITS;
    }
    low = reduce_sum(low);
    high = reduce_sum(high);
    if lane != 0u { return; }
    let state = (assemble_params.first + p) * WALK_WORDS;
    let row = p * REPORT_WORDS;
    records[row + REPORT_STATUS] = status;
    records[row + REPORT_ENTRY] = verdicts[verdict + VERDICT_KILLER];
    records[row + REPORT_ORIGINAL] = verdicts[verdict + VERDICT_ORIGINAL];
    records[row + REPORT_EPOCH] = verdicts[verdict + VERDICT_EPOCH];
    records[row + REPORT_OUTCOME] = select(OUTCOME_PASS, mark & MARK_OUTCOME, failed);
    records[row + REPORT_STEPS_LOW] = low;
    records[row + REPORT_STEPS_HIGH] = high;
    records[row + REPORT_LENGTH] = states[state + WALK_LENGTH];
    records[row + REPORT_LOG_P] = states[state + WALK_LOG_P];
    records[row + REPORT_CODE] = programs[p].code;
}
