// scans: calls every function of shared/scan directly after divergent control flow. The host compares the
// results with plain loops (src/engine/gpu/subgroups.rs) before it uses subgroups for scans.
//
// Each thread supplies SCANS_ROUNDS values. Workgroup memory and barriers are those of shared/scan.

#import shared/scan

// SCANS_ROUNDS values per thread, and SCANS_WORDS results per value.
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

// Makes up to 31 Collatz steps from v. Their number depends on v, so threads leave the loop at different
// times.
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
        // Only one thread in four makes further steps.
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
