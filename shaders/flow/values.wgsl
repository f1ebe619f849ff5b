// Equal values: numbers of expressions, and those that are available where a block begins.
//
// A thread finds the expressions of a block. All threads put them into one hash table, where equal ones meet and the
// first one of a routine wins. Then each thread handles every WORKGROUP-th instruction, or set of 32 values.
//
// The specification is docs/stages/values.md; the CPU twin is src/compiler/stage/flow/values.rs.

#import flow/transfer

// The longest expression that has a number.
const LONGEST_VALUE: u32 = 32u;

fn routine_of(i: u32) -> u32 { return blocks_at(BLOCKS_ROUTINE, block_at(i)); }
fn value_words(routine: u32) -> u32 { return (value_spans_at(VALUE_SPANS_VALUES, routine) + 31u) / 32u; }

// One past the last instruction of the expression that instruction i ends: the elements of a list follow it.
fn expression_end(i: u32) -> u32 { return i + 1u + select(0u, ir_at(IR_ARG, i), op_at(i) == OP_LOAD_LIST_CONST); }

fn is_plain_load(op: u32) -> bool {
    return op == OP_LOAD_CONST || op == OP_LOAD_CONST_WIDE || op == OP_LOAD_VAR || op == OP_LOAD_LIST;
}

// Finds the expression that each instruction of a block ends. The operands' first instructions, or NONE, and their
// ends are in the rows of the block's instructions.
fn find_expressions(block: u32) {
    bottom = blocks_at(BLOCKS_FIRST, block);
    depth = 0u;
    let end = blocks_at(BLOCKS_END, block);
    for (var i = bottom; i < end; i++) {
        let op = op_at(i);
        let takes = taken(i, op);
        var begin = select(NONE, i, takes <= depth);
        for (var k = 0u; k < min(takes, depth) && begin != NONE; k++) {
            let at = bottom + depth - 1u - k;
            begin = select(NONE, operands_at(OPERANDS_X, at), operands_at(OPERANDS_Y, at) == begin);
        }
        depth -= min(depth, takes);
        var own = NONE;
        if op == OP_DUP {
            push(Fact(NONE), NONE);
            push(Fact(NONE), NONE);
        } else if op_leaves(op) != 0u || op == OP_CALL {
            let last = expression_end(i);
            push(Fact(begin, last, 0u, 0u), NONE);
            if begin != NONE && last - begin <= LONGEST_VALUE && (last - begin > 1u || !is_plain_load(op)) { own = begin; }
        }
        set_expressions(EXPRESSIONS_BEGIN, i, own);
        set_expressions(EXPRESSIONS_FIRST, i, NONE);
    }
}

fn hash_of(i: u32) -> u32 {
    var hash = routine_of(i) + 0x9e3779b9u;
    let end = expression_end(i);
    for (var at = expressions_at(EXPRESSIONS_BEGIN, i); at < end; at++) {
        hash = (hash ^ op_at(at)) * 0x01000193u;
        hash = (hash ^ ir_at(IR_ARG, at)) * 0x01000193u;
        hash ^= hash >> 15u;
    }
    return hash;
}

fn equal_expressions(a: u32, b: u32) -> bool {
    let from_a = expressions_at(EXPRESSIONS_BEGIN, a);
    let from_b = expressions_at(EXPRESSIONS_BEGIN, b);
    let size = expression_end(a) - from_a;
    if expression_end(b) - from_b != size || routine_of(a) != routine_of(b) { return false; }
    for (var k = 0u; k < size; k++) {
        if op_at(from_a + k) != op_at(from_b + k) || ir_at(IR_ARG, from_a + k) != ir_at(IR_ARG, from_b + k) { return false; }
    }
    return true;
}

// Puts an expression into the table, at the place of equal ones if there are any: a place that is taken stays taken.
// Returns the place.
fn put_expression(i: u32) -> u32 {
    let size = flow_params.bucket_room;
    var place = hash_of(i) % size;
    for (var tries = 0u; tries < size; tries++) {
        let bucket = buckets_place(0u, place);
        var other = atomicLoad(&facts[bucket]);
        if other == 0u {
            let exchanged = atomicCompareExchangeWeak(&facts[bucket], 0u, i + 1u);
            if exchanged.exchanged { return place; }
            other = exchanged.old_value;
            // A weak exchange may fail without a reason.
            if other == 0u { continue; }
        }
        if equal_expressions(other - 1u, i) {
            atomicMin(&facts[bucket], i + 1u);
            return place;
        }
        place = (place + 1u) % size;
    }
    return place;
}

fn begin_expressions() {
    for (var b = lane; b < block_count(); b += WORKGROUP) { find_expressions(b); }
    for (var k = lane; k < flow_params.bucket_room; k += WORKGROUP) { set_buckets(0u, k, 0u); }
    #round n: Each instruction has the expression that it ends, and the hash table is empty.
    storageBarrier();
}

// Finds the first of equal expressions.
fn match_expressions() {
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        if expressions_at(EXPRESSIONS_BEGIN, i) != NONE { set_expressions(EXPRESSIONS_FIRST, i, put_expression(i)); }
    }
    #round n: Equal expressions have met at one place of the hash table, where the first one has won.
    storageBarrier();
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        let place = expressions_at(EXPRESSIONS_FIRST, i);
        if place != NONE { set_expressions(EXPRESSIONS_FIRST, i, buckets_at(0u, place) - 1u); }
    }
    #round n: Each expression has the first one that equals it.
    storageBarrier();
}

fn is_first(i: u32) -> bool { return expressions_at(EXPRESSIONS_FIRST, i) == i; }

// Numbers the expressions, and fills the rows of values.
fn number_values() {
    let mine = part_of(instructions());
    var firsts = 0u;
    for (var i = mine.x; i < mine.y; i++) { firsts += select(0u, 1u, is_first(i)); }
    var rank = scan_sum(firsts) - firsts;
    set_count(COUNT_VALUE, scan_total);
    for (var i = mine.x; i < mine.y; i++) {
        set_expressions(EXPRESSIONS_RANK, i, rank);
        rank += select(0u, 1u, is_first(i));
    }
    #round n: A running sum has counted the different expressions before each instruction.
    storageBarrier();
    let routines_ = part_of(routine_count());
    var values = 0u;
    var sets = 0u;
    var readers = 0u;
    for (var r = routines_.x; r < routines_.y; r++) {
        let first = spans_at(SPANS_BLOCK, r);
        let last = blocks_at(BLOCKS_END, first + spans_at(SPANS_BLOCKS, r) - 1u) - 1u;
        let begin = expressions_at(EXPRESSIONS_RANK, blocks_at(BLOCKS_FIRST, first));
        let own = expressions_at(EXPRESSIONS_RANK, last) + select(0u, 1u, is_first(last)) - begin;
        set_value_spans(VALUE_SPANS_VALUES, r, own);
        values += own;
        sets += spans_at(SPANS_BLOCKS, r) * value_words(r);
        readers += spans_at(SPANS_VARIABLES, r) * value_words(r);
    }
    var value = scan_sum(values) - values;
    var set_row = scan_sum(sets) - sets;
    set_count(COUNT_VALUE_SET, scan_total);
    var reader = scan_sum(readers) - readers;
    set_count(COUNT_READER, scan_total);
    for (var r = routines_.x; r < routines_.y; r++) {
        set_value_spans(VALUE_SPANS_VALUE, r, value);
        set_value_spans(VALUE_SPANS_WORDS, r, set_row);
        value += value_spans_at(VALUE_SPANS_VALUES, r);
        set_row += spans_at(SPANS_BLOCKS, r) * value_words(r);
        set_readers(0u, r, reader);
        reader += spans_at(SPANS_VARIABLES, r) * value_words(r);
    }
    #round r: Routines have the numbers of their values, and their rows.
    storageBarrier();
    for (var b = lane; b < block_count(); b += WORKGROUP) {
        let r = blocks_at(BLOCKS_ROUTINE, b);
        let words = value_words(r);
        let first = value_spans_at(VALUE_SPANS_WORDS, r) + (b - spans_at(SPANS_BLOCK, r)) * words;
        for (var w = 0u; w < words; w++) { set_changes(CHANGES_BLOCK, first + w, b); }
    }
    for (var k = lane; k < atomicLoad(&facts[COUNT_READER]); k += WORKGROUP) { set_reading(0u, k, 0u); }
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        let first = expressions_at(EXPRESSIONS_FIRST, i);
        if first == NONE {
            set_numbers(0u, i, NONE);
            continue;
        }
        let r = routine_of(i);
        let number = expressions_at(EXPRESSIONS_RANK, first)
            - expressions_at(EXPRESSIONS_RANK, blocks_at(BLOCKS_FIRST, spans_at(SPANS_BLOCK, r)));
        set_numbers(0u, i, number);
        if first != i { continue; }
        set_values(VALUES_BEGIN, value_spans_at(VALUE_SPANS_VALUE, r) + number, expressions_at(EXPRESSIONS_BEGIN, i));
        set_values(VALUES_END, value_spans_at(VALUE_SPANS_VALUE, r) + number, expression_end(i));
    }
    #round n: Each instruction has the number of the value that it pushes.
    storageBarrier();
}

// The row of the first values that read variable v of a routine.
fn reading_row(routine: u32, v: u32) -> u32 { return readers_at(0u, routine) + v * value_words(routine); }

// Fills the values that read a variable.
fn find_readers() {
    for (var i = lane; i < instructions(); i += WORKGROUP) {
        if !is_first(i) { continue; }
        let number = numbers_at(0u, i);
        for (var at = expressions_at(EXPRESSIONS_BEGIN, i); at < expression_end(i); at++) {
            let variable = accesses_at(ACCESSES_VARIABLE, at);
            if variable == NONE { continue; }
            let reader = reading_row(routine_of(i), variable) + number / 32u;
            atomicOr(&facts[reading_place(0u, reader)], 1u << (number % 32u));
        }
    }
    // The next set of values of each thread.
    set_buckets(0u, lane, lane);
    #round n: Variables have the values that read them.
    storageBarrier();
}

// Fills what the blocks add and remove, as far as the loop budget allows. Returns whether a set is left.
fn find_changes() -> bool {
    var k = buckets_at(0u, lane);
    var spent = 0u;
    while k < atomicLoad(&facts[COUNT_VALUE_SET]) && spent < BUDGET {
        let block = changes_at(CHANGES_BLOCK, k);
        change_set(k, block);
        // Everything is available where a block is reached, until a path shows otherwise.
        set_available(0u, k, select(0u, 0xffffffffu, is_reached(block)));
        spent += 1u + blocks_at(BLOCKS_END, block) - blocks_at(BLOCKS_FIRST, block);
        k += WORKGROUP;
    }
    set_buckets(0u, lane, k);
    return uniform_any(k < atomicLoad(&facts[COUNT_VALUE_SET]));
}

// Fills what a block adds to a set of 32 values, and what it removes.
fn change_set(k: u32, block: u32) {
    let r = blocks_at(BLOCKS_ROUTINE, block);
    let word = (k - value_spans_at(VALUE_SPANS_WORDS, r)) % value_words(r);
    let first = spans_at(SPANS_VARIABLE, r);
    let variables = spans_at(SPANS_VARIABLES, r);
    var added = 0u;
    var removed = 0u;
    for (var i = blocks_at(BLOCKS_FIRST, block); i < blocks_at(BLOCKS_END, block); i++) {
        let op = op_at(i);
        let words = written(i, op);
        let own = accesses_at(ACCESSES_VARIABLE, i);
        var gone = 0u;
        if op == OP_STORE_INDEX { gone = reading_at(0u, reading_row(r, own) + word); }
        if words.y != 0u {
            for (var v = own + select(0u, 1u, words.x > ir_at(IR_ARG, i)); v < variables; v++) {
                if variables_at(VARIABLES_SLOT, first + v) >= words.y { break; }
                gone |= reading_at(0u, reading_row(r, v) + word);
            }
        }
        removed |= gone;
        added &= ~gone;
        let number = numbers_at(0u, i);
        if number != NONE && number / 32u == word { added |= 1u << (number % 32u); }
    }
    set_changes(CHANGES_ADDED, k, added);
    set_changes(CHANGES_REMOVED, k, removed);
}

fn available_cost() -> u32 {
    let sets = part_of(atomicLoad(&facts[COUNT_VALUE_SET]));
    return uniform_from(reduce_max(1u + 4u * (sets.y - sets.x)));
}

// Removes what is not available where all predecessors end.
fn narrow_available() -> bool {
    let mine = part_of(atomicLoad(&facts[COUNT_VALUE_SET]));
    var more = false;
    for (var k = mine.x; k < mine.y; k++) {
        let block = changes_at(CHANGES_BLOCK, k);
        if !is_reached(block) { continue; }
        let r = blocks_at(BLOCKS_ROUTINE, block);
        let first = spans_at(SPANS_BLOCK, r);
        let words = value_words(r);
        let word = (k - value_spans_at(VALUE_SPANS_WORDS, r)) % words;
        var now = select(0xffffffffu, 0u, block == first);
        let end = edges_end(block);
        for (var e = blocks_at(BLOCKS_EDGES, block); e < end; e++) {
            let sender = edges_at(EDGES_FROM, e);
            if !is_reached(sender) { continue; }
            let sent = value_spans_at(VALUE_SPANS_WORDS, r) + (sender - first) * words + word;
            now &= changes_at(CHANGES_ADDED, sent) | (available_at(0u, sent) & ~changes_at(CHANGES_REMOVED, sent));
        }
        more = more || now != available_at(0u, k);
        set_available(0u, k, now);
    }
    #round b k/32: A value is available where a block begins if it is available where all blocks before it end; sets shrink.
    storageBarrier();
    return more;
}
