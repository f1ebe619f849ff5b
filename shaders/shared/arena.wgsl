// The arenas: the storage buffers that hold the columns of every stage, and the accessors to them.
//
// One workgroup works on one program. `enter` loads the program's descriptor into P. Each accessor takes an
// index that counts from 0 within that program. Column c of a record starts at c * capacity + base:
// `capacity` is the number of rows of all programs of the batch, and `base` is the program's first row.
//
// Each thread holds its own copy of P. Workgroup memory: `enter_flag`, written by thread 0 and read by all
// threads after the barriers of `workgroupUniformLoad`.

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

// This thread's copy of the program's descriptor, and the index of the program.
var<private> P: Program;
var<private> program_index: u32;

var<workgroup> enter_flag: u32;

// Begins an entry point. Returns false in every thread of the workgroup if the program needs no work:
// compilation has stopped, or the variant is invalid.
fn enter(group: vec3<u32>, local: vec3<u32>) -> bool {
    program_index = group.x;
    lane = local.x;
    P = programs[program_index];
    if lane == 0u {
        enter_flag = select(0u, 1u, P.fatal == 0u && P.invalid == 0u);
    }
    return workgroupUniformLoad(&enter_flag) != 0u;
}

// Like `enter`, for lower and all later stages. They run only on programs without errors or with holes.
fn enter_valid(group: vec3<u32>, local: vec3<u32>) -> bool {
    program_index = group.x;
    lane = local.x;
    P = programs[program_index];
    if lane == 0u {
        enter_flag = select(0u, 1u, P.fatal == 0u && P.invalid == 0u && (P.errors == 0u || P.holes != 0u));
    }
    return workgroupUniformLoad(&enter_flag) != 0u;
}

// Returns byte i of the program's text; i must be below text_len.
fn byte(i: u32) -> u32 {
    let at = P.text_base + i;
    return (text[at >> 2u] >> ((at & 3u) * 8u)) & 0xffu;
}

// Columns with a row per token.
fn token_at(column: u32, i: u32) -> u32 { return tokens[column * params.token_capacity + P.token_base + i]; }
fn set_token(column: u32, i: u32, v: u32) { tokens[column * params.token_capacity + P.token_base + i] = v; }
fn tree_at(column: u32, i: u32) -> u32 { return tree[column * params.token_capacity + P.token_base + i]; }
fn set_tree(column: u32, i: u32, v: u32) { tree[column * params.token_capacity + P.token_base + i] = v; }
fn checked_at(column: u32, i: u32) -> u32 { return checked[column * params.token_capacity + P.token_base + i]; }
fn set_checked(column: u32, i: u32, v: u32) { checked[column * params.token_capacity + P.token_base + i] = v; }

// Columns with a row per instruction: as lowered, and after optimize.
fn lowered_at(column: u32, i: u32) -> u32 { return ir[column * params.ir_capacity + P.ir_base + i]; }
fn set_lowered(column: u32, i: u32, v: u32) { ir[column * params.ir_capacity + P.ir_base + i] = v; }
fn ir_at(column: u32, i: u32) -> u32 { return ir[(IR_COLUMNS + column) * params.ir_capacity + P.ir_base + i]; }
fn set_ir(column: u32, i: u32, v: u32) { ir[(IR_COLUMNS + column) * params.ir_capacity + P.ir_base + i] = v; }

// Columns with a row per word of bytecode.
fn code_at(column: u32, i: u32) -> u32 { return code[column * params.code_capacity + P.code_base + i]; }
fn set_code(column: u32, i: u32, v: u32) { code[column * params.code_capacity + P.code_base + i] = v; }

// Columns with a row per routine or binder. They follow the bytecode and are indexed like tokens.
fn routines_place(column: u32, i: u32) -> u32 {
    return CODE_COLUMNS * params.code_capacity + column * params.token_capacity + P.token_base + i;
}
fn binders_place(column: u32, i: u32) -> u32 { return routines_place(ROUTINES_COLUMNS + column, i); }
fn routine_at(column: u32, i: u32) -> u32 { return code[routines_place(column, i)]; }
fn set_routine(column: u32, i: u32, v: u32) { code[routines_place(column, i)] = v; }
fn binder_at(column: u32, i: u32) -> u32 { return code[binders_place(column, i)]; }
fn set_binder(column: u32, i: u32, v: u32) { code[binders_place(column, i)] = v; }

// Scratch: TOKEN_SCRATCH columns with a word per token of room, then IR_SCRATCH columns with a word per
// instruction of room. Its contents are undefined when a stage begins, and persist between the entry points
// of a stage.
fn token_scratch_place(column: u32, i: u32) -> u32 { return column * params.token_capacity + P.token_base + i; }
fn ir_scratch_place(column: u32, i: u32) -> u32 {
    return TOKEN_SCRATCH * params.token_capacity + column * params.ir_capacity + P.ir_base + i;
}
fn temp(column: u32, i: u32) -> u32 { return scratch_word(token_scratch_place(column, i)); }
fn set_temp(column: u32, i: u32, v: u32) { set_scratch_word(token_scratch_place(column, i), v); }
fn ir_temp(column: u32, i: u32) -> u32 { return scratch_word(ir_scratch_place(column, i)); }
fn set_ir_temp(column: u32, i: u32, v: u32) { set_scratch_word(ir_scratch_place(column, i), v); }
