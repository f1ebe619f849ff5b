// Rounds told: what stands in the columns of a program after a barrier, written behind the scratch.
//
// The host puts `tell` behind each barrier of a stage that has a sentence (src/engine/gpu/told). It says before which columns are to be
// told, from which round on, and how much room there is; once a round does not fit, none is kept any more, so that the host asks for the
// rest by another run.

#import shared/arena
#import shared/scan

fn told_place(word: u32) -> u32 {
    return TOKEN_SCRATCH * params.token_capacity + IR_SCRATCH * params.ir_capacity + word;
}
fn told_word(word: u32) -> u32 { return scratch_word(told_place(word)); }
fn set_told(word: u32, v: u32) { set_scratch_word(told_place(word), v); }

// Where a round's words are to be written, behind its site; NONE where it is not kept.
fn told_room(site: u32, words: u32) -> u32 {
    var at = NONE;
    if lane == 0u {
        let number = told_word(TOLD_ROUNDS);
        set_told(TOLD_ROUNDS, number + 1u);
        if number >= told_word(TOLD_FIRST) {
            let used = told_word(TOLD_USED);
            if used + words + 1u <= told_word(TOLD_ROOM) {
                set_told(TOLD_USED, used + words + 1u);
                set_told(TOLD_KEPT, told_word(TOLD_KEPT) + 1u);
                set_told(TOLD_WORDS + used, site);
                at = TOLD_WORDS + used + 1u;
            } else {
                set_told(TOLD_ROOM, 0u);
            }
        }
    }
    return uniform_from(at);
}

fn told_from(arena: u32, at: u32) -> u32 {
    switch arena {
        case TOLD_OF_TOKENS: { return tokens[at]; }
        case TOLD_OF_TREE: { return tree[at]; }
        case TOLD_OF_CHECKED: { return checked[at]; }
        case TOLD_OF_IR: { return ir[at]; }
        case TOLD_OF_CODE: { return code[at]; }
        default: { return scratch_word(at); }
    }
}

// Tells the columns. The whole workgroup calls it, behind a barrier; four columns at a time, for the sake of the loop budget.
fn tell(site: u32) {
    var to = told_room(site, told_word(TOLD_SIZE));
    if to != NONE {
        let pieces = told_word(TOLD_PIECES);
        for (var piece = 0u; piece < pieces; piece++) {
            let at = TOLD_TABLE + piece * PIECE_WORDS;
            let arena = told_word(at + PIECE_ARENA);
            let stride = told_word(at + PIECE_STRIDE);
            let rows = told_word(at + PIECE_ROWS);
            let columns = told_word(at + PIECE_COLUMNS);
            let first = told_word(at + PIECE_FIRST);
            for (var row = lane; row < rows; row += WORKGROUP) {
                for (var c = 0u; c < columns; c += 4u) {
                    let end = min(c + 4u, columns);
                    set_told(to + c * rows + row, told_from(arena, first + c * stride + row));
                    if c + 1u < end { set_told(to + (c + 1u) * rows + row, told_from(arena, first + (c + 1u) * stride + row)); }
                    if c + 2u < end { set_told(to + (c + 2u) * rows + row, told_from(arena, first + (c + 2u) * stride + row)); }
                    if c + 3u < end { set_told(to + (c + 3u) * rows + row, told_from(arena, first + (c + 3u) * stride + row)); }
                }
            }
            to += columns * rows;
        }
    }
    storageBarrier();
}

// Tells two words of each thread.
fn tell_lanes(site: u32, words: vec2<u32>) {
    let to = told_room(site, 2u * WORKGROUP);
    if to != NONE {
        set_told(to + 2u * lane, words.x);
        set_told(to + 2u * lane + 1u, words.y);
    }
    storageBarrier();
}
