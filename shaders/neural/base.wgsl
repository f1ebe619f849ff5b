// Copies the base into a program with other code for one function: the address of that function points to the
// words after the base's. Each thread copies every WORKGROUP-th word and routine. No workgroup memory, no
// barriers. The importing file declares the buffers.

fn take_base(p: u32, lane: u32, function: u32) {
    let base = base_programs[0];
    let to = programs[p].code_base;
    for (var i = lane; i < base.code; i += WORKGROUP) {
        for (var c = 0u; c < CODE_COLUMNS; c++) {
            code[c * assemble_params.code_capacity + to + i] = base_code[c * assemble_params.base_code_capacity + base.code_base + i];
        }
    }
    let routines = CODE_COLUMNS * assemble_params.code_capacity + programs[p].token_base;
    let base_routines = CODE_COLUMNS * assemble_params.base_code_capacity + base.token_base;
    for (var i = lane; i < base.routines; i += WORKGROUP) {
        for (var c = 0u; c < ROUTINES_COLUMNS; c++) {
            var v = base_code[base_routines + c * assemble_params.base_token_capacity + i];
            if c == ROUTINES_ADDRESS && i == function { v = base.code; }
            code[routines + c * assemble_params.token_capacity + i] = v;
        }
    }
}

// Writes the descriptor of the program, which has `size` words after the base's. If `invalid`, the program is
// empty.
fn describe(p: u32, size: u32, invalid: bool) {
    let base = base_programs[0];
    programs[p].code = select(base.code + size, 0u, invalid);
    programs[p].routines = base.routines;
    programs[p].functions = base.functions;
    programs[p].binders = base.binders;
    programs[p].fatal = 0u;
    programs[p].errors = 0u;
    programs[p].invalid = select(0u, 1u, invalid);
}
