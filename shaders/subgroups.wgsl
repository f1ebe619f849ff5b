// subgroups: reports how the adapter groups the threads of a workgroup. The host checks this before it uses
// subgroups for scans.
//
// Each thread writes the size of its subgroup, its index in it, the number of active threads in it, and their
// least index in the workgroup. No workgroup memory, no barriers.

@group(0) @binding(0) var<storage, read_write> reported: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn report_subgroups(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) number: u32,
) {
    let first = 4u * (group.x * WORKGROUP + local.x);
    let there = subgroupAdd(1u);
    let least = subgroupMin(local.x);
    reported[first] = size;
    reported[first + 1u] = number;
    reported[first + 2u] = there;
    reported[first + 3u] = least;
}
