// embed: turns words into vectors of the model's width. One workgroup handles one row, and each thread every
// 64th number of the vector. No workgroup memory, no barriers.

#import layout/neural
#import neural/live

@group(0) @binding(0) var<uniform> batch_params: BatchParams;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
// The functions at SHEET_* offsets: words with their features, five columns of SOURCE_MAX.
@group(0) @binding(3) var<storage, read> source: array<u32>;
// The words of the candidates, TARGET_MAX each.
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read_write> x: array<f32>;

// Returns number i of a vector of the table that begins at `first`.
fn vector(first: u32, index: u32, i: u32) -> f32 { return weights[first + index * batch_params.width + i]; }

// Embeds a word of the encoder with its four features.
@compute @workgroup_size(64)
fn embed_source(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = group.x;
    let first = function_read() * SHEET_WORDS + row;
    for (var i = local.x; i < batch_params.width; i += 64u) {
        var v = vector(batch_params.embed, source[first], i);
        v += vector(batch_params.types, source[first + SOURCE_MAX], i);
        v += vector(batch_params.depths, source[first + 2u * SOURCE_MAX], i);
        v += vector(batch_params.statements, source[first + 3u * SOURCE_MAX], i);
        v += vector(batch_params.heights, source[first + 4u * SOURCE_MAX], i);
        x[row * batch_params.width + i] = v;
    }
}

// Embeds the last word that the decoder has written.
@compute @workgroup_size(64)
fn embed_target(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    var word = WORD_BOS;
    let at = position();
    if at > 0u { word = words[live_at(group.x) * TARGET_MAX + at - 1u]; }
    for (var i = local.x; i < batch_params.width; i += 64u) {
        x[group.x * batch_params.width + i] = vector(batch_params.embed, word, i);
    }
}
