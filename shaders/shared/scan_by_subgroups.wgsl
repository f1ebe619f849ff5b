// Scans by the adapter's subgroups, whose threads see each other's values without memory and barriers.
//
// Subgroups have a power of two of threads, at least 8, and thread n of the workgroup is number n % size of its subgroup: the host has tried
// that out (subgroups.wgsl). A scan has one barrier. Before it subgroups leave what all of their values give in a row, behind it each makes a scan of
// that row. There are two rows, which take turns, so that the next call may begin at once.

// This thread among those of the workgroup.
var<private> lane: u32;

const SUBGROUPS = WORKGROUP / 8u;
var<workgroup> subgroup_row: array<u32, 2u * SUBGROUPS>;
var<private> row_turn: u32;

// Of the last scan, what all values give together, and what those before this thread's do. Valid until the next scan.
var<private> scan_total: u32;
var<private> scan_left: u32;

// How many threads a subgroup has. All are there.
fn subgroup_threads() -> u32 { return subgroupAdd(1u); }

// What every subgroup has left, one for each thread of this one as far as there are so many, else 0.
fn subgroups_left(own: u32, size: u32) -> u32 {
    let place = lane % size;
    row_turn = SUBGROUPS - row_turn;
    if place == size - 1u { subgroup_row[row_turn + lane / size] = own; }
    workgroupBarrier();
    var left = 0u;
    if place < WORKGROUP / size { left = subgroup_row[row_turn + place]; }
    return left;
}

// Inclusive prefix sum; the exclusive one is this minus v.
fn scan_sum(v: u32) -> u32 {
    let size = subgroup_threads();
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
    let own = greatest_up_to(v, size);
    let all = greatest_up_to(subgroups_left(own, size), size);
    scan_total = subgroupShuffle(all, max(WORKGROUP / size, 1u) - 1u);
    let before = select(0u, subgroupShuffle(all, max(lane / size, 1u) - 1u), lane >= size);
    let neighbour = subgroupShuffleUp(own, 1u);
    scan_left = max(before, select(0u, neighbour, lane % size != 0u));
    return max(before, own);
}

// What the last scan gave the thread before this one, 0 where there is none.
fn scan_before() -> u32 { return scan_left; }

// The sum and the greatest of all values; every thread gets it.
fn reduce_sum(v: u32) -> u32 { return subgroupAdd(subgroups_left(subgroupAdd(v), subgroup_threads())); }
fn reduce_max(v: u32) -> u32 { return subgroupMax(subgroups_left(subgroupMax(v), subgroup_threads())); }
