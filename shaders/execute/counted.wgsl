// Records the turn of each instruction that a slice executes, for some groups of threads, at the end of `state`
// (COUNTED_*). uncounted.wgsl is used otherwise. machine.wgsl declares the address. Each thread writes its own
// words. No workgroup memory, no barriers.

var<private> counted_base: u32;
var<private> counted_thread: u32;
var<private> counted_steps: u32;
// The place of the thread's first address, or NONE.
var<private> counted_place: u32 = NONE;

// Chooses the groups. `position` is the thread's place in the dispatch.
fn begin_count(position: u32, threads: u32) {
    counted_base = arrayLength(&state) - select(2u, 1u, exec_params.tier == TIER_LARGE) * COUNTED_WORDS;
    let groups = (threads + COUNTED_GROUP - 1u) / COUNTED_GROUP;
    let every = max((groups + COUNTED_GROUPS - 1u) / COUNTED_GROUPS, 1u);
    if position == 0u { state[counted_base + COUNTED_EVERY] = every; }
    counted_thread = position;
    let group = position / COUNTED_GROUP;
    if group % every == 0u {
        counted_place = counted_base + COUNTED_ADDRESSES + (group / every) * COUNTED_GROUP * COUNTED_STEPS + position % COUNTED_GROUP;
    }
}

fn count_step() {
    if counted_place != NONE && counted_steps < COUNTED_STEPS { state[counted_place + counted_steps * COUNTED_GROUP] = turn(); }
    counted_steps++;
}

fn end_count() { state[counted_base + COUNTED_MADE + counted_thread] = counted_steps; }
