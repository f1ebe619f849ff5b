// scans: every function of shared/scan, each right after the threads have gone different ways. The host compares the results with
// plain loops (src/engine/gpu/subgroups.rs) before it trusts scans to subgroups.

#import shared/scan

// SCANS_ROUNDS values of each thread; SCANS_WORDS results of each of these.
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

// Collatz's steps from v. The value decides how many of them, so that threads leave the loop at different times.
fn wander(v: u32) -> u32 {
    var x = v;
    for (var step_number = 0u; step_number < (v & 31u); step_number++) {
        if x == 1u { break; }
        if (x & 1u) == 0u { x >>= 1u; } else { x = 3u * x + 1u; }
    }
    return x;
}

@compute @workgroup_size(WORKGROUP)
fn scans(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    for (var round = 0u; round < SCANS_ROUNDS; round++) {
        let at = (group.x * WORKGROUP + lane) * SCANS_ROUNDS + round;
        let to = at * SCANS_WORDS;
        var x = wander(given[at]);
        results[to + SCANS_SUM] = scan_sum(x);
        results[to + SCANS_TOTAL] = scan_total;
        // One thread of four goes on alone.
        if (lane & 3u) == round { x = wander(x + lane); }
        results[to + SCANS_GREATEST] = scan_max(x);
        results[to + SCANS_BEFORE] = scan_before();
        if (x & 1u) == 1u { x = wander(x + 6u); }
        results[to + SCANS_REDUCED_SUM] = reduce_sum(x);
        if (x & 2u) == 2u { x = wander(x + 9u); }
        results[to + SCANS_REDUCED_MAX] = reduce_max(x);
        x = wander(x + 27u);
        results[to + SCANS_ANY] = select(0u, 1u, uniform_any(x == 1u));
        x = wander(x + 33u);
        results[to + SCANS_FROM] = uniform_from(x);
    }
}
