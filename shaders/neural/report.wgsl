// report: what comes back of each candidate, one record. One thread a candidate.

@group(0) @binding(0) var<uniform> mp: AssembleParams;
@group(0) @binding(1) var<storage, read> programs: array<Program>;
@group(0) @binding(2) var<storage, read> states: array<u32>;
// As execute and judge leave them.
@group(0) @binding(3) var<storage, read> verdicts: array<u32>;
@group(0) @binding(4) var<storage, read> best: array<u32>;
@group(0) @binding(5) var<storage, read_write> records: array<u32>;

@compute @workgroup_size(64)
fn report(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = id.x;
    if p >= mp.programs { return; }
    let mark = best[p];
    let state = (mp.first + p) * WALK_WORDS;
    let row = p * REPORT_WORDS;
    records[row + REPORT_STATUS] = verdicts[4u * p];
    records[row + REPORT_ENTRY] = verdicts[4u * p + 1u];
    records[row + REPORT_TWIN] = verdicts[4u * p + 2u];
    records[row + REPORT_EPOCH] = verdicts[4u * p + 3u];
    records[row + REPORT_OUTCOME] = select(0u, mark & 0xffu, mark != NONE);
    records[row + REPORT_STEPS_LOW] = best[2u * mp.programs + p];
    records[row + REPORT_STEPS_HIGH] = best[3u * mp.programs + p];
    records[row + REPORT_LENGTH] = states[state + WALK_LENGTH];
    records[row + REPORT_LOG_P] = states[state + WALK_LOG_P];
    records[row + REPORT_CODE] = programs[p].code;
}
