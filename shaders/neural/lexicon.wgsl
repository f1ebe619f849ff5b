// lexicon: computes the meaning of each target word in each function of a batch, once for all candidates.
//
// A row holds the kind of the word, its effect on operands and variables, and the instruction that it
// denotes. A word is absent if the function lacks its variable, constant or callee. Each thread handles one
// word of a function. No workgroup memory, no barriers.

#import layout/neural

@group(0) @binding(0) var<uniform> batch_params: BatchParams;
// The tables of the functions at TABLES_* offsets: the meanings of numbered words.
@group(0) @binding(1) var<storage, read> tables: array<u32>;
@group(0) @binding(2) var<storage, read_write> lexicon: array<u32>;

struct Meaning { kind: u32, pops: u32, taken: u32, pushes: u32, left: u32, reads: u32, stores: u32, begins: u32 }

fn meaning(kind: u32, pops: u32, taken: u32, pushes: u32, left: u32) -> Meaning {
    return Meaning(kind, pops, taken, pushes, left, 0u, 0u, 0u);
}

fn instruction(op: u32, operand: u32) -> u32 { return op | (operand << 8u); }

// Returns whether a constant fits in the word of its opcode.
fn is_short(value: u32) -> bool {
    return bitcast<u32>(bitcast<i32>(value << 8u) >> 8u) == value;
}

@compute @workgroup_size(64)
fn build_lexicon(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let groups = (TARGETS + 63u) / 64u;
    let function = group.x / groups;
    let word = (group.x % groups) * 64u + local.x;
    if word >= TARGETS { return; }
    let own = function * TABLES_WORDS;
    let family = word_family(word);
    let index = word - family_first(family);
    let slot = min(index, VARIABLES - 1u);
    let place = tables[own + TABLES_PLACE + slot];
    let capacity = tables[own + TABLES_CAPACITY + slot];
    let looping = tables[own + TABLES_LOOPING + slot];
    let there = index < tables[own + TABLES_VARIABLES];
    let list = there && capacity != 0u;
    let bit = 1u << (slot & 15u);
    let is_list = select(0u, 1u, capacity != 0u);
    let constant = tables[own + TABLES_CONSTANT + min(index, CONSTANTS - 1u)];
    let copied = index < tables[own + TABLES_CONSTANTS];
    let result = tables[own + TABLES_CALLEE + 3u];

    var m = meaning(KIND_ABSENT, 0u, 0u, 0u, 0u);
    var first = 0u;
    var second = 0u;
    var length = 1u;
    switch family {
        case FAMILY_EOS: { m = meaning(KIND_END, 0u, 0u, 0u, 0u); length = 0u; }
        case FAMILY_LABEL: { m = meaning(KIND_LABEL, 0u, 0u, 0u, 0u); length = 0u; }
        case FAMILY_PLAIN: {
            let op = plain_op(index);
            first = instruction(op, 0u);
            m = meaning(KIND_PLAIN, op_takes(op), op_taken_lists(op), op_leaves(op), op_left_lists(op));
            if op == OP_RETURN {
                m = meaning(KIND_RETURN, 1u, select(0u, 1u, result != 0u), 0u, 0u);
                if result != 0u { first = instruction(OP_RETURN_LIST, result); }
            }
        }
        case FAMILY_LITERAL, FAMILY_COPY: {
            var value = constant;
            if family == FAMILY_LITERAL { value = literal_value(index); }
            if family == FAMILY_LITERAL || copied { m = meaning(KIND_PLAIN, 0u, 0u, 1u, 0u); }
            first = instruction(OP_LOAD_CONST, value);
            if !is_short(value) {
                first = instruction(OP_LOAD_CONST_WIDE, 0u);
                second = value;
                length = 2u;
            }
        }
        case FAMILY_LOAD: {
            if there { m = meaning(KIND_PLAIN, 0u, 0u, 1u, is_list); }
            m.reads = bit;
            first = instruction(select(OP_LOAD_VAR, OP_LOAD_LIST, list), place);
        }
        case FAMILY_STORE: {
            if there { m = meaning(KIND_PLAIN, 1u, is_list, 0u, 0u); }
            m.stores = bit;
            first = instruction(select(OP_STORE_VAR, OP_STORE_LIST, list), place);
            second = capacity;
            length = 1u + is_list;
        }
        case FAMILY_INDEX: {
            if list { m = meaning(KIND_PLAIN, 1u, 0u, 1u, 0u); }
            m.reads = bit;
            first = instruction(OP_LOAD_INDEX_VAR, place);
        }
        case FAMILY_STORE_INDEX: {
            if list { m = meaning(KIND_PLAIN, 2u, 0u, 0u, 0u); }
            m.reads = bit;
            first = instruction(OP_STORE_INDEX, place);
        }
        case FAMILY_SLICE_OF: {
            if list { m = meaning(KIND_PLAIN, 2u, 0u, 1u, 1u); }
            m.reads = bit;
            first = instruction(OP_SLICE_VAR, place);
        }
        case FAMILY_LEN: {
            if list { m = meaning(KIND_PLAIN, 0u, 0u, 1u, 0u); }
            m.reads = bit;
            first = instruction(OP_LIST_LEN_VAR, place);
        }
        case FAMILY_RANGE, FAMILY_RANGE_INCLUSIVE: {
            if there && looping == LOOPING_RANGE { m = meaning(KIND_BEGIN, 2u, 0u, 0u, 0u); }
            m.begins = bit;
            first = instruction(select(OP_RANGE_ITER_INCLUSIVE, OP_RANGE_ITER, family == FAMILY_RANGE), place);
        }
        case FAMILY_EACH: {
            if there && looping > LOOPING_RANGE { m = meaning(KIND_BEGIN, 1u, 1u, 0u, 0u); }
            m.begins = bit;
            first = instruction(OP_LIST_ITER, place);
            second = looping - LOOPING_LIST;
            length = 2u;
        }
        case FAMILY_JUMP: { m = meaning(KIND_JUMP, 0u, 0u, 0u, 0u); first = OP_JUMP; }
        case FAMILY_IF_FALSE: { m = meaning(KIND_BRANCH, 1u, 0u, 0u, 0u); first = OP_JUMP_IF_FALSE; }
        case FAMILY_IF_TRUE: { m = meaning(KIND_BRANCH, 1u, 0u, 0u, 0u); first = OP_JUMP_IF_TRUE; }
        case FAMILY_IF_FALSE_OR_POP: { m = meaning(KIND_KEEPING, 1u, 0u, 0u, 0u); first = OP_JUMP_IF_FALSE_OR_POP; }
        case FAMILY_IF_TRUE_OR_POP: { m = meaning(KIND_KEEPING, 1u, 0u, 0u, 0u); first = OP_JUMP_IF_TRUE_OR_POP; }
        case FAMILY_FOR: { m = meaning(KIND_FOR, 0u, 0u, 0u, 0u); length = 2u; }
        case FAMILY_BUILD: {
            m = meaning(KIND_PLAIN, index, 0u, 1u, 1u);
            first = instruction(OP_BUILD_LIST, index);
        }
        case FAMILY_REPEAT, FAMILY_REPEAT_COPY: {
            var count = constant;
            if family == FAMILY_REPEAT { count = repeat_count(index); }
            let fits = count - 1u < LIMIT_CAPACITY && (family == FAMILY_REPEAT || copied);
            if fits { m = meaning(KIND_PLAIN, 1u, 0u, 1u, 1u); }
            first = instruction(OP_REPEAT_LIST, count);
        }
        case FAMILY_CALL: {
            if index < tables[own + TABLES_CALLEES] {
                let row = own + TABLES_CALLEE + 4u * index;
                m = meaning(KIND_PLAIN, tables[row + 1u], tables[row + 2u], 1u, select(0u, 1u, tables[row + 3u] != 0u));
                first = instruction(OP_CALL, tables[row]);
            }
        }
        default: {}
    }
    let row = (function * TARGETS + word) * LEXICON_WORDS;
    lexicon[row + LEXICON_KIND] = m.kind;
    lexicon[row + LEXICON_POPS] = m.pops;
    lexicon[row + LEXICON_TAKEN] = m.taken;
    lexicon[row + LEXICON_PUSHES] = m.pushes | (m.left << 8u);
    lexicon[row + LEXICON_READS] = m.reads;
    lexicon[row + LEXICON_SETS] = m.stores | (m.begins << 16u);
    lexicon[row + LEXICON_INDEX] = index;
    lexicon[row + LEXICON_LENGTH] = length;
    lexicon[row + LEXICON_FIRST] = first;
    lexicon[row + LEXICON_SECOND] = second;
}
