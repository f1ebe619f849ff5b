// Scans and reductions over the threads of a workgroup, one value each: 64 of them, 32 or 16. All need uniform control flow: every
// thread of the workgroup calls them together. No loops, so they cost nothing of an invocation's loop budget.
//
// Who scans is said by the part that is imported: by memory, or, where the adapter has subgroups that serve, by these.

#import shared/scan_by_memory

// The greatest of the threads before this one, 0 where there is none.
fn max_before(v: u32) -> u32 {
    _ = scan_max(v);
    return scan_before();
}

// The least of all values, and whether one is true; every thread gets it.
fn reduce_min(v: u32) -> u32 { return ~reduce_max(~v); }
fn reduce_or(v: bool) -> bool { return reduce_max(select(0u, 1u, v)) != 0u; }

// The value of thread 0, uniformly: fit to decide over a branch with barriers in it.
var<workgroup> uniform_word: u32;
fn uniform_from(v: u32) -> u32 {
    if lane == 0u { uniform_word = v; }
    return workgroupUniformLoad(&uniform_word);
}
// Whether any thread says so, uniformly.
fn uniform_any(v: bool) -> bool { return uniform_from(select(0u, 1u, reduce_or(v))) != 0u; }
