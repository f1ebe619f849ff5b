// splice: turns code from the host into programs. Program 0 is the base; each other program is the base with
// one of the codes for the function. One workgroup handles one program, and each thread copies every
// WORKGROUP-th word. No workgroup memory, no barriers.

#import layout/neural
#import neural/base

@group(0) @binding(0) var<uniform> assemble_params: AssembleParams;
@group(0) @binding(1) var<storage, read> base_programs: array<Program>;
@group(0) @binding(2) var<storage, read> base_code: array<u32>;
// For each program, the offset of its code in this list and its length; then the codes.
@group(0) @binding(3) var<storage, read> codes: array<u32>;
@group(0) @binding(4) var<storage, read_write> programs: array<Program>;
@group(0) @binding(5) var<storage, read_write> code: array<u32>;

@compute @workgroup_size(64)
fn splice(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let p = group.x;
    take_base(p, local.x, select(assemble_params.function, NONE, p == 0u));
    let begin = codes[p * SPLICED_WORDS + SPLICED_BEGIN];
    let length = codes[p * SPLICED_WORDS + SPLICED_LENGTH];
    let to = CODE_WORD * assemble_params.code_capacity + programs[p].code_base + base_programs[0].code;
    for (var i = local.x; i < length; i += WORKGROUP) { code[to + i] = codes[begin + i]; }
    if local.x == 0u { describe(p, length, false); }
}
