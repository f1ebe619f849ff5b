// flow: the control-flow graph of a program, its loops, and what data flow says about its variables.
//
// One workgroup works on the program. Each analysis is the least or greatest solution of its equations: threads
// apply them to their blocks in rounds until nothing changes. Whatever the order, the solution is the same. An
// entry point stops when the loop budget of an invocation is spent, and goes on in the next dispatch.
//
// Workgroup memory is that of the scans. Columns are atomic words, because a thread may read what another one is
// writing in the same round. Each step ends with a storage barrier.
//
// The shader that records rounds stops earlier, when no further round fits into its recording (flow/pause).
//
// The specification is docs/stages/flow.md; the CPU twin is src/compiler/stage/flow/.

#import flow/facts
#import flow/pause
#import flow/sweeps
#import flow/values
#import flow/graph
#import flow/variables
#import flow/paths
#import flow/dominators
#import flow/loops
#import flow/liveness
#import flow/calls

@compute @workgroup_size(64)
fn graph(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_GRAPH) != FRESH { return; }
    find_blocks();
    find_edges();
    set_state(ENTRY_GRAPH, false);
    #round 1: The graph is complete.
}

@compute @workgroup_size(64)
fn variables(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_VARIABLES) != FRESH { return; }
    name_slots();
    number_slots();
    place_facts();
    set_state(ENTRY_VARIABLES, false);
    #round 1: The variables are complete.
}

@compute @workgroup_size(64)
fn paths(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_PATHS);
    if state == FINISHED { return; }
    if state == FRESH { begin_paths(); }
    let cost = uniform_from(block_count() / WORKGROUP + 1u);
    // A block is walked once, so all rounds together walk no more instructions than the program has.
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(extend_paths());
    }
    if !more { finish_paths(); }
    set_state(ENTRY_PATHS, more);
    #round 1: No block is left to walk from.
}

@compute @workgroup_size(64)
fn dominators(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_DOMINATORS);
    if state == FINISHED { return; }
    if state == FRESH { begin_dominators(); }
    let cost = relation_cost();
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(narrow_dominators());
    }
    if !more { finish_dominators(); }
    set_state(ENTRY_DOMINATORS, more);
    #round 1: No set has shrunk in the last round over the blocks, so the dominators are found.
}

@compute @workgroup_size(64)
fn loops(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_LOOPS);
    if state == FINISHED { return; }
    if state == FRESH { begin_loops(); }
    let cost = relation_cost();
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(widen_loops());
    }
    if !more { finish_loops(); }
    set_state(ENTRY_LOOPS, more);
    #round 1: No set has grown in the last round over the blocks, so the loops are found.
}

@compute @workgroup_size(64)
fn liveness(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_LIVENESS);
    if state == FINISHED { return; }
    if state == FRESH { begin_liveness(); }
    let cost = fact_cost();
    var spent = uniform_from(select(0u, instructions(), state == FRESH));
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(widen_liveness());
    }
    set_state(ENTRY_LIVENESS, more);
    #round 1: No set has grown where a block begins, so the live variables are found.
}

@compute @workgroup_size(64)
fn callees(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_CALLEES) != FRESH { return; }
    find_calls();
    set_state(ENTRY_CALLEES, false);
    #round 1: The calls are complete.
}

@compute @workgroup_size(64)
fn reaching(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_REACHING);
    if state == FINISHED { return; }
    if state == FRESH { begin_reaching(); }
    let cost = uniform_from(calls_cost(routine_words()));
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(widen_reaching());
    }
    if !more { finish_reaching(); }
    set_state(ENTRY_REACHING, more);
    #round 1: No set has grown in the last round over the calls, so every routine has all that it reaches.
}

@compute @workgroup_size(64)
fn bounds(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_BOUNDS);
    if state == FINISHED { return; }
    if state == FRESH { begin_bounds(); }
    let cost = uniform_from(calls_cost(1u));
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(raise_bounds());
    }
    set_state(ENTRY_BOUNDS, more);
    #round 1: No bound has risen in the last round, so the bounds are found.
}

// Sweeps until all routines are finished, or the loop budget is spent.
fn run_sweeps(entry: u32) {
    let state = state_of(entry);
    if state == FINISHED { return; }
    if state == FRESH { begin_sweeps(); }
    cost = 0u;
    var more = true;
    var spent = false;
    while more && !spent && !pauses() {
        sweep_blocks();
        more = uniform_any(end_sweeps());
        spent = uniform_any(cost > BUDGET);
    }
    set_state(entry, more);
}

@compute @workgroup_size(64)
fn constants(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    ranging = false;
    run_sweeps(ENTRY_CONSTANTS);
    #round 1: The last sweep of every routine has changed nothing, so the constants and copies are found.
}

@compute @workgroup_size(64)
fn ranges(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    ranging = true;
    run_sweeps(ENTRY_RANGES);
    #round 1: Sweeps that widen have changed nothing, and two more have narrowed, so the ranges are found.
}

@compute @workgroup_size(64)
fn expressions(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_EXPRESSIONS) != FRESH { return; }
    begin_expressions();
    set_state(ENTRY_EXPRESSIONS, false);
    #round 1: The expressions are complete.
}

@compute @workgroup_size(64)
fn values(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_VALUES) != FRESH { return; }
    match_expressions();
    number_values();
    find_readers();
    set_state(ENTRY_VALUES, false);
    #round 1: The values are complete.
}

@compute @workgroup_size(64)
fn changes(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    if state_of(ENTRY_CHANGES) == FINISHED { return; }
    set_state(ENTRY_CHANGES, find_changes());
    #round n k/32: Blocks have the values that they add and remove; all values may still be available where they begin.
}

@compute @workgroup_size(64)
fn available(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let state = state_of(ENTRY_AVAILABLE);
    if state == FINISHED { return; }
    let cost = available_cost();
    var spent = 0u;
    var more = true;
    while more && spent < BUDGET && !pauses() {
        spent += cost;
        more = uniform_any(narrow_available());
    }
    set_state(ENTRY_AVAILABLE, more);
    #round 1: No set has shrunk in the last round, so the available values are found.
}
