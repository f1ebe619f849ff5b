// fill: searches kept rows for the missing operand of an operation, so that an expression has the required values.
//
// `conclude` computes, for each known operand of a piece, the bits that the other operand must have: a step. It sorts the
// steps by the input whose bits are compared; last are those that know too little of the operand, and compare the value
// of the whole expression. One workgroup handles one piece; each thread handles every WORKGROUP-th known operand.
// Workgroup memory holds the steps and the number of steps of each input. The barriers separate clearing the numbers,
// counting, summing and placing.
//
// `scan` compares the rows of a tile with all steps of a piece. A thread holds 16 rows. Rows that fit are compared for
// all inputs at once, and what is left is written as a hit. No barriers.
//
// The specification is docs/fill.md; the CPU twins are src/fill/target.rs and src/fill/search.rs.

#import fill/rows
#import fill/bits
#import fill/values

// The piece of each workgroup of `scan`.
@group(0) @binding(5) var<storage, read> groups: array<u32>;
// Steps: known operand, column of the other operand or NONE, mask and value of its word.
@group(0) @binding(6) var<storage, read_write> steps: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> counts: array<atomic<u32>>;
// Hits: piece, known operand, other operand.
@group(0) @binding(8) var<storage, read_write> hits: array<u32>;

// Columns of required inputs, then the steps without a column, then what is no step.
const WHOLE = 64u;
const NO_STEP = 65u;

var<workgroup> keys: array<u32, FILL_PIECE_KNOWN_MOST>;
var<workgroup> masks: array<u32, FILL_PIECE_KNOWN_MOST>;
var<workgroup> wanted: array<u32, FILL_PIECE_KNOWN_MOST>;
var<workgroup> places: array<atomic<u32>, 66>;

fn count_place(piece: u32, word: u32) -> u32 { return FILL_COUNT_PIECES + piece * FILL_COUNT_WORDS + word; }

// Returns the bits of the other operand for one input.
fn required_bits(code: u32, known: u32, input: u32, mask: u32, value: u32) -> vec3<u32> {
    if (code & FILL_UNARY) == 0u && is_trap(known, input) {
        // Only a left operand that decides keeps the trap on the right away.
        let number = code & FILL_NUMBER;
        let is_skipped = (code & FILL_RIGHT) != 0u && (number == FILL_AND || number == FILL_OR);
        return bits_if(is_skipped, select(all_bits(value), UNKNOWN_BITS, mask == 0u));
    }
    return operand_bits(code, word_at(code, known, input), mask, value);
}

// Returns the step of a known operand: its key, mask and value. Ints are compared where most bits are known, and among
// such inputs where the value has most changes between neighbouring bits. Bools are compared for 32 inputs at once.
fn step_of(piece: u32, known: u32) -> vec3<u32> {
    let code = piece_at(piece, FILL_PIECE_CODE);
    let target_ = piece_at(piece, FILL_PIECE_TARGET);
    var best = vec3<u32>(0u);
    var sharpest = 0u;
    var packed = vec4<u32>(0u);
    for (var i = 0u; i < fill_params.required; i++) {
        let bits = required_bits(code, known, i, targets[target_ + 2u * i], targets[target_ + 2u * i + 1u]);
        if bits.x == 0u { return vec3<u32>(NO_STEP, 0u, 0u); }
        let sharpness = countOneBits(bits.y) * 64u + countOneBits(bits.z ^ (bits.z >> 1u)) + 1u;
        if sharpness > sharpest {
            sharpest = sharpness;
            best = vec3<u32>(i, bits.yz);
        }
        let bit = (bits.yz & vec2(1u)) << vec2(i % 32u);
        packed |= select(vec4(0u, 0u, bit), vec4(bit, 0u, 0u), i < 32u);
    }
    if is_bools(code) {
        let upper = countOneBits(packed.z) > countOneBits(packed.x);
        best = select(vec3<u32>(0u, packed.xy), vec3<u32>(1u, packed.zw), upper);
    }
    if countOneBits(best.y) < fill_params.least { return vec3<u32>(WHOLE, 0u, 0u); }
    return best;
}

fn add_tried(number: u32) {
    let before = atomicAdd(&counts[FILL_COUNT_TRIED], number);
    if before + number < before { atomicAdd(&counts[FILL_COUNT_TRIED + 1u], 1u); }
}

// Returns the first rank that the other operand of a known one may have.
fn first_other(piece: u32, known: u32) -> u32 {
    let first = piece_at(piece, FILL_PIECE_OTHERS);
    return select(first, max(first, known), piece_at(piece, FILL_PIECE_SYMMETRIC) != 0u);
}

@compute @workgroup_size(WORKGROUP)
fn conclude(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let lane = local.x;
    let piece = group.x;
    let count = min(piece_at(piece, FILL_PIECE_COUNT), FILL_PIECE_KNOWN_MOST);
    for (var key = lane; key <= NO_STEP; key += WORKGROUP) { atomicStore(&places[key], 0u); }
    workgroupBarrier();
    var tried = 0u;
    for (var k = lane; k < count; k += WORKGROUP) {
        let known = piece_at(piece, FILL_PIECE_KNOWN) + k;
        let own = step_of(piece, known);
        keys[k] = own.x;
        masks[k] = own.y;
        wanted[k] = own.z;
        atomicAdd(&places[own.x], 1u);
        let end = piece_at(piece, FILL_PIECE_END);
        if own.x != NO_STEP { tried += end - min(end, first_other(piece, known)); }
    }
    add_tried(tried);
    workgroupBarrier();
    if lane == 0u {
        var sum = 0u;
        for (var key = 0u; key < NO_STEP; key++) {
            if key == WHOLE { atomicStore(&counts[count_place(piece, FILL_COUNT_DIRECT)], sum); }
            let own = atomicLoad(&places[key]);
            atomicStore(&places[key], sum);
            sum += own;
        }
        atomicStore(&counts[count_place(piece, FILL_COUNT_STEPS)], sum);
        if piece == 0u { atomicStore(&counts[FILL_COUNT_EPOCH], fill_params.epoch); }
    }
    workgroupBarrier();
    let first = piece_at(piece, FILL_PIECE_STEPS);
    for (var k = lane; k < count; k += WORKGROUP) {
        if keys[k] == NO_STEP { continue; }
        let at = first + atomicAdd(&places[keys[k]], 1u);
        let column = select(keys[k], NONE, keys[k] == WHOLE);
        steps[at] = vec4<u32>(piece_at(piece, FILL_PIECE_KNOWN) + k, column, masks[k], wanted[k]);
    }
}

// Rows of a thread, of a tile.
const HELD = 16u;
const TILE = HELD * WORKGROUP;
// The most hits of a thread.
const MOST_HITS = 16u;

var<private> own_hits: u32;

// Returns the words of every WORKGROUP-th row of a column.
fn four_words(column: u32, rank: u32) -> vec4<u32> {
    let at = column * fill_params.rows + rank;
    return vec4<u32>(columns[at], columns[at + WORKGROUP], columns[at + 2u * WORKGROUP], columns[at + 3u * WORKGROUP]);
}

// Returns the differences of whole expressions' values from what is required, for four rows.
fn whole_differences(piece: u32, code: u32, known: u32, rank: u32) -> vec4<u32> {
    let input = fill_params.sharpest;
    var words: vec4<u32>;
    if is_bools(code) {
        words = (four_words(input / 32u, rank) >> vec4(input % 32u)) & vec4(1u);
    } else {
        words = four_words(input, rank);
    }
    words = values_of(code, word_at(code, known, input), words);
    let around = piece_at(piece, FILL_PIECE_AROUND);
    for (var a = 0u; a < around; a++) {
        let own = piece_at(piece, FILL_PIECE_CODES + 2u * a);
        words = values_of(own, word_at(own, piece_at(piece, FILL_PIECE_CODES + 2u * a + 1u), input), words);
    }
    return (words & vec4(targets[2u * input])) ^ vec4(targets[2u * input + 1u]);
}

// Returns whether the whole expression has the required values for all inputs, unless an operation traps.
fn is_solution(piece: u32, code: u32, known: u32, rank: u32) -> bool {
    let around = piece_at(piece, FILL_PIECE_AROUND);
    for (var i = 0u; i < fill_params.required; i++) {
        var word = values_of(code, word_at(code, known, i), vec4(word_at(code, rank, i)));
        for (var a = 0u; a < around; a++) {
            let own = piece_at(piece, FILL_PIECE_CODES + 2u * a);
            word = values_of(own, word_at(own, piece_at(piece, FILL_PIECE_CODES + 2u * a + 1u), i), word);
        }
        if (word.x & targets[2u * i]) != targets[2u * i + 1u] { return false; }
    }
    return true;
}

// Writes the hits among four rows: those without a difference.
fn write_hits(piece: u32, code: u32, known: u32, rank: u32, differences: vec4<u32>) {
    var left = differences;
    let first = first_other(piece, known);
    let end = piece_at(piece, FILL_PIECE_END);
    for (var j = 0u; j < 4u && own_hits < MOST_HITS; j++) {
        let other = rank + j * WORKGROUP;
        let fits = left.x == 0u && other >= first && other < end;
        left = left.yzwx;
        if !fits { continue; }
        if !is_solution(piece, code, known, other) { continue; }
        own_hits++;
        let at = atomicAdd(&counts[FILL_COUNT_HITS], 1u);
        if at < fill_params.room {
            hits[3u * at] = piece;
            hits[3u * at + 1u] = known;
            hits[3u * at + 2u] = other;
        }
        if own_hits == MOST_HITS { atomicStore(&counts[count_place(piece, FILL_COUNT_OVERFLOWED)], 1u); }
    }
}

fn has_zero(words: vec4<u32>) -> bool { return any(words == vec4(0u)); }

@compute @workgroup_size(WORKGROUP)
fn scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let index = group.x + group.y * fill_params.row;
    if index >= fill_params.groups { return; }
    let piece = groups[index];
    let code = piece_at(piece, FILL_PIECE_CODE);
    let tiles = piece_at(piece, FILL_PIECE_TILES);
    let tile = (index - piece_at(piece, FILL_PIECE_GROUP)) * tiles;
    let end = piece_at(piece, FILL_PIECE_END);
    let first = piece_at(piece, FILL_PIECE_STEPS);
    let direct = atomicLoad(&counts[count_place(piece, FILL_COUNT_DIRECT)]);
    let all = atomicLoad(&counts[count_place(piece, FILL_COUNT_STEPS)]);
    own_hits = 0u;
    for (var t = 0u; t < tiles; t++) {
        let begin = piece_at(piece, FILL_PIECE_OTHERS) + (tile + t) * TILE;
        if begin >= end { break; }
        let rank = begin + local.x;
        var column = NONE;
        var a: vec4<u32>;
        var b: vec4<u32>;
        var c: vec4<u32>;
        var d: vec4<u32>;
        for (var s = first; s < first + direct; s++) {
            let own = steps[s];
            if own.y != column {
                column = own.y;
                a = four_words(column, rank);
                b = four_words(column, rank + 4u * WORKGROUP);
                c = four_words(column, rank + 8u * WORKGROUP);
                d = four_words(column, rank + 12u * WORKGROUP);
            }
            let mask = vec4(own.z);
            let value = vec4(own.w);
            let lower = min((a & mask) ^ value, (b & mask) ^ value);
            let upper = min((c & mask) ^ value, (d & mask) ^ value);
            if !has_zero(min(lower, upper)) { continue; }
            for (var held = 0u; held < HELD; held += 4u) {
                let at = rank + held * WORKGROUP;
                write_hits(piece, code, own.x, at, (four_words(column, at) & mask) ^ value);
            }
        }
        for (var s = first + direct; s < first + all; s++) {
            let known = steps[s].x;
            for (var held = 0u; held < HELD; held += 4u) {
                let differences = whole_differences(piece, code, known, rank + held * WORKGROUP);
                if has_zero(differences) { write_hits(piece, code, known, rank + held * WORKGROUP, differences); }
            }
        }
    }
}
