// Sums and maxima of floats over the 64 threads of a workgroup. Every thread receives the result.
//
// Every thread must call these functions, in uniform control flow. Workgroup memory: one float per thread;
// workgroup barriers separate the steps of the reduction. The order of additions is fixed, so results do not
// depend on the adapter's subgroup size.

var<workgroup> reduced: array<f32, 64>;

fn greatest_of(lane: u32, v: f32) -> f32 {
    reduced[lane] = v;
    workgroupBarrier();
    for (var d = 32u; d > 0u; d /= 2u) {
        if lane < d { reduced[lane] = max(reduced[lane], reduced[lane + d]); }
        workgroupBarrier();
    }
    let r = reduced[0];
    workgroupBarrier();
    return r;
}
fn sum_of(lane: u32, v: f32) -> f32 {
    reduced[lane] = v;
    workgroupBarrier();
    for (var d = 32u; d > 0u; d /= 2u) {
        if lane < d { reduced[lane] += reduced[lane + d]; }
        workgroupBarrier();
    }
    let r = reduced[0];
    workgroupBarrier();
    return r;
}
