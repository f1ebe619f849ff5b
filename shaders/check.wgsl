// check: names, types, constants and flow. The twin is src/compiler/stage/check; docs/stages.md has the rules.
//
// Nothing here follows the tree level by level. Names: all declarations are sorted by (space, name, place from which
// they are visible); a use takes the last one before it whose scope has not ended, found in a max-tree over the ends of
// scopes. Types: each node's type is a function of that of one other node at most, and functions are composed by
// pointer doubling. Errors: each node proposes its own as if all else were right; one that speaks of an operand in
// whose extent another is proposed is dropped, which a prefix sum tells. Capacities add up to 64 at most, so that 64
// rounds find any sum. Control flow is computed by depth of blocks, which is 64 at most.
//
// Five entry points, in order: names, types, constants, finish, flow.

#import check/names
#import check/types
#import check/constants
#import check/finish
#import check/flow
