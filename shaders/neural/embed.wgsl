// embed: words become vectors of the model's width. One workgroup a row.

#import layout/neural
#import neural/live

@group(0) @binding(0) var<uniform> bp: BatchParams;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
// The functions, SHEET_* places: words with their features, five columns of SOURCE_MAX.
@group(0) @binding(3) var<storage, read> source: array<u32>;
// The candidates' words, TARGET_MAX each.
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read_write> x: array<f32>;

// Number i of a vector of the table that begins at `first`.
fn vector(first: u32, index: u32, i: u32) -> f32 { return weights[first + index * bp.width + i]; }

// The encoder's: a word and its four features.
@compute @workgroup_size(64)
fn embed_source(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let row = group.x;
    let first = function_read() * SHEET_WORDS + row;
    for (var i = local.x; i < bp.width; i += 64u) {
        var v = vector(bp.embed, source[first], i);
        v += vector(bp.types, source[first + SOURCE_MAX], i);
        v += vector(bp.depths, source[first + 2u * SOURCE_MAX], i);
        v += vector(bp.statements, source[first + 3u * SOURCE_MAX], i);
        v += vector(bp.heights, source[first + 4u * SOURCE_MAX], i);
        x[row * bp.width + i] = v;
    }
}

// The decoder's: the word written last.
@compute @workgroup_size(64)
fn embed_target(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    var word = WORD_BOS;
    let at = position();
    if at > 0u { word = words[live_at(group.x) * TARGET_MAX + at - 1u]; }
    for (var i = local.x; i < bp.width; i += 64u) {
        x[group.x * bp.width + i] = vector(bp.embed, word, i);
    }
}
