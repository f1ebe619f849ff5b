// plan: writes the size of the next slice of execute to the buffer of an indirect dispatch.
//
// One thread. No workgroup memory, no barriers. The shader has its own bindings, because a buffer cannot be
// an indirect argument and writable storage in the same dispatch.

@group(0) @binding(0) var<storage, read_write> control: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: array<u32>;

fn size(threads: u32) {
    arguments[0] = (threads + SLICE - 1u) / SLICE;
    arguments[1] = 1u;
    arguments[2] = 1u;
}

// Tier 0: all slots in the first slice; later the units with slots that the last slice left active.
@compute @workgroup_size(1)
fn plan_small() {
    let busy = control[CONTROL_ACTIVE];
    let first = control[CONTROL_SLICES] == 0u && busy != 0u;
    let threads = select(busy * UNIT, control[CONTROL_SLOTS], first);
    size(threads);
    control[CONTROL_THREADS] = threads;
    control[CONTROL_SLICES] += select(0u, 1u, threads != 0u);
    control[CONTROL_STAMP]++;
    control[CONTROL_ACTIVE] = 0u;
}

// Tier 1: a thread for each overflowed slot, up to LARGE_THREADS, until all of these slots are done.
@compute @workgroup_size(1)
fn plan_large() {
    let spilled = control[CONTROL_SPILLED];
    size(select(0u, min(spilled, LARGE_THREADS), control[CONTROL_RESUMED] < spilled));
}
