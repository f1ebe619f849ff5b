// The arenas: where every stage's columns lie, and how a workgroup reaches those of its own program.
//
// A workgroup works on one program. `enter` loads its descriptor into P; the accessors below then take
// indices that count from 0 in that program. Column c of a record lies at c * capacity + base + index, where the
// capacity is that of all programs of the batch together and the base is the program's.

#import shared/scan
#import shared/scratch

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> programs: array<Program>;
@group(0) @binding(2) var<storage, read> text: array<u32>;
@group(0) @binding(3) var<storage, read_write> tokens: array<u32>;
@group(0) @binding(4) var<storage, read_write> tree: array<u32>;
@group(0) @binding(5) var<storage, read_write> checked: array<u32>;
@group(0) @binding(6) var<storage, read_write> ir: array<u32>;
@group(0) @binding(7) var<storage, read_write> code: array<u32>;

// This thread's copy of its program's descriptor, and the program's number.
var<private> P: Program;
var<private> program_index: u32;

var<workgroup> enter_flag: u32;

// Begins an entry point. False, for the whole workgroup alike, if no stage is to work on the program: compilation
// has stopped or the variant is invalid.
fn enter(group: vec3<u32>, local: vec3<u32>) -> bool {
    program_index = group.x;
    lane = local.x;
    P = programs[program_index];
    if lane == 0u {
        enter_flag = select(0u, 1u, P.fatal == 0u && P.invalid == 0u);
    }
    return workgroupUniformLoad(&enter_flag) != 0u;
}

// The same for what runs only on a program without errors: lower and all after it.
fn enter_valid(group: vec3<u32>, local: vec3<u32>) -> bool {
    program_index = group.x;
    lane = local.x;
    P = programs[program_index];
    if lane == 0u {
        enter_flag = select(0u, 1u, P.fatal == 0u && P.invalid == 0u && P.errors == 0u);
    }
    return workgroupUniformLoad(&enter_flag) != 0u;
}

// Byte i of the program's text; i must be below text_len.
fn byte(i: u32) -> u32 {
    let at = P.text_base + i;
    return (text[at >> 2u] >> ((at & 3u) * 8u)) & 0xffu;
}

// Per token.
fn token_at(column: u32, i: u32) -> u32 { return tokens[column * params.token_capacity + P.token_base + i]; }
fn set_token(column: u32, i: u32, v: u32) { tokens[column * params.token_capacity + P.token_base + i] = v; }
fn tree_at(column: u32, i: u32) -> u32 { return tree[column * params.token_capacity + P.token_base + i]; }
fn set_tree(column: u32, i: u32, v: u32) { tree[column * params.token_capacity + P.token_base + i] = v; }
fn checked_at(column: u32, i: u32) -> u32 { return checked[column * params.token_capacity + P.token_base + i]; }
fn set_checked(column: u32, i: u32, v: u32) { checked[column * params.token_capacity + P.token_base + i] = v; }

// Per instruction: as lowered, and after optimize.
fn lowered_at(column: u32, i: u32) -> u32 { return ir[column * params.ir_capacity + P.ir_base + i]; }
fn set_lowered(column: u32, i: u32, v: u32) { ir[column * params.ir_capacity + P.ir_base + i] = v; }
fn ir_at(column: u32, i: u32) -> u32 { return ir[(IR_COLUMNS + column) * params.ir_capacity + P.ir_base + i]; }
fn set_ir(column: u32, i: u32, v: u32) { ir[(IR_COLUMNS + column) * params.ir_capacity + P.ir_base + i] = v; }

// Per word of bytecode.
fn code_at(column: u32, i: u32) -> u32 { return code[column * params.code_capacity + P.code_base + i]; }
fn set_code(column: u32, i: u32, v: u32) { code[column * params.code_capacity + P.code_base + i] = v; }

// Per routine and per binder: behind the bytecode, in the index space of tokens.
fn routines_place(column: u32, i: u32) -> u32 {
    return CODE_COLUMNS * params.code_capacity + column * params.token_capacity + P.token_base + i;
}
fn binders_place(column: u32, i: u32) -> u32 { return routines_place(ROUTINES_COLUMNS + column, i); }
fn routine_at(column: u32, i: u32) -> u32 { return code[routines_place(column, i)]; }
fn set_routine(column: u32, i: u32, v: u32) { code[routines_place(column, i)] = v; }
fn binder_at(column: u32, i: u32) -> u32 { return code[binders_place(column, i)]; }
fn set_binder(column: u32, i: u32, v: u32) { code[binders_place(column, i)] = v; }

// Scratch: TOKEN_SCRATCH columns of a word per token of room, then IR_SCRATCH columns of a word per instruction of
// room. It holds anything when a stage begins; what one entry point of a stage leaves, the next one finds.
fn token_scratch_place(column: u32, i: u32) -> u32 { return column * params.token_capacity + P.token_base + i; }
fn ir_scratch_place(column: u32, i: u32) -> u32 {
    return TOKEN_SCRATCH * params.token_capacity + column * params.ir_capacity + P.ir_base + i;
}
fn temp(column: u32, i: u32) -> u32 { return scratch_word(token_scratch_place(column, i)); }
fn set_temp(column: u32, i: u32, v: u32) { set_scratch_word(token_scratch_place(column, i), v); }
fn ir_temp(column: u32, i: u32) -> u32 { return scratch_word(ir_scratch_place(column, i)); }
fn set_ir_temp(column: u32, i: u32, v: u32) { set_scratch_word(ir_scratch_place(column, i), v); }
