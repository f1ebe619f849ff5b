// A min-tree over one scratch word per token: finds nearest smaller values to the left and right in O(log n).
//
// Level 0 is the column TREE_LEAVES. Node j of level k is the minimum of leaves j * 2^k .. (j + 1) * 2^k. It
// exists only if all of these leaves do, so levels 1 and up fit one after another in the column TREE_UPPER. A
// stage that imports this file defines both constants.
//
// Each thread computes every WORKGROUP-th node of a level, then answers queries on its own. No workgroup
// memory. A storage barrier follows each level, because the next level reads it.
//
// Brackets and operators are matched by nearest smaller values (Berkman, Schieber and Vishkin, "Optimal doubly
// logarithmic parallel algorithms based on finding all nearest smaller values", 1993; here in O(log n)).

#import shared/arena

// Number of leaves: the number of tokens of the program.
var<private> leaves: u32;

// Returns the place in TREE_UPPER at which level k begins, for k >= 1. The sizes n/2 + n/4 + … sum to n minus
// the number of its one-bits.
fn level_offset(k: u32) -> u32 {
    let below = leaves >> (k - 1u);
    return (leaves - countOneBits(leaves)) - (below - countOneBits(below));
}

fn tree_node(k: u32, j: u32) -> u32 {
    if k == 0u { return temp(TREE_LEAVES, j); }
    return temp(TREE_UPPER, level_offset(k) + j);
}

// Builds the levels above the leaves. Every thread calls this function, after a barrier has made the leaves
// visible.
fn build_tree() {
    for (var k = 1u; k < 14u; k++) {
        let size = leaves >> k;
        for (var j = lane; j < size; j += WORKGROUP) {
            let least = min(tree_node(k - 1u, 2u * j), tree_node(k - 1u, 2u * j + 1u));
            set_temp(TREE_UPPER, level_offset(k) + j, least);
        }
        #round n/2^k: One more level of the min-tree: each node is the lesser of its two children.
        storageBarrier();
    }
}

// Returns the greatest index below i whose leaf is below x, or NONE. Each step up clears the lowest one-bit
// of `end`.
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

// Returns the least index above i whose leaf is below x, or NONE.
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
