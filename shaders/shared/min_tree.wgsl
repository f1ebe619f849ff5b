// A min-tree over one scratch word per token: nearest smaller values to the left and right in O(log n).
//
// Level 0 is the column TREE_LEAVES. Node j of level k is the least of leaves j * 2^k .. (j + 1) * 2^k, and exists only
// where all of these do, so that the levels from 1 up fit one behind the other in the column TREE_UPPER. A stage that
// includes this file defines both constants.

#import shared/arena

// Number of leaves: the program's tokens.
var<private> leaves: u32;

// Where level k (from 1 up) begins in TREE_UPPER. The sizes n/2 + n/4 + … sum up to n less its one-bits.
fn level_offset(k: u32) -> u32 {
    let below = leaves >> (k - 1u);
    return (leaves - countOneBits(leaves)) - (below - countOneBits(below));
}

fn tree_node(k: u32, j: u32) -> u32 {
    if k == 0u { return temp(TREE_LEAVES, j); }
    return temp(TREE_UPPER, level_offset(k) + j);
}

// Builds the levels above the leaves. All threads call it together, the leaves being visible to all of them.
fn build_tree() {
    for (var k = 1u; k < 14u; k++) {
        let size = leaves >> k;
        for (var j = lane; j < size; j += WORKGROUP) {
            let least = min(tree_node(k - 1u, 2u * j), tree_node(k - 1u, 2u * j + 1u));
            set_temp(TREE_UPPER, level_offset(k) + j, least);
        }
        // round n/2^k: One more level of the tree of minima: each node is the lesser of two below it.
        storageBarrier();
    }
}

// The greatest index below i whose leaf is below x, or NONE. Of i, each step up drops the lowest one-bit.
fn previous_below(i: u32, x: u32) -> u32 {
    var end = i;
    while end > 0u {
        var k = firstTrailingBit(end);
        var j = (end >> k) - 1u;
        if tree_node(k, j) < x {
            while k > 0u {
                k -= 1u;
                j = 2u * j + 1u;
                if tree_node(k, j) >= x { j -= 1u; }
            }
            return j;
        }
        end -= 1u << k;
    }
    return NONE;
}

// The least index above i whose leaf is below x, or NONE.
fn next_below(i: u32, x: u32) -> u32 {
    var begin = i + 1u;
    while begin < leaves {
        var k = min(firstTrailingBit(begin), firstLeadingBit(leaves - begin));
        var j = begin >> k;
        if tree_node(k, j) < x {
            while k > 0u {
                k -= 1u;
                j = 2u * j;
                if tree_node(k, j) >= x { j += 1u; }
            }
            return j;
        }
        begin += 1u << k;
    }
    return NONE;
}
