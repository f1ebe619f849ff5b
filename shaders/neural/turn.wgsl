// turn: applies rotary position embeddings to queries and keys, and stores keys and values.
//
// A row of `qkv` is a query, a key and a value. The pair (j, j + 16) of a head is rotated by the angle
// position * 10000^(-j/16), whose cosine and sine are in a table. The query stays in place; key and value are
// copied to the buffers that `attend` reads. One workgroup handles one row, and each thread every 64th pair.
// No workgroup memory, no barriers.

#import layout/neural
#import neural/live

@group(0) @binding(0) var<uniform> attend_params: AttendParams;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read_write> qkv: array<f32>;
@group(0) @binding(4) var<storage, read_write> keys: array<f32>;
@group(0) @binding(5) var<storage, read_write> values: array<f32>;

@compute @workgroup_size(64)
fn turn(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = group.x;
    // In the encoder, rows are positions.
    var at = row;
    var kept = row;
    if attend_params.room != 0u {
        at = position();
        kept = live_at(row) * attend_params.room + at;
    }
    let begin = row * attend_params.query_stride;
    for (var i = local.x; i < attend_params.width / 2u; i += 64u) {
        let j = i % 16u;
        let low = (i / 16u) * 32u + j;
        let high = low + 16u;
        let c = weights[attend_params.rotations + at * 32u + j];
        let s = weights[attend_params.rotations + at * 32u + 16u + j];
        let q = vec2<f32>(qkv[begin + low], qkv[begin + high]);
        let k = vec2<f32>(qkv[begin + attend_params.width + low], qkv[begin + attend_params.width + high]);
        qkv[begin + low] = q.x * c - q.y * s;
        qkv[begin + high] = q.y * c + q.x * s;
        keys[kept * attend_params.stride + low] = k.x * c - k.y * s;
        keys[kept * attend_params.stride + high] = k.y * c + k.x * s;
        values[kept * attend_params.stride + low] = qkv[begin + 2u * attend_params.width + low];
        values[kept * attend_params.stride + high] = qkv[begin + 2u * attend_params.width + high];
    }
}
