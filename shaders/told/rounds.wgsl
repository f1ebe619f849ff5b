// Records rounds: after a barrier, copies the columns of a program to the words that follow the scratch.
//
// The host inserts a call of `trace_columns` after each barrier that has a sentence (src/engine/gpu/told), and calls
// of `trace_begin` and `trace_end` where an entry point begins and ends. Beforehand it writes which columns to
// record, the first round to record, and the room in words. After the first round that does not fit, no
// further round is recorded; the host runs the stage again for the rest.
//
// Each thread copies every WORKGROUP-th word. A driver may inline `trace_columns` at each of several hundred calls.
// Therefore every thread counts rounds and words in private variables, because a shared counter would need
// more barriers, and one loop copies the columns. No workgroup memory. `trace_columns` ends with a barrier, so that no
// thread changes a column while another copies it.

#import shared/arena
#import shared/scan

// Rounds made, rounds recorded, words recorded, and words of room.
var<private> trace_rounds: u32;
var<private> told_kept: u32;
var<private> told_used: u32;
var<private> told_room: u32;
// The number of rounds to skip before recording, and the words of one recorded state.
var<private> told_first: u32;
var<private> told_size: u32;

fn told_place(word: u32) -> u32 {
    return TOKEN_SCRATCH * params.token_capacity + IR_SCRATCH * params.ir_capacity + word;
}
fn told_word(word: u32) -> u32 { return scratch_word(told_place(word)); }
fn set_told(word: u32, v: u32) { set_scratch_word(told_place(word), v); }

// Loads the counters that the previous entry point stored.
fn trace_begin() {
    trace_rounds = told_word(TOLD_ROUNDS);
    told_kept = told_word(TOLD_KEPT);
    told_used = told_word(TOLD_USED);
    told_room = told_word(TOLD_ROOM);
    told_first = told_word(TOLD_FIRST);
    told_size = told_word(TOLD_SIZE);
}

// Stores the counters for the next entry point. No thread of this entry point reads them again.
fn trace_end() {
    if lane == 0u {
        set_told(TOLD_ROUNDS, trace_rounds);
        set_told(TOLD_KEPT, told_kept);
        set_told(TOLD_USED, told_used);
        set_told(TOLD_ROOM, told_room);
    }
}

// Counts a round and returns the place for its words, which follow the index of its site, or NONE if the
// round is not recorded.
fn told_next(site: u32, words: u32) -> u32 {
    trace_rounds++;
    if trace_rounds <= told_first { return NONE; }
    if told_used + words + 1u > told_room {
        told_room = 0u;
        return NONE;
    }
    let at = told_place(TOLD_WORDS + told_used);
    told_kept++;
    told_used += words + 1u;
    if lane == 0u { set_scratch_word(at, site); }
    return at + 1u;
}

// Records the columns. The whole workgroup calls this function after a barrier. The host generates
// `told_from`, which reads a word of any arena that has columns of this stage.
fn trace_columns(site: u32) {
    var to = told_next(site, told_size);
    if to != NONE {
        var piece = TOLD_TABLE;
        loop {
            let rows = told_word(piece + PIECE_ROWS);
            if rows == 0u { break; }
            let words = rows * told_word(piece + PIECE_COLUMNS);
            let first = told_word(piece + PIECE_FIRST);
            let stride = told_word(piece + PIECE_STRIDE);
            let arena = told_word(piece + PIECE_ARENA);
            for (var i = lane; i < words; i += WORKGROUP) {
                set_scratch_word(to + i, told_from(arena, first + i / rows * stride + i % rows));
            }
            to += words;
            piece += PIECE_WORDS;
        }
    }
    storageBarrier();
}

// Records two words of each thread.
fn trace_lanes(site: u32, words: vec2<u32>) {
    let to = told_next(site, 2u * WORKGROUP);
    if to != NONE {
        set_scratch_word(to + 2u * lane, words.x);
        set_scratch_word(to + 2u * lane + 1u, words.y);
    }
}
