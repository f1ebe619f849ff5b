// Access to the columns that all parts of lower use. Each function reads words of one token. No workgroup
// memory, no barriers.

#import shared/arena
#import layout/scratch/lower

fn child(t: u32, slot: u32) -> u32 { return temp(CHILD + slot, t); }
fn silent(t: u32) -> bool { return temp(SILENT, t) != 0u; }
// In HOLE: the hole at the end of a function's body is at this token.
const ENDS_BODY = 0x80000000u;

fn hole_end(t: u32) -> u32 { return temp(HOLE, t) & ~ENDS_BODY; }
fn ends_body(t: u32) -> bool { return has_holes() && (temp(HOLE, t) & ENDS_BODY) != 0u; }
fn in_hole(t: u32) -> bool { return has_holes() && hole_end(t) > t; }
// Returns whether some statements may be holes.
fn has_holes() -> bool { return P.errors != 0u || P.holes >= PART; }
// Returns whether a hole begins at t and is in no other.
fn begins_hole(t: u32) -> bool { return in_hole(t) && (t == 0u || hole_end(max(t, 1u) - 1u) <= t); }

fn role(t: u32) -> u32 { return tree_at(TREE_ROLE, t); }
fn kind(t: u32) -> u32 { return token_at(TOKENS_KIND, t); }
fn list_type(ty: u32) -> bool { return (ty & 0xffu) >= TYPE_INT_LIST; }
fn type_words(ty: u32) -> u32 { return select(1u, 1u + (ty >> 8u), list_type(ty)); }

// Returns the value of a column at token t, or `total` at the end of the program.
fn at_or(column: u32, t: u32, total: u32) -> u32 {
    if t >= P.tokens { return total; }
    return temp(column, t);
}
fn position(t: u32) -> u32 { return at_or(POSITION, t, P.lowered); }

// Returns the offset in its frame of the variable declared at a token.
fn place(declared: u32) -> u32 {
    return temp(PLACE, declared) - temp(PLACE, temp(ITEM, declared));
}
