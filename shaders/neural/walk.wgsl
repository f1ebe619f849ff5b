// The walk over a candidate's words: which word may come next, and how a word changes the state. The
// importing file declares the lexicons and sets the function of the candidate.
//
// The state is stored in a buffer; one workgroup loads one candidate's state to `walk` in workgroup memory.
// All threads may call `allowed`; only one thread calls `take`. The importing file places the barriers
// between these. The row of a label holds its status, the operands at it (their number, and which of them are
// lists) and the variables at it (stored, and in the upper bits begun).
//
// The specification is section "The assembler" of docs/neural.md; the CPU twin is src/network/assembler.rs.

#import layout/neural

const LABEL_UNUSED = 0u;
const LABEL_AWAITED = 1u;
const LABEL_PLACED = 2u;

var<workgroup> walk: array<u32, WALK_WORDS>;
// The function whose lexicon is used.
var<private> lexicon_of: u32;

fn lexicon_row(word: u32) -> u32 { return (lexicon_of * TARGETS + word) * LEXICON_WORDS; }

fn label_row(label: u32) -> u32 { return WALK_LABELS + 4u * label; }

// Returns whether a jump to the label may pass these operands and variables. A new label accepts any; an
// awaited one only requires equal operands.
fn can_jump(label: u32, depth: u32, lists: u32, variables: u32) -> bool {
    let row = label_row(label);
    let how = walk[row];
    if how == LABEL_UNUSED { return label == walk[WALK_FRESH]; }
    let alike = walk[row + 1u] == depth && walk[row + 2u] == lists;
    let needed = select(0u, walk[row + 3u], how == LABEL_PLACED);
    return alike && (needed & ~variables) == 0u;
}

fn can_place(label: u32) -> bool {
    let row = label_row(label);
    let how = walk[row];
    let reached = walk[WALK_REACHED] != 0u;
    var fits = false;
    var held = walk[WALK_VARIABLES];
    if how == LABEL_UNUSED {
        fits = reached && label == walk[WALK_FRESH];
    } else if how == LABEL_AWAITED {
        fits = !reached || (walk[row + 1u] == walk[WALK_DEPTH] && walk[row + 2u] == walk[WALK_LISTS]);
        held &= walk[row + 3u];
    }
    // At the beginning of a loop, one label is allowed if every path to it has begun that loop.
    let last = walk[WALK_LAST];
    if last > VARIABLES { return false; }
    if last != 0u { fits = fits && ((held >> (15u + last)) & 1u) != 0u; }
    return fits;
}

// The operands after a word: their number, and which of them are lists.
struct Operands { depth: u32, lists: u32, fit: bool }

fn operands_behind(row: u32, lexicon_pushes: u32) -> Operands {
    let depth = walk[WALK_DEPTH];
    let lists = walk[WALK_LISTS];
    let pops = lexicon[row + LEXICON_POPS];
    let pushes = lexicon_pushes & 0xffu;
    if pops > depth { return Operands(0u, 0u, false); }
    let rest = depth - pops;
    let taken = (lists >> rest) == lexicon[row + LEXICON_TAKEN];
    let kept = lists & ((1u << rest) - 1u);
    return Operands(rest + pushes, kept | ((lexicon_pushes >> 8u) << rest), taken && rest + pushes <= OPERANDS);
}

// Returns whether a word may come next.
fn allowed(word: u32) -> bool {
    let row = lexicon_row(word);
    let kind = lexicon[row + LEXICON_KIND];
    let index = lexicon[row + LEXICON_INDEX];
    let reached = walk[WALK_REACHED] != 0u;
    if kind == KIND_ABSENT { return false; }
    if kind == KIND_END { return !reached && walk[WALK_AWAITED] == 0u; }
    if kind == KIND_LABEL { return can_place(index); }
    if !reached { return false; }
    let depth = walk[WALK_DEPTH];
    let lists = walk[WALK_LISTS];
    let variables = walk[WALK_VARIABLES];
    if kind == KIND_FOR { return walk[WALK_LAST] != 0u && can_jump(index, depth, lists, variables); }
    if walk[WALK_LAST] != 0u { return false; }
    let behind = operands_behind(row, lexicon[row + LEXICON_PUSHES]);
    if !behind.fit || (lexicon[row + LEXICON_READS] & ~variables) != 0u { return false; }
    if kind == KIND_BRANCH { return can_jump(index, behind.depth, behind.lists, variables); }
    if kind == KIND_JUMP || kind == KIND_KEEPING { return can_jump(index, depth, lists, variables); }
    return kind != KIND_RETURN || behind.depth == 0u;
}

fn jump(label: u32, depth: u32, lists: u32, variables: u32) {
    let row = label_row(label);
    if walk[row] == LABEL_UNUSED {
        walk[row] = LABEL_AWAITED;
        walk[row + 1u] = depth;
        walk[row + 2u] = lists;
        walk[row + 3u] = variables;
        walk[WALK_FRESH] += 1u;
        walk[WALK_AWAITED] += 1u;
    } else if walk[row] == LABEL_AWAITED {
        walk[row + 3u] &= variables;
    }
}

fn place(label: u32) {
    let row = label_row(label);
    if walk[row] == LABEL_UNUSED {
        walk[WALK_FRESH] += 1u;
    } else {
        if walk[WALK_REACHED] != 0u {
            walk[WALK_VARIABLES] &= walk[row + 3u];
        } else {
            walk[WALK_DEPTH] = walk[row + 1u];
            walk[WALK_LISTS] = walk[row + 2u];
            walk[WALK_VARIABLES] = walk[row + 3u];
        }
        walk[WALK_AWAITED] -= 1u;
    }
    walk[row] = LABEL_PLACED;
    walk[row + 1u] = walk[WALK_DEPTH];
    walk[row + 2u] = walk[WALK_LISTS];
    walk[row + 3u] = walk[WALK_VARIABLES];
    walk[WALK_REACHED] = 1u;
    if walk[WALK_LAST] != 0u { walk[WALK_LAST] += VARIABLES; }
}

// Applies an allowed word to the state. Only one thread may call this function.
fn take(word: u32) {
    let row = lexicon_row(word);
    let kind = lexicon[row + LEXICON_KIND];
    let index = lexicon[row + LEXICON_INDEX];
    let depth = walk[WALK_DEPTH];
    let lists = walk[WALK_LISTS];
    if kind == KIND_END { walk[WALK_PHASE] = PHASE_VALID; return; }
    if kind == KIND_LABEL { place(index); return; }
    if kind == KIND_FOR {
        jump(index, depth, lists, walk[WALK_VARIABLES]);
        walk[WALK_VARIABLES] |= 1u << ((walk[WALK_LAST] - 1u) % VARIABLES);
        walk[WALK_LAST] = 0u;
        return;
    }
    let behind = operands_behind(row, lexicon[row + LEXICON_PUSHES]);
    walk[WALK_DEPTH] = behind.depth;
    walk[WALK_LISTS] = behind.lists;
    walk[WALK_VARIABLES] |= lexicon[row + LEXICON_SETS];
    if kind == KIND_BRANCH { jump(index, behind.depth, behind.lists, walk[WALK_VARIABLES]); }
    if kind == KIND_JUMP || kind == KIND_KEEPING { jump(index, depth, lists, walk[WALK_VARIABLES]); }
    if kind == KIND_JUMP || kind == KIND_RETURN { walk[WALK_REACHED] = 0u; }
    if kind == KIND_BEGIN { walk[WALK_LAST] = 1u + index; }
}
