// Scans with the adapter's subgroups, whose threads exchange values without memory.
//
// The size of a subgroup is a power of two, at least 8, and thread n of the workgroup is thread n % size of
// its subgroup. The host verifies this (subgroups.wgsl) and these scans (scans.wgsl) when it opens a device.
// Each thread holds one value. Workgroup memory: `subgroup_row`, one total per subgroup.
//
// The first barrier of a scan reconverges the threads of a subgroup, which Vulkan does not guarantee after a
// loop or a branch. It also separates the reads of the previous scan from the writes of this one. No branch
// may come between a barrier and the subgroup operations after it. The second barrier separates writing the
// subgroups' totals from reading them; each subgroup then scans all totals.

// The index of this thread in its workgroup.
var<private> lane: u32;
// The number of threads of a subgroup, from the builtin `subgroup_size`. `wgsl::assemble` adds that builtin
// to the arguments of each entry point.
var<private> subgroup_width: u32;

const SUBGROUPS = WORKGROUP / 8u;
var<workgroup> subgroup_row: array<u32, SUBGROUPS>;

// The combined value of all threads in the last scan, and that of the threads before this one. Valid until
// the next scan.
var<private> scan_total: u32;
var<private> scan_left: u32;

// Returns the number of threads of a subgroup that belong to the workgroup.
fn subgroup_threads() -> u32 { return min(subgroup_width, WORKGROUP); }

// Stores this subgroup's total and returns one subgroup's total to each thread: that of subgroup n to thread
// n, and 0 to threads beyond the number of subgroups.
fn subgroups_left(own: u32, size: u32) -> u32 {
    let place = lane % size;
    if place == size - 1u { subgroup_row[lane / size] = own; }
    workgroupBarrier();
    return select(0u, subgroup_row[min(place, SUBGROUPS - 1u)], place < WORKGROUP / size);
}

// Returns the inclusive prefix sum. Subtract v for the exclusive one.
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

// Returns the maximum over the threads of this subgroup up to this one.
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

// Returns the inclusive prefix maximum of unsigned words; 0 is the neutral element.
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

// Returns the last scan's result for the thread before this one, or 0 in thread 0.
fn scan_before() -> u32 { return scan_left; }

// Return the sum and the maximum of all values to every thread.
fn reduce_sum(v: u32) -> u32 {
    workgroupBarrier();
    return subgroupAdd(subgroups_left(subgroupAdd(v), subgroup_threads()));
}
fn reduce_max(v: u32) -> u32 {
    workgroupBarrier();
    return subgroupMax(subgroups_left(subgroupMax(v), subgroup_threads()));
}
