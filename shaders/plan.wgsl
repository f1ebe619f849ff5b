// plan: the size of the next slice of execute, written where an indirect dispatch reads it.
//
// It has bindings of its own, as a buffer may not be an indirect argument and writable storage in one dispatch.

@group(0) @binding(0) var<storage, read_write> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: array<u32>;

fn size(threads: u32) {
    arguments[0] = (threads + SLICE - 1u) / SLICE;
    arguments[1] = 1u;
    arguments[2] = 1u;
}

// Tier 0: all slots, if there are any to begin with; later those that the last slice left at work.
@compute @workgroup_size(1)
fn plan_small() {
    let busy = control[CONTROL_ACTIVE];
    let first = control[CONTROL_SLICES] == 0u && busy != 0u;
    let threads = select(busy, control[CONTROL_SLOTS], first);
    size(threads);
    control[CONTROL_THREADS] = threads;
    control[CONTROL_SLICES] += select(0u, 1u, threads != 0u);
    control[CONTROL_ACTIVE] = 0u;
}

// Tier 1: a thread for every slot that overflowed, up to those there are, as long as any is not done.
@compute @workgroup_size(1)
fn plan_large() {
    let spilled = control[CONTROL_SPILLED];
    size(select(0u, min(spilled, LARGE_THREADS), control[CONTROL_RESUMED] < spilled));
}
