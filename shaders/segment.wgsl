// segment: cuts the new code of each changed function out of its compiled part and makes it relocatable.
//
// One workgroup handles one part, and each thread every WORKGROUP-th instruction. No workgroup memory, no
// barriers.
//
// The specification is docs/stages/splice.md; the CPU twin is src/compiler/stage/splice/mod.rs.

#import layout/scratch/emit

@group(0) @binding(0) var<uniform> splice_params: SpliceParams;
// A mark for each word of the base's bytecode (HOLDS_*), then a row per function (PART_*), then the lists of
// these rows.
@group(0) @binding(1) var<storage, read> parts: array<u32>;
// For each part of the batch: its function and edit numbers (ORDER_*), and its edits (EDITS_*).
@group(0) @binding(2) var<storage, read> orders: array<u32>;
@group(0) @binding(3) var<storage, read> edits: array<u32>;
// The compiled parts: their descriptors, their code, and the scratch in which emit has left the address of
// each instruction.
@group(0) @binding(4) var<storage, read> programs: array<Program>;
@group(0) @binding(5) var<storage, read> code: array<u32>;
@group(0) @binding(6) var<storage, read> scratch: array<u32>;
// The segments (SEGMENT_*).
@group(0) @binding(7) var<storage, read_write> segments: array<u32>;

@compute @workgroup_size(64)
fn segment(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let p = group.x;
    let order = p * ORDER_WORDS;
    let place = orders[order + ORDER_SEGMENT];
    // A part of a base with errors may have as many as without an edit.
    let known = max(programs[p].holes, PART) - PART;
    if programs[p].fatal != 0u || programs[p].errors > known || programs[p].invalid != 0u || programs[p].routines == 0u {
        if local.x == 0u { segments[place + SEGMENT_SIZE] = 0u; }
        return;
    }
    // The function is the last one of its part.
    let routine = CODE_COLUMNS * splice_params.part_code_capacity + programs[p].token_base + programs[p].routines - 1u;
    let begin = code[routine + ROUTINES_ADDRESS * splice_params.part_token_capacity];
    let first = code[routine + ROUTINES_IR * splice_params.part_token_capacity];
    let end = programs[p].code;
    let size = end - begin;
    if local.x == 0u {
        segments[place + SEGMENT_SIZE] = size;
        segments[place + SEGMENT_FRAME] = code[routine + ROUTINES_FRAME * splice_params.part_token_capacity];
        segments[place + SEGMENT_GROWTH] = edits[p * EDITS_WORDS + EDITS_GROWTH];
    }
    let count = programs[p].ir;
    let addresses = TOKEN_SCRATCH * splice_params.part_token_capacity + ADDRESS * splice_params.part_ir_capacity + programs[p].ir_base;
    let words = CODE_WORD * splice_params.part_code_capacity + programs[p].code_base;
    let functions = parts[splice_params.base_code + orders[order + ORDER_FUNCTION] * PART_WORDS + PART_FUNCTIONS];
    for (var i = first + local.x; i < count; i += WORKGROUP) {
        let at = scratch[addresses + i];
        var next = end;
        if i + 1u < count { next = scratch[addresses + i + 1u]; }
        // An instruction without words has the address of the next one.
        if next == at { continue; }
        var word = code[words + at];
        let op = word & 0xffu;
        let shape = op_shape(op);
        if shape == SHAPE_TARGET { word -= begin << 8u; }
        if shape == SHAPE_FUNCTION { word = op | (parts[functions + (word >> 8u)] << 8u); }
        let to = place + SEGMENT_CODE + at - begin;
        segments[to] = word;
        segments[to + size] = select(HOLDS_NO_ADDRESS, HOLDS_IN_OPERAND, shape == SHAPE_TARGET);
        if next - at > 1u {
            let target_word = shape == SHAPE_SLOT_TARGET;
            segments[to + 1u] = code[words + at + 1u] - select(0u, begin, target_word);
            segments[to + 1u + size] = select(HOLDS_NO_ADDRESS, HOLDS_ADDRESS, target_word);
        }
    }
}
