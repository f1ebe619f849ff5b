// attend: computes attention over keys and values.
//
// One workgroup handles one row and head. Workgroup memory holds a score for each key and the operands of
// reductions. The barriers of the reductions separate writing scores from reading those of other threads.
//
// Queries have the shape [rows, stride], with the 32 numbers of a head adjacent. Keys and values have the
// shape [owners, room, stride]. A row of the encoder attends to the function that is being encoded, whose
// keys have no owner. A row of the decoder attends to the positions of its candidate up to its own, or to the
// words of the candidate's function.

#import layout/neural
#import neural/live
#import neural/reduce

@group(0) @binding(0) var<uniform> attend_params: AttendParams;
@group(0) @binding(2) var<storage, read> queries: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> keys: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> values: array<f32>;
@group(0) @binding(5) var<storage, read_write> mixed: array<f32>;

const SCALE = 0.17677669529663687;  // 1 / sqrt(32)

var<workgroup> scores: array<f32, 256>;
@compute @workgroup_size(64)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let row = group.x;
    let head = group.y;
    var owner = 0u;
    var count = control[DECODE_SOURCE];
    if attend_params.key_range == SEES_BEFORE {
        owner = live_at(row);
        count = position() + 1u;
    }
    if attend_params.key_range == SEES_ACROSS {
        owner = function_of(live_at(row));
        count = control[DECODE_LENGTHS + owner];
    }
    // The row of the first key.
    let first = owner * attend_params.room;

    let query = (row * attend_params.query_stride + head * 32u) / 4u;
    let q0 = queries[query];
    let q1 = queries[query + 1u];
    let q2 = queries[query + 2u];
    let q3 = queries[query + 3u];
    let q4 = queries[query + 4u];
    let q5 = queries[query + 5u];
    let q6 = queries[query + 6u];
    let q7 = queries[query + 7u];
    var greatest = -1e30;
    for (var p = lane; p < count; p += 64u) {
        let key = ((first + p) * attend_params.stride + attend_params.keys + head * 32u) / 4u;
        var s = dot(q0, keys[key]) + dot(q1, keys[key + 1u]) + dot(q2, keys[key + 2u]) + dot(q3, keys[key + 3u]);
        s += dot(q4, keys[key + 4u]) + dot(q5, keys[key + 5u]) + dot(q6, keys[key + 6u]) + dot(q7, keys[key + 7u]);
        s *= SCALE;
        scores[p] = s;
        greatest = max(greatest, s);
    }
    greatest = greatest_of(lane, greatest);
    var total = 0.0;
    for (var p = lane; p < count; p += 64u) {
        let e = exp(scores[p] - greatest);
        scores[p] = e;
        total += e;
    }
    // The barriers of sum_of also make all scores visible.
    total = sum_of(lane, total);

    // Each thread sums one of the 32 columns over every other position.
    let column = lane % 32u;
    var sum = 0.0;
    for (var p = lane / 32u; p < count; p += 2u) {
        sum += scores[p] * values[(first + p) * attend_params.stride + attend_params.values + head * 32u + column];
    }
    reduced[lane] = sum;
    workgroupBarrier();
    if lane < 32u {
        mixed[row * attend_params.width + head * 32u + column] = (reduced[lane] + reduced[lane + 32u]) / total;
    }
}
