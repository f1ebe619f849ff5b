// Scans through workgroup memory.
//
// Kogge-Stone scans of radix 4: steps of distance 1, 4 and, if the workgroup has more than 16 threads, 16.
// Each thread holds one value. The steps write to alternating buffers, so each step needs only one barrier,
// between its write and the next step's reads. The last buffer differs from the first, so the next scan may
// begin at once.

// The index of this thread in its workgroup.
var<private> lane: u32;

var<workgroup> scan_a: array<u32, WORKGROUP>;
var<workgroup> scan_b: array<u32, WORKGROUP>;
var<workgroup> scan_c: array<u32, WORKGROUP>;
// The combined value of all threads in the last scan. Valid until the next scan.
var<private> scan_total: u32;

// Return the value of the thread d places before this one, or 0 if there is none.
fn a_back(d: u32) -> u32 { return select(0u, scan_a[(lane - d) & (WORKGROUP - 1u)], lane >= d); }
fn b_back(d: u32) -> u32 { return select(0u, scan_b[(lane - d) & (WORKGROUP - 1u)], lane >= d); }
fn c_back(d: u32) -> u32 { return select(0u, scan_c[(lane - d) & (WORKGROUP - 1u)], lane >= d); }

// Returns the inclusive prefix sum. Subtract v for the exclusive one.
fn scan_sum(v: u32) -> u32 {
    var x = v;
    scan_a[lane] = x;
    #lanes x: Each thread has a number to add.
    workgroupBarrier();
    x += a_back(1u) + a_back(2u) + a_back(3u);
    if WORKGROUP > 16u {
        scan_b[lane] = x;
        #lanes x: Each thread has the sum of its own number and the 3 before it.
        workgroupBarrier();
        x += b_back(4u) + b_back(8u) + b_back(12u);
        scan_a[lane] = x;
        #lanes x: Each thread has the sum of its own number and the 15 before it.
        workgroupBarrier();
        x += a_back(16u) + a_back(32u) + a_back(48u);
    } else {
        scan_c[lane] = x;
        #lanes x: Each thread has the sum of its own number and the 3 before it.
        workgroupBarrier();
        x += c_back(4u) + c_back(8u) + c_back(12u);
    }
    scan_b[lane] = x;
    #lanes x: Each thread has the sum of its own number and all before it.
    workgroupBarrier();
    scan_total = scan_b[WORKGROUP - 1u];
    return x;
}

// Returns the inclusive prefix maximum of unsigned words; 0 is the neutral element.
fn scan_max(v: u32) -> u32 {
    var x = v;
    scan_a[lane] = x;
    #lanes x: Each thread has a number to compare.
    workgroupBarrier();
    x = max(max(x, a_back(1u)), max(a_back(2u), a_back(3u)));
    if WORKGROUP > 16u {
        scan_b[lane] = x;
        #lanes x: Each thread has the maximum of its own number and the 3 before it.
        workgroupBarrier();
        x = max(max(x, b_back(4u)), max(b_back(8u), b_back(12u)));
        scan_a[lane] = x;
        #lanes x: Each thread has the maximum of its own number and the 15 before it.
        workgroupBarrier();
        x = max(max(x, a_back(16u)), max(a_back(32u), a_back(48u)));
    } else {
        scan_c[lane] = x;
        #lanes x: Each thread has the maximum of its own number and the 3 before it.
        workgroupBarrier();
        x = max(max(x, c_back(4u)), max(c_back(8u), c_back(12u)));
    }
    scan_b[lane] = x;
    #lanes x: Each thread has the maximum of its own number and all before it.
    workgroupBarrier();
    scan_total = scan_b[WORKGROUP - 1u];
    return x;
}

// Returns the last scan's result for the thread before this one, or 0 in thread 0.
fn scan_before() -> u32 { return b_back(1u); }

// Return the sum and the maximum of all values to every thread.
fn reduce_sum(v: u32) -> u32 { _ = scan_sum(v); return scan_total; }
fn reduce_max(v: u32) -> u32 { _ = scan_max(v); return scan_total; }
