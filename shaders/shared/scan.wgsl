// Scans and reductions over the threads of a workgroup, with one value per thread: 64, 32 or 16 values.
//
// Every thread of the workgroup must call each function, in uniform control flow. The functions have no
// loops, so they cost nothing of an invocation's loop budget. Workgroup memory: `uniform_word`, written by
// thread 0 and read by all threads after the barriers of `workgroupUniformLoad`.
//
// The import below uses workgroup memory. On adapters with usable subgroups, the host replaces it by
// shared/scan_by_subgroups.

#import shared/scan_by_memory

// Returns the maximum over all earlier threads, or 0 in thread 0.
fn max_before(v: u32) -> u32 {
    _ = scan_max(v);
    return scan_before();
}

// Return the minimum of all values, and whether any value is true, to every thread.
fn reduce_min(v: u32) -> u32 { return ~reduce_max(~v); }
fn reduce_or(v: bool) -> bool { return reduce_max(select(0u, 1u, v)) != 0u; }

// Returns thread 0's value as a uniform value, which may control a branch or loop that contains barriers.
var<workgroup> uniform_word: u32;
fn uniform_from(v: u32) -> u32 {
    if lane == 0u { uniform_word = v; }
    return workgroupUniformLoad(&uniform_word);
}
// Returns, as a uniform value, whether v is true in any thread.
fn uniform_any(v: bool) -> bool { return uniform_from(select(0u, 1u, reduce_or(v))) != 0u; }
