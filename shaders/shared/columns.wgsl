// Scans over whole columns of scratch, a row for each thread at a time. All are to be called by the whole workgroup; they end with
// the column complete for every thread.

#import shared/arena
#import shared/scan

// Prefix sums of a token column, in place; gives the sum of all n rows.
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
    // round n: Counts have become places: a prefix sum over the column.
    storageBarrier();
    return before;
}

// Prefix maxima of a token column, in place.
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
    // round n: Every token has the last of its kind before it: a running maximum over the column.
    storageBarrier();
}

// Exclusive prefix sums of an instruction column, in place; gives the sum of all n rows.
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
    // round n: Counts have become places: a prefix sum over the column.
    storageBarrier();
    return before;
}
