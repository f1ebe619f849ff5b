// The turn of a group of threads: the least of its threads' turns. It decides when an instruction is executed, but no
// result, so it may be any partition into groups: a thread need not wait for all others. No workgroup memory, no barriers.

@diagnostic(off, subgroup_uniformity)
fn turn_of_group(own: u32) -> u32 { return subgroupMin(own); }
