// subgroups: how the adapter puts the threads of a workgroup together. The host looks at it before it trusts scans to subgroups.
//
// Of each thread: the size of its subgroup, its number there, the threads that are there, and the least of their numbers in the workgroup.

@group(0) @binding(0) var<storage, read_write> told: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn tell(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_invocation_id) number: u32,
) {
    let first = 4u * (group.x * WORKGROUP + local.x);
    let there = subgroupAdd(1u);
    let least = subgroupMin(local.x);
    told[first] = size;
    told[first + 1u] = number;
    told[first + 2u] = there;
    told[first + 3u] = least;
}
