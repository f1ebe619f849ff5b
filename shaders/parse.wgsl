// parse: builds the syntax tree from the tokens, all tokens in parallel.
//
// Entry points, in order: parse_structure (statements, regions, nesting depths), parse_brackets (bracket
// partners), parse_judge (the error at each token), parse_errors (the leftmost error of each statement),
// parse_links (chains of commas and `if`s) and parse_rows (the rows of the tree).
//
// Each thread handles every WORKGROUP-th token, or one contiguous share of the tokens where order matters.
// Workgroup memory holds scan operands and, in parse_structure, each thread's effect on nesting depths.
// Storage barriers separate writing a column from reading it at other tokens.
//
// The specification is docs/stages/parse.md; the CPU twin is src/compiler/stage/parse.

#import parse/structure
#import parse/errors
#import parse/links
#import parse/rows
