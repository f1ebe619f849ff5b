// splice: writes the executables of mutants. A mutant has the base's words, with the segments of its changed
// functions in place of their old code.
//
// One workgroup handles one mutant; each thread copies every WORKGROUP-th word or routine. No workgroup
// memory, no barriers.
//
// The specification is docs/stages/splice.md; the CPU twin is src/compiler/stage/splice/mod.rs.

@group(0) @binding(0) var<uniform> splice_params: SpliceParams;
// A mark for each word of the base's bytecode (HOLDS_*), then a row per function (PART_*), then the lists of
// these rows.
@group(0) @binding(1) var<storage, read> parts: array<u32>;
// The parts of the batch (ORDER_*), then its mutants (MADE_*).
@group(0) @binding(2) var<storage, read> orders: array<u32>;
// The segments (SEGMENT_*).
@group(0) @binding(3) var<storage, read> segments: array<u32>;
@group(0) @binding(4) var<storage, read> base_code: array<u32>;
@group(0) @binding(5) var<storage, read_write> programs: array<Program>;
@group(0) @binding(6) var<storage, read_write> code: array<u32>;

// A segment and the function that it replaces.
struct Changed {
    function: u32,
    // Address in the base. NONE, after all words, if there is no second changed function.
    address: u32,
    // The words by which the function has grown, modulo 2³².
    growth: u32,
    // Words before and now. A size of 0 means that the function does not compile.
    old: u32,
    size: u32,
    place: u32,
}

fn changed(made: u32) -> Changed {
    let place = orders[made];
    if place == NONE { return Changed(NONE, NONE, 0u, 0u, 1u, NONE); }
    let function = orders[made + 1u];
    let part = splice_params.base_code + function * PART_WORDS;
    let size = segments[place + SEGMENT_SIZE];
    let old = parts[part + PART_SIZE];
    return Changed(function, parts[part + PART_ADDRESS], size - old, old, size, place);
}

// Returns whether word k of the base belongs to the replaced function.
fn replaced(k: u32, by: Changed) -> bool { return k - by.address < by.old; }

fn bit(own: Changed) -> u32 { return select(1u << (own.function & 31u), 0u, own.function == NONE); }

var<private> lane: u32;
var<private> to_words: u32;

// Writes a word, and adds `by` to the address that it holds, if any.
fn put_word(to: u32, word: u32, mark: u32, by: u32) {
    let moved = select(0u, by << 8u, mark == HOLDS_IN_OPERAND) + select(0u, by, mark == HOLDS_ADDRESS);
    code[CODE_WORD * splice_params.code_capacity + to_words + to] = word + moved;
}

fn put_segment(own: Changed, to: u32) {
    let words = own.place + SEGMENT_CODE;
    for (var k = lane; k < own.size; k += WORKGROUP) { put_word(to + k, segments[words + k], segments[words + own.size + k], to); }
}

@compute @workgroup_size(64)
fn splice(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let m = group.x;
    let made = splice_params.parts * ORDER_WORDS + m * MADE_WORDS;
    // The two changes are in the order of their functions, which is the order of the code.
    let a = changed(made + MADE_FIRST);
    let b = changed(made + MADE_SECOND);
    var valid = a.size != 0u && b.size != 0u;
    if valid {
        var tokens = splice_params.base_tokens + segments[a.place + SEGMENT_GROWTH];
        if b.place != NONE { tokens += segments[b.place + SEGMENT_GROWTH]; }
        valid = tokens <= LIMIT_TOKENS;
    }
    if lane == 0u {
        programs[m].code = select(0u, splice_params.base_code + a.growth + b.growth, valid);
        programs[m].routines = splice_params.base_routines;
        programs[m].functions = splice_params.base_functions;
        programs[m].binders = splice_params.base_binders;
        programs[m].changed = bit(a) | bit(b);
        programs[m].invalid = select(1u, 0u, valid);
    }
    if !valid { return; }
    to_words = programs[m].code_base;
    for (var k = lane; k < splice_params.base_code; k += WORKGROUP) {
        if replaced(k, a) || replaced(k, b) { continue; }
        let by = select(0u, a.growth, k > a.address) + select(0u, b.growth, k > b.address);
        put_word(k + by, base_code[CODE_WORD * splice_params.base_code_capacity + k], parts[k], by);
    }
    put_segment(a, a.address);
    if b.place != NONE { put_segment(b, b.address + a.growth); }

    let routines = CODE_COLUMNS * splice_params.code_capacity + programs[m].token_base;
    let base_routines = CODE_COLUMNS * splice_params.base_code_capacity;
    for (var r = lane; r < splice_params.base_routines; r += WORKGROUP) {
        for (var column = 0u; column < ROUTINES_COLUMNS; column++) {
            var word = base_code[base_routines + column * splice_params.base_token_capacity + r];
            if column == ROUTINES_ADDRESS {
                word += select(0u, a.growth, word > a.address) + select(0u, b.growth, word > b.address);
            }
            code[routines + column * splice_params.token_capacity + r] = word;
        }
        let frame = routines + ROUTINES_FRAME * splice_params.token_capacity + r;
        if r == a.function { code[frame] = segments[a.place + SEGMENT_FRAME]; }
        if r == b.function { code[frame] = segments[b.place + SEGMENT_FRAME]; }
    }
}
