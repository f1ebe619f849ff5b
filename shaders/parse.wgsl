// parse: tokens to a tree, every token at once.
//
// Entry points, in order: structure (statements and regions), brackets, judge and errors (the leftmost error of each
// statement), links, rows.
//
// The contract is the section "parse" of docs/stages.md; the twin is src/compiler/stage/parse.

#import parse/structure
#import parse/errors
#import parse/rows
