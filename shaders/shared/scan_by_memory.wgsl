// Scans by workgroup memory.
//
// A scan is Kogge and Stone's with radix 4: steps of distance 1, 4 and, of more than 16 threads, 16, in buffers turn about, so that
// each step needs one barrier. It begins in one buffer and ends in another, so that the next call may begin at once.

// This thread among them.
var<private> lane: u32;

var<workgroup> scan_a: array<u32, WORKGROUP>;
var<workgroup> scan_b: array<u32, WORKGROUP>;
var<workgroup> scan_c: array<u32, WORKGROUP>;
// Of the last scan, what all values give together. Valid until the next scan.
var<private> scan_total: u32;

// The value d threads back, 0 where there is none.
fn a_back(d: u32) -> u32 { return select(0u, scan_a[(lane - d) & (WORKGROUP - 1u)], lane >= d); }
fn b_back(d: u32) -> u32 { return select(0u, scan_b[(lane - d) & (WORKGROUP - 1u)], lane >= d); }
fn c_back(d: u32) -> u32 { return select(0u, scan_c[(lane - d) & (WORKGROUP - 1u)], lane >= d); }

// Inclusive prefix sum; the exclusive one is this minus v.
fn scan_sum(v: u32) -> u32 {
    var x = v;
    scan_a[lane] = x;
    // lanes x: Each thread has a number to sum.
    workgroupBarrier();
    x += a_back(1u) + a_back(2u) + a_back(3u);
    if WORKGROUP > 16u {
        scan_b[lane] = x;
        // lanes x: Each thread has the sum of its own and the 3 before it.
        workgroupBarrier();
        x += b_back(4u) + b_back(8u) + b_back(12u);
        scan_a[lane] = x;
        // lanes x: Each thread has the sum of its own and the 15 before it.
        workgroupBarrier();
        x += a_back(16u) + a_back(32u) + a_back(48u);
    } else {
        scan_c[lane] = x;
        // lanes x: Each thread has the sum of its own and the 3 before it.
        workgroupBarrier();
        x += c_back(4u) + c_back(8u) + c_back(12u);
    }
    scan_b[lane] = x;
    // lanes x: Each thread has the sum of its own and all before it.
    workgroupBarrier();
    scan_total = scan_b[WORKGROUP - 1u];
    return x;
}

// Inclusive prefix maximum (of unsigned words, so 0 is neutral).
fn scan_max(v: u32) -> u32 {
    var x = v;
    scan_a[lane] = x;
    // lanes x: Each thread has a number of which the greatest is sought.
    workgroupBarrier();
    x = max(max(x, a_back(1u)), max(a_back(2u), a_back(3u)));
    if WORKGROUP > 16u {
        scan_b[lane] = x;
        // lanes x: Each thread has the greatest of its own and the 3 before it.
        workgroupBarrier();
        x = max(max(x, b_back(4u)), max(b_back(8u), b_back(12u)));
        scan_a[lane] = x;
        // lanes x: Each thread has the greatest of its own and the 15 before it.
        workgroupBarrier();
        x = max(max(x, a_back(16u)), max(a_back(32u), a_back(48u)));
    } else {
        scan_c[lane] = x;
        // lanes x: Each thread has the greatest of its own and the 3 before it.
        workgroupBarrier();
        x = max(max(x, c_back(4u)), max(c_back(8u), c_back(12u)));
    }
    scan_b[lane] = x;
    // lanes x: Each thread has the greatest of its own and all before it.
    workgroupBarrier();
    scan_total = scan_b[WORKGROUP - 1u];
    return x;
}

// What the last scan gave the thread before this one, 0 where there is none.
fn scan_before() -> u32 { return b_back(1u); }

// The sum and the greatest of all values; every thread gets it.
fn reduce_sum(v: u32) -> u32 { _ = scan_sum(v); return scan_total; }
fn reduce_max(v: u32) -> u32 { _ = scan_max(v); return scan_total; }
