// A sample of a large domain without repetition: tuples of codes, numbered, in a pseudo-random order.
//
// Each thread writes the input of its own job. No workgroup memory, no barriers. The specification is
// docs/stages/execute.md; the CPU twin is src/compiler/stage/execute/inputs/sample.rs.

#import shared/hash
#import execute/machine
#import execute/entries

const SAMPLE_SEED = 0x6d797269u;

// A tuple: the index of the first binder with a special code, and a number that encodes the rest. All codes
// of a small tuple are special.
struct Tuple { first: u32, rest: u32, small: bool }

fn draw(input: u32, binder: u32, element: u32) -> u32 {
    return mix(mix(mix(SAMPLE_SEED + input) + binder) + element);
}

// Returns the image of x under a permutation of the numbers below n; n is at most 2^31.
fn permuted(x: u32, n: u32) -> u32 {
    let bits = 32u - countLeadingZeros(max(n, 1u) - 1u);
    let low = bits / 2u;
    let high = bits - low;
    var now = x;
    loop {
        // Four rounds of a Feistel network, whose halves are exchanged in each round.
        for (var round = 0u; round < 4u; round++) {
            let own = select(low, high, (round & 1u) != 0u);
            let other = bits - own;
            let right = now & ((1u << own) - 1u);
            let word = ((right + SAMPLE_SEED + n + 0x9e3779b9u * round) * 0x846ca68bu) >> 16u;
            now = (right << other) | ((now >> own) ^ (word & ((1u << other) - 1u)));
        }
        cost++;
        if now < max(n, 1u) { break; }
    }
    return now;
}

// Returns the code of binder b and removes it from the tuple's number. Call it for the binders in order.
fn next_code(row: u32, b: u32, tuple: ptr<function, Tuple>) -> u32 {
    let special = domain_at(row, BINDER_SPECIAL);
    let count = domain_at(row, BINDER_CODES);
    let less = !(*tuple).small && b < (*tuple).first;
    let here = (*tuple).small || b == (*tuple).first;
    let lowest = select(0u, special, less);
    let codes = max(select(count - lowest, special, here), 1u);
    let code = lowest + (*tuple).rest % codes;
    (*tuple).rest = (*tuple).rest / codes;
    return code;
}

// Returns the tuple with this number. Tuples whose first binder has a special code come first.
fn numbered(e: u32, number: u32) -> Tuple {
    let row = entry_at(e, ENTRY_BINDER);
    let binders = entry_at(e, ENTRY_BINDERS);
    var rest = number;
    var before = 1u;
    var behind = entry_at(e, ENTRY_TUPLES);
    for (var b = 0u; b < binders; b++) {
        let count = domain_at(row + b, BINDER_CODES);
        let special = domain_at(row + b, BINDER_SPECIAL);
        behind = behind / max(count, 1u);
        let own = before * special * behind;
        if rest < own { return Tuple(b, rest, false); }
        rest -= own;
        before *= count - special;
        cost++;
    }
    return Tuple(binders, rest, false);
}

// Returns the number of a tuple among the small ones, or NONE.
fn small_number(e: u32, given: Tuple) -> u32 {
    let row = entry_at(e, ENTRY_BINDER);
    let binders = entry_at(e, ENTRY_BINDERS);
    var tuple = given;
    var number = 0u;
    var unit = 1u;
    for (var b = 0u; b < binders; b++) {
        let special = domain_at(row + b, BINDER_SPECIAL);
        let code = next_code(row + b, b, &tuple);
        if code >= special { return NONE; }
        number += unit * code;
        unit *= special;
        cost++;
    }
    return number;
}

// Returns the tuple of an input: first the small ones, then alternately three without a special code and one
// with.
fn tuple_of(e: u32, input: u32) -> Tuple {
    let small = entry_at(e, ENTRY_SMALL);
    let special = entry_at(e, ENTRY_SPECIAL);
    if input < small { return Tuple(0u, input, true); }
    let others = special - small;
    let plain = entry_at(e, ENTRY_TUPLES) - special;
    let entry_rank = input - small;
    // The number of earlier inputs of each kind.
    var special_before = min(entry_rank / 4u, others);
    var plain_before = entry_rank - special_before;
    if plain_before > plain {
        special_before = entry_rank - plain;
        plain_before = plain;
    }
    let is_plain = plain_before < plain && (entry_rank % 4u < 3u || special_before == others);
    var index = select(small + special_before, plain_before, is_plain);
    var tuple: Tuple;
    loop {
        tuple = numbered(e, select(0u, special, is_plain) + permuted(index, select(special, plain, is_plain)));
        // Small tuples came first. Replace one by the tuple at a permuted index below `small`, which no input
        // uses otherwise.
        index = small_number(e, tuple);
        if index == NONE { break; }
    }
    return tuple;
}

// Returns an index below `range` from the group of a code. The first `single` codes represent one index each,
// the others equal parts of the remaining range. If there is only one code, small indices are more likely.
fn pick(code: u32, codes: u32, few: u32, range: u32, word: u32) -> u32 {
    if codes >= range || (code < few && codes > 1u) { return code; }
    if codes == 1u && (word & 7u) == 0u { return (word >> 3u) % max(min(range, 8u), 1u); }
    let single = select(few, 0u, codes == 1u);
    let left = range - single;
    let groups = max(codes - single, 1u);
    let group = code - single;
    let least = left / groups;
    let more = left % groups;
    let begin = single + group * least + min(group, more);
    return begin + mix(word + 0x9e3779b9u) % max(least + select(0u, 1u, group < more), 1u);
}

// Returns the number at an index of a range ordered by interest: alternately the nearest to 0 and the
// farthest. The nearer bound is among the first.
fn ordered(lo: u32, range: u32, index: u32) -> u32 {
    let last = range - 1u;
    // The number nearest to 0, as an offset from the lower bound.
    let goal = select(min(0u - lo, last), 0u, bitcast<i32>(lo) >= 0i);
    let below = goal;
    let above = last - goal;
    let both = min(below, above);
    var far = select(last - index / 2u, index / 2u, (index & 1u) == 0u);
    // The index of the nearer bound, which is exchanged with that of the fourth nearest number.
    let bound = select(max(2u * both, 1u) - 1u, 2u * both, below < above);
    if bound > 3u && (far == 3u || far == bound) { far = 3u + bound - far; }
    var offset = select(goal + (far + 1u) / 2u, goal - far / 2u, (far & 1u) == 0u);
    if far > 2u * both { offset = select(goal - (far - both), goal + (far - both), below < above); }
    return lo + offset;
}

fn write_sampled(e: u32, input: u32) {
    let first = entry_at(e, ENTRY_BINDER);
    let binders = entry_at(e, ENTRY_BINDERS);
    var tuple = tuple_of(e, input);
    for (var b = 0u; b < binders; b++) {
        let row = first + b;
        let lo = domain_at(row, BINDER_LO);
        let range = domain_at(row, BINDER_RANGE);
        let slot = domain_at(row, BINDER_SLOT);
        let codes = domain_at(row, BINDER_CODES);
        let is_list = domain_at(row, BINDER_CAPACITY) != 0u;
        let lengths = domain_at(row, BINDER_MAX_LEN) + 1u;
        // The index of the code among the codes of its length, and their number.
        var own = next_code(row, b, &tuple);
        var count = codes;
        // The words to write: an int, or a list's length and then its elements.
        var words = 1u;
        for (var k = 0u; k < words; k++) {
            let is_length = is_list && k == 0u;
            var index = 0u;
            cost++;
            if is_length && (range == 0u || codes >= lengths) {
                // Shorter lengths have more codes. A length with fewer values than codes has a code for each
                // value.
                var left = codes;
                var values = 1u;
                count = 1u;
                while range > 0u && index < lengths {
                    count = min(2u * left / (lengths + 1u - index), values);
                    cost++;
                    if own < count { break; }
                    own -= count;
                    left -= count;
                    values = times(values, min(range, LIMIT_INPUTS), LIMIT_INPUTS);
                    index++;
                }
            } else if is_list && !is_length && count >= range {
                index = own % range;
                own = own / range;
                count = (count - 1u) / range + 1u;
            } else {
                var few = min(8u, count / 4u);
                if is_length { few = codes / 4u; }
                if !is_list { few = domain_at(row, BINDER_SPECIAL); }
                index = pick(own, count, few, select(range, lengths, is_length), draw(input, b, k));
                own = 0u;
                count = 1u;
            }
            put(slot + k, select(ordered(lo, range, index), index, is_length));
            if is_length { words += index; }
        }
    }
}
