// Scans over whole scratch columns, in tiles of WORKGROUP rows with one row per thread.
//
// Every thread of the workgroup must call these functions. Workgroup memory is used only by the scans of
// shared/scan. Each function ends with a storage barrier, after which every thread sees the complete column.

#import shared/arena
#import shared/scan

// Replaces a token column by its prefix sums and returns the sum of all n rows.
fn sum_column(column: u32, n: u32, inclusive: bool) -> u32 {
    var before = 0u;
    for (var tile = 0u; tile < n; tile += WORKGROUP) {
        let t = tile + lane;
        var v = 0u;
        if t < n { v = temp(column, t); }
        let sum = scan_sum(v);
        if t < n { set_temp(column, t, before + sum - select(v, 0u, inclusive)); }
        before += scan_total;
    }
    #round n: Counts are now positions: a prefix sum over the column.
    storageBarrier();
    return before;
}

// Replaces a token column by its prefix maxima.
fn max_column(column: u32, n: u32) {
    var before = 0u;
    for (var tile = 0u; tile < n; tile += WORKGROUP) {
        let t = tile + lane;
        var v = 0u;
        if t < n { v = temp(column, t); }
        let greatest = max(before, scan_max(v));
        if t < n { set_temp(column, t, greatest); }
        before = max(before, scan_total);
    }
    #round n: Every token has the index of the last marked token up to it: a running maximum over the
    #: column.
    storageBarrier();
}

// Replaces an instruction column by its exclusive prefix sums and returns the sum of all n rows.
fn sum_ir_column(column: u32, n: u32) -> u32 {
    var before = 0u;
    for (var tile = 0u; tile < n; tile += WORKGROUP) {
        let i = tile + lane;
        var v = 0u;
        if i < n { v = ir_temp(column, i); }
        let sum = scan_sum(v);
        if i < n { set_ir_temp(column, i, before + sum - v); }
        before += scan_total;
    }
    #round n: Counts are now positions: a prefix sum over the column.
    storageBarrier();
    return before;
}
