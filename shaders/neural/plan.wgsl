// plan: removes the candidates that are done from the list, and writes the sizes of the next step's
// dispatches.
//
// Before the first step, it initializes the candidates and selects the functions for the encoder, one after
// another. A prefix sum closes the gaps in the list of live candidates and preserves their order. The shader
// has its own bindings, because a buffer cannot be an indirect argument and writable storage in the same
// dispatch.
//
// One workgroup handles the list, one candidate per thread and tile; in `begin_walks` one workgroup handles
// one candidate. Workgroup memory is used only by the scans. In `compact`, a storage barrier separates
// reading a tile from writing it.

#import layout/neural
#import shared/scan

@group(0) @binding(0) var<uniform> batch_params: BatchParams;
@group(0) @binding(1) var<storage, read_write> control: array<u32>;
@group(0) @binding(2) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(3) var<storage, read_write> states: array<u32>;
// The functions at SHEET_* offsets.
@group(0) @binding(4) var<storage, read> source: array<u32>;

// Writes the size of a dispatch: one workgroup per row; per row and head; or per tile of 32 rows and columns.
fn size(index: u32, rows: u32, columns: u32) {
    arguments[index * SIZE_WORDS] = rows;
    arguments[index * SIZE_WORDS + 1u] = columns;
    arguments[index * SIZE_WORDS + 2u] = 1u;
}
fn sizes(rows: u32) {
    let tiles = (rows + 31u) / 32u;
    let columns = batch_params.width / 32u;
    size(SIZE_ROW, rows, 1u);
    size(SIZE_HEAD, rows, columns);
    size(SIZE_WIDTH, tiles, columns);
    size(SIZE_DOUBLE, tiles, 2u * columns);
    size(SIZE_TRIPLE, tiles, 3u * columns);
    size(SIZE_FEED, tiles, 4u * columns);
    size(SIZE_LOGITS, tiles, batch_params.logits / 32u);
}

// Initializes the walks of the candidates, whose functions' parameters are already stored, and the control
// words. No function has been encoded yet. One workgroup per candidate.
@compute @workgroup_size(64)
fn begin_walks(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let params = source[(group.x / batch_params.each) * SHEET_WORDS + SHEET_PARAMS];
    for (var i = local.x; i < WALK_WORDS; i += 64u) {
        var v = 0u;
        v = select(v, 1u, i == WALK_REACHED);
        v = select(v, (1u << min(params, VARIABLES)) - 1u, i == WALK_VARIABLES);
        states[group.x * WALK_WORDS + i] = v;
    }
    if group.x == 0u && local.x == 0u {
        control[DECODE_FUNCTION] = NONE;
        control[DECODE_EACH] = batch_params.each;
        control[DECODE_POSITION] = 0u;
        control[DECODE_EPOCH] = batch_params.epoch;
    }
}

// Selects the next function. The rows of the encoder are its words.
@compute @workgroup_size(64)
fn begin_source(@builtin(local_invocation_id) local: vec3<u32>) {
    if local.x == 0u {
        let function = control[DECODE_FUNCTION] + 1u;
        let length = source[function * SHEET_WORDS + SHEET_LENGTH];
        control[DECODE_FUNCTION] = function;
        control[DECODE_LENGTHS + function] = length;
        control[DECODE_LIVE] = length;
        control[DECODE_SOURCE] = length;
        sizes(length);
    }
}

@compute @workgroup_size(64)
fn begin_target(@builtin(local_invocation_id) local: vec3<u32>) {
    for (var c = local.x; c < batch_params.candidates; c += 64u) { control[DECODE_LIST + c] = c; }
    if local.x == 0u {
        control[DECODE_LIVE] = batch_params.candidates;
        sizes(batch_params.candidates);
    }
}

@compute @workgroup_size(64)
fn compact(@builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let live = uniform_from(control[DECODE_LIVE]);
    var kept = 0u;
    for (var tile = 0u; tile < live; tile += 64u) {
        let r = tile + lane;
        var candidate = 0u;
        var stays = 0u;
        if r < live {
            candidate = control[DECODE_LIST + r];
            stays = select(0u, 1u, states[candidate * WALK_WORDS + WALK_PHASE] == PHASE_WRITING);
        }
        let place = kept + scan_sum(stays) - stays;
        // All threads have read this tile. They write to rows at or before their own.
        storageBarrier();
        if stays != 0u { control[DECODE_LIST + place] = candidate; }
        kept += scan_total;
    }
    storageBarrier();
    if lane == 0u {
        control[DECODE_LIVE] = kept;
        control[DECODE_POSITION] = control[DECODE_POSITION] + 1u;
        sizes(kept);
    }
}
