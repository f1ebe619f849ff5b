// vary: writes the tokens of each part of a batch. A part is a changed function with the declarations that
// its code depends on; its edits are applied here.
//
// One workgroup handles one part, and each thread writes every WORKGROUP-th token. No workgroup memory, no
// barriers.
//
// The specification is docs/stages/splice.md; the CPU twins are
// src/compiler/stage/splice/part.rs and src/compiler/stage/mutate/edit.rs.

@group(0) @binding(0) var<uniform> splice_params: SpliceParams;
// The tokens of the base.
@group(0) @binding(1) var<storage, read> tokens: array<u32>;
// A mark for each word of the base's bytecode (HOLDS_*), then a row per function (PART_*), then the lists of
// these rows.
@group(0) @binding(2) var<storage, read> parts: array<u32>;
// For each part of the batch: its function and edit numbers (ORDER_*), and its edits (EDITS_*).
@group(0) @binding(3) var<storage, read> orders: array<u32>;
@group(0) @binding(4) var<storage, read> edits: array<u32>;
@group(0) @binding(5) var<storage, read_write> programs: array<Program>;
@group(0) @binding(6) var<storage, read_write> variants: array<u32>;

// An edit of the part: rows lo .. hi are replaced by `added` tokens.
struct Edit {
    lo: u32,
    hi: u32,
    added: u32,
    // The offset of the edit's pieces, and the distance from a token of the base to the same token in the
    // part.
    pieces: u32,
    by: u32,
}

var<private> part: u32;
fn part_at(field: u32) -> u32 { return parts[part + field]; }
fn row_at(i: u32) -> u32 { return parts[part_at(PART_ROWS) + i]; }

var<private> variant_base: u32;
fn token_at(column: u32, t: u32) -> u32 { return tokens[column * splice_params.base_token_capacity + t]; }
fn set_variant(column: u32, t: u32, v: u32) { variants[column * splice_params.part_token_capacity + variant_base + t] = v; }

fn write_row(to: u32, row: u32) {
    let source = row & PART_TOKEN;
    let kind = row >> PART_KIND_BITS;
    let own = kind == PART_OWN;
    set_variant(TOKENS_KIND, to, select(kind, token_at(TOKENS_KIND, source), own));
    set_variant(TOKENS_VALUE, to, select(0u, token_at(TOKENS_VALUE, source), own));
    set_variant(TOKENS_LO, to, token_at(TOKENS_LO, source));
    set_variant(TOKENS_HI, to, token_at(TOKENS_HI, source));
    set_variant(TOKENS_LINE, to, token_at(TOKENS_LINE, source));
}

// Returns the edit at `place`, in rows of the part. An edit outside of the part becomes an empty one at its
// end.
fn taken(place: u32) -> Edit {
    let lo = edits[place + EDITS_LO];
    let pieces = place + EDITS_PUT;
    if lo >= part_at(PART_HI) { return Edit(part_at(PART_LENGTH), part_at(PART_LENGTH), 0u, pieces, 0u); }
    let by = part_at(PART_AT) - part_at(PART_LO);
    var added = 0u;
    for (var i = 0u; i < PUT_MOST; i++) { added += edits[pieces + PUT_WORDS * i] >> PUT_BITS; }
    return Edit(lo + by, edits[place + EDITS_HI] + by, added, pieces, by);
}

// Writes a new token of an edit, with the span of the tokens that it replaces or precedes.
fn write_new(to: u32, edit: Edit, kind: u32, value: u32) {
    let first = row_at(edit.lo) & PART_TOKEN;
    let last = row_at(max(edit.hi, edit.lo + 1u) - 1u) & PART_TOKEN;
    set_variant(TOKENS_KIND, to, kind);
    set_variant(TOKENS_VALUE, to, value);
    set_variant(TOKENS_LO, to, token_at(TOKENS_LO, first));
    set_variant(TOKENS_HI, to, token_at(TOKENS_HI, last));
    set_variant(TOKENS_LINE, to, token_at(TOKENS_LINE, first));
}

// Writes token `number` of those that an edit inserts.
fn write_put(to: u32, edit: Edit, number: u32) {
    var left = number;
    for (var i = 0u; i < PUT_MOST; i++) {
        let piece = edits[edit.pieces + PUT_WORDS * i];
        let says = edits[edit.pieces + PUT_WORDS * i + 1u];
        let tokens = piece >> PUT_BITS;
        if left < tokens {
            let kind = piece & PUT_KIND;
            if kind == PUT_COPY { write_row(to, row_at(says + edit.by + left)); } else { write_new(to, edit, kind, says); }
            return;
        }
        left -= tokens;
    }
}

@compute @workgroup_size(64)
fn vary(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let p = group.x;
    let own = p * EDITS_WORDS;
    part = splice_params.base_code + orders[p * ORDER_WORDS + ORDER_FUNCTION] * PART_WORDS;
    variant_base = programs[p].token_base;
    let invalid = edits[own + EDITS_INVALID] != 0u;
    let first = taken(own);
    let then = taken(own + EDITS_SECOND);
    let total = part_at(PART_LENGTH) + edits[own + EDITS_GROWTH];
    if local.x == 0u {
        programs[p].tokens = select(total, 0u, invalid);
        programs[p].names = splice_params.base_names;
        programs[p].invalid = select(0u, 1u, invalid);
    }
    if invalid { return; }
    // Copy the tokens before the first edit, between the edits and after both, and write the edits' tokens.
    let second = first.lo + first.added + (then.lo - first.hi);
    for (var to = local.x; to < total; to += WORKGROUP) {
        if to - first.lo < first.added { write_put(to, first, to - first.lo); continue; }
        if to - second < then.added { write_put(to, then, to - second); continue; }
        var source = to;
        if to >= first.lo + first.added { source = to - first.added - first.lo + first.hi; }
        if to >= second + then.added { source = to - second - then.added + then.hi; }
        write_row(to, row_at(source));
    }
}
