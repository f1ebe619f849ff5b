// Records a run: its state before each step.
//
// One thread executes one run. A dispatch makes at most `lanes` steps, or as many as its budget of loop
// iterations allows. Between dispatches the state of the run is in buffers; the host copies its memory as the
// next keyframe. No workgroup memory, no barriers. The CPU twin is src/testing/trace/record.rs; steps are
// specified in docs/stages/execute.md.

#import execute/machine
#import execute/quick_in_lanes
#import execute/noiseless

// STEP_WORDS for each step of this dispatch.
@group(0) @binding(3) var<storage, read_write> step_records: array<u32>;

const HALF = 65535u;

// Records the state: address, topmost word, then in halves frame and stack height, the word below the top and
// the depth.
fn record_step(place: u32) {
    var last = 0u;
    var under = 0u;
    if sp > 0u { last = at(sp - 1u); }
    if sp > 1u { under = min(at(sp - 2u), HALF); }
    step_records[STEP_WORDS * place + STEP_ADDRESS] = pc;
    step_records[STEP_WORDS * place + STEP_TOP] = last;
    step_records[STEP_WORDS * place + STEP_STACK] = (fp & HALF) | (sp << 16u);
    step_records[STEP_WORDS * place + STEP_BELOW] = under | ((depth - exec_params.initial_depth) << 16u);
}

@compute @workgroup_size(1)
fn record_steps() {
    thread = 0u;
    token_base = programs[0].token_base;
    code_base = programs[0].code_base;
    code_last = max(programs[0].code, 1u) - 1u;
    functions = programs[0].functions;
    pc = state[STATE_PC];
    fp = state[STATE_FP];
    sp = state[STATE_SP];
    depth = state[STATE_DEPTH];
    steps = state[STATE_STEPS];
    run = RUNNING;
    budget = exec_params.budget;
    let first = steps;
    while run == RUNNING && steps - first < exec_params.lanes && cost < exec_params.budget {
        cost++;
        if steps == exec_params.jobs { stop(TRAP_STEP_LIMIT); break; }
        if pc > code_last { steps++; run = ENDED; value = 0u; break; }
        record_step(steps - first);
        fuel = steps + 1u;
        run_some(1u);
    }
    state[STATE_PC] = pc;
    state[STATE_FP] = fp;
    state[STATE_SP] = sp;
    state[STATE_DEPTH] = depth;
    state[STATE_STEPS] = steps;
    results[RUN_STATE_EPOCH] = exec_params.epoch;
    results[RUN_STATE_RUNS] = select(0u, 1u, run == RUNNING);
    results[RUN_STATE_TRAP] = select(0u, value, run == TRAPPED);
    results[RUN_STATE_VALUE] = select(0u, value, run == ENDED);
    results[RUN_STATE_ADDRESS] = select(NONE, pc, run == TRAPPED);
    results[RUN_STATE_STEPS] = steps;
    results[RUN_STATE_TOP] = sp;
    results[RUN_STATE_DEPTH] = depth - exec_params.initial_depth;
}
