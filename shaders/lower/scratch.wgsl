// Scratch columns, and what every part asks of a token.

#import shared/arena

// Scratch columns, per token.
const CHILD: u32 = 0u;      // .. 2: tokens of the children with slots 0, 1, 2
const ELEMENTS: u32 = 3u;   // of a List: number of its elements
const INNER: u32 = 4u;      // the node one further in that ends at the same token; doubled in place of INNER_NEXT
const INNER_NEXT: u32 = 5u;
const CHAIN: u32 = 6u;      // instructions of the node and all those further in that end with it
const CHAIN_NEXT: u32 = 7u;
const STATEMENT: u32 = 8u;  // the statement whose value ends before this token, or the Block that this token closes
const OPENED: u32 = 9u;     // of a For: its Block
const OWN: u32 = 10u;       // instructions of the token itself
const POSITION: u32 = 11u;  // P(t): instructions before the token
const SILENT: u32 = 12u;    // not 0 inside of constant expressions
const PLACE: u32 = 13u;     // words of variables before the token
const ITEM: u32 = 14u;      // the Fn, Test or Prop at or before the token
const FUNCTION: u32 = 15u;  // number of Fns before the token
const TEST: u32 = 16u;      // number of Tests and Props before the token
const NAMED: u32 = 17u;     // number of Params and Binders before the token
const BOUND: u32 = 18u;     // number of Binders before the token
const NAMES: u32 = 19u;     // the Params and Binders in order
const OUTER: u32 = 20u;     // CHAIN of the outermost node that ends at the token

fn child(t: u32, slot: u32) -> u32 { return temp(CHILD + slot, t); }
fn silent(t: u32) -> bool { return temp(SILENT, t) != 0u; }
fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn list_type(ty: u32) -> bool { return (ty & 0xffu) >= TYPE_INT_LIST; }
fn type_words(ty: u32) -> u32 { return select(1u, 1u + (ty >> 8u), list_type(ty)); }

// A column's value at a token, or at the end of the program the given total.
fn at_or(column: u32, t: u32, total: u32) -> u32 {
    if t >= P.tokens { return total; }
    return temp(column, t);
}
fn position(t: u32) -> u32 { return at_or(POSITION, t, P.lowered); }

// Offset in the frame of the variable declared at a token.
fn place(declared: u32) -> u32 {
    return temp(PLACE, declared) - temp(PLACE, temp(ITEM, declared));
}
