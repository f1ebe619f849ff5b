// Ids of names, from a hash table in which each slot converges to the first token of its name.
//
// Each thread inserts one name at a time with atomics on the scratch buffer. No workgroup memory, no
// barriers; the caller has cleared the table and written the hashes before a barrier.

#import shared/arena
#import layout/scratch/lex
#import lex/bytes

// Returns the word of a slot. The hash table fills four adjacent columns.
fn slot_place(slot: u32) -> u32 { return token_scratch_place(SLOTS + (slot & 3u), slot >> 2u); }

fn hash_text(lo: u32, hi: u32) -> u32 {
    var h = hi - lo;
    for (var i = lo; i < hi; i += 4u) {
        h = (h ^ four_below(i, hi)) * 0x85ebca6bu;
        h ^= h >> 15u;
    }
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

fn same_text(a: u32, b: u32) -> bool {
    let a_lo = token_at(TOKENS_LO, a);
    let b_lo = token_at(TOKENS_LO, b);
    let length = token_at(TOKENS_HI, a) - a_lo;
    if length != token_at(TOKENS_HI, b) - b_lo { return false; }
    for (var i = 0u; i < length; i += 4u) {
        if four_below(a_lo + i, a_lo + length) != four_below(b_lo + i, b_lo + length) { return false; }
    }
    return true;
}

// Returns the slot of token t's name. A slot never changes its name; its word is 1 + the least token of that
// name so far.
fn intern(t: u32, mask: u32) -> u32 {
    let h = atomicLoad(&scratch_atomic[token_scratch_place(HASH, t)]);
    var slot = h & mask;
    loop {
        let claim = atomicCompareExchangeWeak(&scratch_atomic[slot_place(slot)], 0u, t + 1u);
        if claim.exchanged { break; }
        if claim.old_value != 0u {
            let owner = claim.old_value - 1u;
            if atomicLoad(&scratch_atomic[token_scratch_place(HASH, owner)]) == h && same_text(owner, t) {
                atomicMin(&scratch_atomic[slot_place(slot)], t + 1u);
                break;
            }
            slot = (slot + 1u) & mask;
        }
    }
    return slot;
}
