// assemble: turns the words of a valid candidate into bytecode, and the candidate into a program.
//
// The program is the base's with the candidate's code after its words (base.wgsl), in the columns that emit
// writes, so execute and judge handle it like any other. One workgroup handles one candidate, and each thread
// three words: lengths, their prefix sum, labels, then instructions. Workgroup memory: `places`, the address
// of each label. A workgroup barrier separates writing labels from reading them; the storage barrier precedes
// the descriptor.
//
// The specification is section "The assembler" of docs/neural.md.

#import layout/neural
#import shared/scan
#import neural/base

@group(0) @binding(0) var<uniform> assemble_params: AssembleParams;
@group(0) @binding(1) var<storage, read> base_programs: array<Program>;
@group(0) @binding(2) var<storage, read> base_code: array<u32>;
@group(0) @binding(3) var<storage, read> lexicon: array<u32>;
@group(0) @binding(4) var<storage, read> words: array<u32>;
@group(0) @binding(5) var<storage, read> states: array<u32>;
@group(0) @binding(6) var<storage, read_write> programs: array<Program>;
@group(0) @binding(7) var<storage, read_write> code: array<u32>;

var<workgroup> places: array<u32, LABELS>;

fn word_at(candidate: u32, i: u32) -> u32 { return words[candidate * TARGET_MAX + i]; }
fn about(word: u32, column: u32) -> u32 { return lexicon[word * LEXICON_WORDS + column]; }

// Returns the word that begins the loop of the `for` at i: the word before, or the one before a label.
fn beginning(candidate: u32, i: u32) -> u32 {
    let before = word_at(candidate, max(i, 1u) - 1u);
    if about(before, LEXICON_KIND) == KIND_BEGIN { return before; }
    return word_at(candidate, max(i, 2u) - 2u);
}

@compute @workgroup_size(64)
fn assemble(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    lane = local.x;
    let p = group.x;
    let candidate = assemble_params.first + p;
    let base = base_programs[0];
    let state = candidate * WALK_WORDS;
    let valid = uniform_from(states[state + WALK_PHASE]) == PHASE_VALID;
    let length = uniform_from(states[state + WALK_LENGTH]);
    let to = programs[p].code_base;

    var size = 0u;
    if valid {
        take_base(p, lane, assemble_params.function);
        let base_routines = CODE_COLUMNS * assemble_params.base_code_capacity + base.token_base;
        let token = base_code[base_routines + ROUTINES_TOKEN * assemble_params.base_token_capacity + assemble_params.function];

        // Each thread handles three consecutive words.
        let first = 3u * lane;
        var own = 0u;
        for (var i = first; i < min(first + 3u, length); i++) { own += about(word_at(candidate, i), LEXICON_LENGTH); }
        var address = base.code + scan_sum(own) - own;
        size = scan_total;
        let begin = address;
        for (var i = first; i < min(first + 3u, length); i++) {
            let word = word_at(candidate, i);
            if about(word, LEXICON_KIND) == KIND_LABEL { places[about(word, LEXICON_INDEX)] = address; }
            address += about(word, LEXICON_LENGTH);
        }
        workgroupBarrier();
        address = begin;
        for (var i = first; i < min(first + 3u, length); i++) {
            let word = word_at(candidate, i);
            let kind = about(word, LEXICON_KIND);
            let taken = about(word, LEXICON_LENGTH);
            var one = about(word, LEXICON_FIRST);
            var two = about(word, LEXICON_SECOND);
            if kind == KIND_JUMP || kind == KIND_BRANCH || kind == KIND_KEEPING {
                one |= places[about(word, LEXICON_INDEX)] << 8u;
            }
            if kind == KIND_FOR {
                // The frame offset of the loop, from the word that begins it.
                let opening = about(beginning(candidate, i), LEXICON_FIRST);
                let op = select(OP_FOR_RANGE, OP_FOR_LIST, (opening & 0xffu) == OP_LIST_ITER);
                one = op | (opening & 0xffffff00u);
                two = places[about(word, LEXICON_INDEX)];
            }
            if taken > 0u { code[CODE_WORD * assemble_params.code_capacity + to + address] = one; }
            if taken > 1u { code[CODE_WORD * assemble_params.code_capacity + to + address + 1u] = two; }
            for (var k = 0u; k < taken; k++) { code[CODE_TOKEN * assemble_params.code_capacity + to + address + k] = token; }
            address += taken;
        }
    }
    storageBarrier();
    if lane == 0u {
        describe(p, size, !valid);
        programs[p].variant = candidate;
    }
}
