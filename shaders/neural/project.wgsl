// project: a matrix product, with the operations before and after it in a layer.
//
// y = relu?(norm?(x) W) or y += …, with x of shape [rows, inputs] and W of shape [inputs, outputs]; inputs
// and outputs are multiples of 32. The gain of norm scales the rows of W. Its divisor scales y; the sum of
// squares for it is accumulated in the same loop.
//
// One workgroup computes a tile of 32 rows and 32 columns, and each thread 4 by 4 numbers of it. Workgroup
// memory holds tiles of x and W, 32 deep. Workgroup barriers separate loading these tiles from using them.

#import layout/neural
#import neural/live

struct Lanes { sum: vec4<f32>, squares: f32 }

@group(0) @binding(0) var<uniform> project_params: ProjectParams;
@group(0) @binding(2) var<storage, read> weights: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<f32>>;

// Nine vectors, not eight, so that consecutive rows begin in different banks.
const X_STRIDE = 9u;
var<workgroup> x_tile: array<vec4<f32>, 288>;
var<workgroup> w_tile: array<vec4<f32>, 256>;

// Multiplies four numbers of a row of x's tile by four rows of W's tile, and adds the products to the sums.
fn four(row: u32, k: u32, w0: vec4<f32>, w1: vec4<f32>, w2: vec4<f32>, w3: vec4<f32>, before: Lanes) -> Lanes {
    let v = x_tile[row * X_STRIDE + k];
    let sum = before.sum + v.x * w0 + v.y * w1 + v.z * w2 + v.w * w3;
    return Lanes(sum, before.squares + dot(v, v));
}

fn store_row(row: u32, column: u32, rows: u32, lanes: Lanes) {
    if row >= rows { return; }
    let place = ((row + project_params.room * function_read()) * project_params.outputs) / 4u + column;
    var v = lanes.sum;
    if project_params.gain != NONE { v *= inverseSqrt(lanes.squares / f32(project_params.inputs) + 1e-5); }
    if project_params.relu != 0u { v = max(v, vec4<f32>()); }
    if project_params.add != 0u { v += y[place]; }
    y[place] = v;
}

@compute @workgroup_size(64)
fn project(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let rows = live();
    let first_row = group.x * 32u;
    let first_column = group.y * 8u;   // in vectors of four
    let column = lane % 8u;
    let own = (lane / 8u) * 4u;        // first of this thread's rows in the tile
    let nothing = Lanes(vec4<f32>(), 0.0);
    var a = nothing;
    var b = nothing;
    var c = nothing;
    var d = nothing;
    for (var depth = 0u; depth < project_params.inputs; depth += 32u) {
        for (var i = lane; i < 256u; i += 64u) {
            let row = first_row + i / 8u;
            var v = vec4<f32>();
            if row < rows { v = x[(row * project_params.inputs + depth) / 4u + i % 8u]; }
            x_tile[(i / 8u) * X_STRIDE + i % 8u] = v;
            let k = depth + i / 8u;
            var w = weights[(project_params.matrix + k * project_params.outputs) / 4u + first_column + i % 8u];
            if project_params.gain != NONE { w *= weights[(project_params.gain + k) / 4u][k % 4u]; }
            w_tile[i] = w;
        }
        workgroupBarrier();
        // Threads without rows have nothing to add.
        let deep = select(0u, 8u, first_row + own < rows);
        for (var k = 0u; k < deep; k++) {
            let w0 = w_tile[k * 32u + column];
            let w1 = w_tile[k * 32u + 8u + column];
            let w2 = w_tile[k * 32u + 16u + column];
            let w3 = w_tile[k * 32u + 24u + column];
            a = four(own, k, w0, w1, w2, w3, a);
            b = four(own + 1u, k, w0, w1, w2, w3, b);
            c = four(own + 2u, k, w0, w1, w2, w3, c);
            d = four(own + 3u, k, w0, w1, w2, w3, d);
        }
        workgroupBarrier();
    }
    store_row(first_row + own, first_column + column, rows, a);
    store_row(first_row + own + 1u, first_column + column, rows, b);
    store_row(first_row + own + 2u, first_column + column, rows, c);
    store_row(first_row + own + 3u, first_column + column, rows, d);
}
