// check: names, types, constants and control flow.
//
// No step follows the tree level by level:
// - Names: all declarations are sorted by (space, name, start of visibility). A use takes the last
//   declaration before it whose scope has not ended, found in a max-tree over the ends of scopes.
// - Types: the type of each node is a function of the type of at most one other node. Pointer doubling
//   composes these functions (Wyllie, "The complexity of parallel computations", 1979).
// - Errors: each node proposes its own error as if everything else were right. An error about an operand is
//   dropped if another error is proposed within the operand; prefix sums decide that.
// - Capacities are at most 64, so 64 rounds complete every sum of them.
// - Control flow is computed by depth of blocks, which is at most 64.
//
// Entry points, in order: names, types, constants, finish, flow. Each thread handles every WORKGROUP-th
// token. Workgroup memory is used only by the scans. Storage barriers separate writing a column from reading
// it at other tokens.
//
// The specification is docs/stages/check.md; the CPU twin is src/compiler/stage/check.

#import check/names
#import check/types
#import check/constants
#import check/finish
#import check/flow
