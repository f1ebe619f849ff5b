// Rounds told: what stands in the columns of a program after a barrier, written behind the scratch.
//
// The host puts `tell` behind each barrier of a stage that has a sentence (src/engine/gpu/told), and `tell_begin` and `tell_end` where an
// entry point begins and ends. It says before which columns are to be told, from which round on, and how much room there is; once a round
// does not fit, none is kept any more, so that the host asks for the rest by another run.
//
// A driver may put a copy of `tell` in the place of each call, some hundreds in all. So all threads count rounds and words alike, in
// their own memory, where one that counts for all would need barriers; and columns are copied by a single loop.

#import shared/arena
#import shared/scan

// How many rounds were made, how many of them were kept, the words of these, and the words that there is room for.
var<private> told_rounds: u32;
var<private> told_kept: u32;
var<private> told_used: u32;
var<private> told_room: u32;
// The first round that is to be kept, and the words of a state.
var<private> told_first: u32;
var<private> told_size: u32;

fn told_place(word: u32) -> u32 {
    return TOKEN_SCRATCH * params.token_capacity + IR_SCRATCH * params.ir_capacity + word;
}
fn told_word(word: u32) -> u32 { return scratch_word(told_place(word)); }
fn set_told(word: u32, v: u32) { set_scratch_word(told_place(word), v); }

// Takes up what the entry point before has left.
fn tell_begin() {
    told_rounds = told_word(TOLD_ROUNDS);
    told_kept = told_word(TOLD_KEPT);
    told_used = told_word(TOLD_USED);
    told_room = told_word(TOLD_ROOM);
    told_first = told_word(TOLD_FIRST);
    told_size = told_word(TOLD_SIZE);
}

// Leaves it to the next one. No thread reads these words any more.
fn tell_end() {
    if lane == 0u {
        set_told(TOLD_ROUNDS, told_rounds);
        set_told(TOLD_KEPT, told_kept);
        set_told(TOLD_USED, told_used);
        set_told(TOLD_ROOM, told_room);
    }
}

// Counts a round; gives where its words are to be written, behind its site, or NONE where it is not kept.
fn told_next(site: u32, words: u32) -> u32 {
    told_rounds++;
    if told_rounds <= told_first { return NONE; }
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

// Tells the columns. The whole workgroup calls it, behind a barrier. The host writes `told_from`, which reads a word of an arena of
// which this stage has columns.
fn tell(site: u32) {
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

// Tells two words of each thread.
fn tell_lanes(site: u32, words: vec2<u32>) {
    let to = told_next(site, 2u * WORKGROUP);
    if to != NONE {
        set_scratch_word(to + 2u * lane, words.x);
        set_scratch_word(to + 2u * lane + 1u, words.y);
    }
}
