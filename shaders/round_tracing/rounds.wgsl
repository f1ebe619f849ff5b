// Records rounds: after a barrier, copies the columns of a program to the words of the scratch buffer that follow the
// scratch.
//
// The host inserts a call of `trace_columns` after each barrier that has a sentence (src/engine/gpu/round_tracing), and calls
// of `trace_begin` and `trace_end` where an entry point begins and ends. Beforehand it writes which columns to
// record, the first round to record, the most rounds of a dispatch, and the room in words. After the first round
// that does not fit, no further round is recorded; the host runs the stage again for the rest.
//
// Each thread copies every WORKGROUP-th word. A driver may inline `trace_columns` at each of several hundred calls.
// Therefore every thread counts rounds and words in private variables, because a shared counter would need
// more barriers, and one loop copies the columns. No workgroup memory. `trace_columns` ends with a barrier, so that no
// thread changes a column while another copies it.

#import shared/arena
#import shared/scan

// Rounds made, rounds recorded, words recorded, and words of room.
var<private> trace_rounds: u32;
var<private> trace_kept: u32;
var<private> trace_used: u32;
var<private> trace_room: u32;
// Rounds that this dispatch may still record.
var<private> trace_left: u32;
// The number of rounds to skip before recording, and the words of one recorded state.
var<private> trace_first: u32;
var<private> trace_size: u32;

fn trace_base() -> u32 { return TOKEN_SCRATCH * params.token_capacity + IR_SCRATCH * params.ir_capacity; }
fn trace_place(word: u32) -> u32 { return trace_base() + word; }
fn trace_word(word: u32) -> u32 { return scratch_word(trace_place(word)); }
fn set_trace_word(word: u32, v: u32) { set_scratch_word(trace_place(word), v); }

// Loads the counters that the previous entry point stored.
fn trace_begin() {
    trace_rounds = trace_word(ROUND_TRACE_ROUNDS);
    trace_kept = trace_word(ROUND_TRACE_KEPT);
    trace_used = trace_word(ROUND_TRACE_USED);
    trace_room = trace_word(ROUND_TRACE_ROOM);
    trace_first = trace_word(ROUND_TRACE_FIRST);
    trace_size = trace_word(ROUND_TRACE_SIZE);
    trace_left = trace_word(ROUND_TRACE_MOST);
}

// Stores the counters for the next entry point. No thread of this entry point reads them again.
fn trace_end() {
    if lane == 0u {
        set_trace_word(ROUND_TRACE_ROUNDS, trace_rounds);
        set_trace_word(ROUND_TRACE_KEPT, trace_kept);
        set_trace_word(ROUND_TRACE_USED, trace_used);
        set_trace_word(ROUND_TRACE_ROOM, trace_room);
    }
}

// Counts a round and returns the place for its words, which follow the index of its site, or NONE if the
// round is not recorded.
fn trace_next(site: u32, words: u32) -> u32 {
    trace_rounds++;
    if trace_rounds <= trace_first { return NONE; }
    if trace_used + words + 1u > trace_room || trace_left == 0u {
        trace_room = 0u;
        return NONE;
    }
    trace_left--;
    let at = trace_place(ROUND_TRACE_WORDS + trace_used);
    trace_kept++;
    trace_used += words + 1u;
    if lane == 0u { set_scratch_word(at, site); }
    return at + 1u;
}

// Records the columns. The whole workgroup calls this function after a barrier. The host generates
// `traced_column_word`, which reads a word of any arena that has columns of this stage.
fn trace_columns(site: u32) {
    var to = trace_next(site, trace_size);
    if to != NONE {
        var piece = ROUND_TRACE_TABLE;
        loop {
            let rows = trace_word(piece + PIECE_ROWS);
            if rows == 0u { break; }
            let words = rows * trace_word(piece + PIECE_COLUMNS);
            let first = trace_word(piece + PIECE_FIRST);
            let stride = trace_word(piece + PIECE_STRIDE);
            let arena = trace_word(piece + PIECE_ARENA);
            for (var i = lane; i < words; i += WORKGROUP) {
                set_scratch_word(to + i, traced_column_word(arena, first + i / rows * stride + i % rows));
            }
            to += words;
            piece += PIECE_WORDS;
        }
    }
    storageBarrier();
}

// Records two words of each thread.
fn trace_lanes(site: u32, words: vec2<u32>) {
    let to = trace_next(site, 2u * WORKGROUP);
    if to != NONE {
        set_scratch_word(to + 2u * lane, words.x);
        set_scratch_word(to + 2u * lane + 1u, words.y);
    }
}
