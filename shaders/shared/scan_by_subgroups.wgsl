// Scans by the adapter's subgroups, whose threads see each other's values without memory.
//
// Subgroups have a power of two of threads, at least 8, and thread n of the workgroup is number n % size of its subgroup: the host has
// tried that (subgroups.wgsl), and these scans (scans.wgsl). Before the second barrier of a scan each subgroup leaves the result of
// all of its values in a row; after it each makes a scan of that row.
//
// The first barrier brings the threads of a subgroup together again: Vulkan does not promise that after a loop or a branch.
// So no branch comes before an operation of subgroups without a barrier between.

// This thread among those of the workgroup.
var<private> lane: u32;
// Threads of a subgroup in this pipeline, from the builtin `subgroup_size`: `wgsl::assemble` makes it an argument of each entry point.
var<private> subgroup_width: u32;

const SUBGROUPS = WORKGROUP / 8u;
var<workgroup> subgroup_row: array<u32, SUBGROUPS>;

// Of the last scan, what all values give together, and what those before this thread's do. Valid until the next scan.
var<private> scan_total: u32;
var<private> scan_left: u32;

// How many threads of a subgroup belong to the workgroup.
fn subgroup_threads() -> u32 { return min(subgroup_width, WORKGROUP); }

// What every subgroup has left, one for each thread of this one; 0 for threads beyond the number of subgroups.
fn subgroups_left(own: u32, size: u32) -> u32 {
    let place = lane % size;
    if place == size - 1u { subgroup_row[lane / size] = own; }
    workgroupBarrier();
    return select(0u, subgroup_row[min(place, SUBGROUPS - 1u)], place < WORKGROUP / size);
}

// Inclusive prefix sum; the exclusive one is this minus v.
fn scan_sum(v: u32) -> u32 {
    let size = subgroup_threads();
    workgroupBarrier();
    let own = subgroupInclusiveAdd(v);
    let sums = subgroupInclusiveAdd(subgroups_left(own, size));
    scan_total = subgroupShuffle(sums, max(WORKGROUP / size, 1u) - 1u);
    let before = subgroupShuffle(sums, max(lane / size, 1u) - 1u);
    let x = own + select(0u, before, lane >= size);
    scan_left = x - v;
    return x;
}

// The greatest of the values of this subgroup's threads up to this one.
fn greatest_up_to(v: u32, size: u32) -> u32 {
    let place = lane % size;
    var x = v;
    let a = subgroupShuffleUp(x, 1u);
    x = select(x, max(x, a), place >= 1u);
    let b = subgroupShuffleUp(x, 2u);
    x = select(x, max(x, b), place >= 2u);
    let c = subgroupShuffleUp(x, 4u);
    x = select(x, max(x, c), place >= 4u);
    let d = subgroupShuffleUp(x, 8u);
    x = select(x, max(x, d), place >= 8u);
    let e = subgroupShuffleUp(x, 16u);
    x = select(x, max(x, e), place >= 16u);
    let f = subgroupShuffleUp(x, 32u);
    return select(x, max(x, f), place >= 32u);
}

// Inclusive prefix maximum (of unsigned words, so 0 is neutral).
fn scan_max(v: u32) -> u32 {
    let size = subgroup_threads();
    workgroupBarrier();
    let own = greatest_up_to(v, size);
    let all = greatest_up_to(subgroups_left(own, size), size);
    scan_total = subgroupShuffle(all, max(WORKGROUP / size, 1u) - 1u);
    let before = select(0u, subgroupShuffle(all, max(lane / size, 1u) - 1u), lane >= size);
    let neighbour = subgroupShuffleUp(own, 1u);
    scan_left = max(before, select(0u, neighbour, lane % size != 0u));
    return max(before, own);
}

// The result of the last scan for the thread before this one, 0 for the first thread.
fn scan_before() -> u32 { return scan_left; }

// The sum and the greatest of all values; every thread gets it.
fn reduce_sum(v: u32) -> u32 {
    workgroupBarrier();
    return subgroupAdd(subgroups_left(subgroupAdd(v), subgroup_threads()));
}
fn reduce_max(v: u32) -> u32 {
    workgroupBarrier();
    return subgroupMax(subgroups_left(subgroupMax(v), subgroup_threads()));
}
